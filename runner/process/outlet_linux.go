package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// outlet is our end of an output pipe. The runtime does not hear of it before
// [outlet.open]: what it watches wakes threads of it at the end of each child,
// which costs a short step a good part of its time.
type outlet struct {
	fd   int
	file *os.File // set by open and by direct
}

func newOutlet() (ours *outlet, child *os.File, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	return &outlet{fd: ends[0]}, os.NewFile(uintptr(ends[1]), "|1"), nil
}

// open makes reads wait in the runtime, where a deadline ends them.
func (o *outlet) open() error {
	if err := syscall.SetNonblock(o.fd, true); err != nil {
		return os.NewSyscallError("setnonblock", err)
	}
	o.direct()
	return nil
}

// direct makes reads wait in the kernel, for a pipe that nobody writes into any
// more.
func (o *outlet) direct() { o.file = os.NewFile(uintptr(o.fd), "|0") }

// Close closes the pipe.
func (o *outlet) Close() error {
	if o.file != nil {
		return o.file.Close()
	}
	return syscall.Close(o.fd)
}

// grow makes the pipe larger, which saves context switches; where that is
// refused, the small one works as well.
func (o *outlet) grow() {
	o.control(func(fd int) { _, _ = unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, 1<<20) })
}

// waiting is how many bytes lie in the pipe.
func (o *outlet) waiting() (count int64) {
	o.control(func(fd int) {
		if n, err := unix.IoctlGetInt(fd, unix.TIOCINQ); err == nil {
			count = int64(n)
		}
	})
	return count
}

// control does nothing once the pipe is closed.
func (o *outlet) control(do func(fd int)) {
	raw, err := o.file.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { do(int(fd)) })
}
