package process

import (
	"strconv"

	"golang.org/x/sys/windows"
)

func identify(pid int) Ident { return Ident{PID: pid, Start: startOf(pid)} }

// startOf is the creation time in nanoseconds since the epoch; empty when there
// is no such process or it has ended.
func startOf(pid int) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return ""
	}
	defer func() { _ = windows.CloseHandle(h) }()
	var code uint32
	const stillActive = 259
	if windows.GetExitCodeProcess(h, &code) != nil || code != stillActive {
		return ""
	}
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil {
		return ""
	}
	return strconv.FormatInt(created.Nanoseconds(), 10)
}
