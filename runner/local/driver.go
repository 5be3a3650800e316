package local

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
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
	// Record keeps what happens, each thing before the effect that it announces
	// and after the effect that it reports. nil keeps nothing.
	Record Recorder
	// Observe is told every note, in order and one at a time. It may be nil.
	Observe func(step.Note)
	// Now is the clock.
	Now func() time.Time
	// Known has the results that a resumed run brings along, by action. What is
	// asked for and known is not carried out again.
	Known map[string]step.Event
	// Skipped, if set, is told of each action that is not carried out because
	// its result is known.
	Skipped func(a *step.Action)
	// Attempt counts the owners of the run up to this one, from 1 on.
	Attempt int
	// Used, if not nil, brings what agent calls have used so far, in events of
	// that kind without a time.
	Used <-chan step.Event
}

// Executor carries out actions. Do blocks until the action is done; it is
// called from many goroutines. A cancelled context asks for an early end, and a
// closed kill channel for an immediate one; Do still returns the result.
type Executor interface {
	Do(ctx context.Context, a *step.Action, kill <-chan struct{}) step.Result
}

// Recorder keeps the record of a run. An error means that the record cannot be
// kept any more, which ends the run.
type Recorder interface {
	Note(n step.Note) error
	Starting(a *step.Action) error
	Event(ev step.Event) error
}

// Signal is a signal that reached the program: its number.
type Signal int

// drive is one run under way. Whoever finishes an action carries its result in
// and goes on with an action that follows, so that one step after another needs
// no other goroutine to wake.
type drive struct {
	*Driver
	run  *runner.Run
	kill chan struct{}
	over chan struct{} // closed when nothing runs and nothing is to come

	mu      sync.Mutex // of all below, and of run
	cancels map[string]context.CancelCauseFunc
	jobs    []job // that whoever holds mu hands on
	signals int
	cause   error               // why running actions are cancelled
	failure error               // why the run cannot go on
	fault   *process.PanicError // on the way to the goroutine that drives
}

// job is an action to be carried out.
type job struct {
	ctx    context.Context
	action *step.Action
}

// Run drives a run from its start to its end. The first signal interrupts the
// run, the second kills what still runs. A panic of the run, of Record or of
// Observe panics here, with a [*process.PanicError]. The error means that the
// run cannot be recorded, or that the run and its events do not fit each other;
// everything that it had running has ended then.
func (d *Driver) Run(ctx context.Context, run *runner.Run, signals <-chan Signal) (*runner.Outcome, error) {
	return d.drive(ctx, run, run.Start(d.now()), signals)
}

// Resume drives a run that was restored up to batch, what it wants next.
func (d *Driver) Resume(ctx context.Context, run *runner.Run, batch step.Batch, signals <-chan Signal) (*runner.Outcome, error) {
	return d.drive(ctx, run, batch, signals)
}

func (d *Driver) drive(ctx context.Context, run *runner.Run, batch step.Batch, signals <-chan Signal) (*runner.Outcome, error) {
	dr := &drive{
		Driver: d, run: run, kill: make(chan struct{}), over: make(chan struct{}), cancels: map[string]context.CancelCauseFunc{},
	}
	defer run.Abandon()
	dr.hand(ctx, dr.within(func() { dr.take(ctx, batch) }))
	for {
		select {
		case <-dr.over:
			if dr.fault != nil {
				panic(dr.fault)
			}
			return run.Outcome(), dr.failure
		case ev := <-d.Used:
			dr.hand(ctx, dr.within(func() { dr.used(ctx, ev) }))
		case sig := <-signals:
			dr.hand(ctx, dr.within(func() { dr.signal(ctx, sig) }))
		}
	}
}

// now is the time without what a record cannot keep, so that a replay counts
// the same durations.
func (d *Driver) now() time.Time { return d.Now().UTC().Round(0) }

// within lets one goroutine at a time change the run, and gives what is to be
// carried out then.
func (d *drive) within(change func()) (jobs []job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isOver() {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			d.fault, jobs = &process.PanicError{Value: p, Stack: debug.Stack()}, nil
			close(d.over)
		}
	}()
	change()
	jobs, d.jobs = d.jobs, nil
	if (d.run.Outcome() != nil || d.failure != nil) && len(d.cancels) == 0 {
		close(d.over)
	}
	return jobs
}

