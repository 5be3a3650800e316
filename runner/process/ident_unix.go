//go:build unix && !linux && !darwin

package process

func identify(pid int) Ident { return Ident{PID: pid, PGID: pid} }

func startOf(int) string { return "" }
