package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Program does the work of a child within this process, as an interpreter does.
// It gets the Spec with writers that many may use at once, and starts what
// processes it needs through [Inside.Run]. It has to return soon after its
// context is done. The error means that it could not do its work at all.
type Program func(ctx context.Context, in *Inside) (code int, err error)

// Inside is what a [Program] works with.
type Inside struct {
	Spec   // of the program; its Program is nil
	family *Family

	ctx       context.Context
	cancel    context.CancelCauseFunc
	out, err  *gate
	lingering atomic.Bool
	running   sync.WaitGroup
	over      bool       // no process may be started any more
	entering  sync.Mutex // of running and over
	starting  sync.Mutex // one Started at a time
}

// Run runs a process for the program, with what all processes of the step have
// in common. Spec's Dir, Env, Argv and streams are the caller's; ctx is made of
// the program's.
func (in *Inside) Run(ctx context.Context, s Spec) (Exit, error) {
	if !in.enter() {
		return Exit{}, context.Cause(in.ctx)
	}
	defer in.running.Done()
	s.Grace, s.Drain, s.Leftover, s.Kill = in.Grace, in.Drain, in.Leftover, in.Kill
	if in.Started != nil {
		s.Started = func(id Ident) {
			in.starting.Lock()
			defer in.starting.Unlock()
			in.Started(id)
		}
	}
	return in.family.Run(ctx, s)
}

// enter counts a process, unless the program is over.
func (in *Inside) enter() bool {
	in.entering.Lock()
	defer in.entering.Unlock()
	if in.over {
		return false
	}
	in.running.Add(1)
	return true
}

// Linger says that the program may leave work behind that goes on without it, as
// jobs in the background do. Such work lives as what a child leaves running
// does.
func (in *Inside) Linger() { in.lingering.Store(true) }

// PanicError tells that a program has come to a state that it did not foresee.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }

// inside runs the program of a spec to its end.
func (f *Family) inside(ctx context.Context, s Spec) (Exit, error) {
	in := &Inside{Spec: s, family: f}
	in.Program, in.Timeout, in.IdleTimeout = nil, 0, 0
	in.ctx, in.cancel = context.WithCancelCause(ctx)
	c := &inner{Inside: in, as: child{spec: s, begun: time.Now(), exited: make(chan ending, 1)}}
	if s.IdleTimeout > 0 {
		c.as.pulse = &pulse{begun: c.as.begun}
	}
	in.out = newGate(s.Stdout, c.as.pulse)
	in.err = in.out
	if !sameWriter(s.Stdout, s.Stderr) {
		in.err = newGate(s.Stderr, c.as.pulse)
	}
	in.Stdout, in.Stderr = in.out, in.err
	go func() {
		code, err := c.guarded(s.Program)
		c.code, c.fault = code, err
		c.as.exited <- ending{}
	}()
	return c.conclude(ctx)
}

// inner is a program that was started and is not done with.
type inner struct {
	*Inside
	as    child // what it is watched as
	code  int
	fault error
}

// guarded turns a panic of the program into an error, so that one command does
// not end the whole run.
func (c *inner) guarded(program Program) (code int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &PanicError{r, debug.Stack()}
		}
	}()
	return program(c.ctx, c.Inside)
}

func (c *inner) conclude(ctx context.Context) (Exit, error) {
	var e Exit
	ended := c.as.watch(ctx, &e)
	if !ended {
		ended = c.halt(ctx)
	}
	c.part(&e)
	e.Duration = time.Since(c.as.begun)
	e.OutputErr = errors.Join(c.out.failure("stdout"), c.err.failureBeside(c.out, "stderr"))
	if !ended {
		e.Code, e.Survivors = 128+9, append(e.Survivors, Self())
		return e, nil
	}
	if c.fault != nil && !e.Cancelled && !e.TimedOut && !e.Idle {
		return Exit{}, &StartError{Program: "the command", Err: c.fault}
	}
	e.Code = c.code
	if e.TimedOut || e.Idle {
		e.Code = CodeTimeout
	}
	return e, nil
}

// halt asks the program to end, and reports false when it does not: its
// processes have the grace of any child, and it gets a moment more.
func (c *inner) halt(ctx context.Context) bool {
	cause := context.Cause(ctx)
	if cause == nil {
		cause = context.Canceled
	}
	c.cancel(cause)
	patience := c.Grace
	if patience == 0 {
		patience = DefaultGrace
	}
	last := time.NewTimer(max(patience, 0) + 2*lastResort)
	defer last.Stop()
	select {
	case <-c.as.exited:
		return true
	case <-last.C:
		return false
	}
}

// part deals with what the program left behind, then closes the outputs.
func (c *inner) part(e *Exit) {
	stopped := e.Cancelled || e.TimedOut || e.Idle
	if c.lingering.Load() && !stopped && c.Leftover == EndWithRun && c.family.atEnd(c.end) {
		c.out.shut()
		c.err.shut()
		return
	}
	c.end()
	c.out.shut()
	c.err.shut()
}

// end stops everything that the program started and waits for it.
func (c *inner) end() {
	c.cancel(context.Canceled)
	c.entering.Lock()
	c.over = true
	c.entering.Unlock()
	if c.lingering.Load() {
		c.running.Wait()
	}
}

// gate passes output on, one piece at a time, until it is shut.
type gate struct {
	pulse *pulse

	mu  sync.Mutex
	out io.Writer
	err error
}

func newGate(out io.Writer, beat *pulse) *gate { return &gate{out: out, pulse: beat} }

// Write never fails, so that the program goes on when its output cannot be kept.
func (g *gate) Write(piece []byte) (int, error) {
	g.pulse.beat()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.out != nil {
		if _, err := g.out.Write(piece); err != nil {
			g.err, g.out = err, nil
		}
	}
	return len(piece), nil
}

// shut ends the passing. The writer is not used any more once it has returned.
func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.out = nil
}

func (g *gate) failure(stream string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		return nil
	}
	return &OutputError{Stream: stream, Err: g.err}
}

// failureBeside is the failure of a stream that is not the other one.
func (g *gate) failureBeside(other *gate, stream string) error {
	if g == other {
		return nil
	}
	return g.failure(stream)
}