func (d *drive) isOver() bool {
	select {
	case <-d.over:
		return true
	default:
		return false
	}
}

// hand gives each job a goroutine.
func (d *drive) hand(ctx context.Context, jobs []job) {
	for _, j := range jobs {
		go d.work(ctx, j)
	}
}

// work carries out a job, and after it one of the jobs that follow from it.
func (d *drive) work(ctx context.Context, j job) {
	for {
		result := d.carryOut(j.ctx, j.action)
		jobs := d.within(func() { d.done(ctx, j.action.ID, result) })
		if len(jobs) == 0 {
			return
		}
		d.hand(ctx, jobs[1:])
		j = jobs[0]
	}
}

func (d *drive) done(ctx context.Context, id string, result step.Result) {
	d.cancels[id](nil)
	delete(d.cancels, id)
	d.feed(ctx, step.Event{Kind: step.Done, ID: id, Result: &result, At: d.now(), Attempt: d.Attempt})
}

func (d *drive) used(ctx context.Context, ev step.Event) {
	ev.At, ev.Attempt = d.now(), d.Attempt
	if d.cancels[ev.ID] != nil {
		d.feed(ctx, ev)
	}
}

func (d *drive) signal(ctx context.Context, sig Signal) {
	d.signals++
	switch d.signals {
	case 1:
		d.cause = &process.Interrupt{Signal: syscall.Signal(sig)}
		d.feed(ctx, step.Event{Kind: step.Interrupt, Signal: int(sig), At: d.now()})
	case 2:
		close(d.kill)
		d.feed(ctx, step.Event{Kind: step.Kill, Signal: int(sig), At: d.now()})
	}
}

// feed records an event and gives it to the run. A run that failed hears of
// nothing any more.
func (d *drive) feed(ctx context.Context, ev step.Event) {
	if d.failure != nil {
		return
	}
	if d.Record != nil {
		if err := d.Record.Event(ev); err != nil {
			d.fail(err)
			return
		}
	}
	batch, err := d.run.Feed(ev)
	if err != nil {
		d.fail(err)
		return
	}
	d.take(ctx, batch)
}

// take does what the run wants: first what is to be known, then what is to be
// ended, then what is to be started.
func (d *drive) take(ctx context.Context, batch step.Batch) {
	for _, n := range batch.Notes {
		if d.Observe != nil {
			d.Observe(n)
		}
		if d.Record == nil || d.failure != nil {
			continue
		}
		if err := d.Record.Note(n); err != nil {
			d.fail(err)
		}
	}
	for _, id := range batch.Cancels {
		if cancel, running := d.cancels[id]; running {
			cancel(d.cause)
		}
	}
	for _, a := range batch.Actions {
		if d.failure != nil {
			return
		}
		d.start(ctx, a)
	}
}

func (d *drive) start(ctx context.Context, a *step.Action) {
	if known, ok := d.Known[a.ID]; ok {
		delete(d.Known, a.ID)
		if d.Skipped != nil {
			d.Skipped(a)
		}
		// Time never goes back.
		if now := d.now(); known.At.Before(now) {
			known.At = now
		}
		batch, err := d.run.Feed(known)
		if err != nil {
			d.fail(err)
			return
		}
		d.take(ctx, batch)
		return
	}
	if d.Record != nil {
		if err := d.Record.Starting(a); err != nil {
			d.fail(err)
			return
		}
	}
	own, cancel := context.WithCancelCause(ctx)
	d.cancels[a.ID] = cancel
	d.jobs = append(d.jobs, job{own, a})
}

// carryOut does an action. A fault of the program in one action fails its step
// and leaves the run its way to the end.
func (d *drive) carryOut(ctx context.Context, a *step.Action) (res step.Result) {
	defer func() {
		if p := recover(); p != nil {
			res = refuse(step.CauseState, fmt.Errorf("internal error: %v\n%s", p, debug.Stack()))
		}
	}()
	return d.Executor.Do(ctx, a, d.kill)
}

// fail ends a run that cannot be recorded: nothing new starts, and what runs is
// ended and waited for.
func (d *drive) fail(err error) {
	if d.failure != nil {
		return
	}
	d.failure = err
	for _, cancel := range d.cancels {
		cancel(err)
	}
}
