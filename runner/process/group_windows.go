package process

import (
	"context"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object. It holds everything the child starts, except for what
// the child started in the moment before it was put into the job, and what the
// child started in a job of its own where the system allows to break away.
// There is no TERM: ask sends CTRL_BREAK to the console group, which programs
// without a console do not get.
type group struct {
	id  int
	job windows.Handle
}

func (g *group) attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// join puts the child into a job. Where that fails (a job that forbids nested
// ones) only the child itself can be ended.
func (g *group) join(p *os.Process) {
	g.id = p.Pid
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	access := uint32(windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE)
	process, err := windows.OpenProcess(access, false, uint32(p.Pid))
	if err != nil {
		_ = windows.CloseHandle(job)
		return
	}
	defer func() { _ = windows.CloseHandle(process) }()
	if windows.AssignProcessToJobObject(job, process) != nil {
		_ = windows.CloseHandle(job)
		return
	}
	g.job = job
}

func (g *group) close() {
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}

func (g *group) holds(Ident) bool { return g.job != 0 }

func (g *group) ask(os.Signal) {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.id))
}

func (g *group) kill() {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		return
	}
	killOne(Ident{PID: g.id})
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	userTime, kernelTime, periodUser, periodKernel int64
	pageFaults, total, active, terminated          uint32
}

func (g *group) alive() bool {
	if g.job == 0 {
		return false
	}
	const basicAccounting = 1
	var info accounting
	err := windows.QueryInformationJobObject(g.job, basicAccounting,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err == nil && info.active > 0
}

func askOne(Ident) {}

func killOne(id Ident) {
	process, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(id.PID))
	if err != nil {
		return
	}
	defer func() { _ = windows.CloseHandle(process) }()
	_ = windows.TerminateProcess(process, 1)
}

func signalFor(context.Context) os.Signal { return nil }

func codeAndSignal(state *os.ProcessState) (code int, signal string) { return state.ExitCode(), "" }
