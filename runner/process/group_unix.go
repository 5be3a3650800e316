//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// group is the process group of a child. The number stays taken as long as one
// member lives, so signals do not reach strangers.
type group struct{ id int }

func (g *group) attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func (g *group) join(p *os.Process) { g.id = p.Pid }

func (g *group) close() {}

func (g *group) holds(id Ident) bool { return g.id != 0 && id.PGID == g.id }

// ask sends sig, or TERM. A stopped process gets it when it is continued, so
// that follows. Errors mean that nobody is left or may be signalled, and both
// show in the next look at the group.
func (g *group) ask(sig os.Signal) {
	number, ok := sig.(syscall.Signal)
	if !ok {
		number = syscall.SIGTERM
	}
	g.send(number)
	g.send(syscall.SIGCONT)
}

func (g *group) kill() { g.send(syscall.SIGKILL) }

func (g *group) send(sig syscall.Signal) {
	if g.id > 1 {
		_ = syscall.Kill(-g.id, sig)
	}
}

// alive reports whether the group has a member, zombies included.
func (g *group) alive() bool {
	return g.id > 1 && !errors.Is(syscall.Kill(-g.id, 0), syscall.ESRCH)
}

func askOne(id Ident) { sendOne(id, syscall.SIGTERM); sendOne(id, syscall.SIGCONT) }

func killOne(id Ident) { sendOne(id, syscall.SIGKILL) }

func sendOne(id Ident, sig syscall.Signal) {
	if id.PID > 1 {
		_ = syscall.Kill(id.PID, sig)
	}
}

// signalFor is the signal that a cancelled context stands for; nil is TERM.
func signalFor(ctx context.Context) os.Signal {
	if interrupt, ok := errors.AsType[*Interrupt](context.Cause(ctx)); ok {
		return interrupt.Signal
	}
	return nil
}

func codeAndSignal(state *os.ProcessState) (code int, signal string) {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return 128 + int(status.Signal()), unix.SignalName(status.Signal())
	}
	return state.ExitCode(), ""
}
