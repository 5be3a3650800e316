package local

import (
	"context"
	"syscall"
	"time"

	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
)

// Driver feeds the results of actions back to a run until it ends. It keeps the
// only clock of the run.
type Driver struct {
	Executor Executor
	// Observe is told every note, in order and from one goroutine. It may be
	// nil.
	Observe func(step.Note)
	// Now is the clock.
	Now func() time.Time
}

// Executor carries out actions. Do blocks until the action is done; it is
// called from many goroutines. A cancelled context asks for an early end, and a
// closed kill channel for an immediate one; Do still returns the result.
type Executor interface {
	Do(ctx context.Context, a *step.Action, kill <-chan struct{}) step.Result
}

// Signal is a signal that reached the program: its number.
type Signal int

type finished struct {
	id     string
	result step.Result
}

// drive is one run under way.
type drive struct {
	*Driver
	run     *runner.Run
	ended   chan finished
	cancels map[string]context.CancelCauseFunc
	kill    chan struct{}
	signals int
	cause   error // why running actions are cancelled
}

// Run drives a run from its start to its end. The first signal interrupts the
// run, the second kills what still runs. The error means that the run and its
// executor do not fit each other; it is a fault of the program.
func (d *Driver) Run(ctx context.Context, run *runner.Run, signals <-chan Signal) (*runner.Outcome, error) {
	dr := &drive{
		Driver: d, run: run,
		ended: make(chan finished), cancels: map[string]context.CancelCauseFunc{}, kill: make(chan struct{}),
	}
	defer run.Abandon()
	dr.take(ctx, run.Start(d.Now()))
	for run.Outcome() == nil || len(dr.cancels) > 0 {
		ev, ok := dr.next(signals)
		if !ok {
			continue
		}
		batch, err := run.Feed(ev)
		if err != nil {
			return nil, err
		}
		dr.take(ctx, batch)
	}
	return run.Outcome(), nil
}

// next waits for what happens next outside.
func (d *drive) next(signals <-chan Signal) (step.Event, bool) {
	select {
	case end := <-d.ended:
		d.cancels[end.id](nil)
		delete(d.cancels, end.id)
		return step.Event{Kind: step.Done, ID: end.id, Result: &end.result, At: d.Now()}, true
	case sig := <-signals:
		d.signals++
		switch d.signals {
		case 1:
			d.cause = &process.Interrupt{Signal: syscall.Signal(sig)}
			return step.Event{Kind: step.Interrupt, Signal: int(sig), At: d.Now()}, true
		case 2:
			close(d.kill)
			return step.Event{Kind: step.Kill, Signal: int(sig), At: d.Now()}, true
		}
		return step.Event{}, false
	}
}

// take does what the run wants: first what is to be known, then what is to be
// ended, then what is to be started.
func (d *drive) take(ctx context.Context, batch step.Batch) {
	if d.Observe != nil {
		for _, n := range batch.Notes {
			d.Observe(n)
		}
	}
	for _, id := range batch.Cancels {
		if cancel, running := d.cancels[id]; running {
			cancel(d.cause)
		}
	}
	for _, a := range batch.Actions {
		own, cancel := context.WithCancelCause(ctx)
		d.cancels[a.ID] = cancel
		go func() {
			d.ended <- finished{a.ID, d.Executor.Do(own, a, d.kill)}
		}()
	}
}
