package process

import (
	"strconv"

	"golang.org/x/sys/unix"
)

func identify(pid int) Ident { return Ident{PID: pid, PGID: pid, Start: startOf(pid)} }

// startOf is the start time in microseconds since the epoch; empty when there
// is no such process.
func startOf(pid int) string {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return ""
	}
	start := info.Proc.P_starttime
	return strconv.FormatInt(int64(start.Sec)*1e6+int64(start.Usec), 10)
}
