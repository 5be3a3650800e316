//go:build unix

package interpreter

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// errNoFormat is what the system says of a program that it cannot execute.
var errNoFormat error = syscall.ENOEXEC

// unread tells whether a file is a pipe that nobody reads any more.
func unread(file *os.File) bool {
	conn, err := file.SyscallConn()
	if err != nil {
		return false
	}
	broken := false
	err = conn.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd)}}
		if n, err := unix.Poll(fds, 0); err == nil && n > 0 {
			broken = fds[0].Revents&unix.POLLERR != 0
		}
	})
	return err == nil && broken
}
