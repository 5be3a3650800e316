// Package process runs one child process in a group of its own. It is the only
// place of the project that starts a process.
//
// [Run] starts a child, streams its two outputs into writers, and returns when
// the child itself has ended plus a short drain: a background child that keeps
// a pipe open does not hold it. What the child leaves running is ended with it,
// with the run, or never, as [Spec.Leftover] says. On Linux a [Family] makes
// this program the reaper of everything its children start, so that what left
// the process group (setsid, a double fork) is found as well.
//
// The package also holds what keeps output: [Spool] and [Stream] store it,
// [Captured] is the part that a variable gets, [Tail] the part that an error
// message shows.
package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// Defaults of [Spec].
const (
	DefaultGrace = 5 * time.Second
	DefaultDrain = 250 * time.Millisecond
)

// CodeTimeout is the exit code of a child that a timeout ended, as timeout(1)
// has it.
const CodeTimeout = 124

// Leftover says what becomes of the processes that a child leaves running.
type Leftover int

const (
	// EndWithStep ends them as soon as the child has ended: TERM, and KILL a
	// quarter of a second later.
	EndWithStep Leftover = iota
	// EndWithRun lets them run until [Family.End]; what they print after the
	// drain is thrown away. Without a Family they are left alone.
	EndWithRun
	// Detach never ends them. Their output pipes close after the drain, so a
	// process that is to live on should redirect its output. They carry
	// [EnvDetached] and no [EnvStepToken].
	Detach
)

// Environment variables that mark the children of a [Family].
const (
	// EnvStepToken identifies one Run. The token of a nested run begins with
	// the token of the Run around it and a slash.
	EnvStepToken = "BRICKOVEN_STEP_TOKEN"
	// EnvDetached is 1 in a detached step; [FindByEnv] passes over it.
	EnvDetached = "BRICKOVEN_DETACHED"
)

// Spec describes one child.
type Spec struct {
	// Argv is the program and its arguments. A program without a slash is
	// looked up in the PATH of Env; one with a slash is relative to Dir.
	Argv []string
	// Dir is the working directory; empty is the one of this process.
	Dir string
	// Env is the whole environment; nil is an empty one.
	Env []string
	// Stdin is read to its end by the child. Nil is the null device; an
	// *os.File is handed over as it is, without a copy.
	Stdin io.Reader
	// Stdout and Stderr receive the output, each from one goroutine and in
	// pieces of at most 256 KiB that are only valid during the call. Nil throws
	// output away; an *os.File is handed over as it is, and what goes there is
	// neither seen nor waited for. If both are the same writer the child gets one pipe for
	// both, so that their order is kept. When a writer fails the child goes on,
	// the rest of that stream is thrown away, and [Exit.OutputErr] tells.
	Stdout, Stderr io.Writer
	// Timeout bounds the child's life, IdleTimeout the silence on both outputs.
	// Zero is no bound.
	Timeout, IdleTimeout time.Duration
	// Grace is the time between TERM and KILL after a timeout or a cancelled
	// context; zero is [DefaultGrace], negative is none.
	Grace time.Duration
	// Drain is how long the outputs may stay open after the child has ended;
	// zero is [DefaultDrain], negative is none.
	Drain time.Duration
	// Leftover says what becomes of processes that outlive the child. A
	// timeout and a cancelled context end them in every case but Detach.
	Leftover Leftover
	// Kill, when closed, sends KILL without waiting for the grace to be over.
	// The context must be cancelled too.
	Kill <-chan struct{}
	// Started is called once, before any output is passed on; for each process
	// that a Program starts.
	Started func(Ident)
	// Program, if set, runs within this process in the place of a child; Argv is
	// not used then. It cannot be detached.
	Program Program
}

// Interrupt is a cause for cancelling the context of [Family.Run] (see
// [context.WithCancelCause]) that names the signal to send instead of TERM, so
// that an interrupt at the terminal reaches the children as one.
type Interrupt struct{ Signal os.Signal }

func (i *Interrupt) Error() string { return "interrupted by " + i.Signal.String() }

// Ident identifies a process beyond the reuse of its number.
type Ident struct {
	PID  int `json:"pid"`
	PGID int `json:"pgid"` // equal to PID for a child of Run; 0 on Windows
	// Start is when the process started, in a form that only equality is
	// defined on: on Linux the boot id and the clock ticks since boot. Empty
	// when the system does not tell.
	Start string `json:"start"`
}

// Exit is how a child ended.
type Exit struct {
	// Code is the exit code, 128 plus the number after a signal, and
	// [CodeTimeout] after either timeout.
	Code int
	// Signal is the name of the signal that ended the child, such as SIGKILL;
	// empty when it ended by itself.
	Signal string
	// TimedOut and Idle tell which timeout ended it; Cancelled that the context
	// did.
	TimedOut, Idle, Cancelled bool
	Duration                  time.Duration
	// Leftover counts the processes beside the child that had to be ended.
	// Members of its group are counted on Linux only.
	Leftover int
	// Survivors is set when processes could not be ended, not even with KILL.
	Survivors []Ident
	// Open tells that an output was still open when the drain was over, so
	// that something may be missing from it.
	Open bool
	// OutputErr joins an [*OutputError] for each writer that failed.
	OutputErr error
}

// StartError tells that a child could not be started. It unwraps to the errno:
// ENOENT, EACCES, E2BIG, ENOTDIR.
type StartError struct {
	Program string
	Dir     string // set when the working directory is at fault
	Err     error
}

func (e *StartError) Error() string {
	if e.Dir != "" {
		return fmt.Sprintf("working directory %s: %v", e.Dir, e.Err)
	}
	return fmt.Sprintf("cannot start %s: %v", e.Program, e.Err)
}

// Unwrap gives the cause.
func (e *StartError) Unwrap() error { return e.Err }

// OutputError tells that output could not be passed on.
type OutputError struct {
	Stream string // stdout or stderr
	Err    error
}

func (e *OutputError) Error() string { return fmt.Sprintf("keeping %s: %v", e.Stream, e.Err) }

// Unwrap gives the cause.
func (e *OutputError) Unwrap() error { return e.Err }

// Self identifies this process.
func Self() Ident { return identify(os.Getpid()) }

// Run runs one child to its end, with its process group as the only means to
// find what it leaves behind; see [Family.Run] for more. The error is a
// [*StartError] and means that nothing ran. Run is safe for concurrent use.
func Run(ctx context.Context, s Spec) (Exit, error) {
	var none *Family
	return none.Run(ctx, s)
}
