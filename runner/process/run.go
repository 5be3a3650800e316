package process

import (
	"context"
	"os"
	"time"
)

const (
	// quickGrace is what a leftover of a finished child gets between TERM and
	// KILL.
	quickGrace = 250 * time.Millisecond
	// lastResort bounds the wait for a process that KILL does not end, such as
	// one in an uninterruptible system call.
	lastResort = 3 * time.Second
	// reapPause gathers the ends of many adopted children into one look.
	reapPause = time.Second
)

// Run runs one child to its end and ends or keeps what it left running. Within
// a Family on Linux that includes what left the process group. The error is a
// [*StartError] and means that nothing ran; a context that is cancelled already
// still starts the child and ends it at once. A nil Family works with process
// groups only. Run is safe for concurrent use.
func (f *Family) Run(ctx context.Context, s Spec) (Exit, error) {
	f.enter()
	defer f.leave()
	if s.Program != nil {
		return f.inside(ctx, s)
	}
	c, err := f.launch(s)
	if err != nil {
		return Exit{}, err
	}
	defer c.group.close()
	if s.Started != nil {
		s.Started(c.ident)
	}
	c.feed.start()
	return c.supervise(ctx, c.attend), nil
}

// child is a process that was started and is not done with.
type child struct {
	spec   Spec
	family *Family
	token  string
	proc   *os.Process
	group  group
	ident  Ident
	begun  time.Time
	pumps  []*pump
	feed   *feed
	pulse  *pulse

	exited chan ending
	end    *ending
}

// ending is what waiting for the process gave.
type ending struct {
	state *os.ProcessState
	err   error
}

// supervise sees a child to its end, which attend waits for: true where it came
// by itself, false where the child has to be stopped.
func (c *child) supervise(ctx context.Context, attend func(context.Context, *Exit) bool) Exit {
	var e Exit
	var deadline time.Time
	if attend(ctx, &e) {
		c.drain(&e)
		deadline = time.Now().Add(quickGrace)
	} else {
		deadline = c.stop(ctx)
	}
	c.family.forget(c.ident.PID)
	c.finish(&e, deadline)
	c.conclude(&e)
	return e
}

// attendApart waits in goroutines, which works on every system.
func (c *child) attendApart(ctx context.Context, e *Exit) (ended bool) {
	c.flow()
	return c.watch(ctx, e)
}

// flow waits for the end and copies the outputs in goroutines of their own.
func (c *child) flow() {
	c.exited = make(chan ending, 1)
	go func() {
		state, err := c.proc.Wait()
		c.exited <- ending{state, err}
	}()
	for _, p := range c.pumps {
		p.begin()
	}
}

// watch waits until the child ends by itself, and reports false when it has to
// be stopped instead.
func (c *child) watch(ctx context.Context, e *Exit) (ended bool) {
	timeout, idle := newAlarm(c.spec.Timeout), newAlarm(c.spec.IdleTimeout)
	defer timeout.stop()
	defer idle.stop()
	reaping := time.NewTicker(reapPause)
	defer reaping.Stop()
	for {
		select {
		case <-reaping.C:
			c.family.reap()
		case end := <-c.exited:
			c.end = &end
			return true
		case <-ctx.Done():
			e.Cancelled = true
			return false
		case <-timeout.ring():
			e.TimedOut = true
			return false
		case <-idle.ring():
			silent := c.pulse.silence()
			if silent >= c.spec.IdleTimeout {
				e.Idle = true
				return false
			}
			idle.again(c.spec.IdleTimeout - silent)
		}
	}
}

// stop asks the group to end and kills it when the grace is over. It returns
// once the child itself has ended, with the moment up to which the others may
// still take.
func (c *child) stop(ctx context.Context) (deadline time.Time) {
	grace := c.spec.Grace
	switch {
	case grace == 0:
		grace = DefaultGrace
	case grace < 0:
		grace = 0
	}
	deadline = time.Now().Add(grace)
	if grace > 0 {
		c.group.ask(signalFor(ctx))
	}
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case end := <-c.exited:
		c.end = &end
		return deadline
	case <-c.spec.Kill:
	case <-patience.C:
	}
	c.group.kill()
	last := time.NewTimer(lastResort)
	defer last.Stop()
	select {
	case end := <-c.exited:
		c.end = &end
	case <-last.C:
	}
	return time.Now()
}

// drain waits a little for the outputs to be closed by everyone.
func (c *child) drain(e *Exit) {
	patience := c.spec.Drain
	if patience == 0 {
		patience = DefaultDrain
	}
	e.Open = !c.closed(patience)
}

func (c *child) closed(patience time.Duration) bool {
	var timer *time.Timer
	for _, p := range c.pumps {
		select {
		case <-p.done:
			continue
		default:
		}
		if patience <= 0 {
			return false
		}
		if timer == nil {
			timer = time.NewTimer(patience)
			defer timer.Stop()
		}
		select {
		case <-p.done:
		case <-timer.C:
			return false
		}
	}
	return true
}

// finish deals with what the child left running, then closes the outputs.
func (c *child) finish(e *Exit, deadline time.Time) {
	stopped := e.Cancelled || e.TimedOut || e.Idle
	keep := c.spec.Leftover == EndWithRun && !stopped
	patience := DefaultDrain
	switch {
	case c.spec.Leftover == Detach:
		c.family.excuse()
		patience = 0
	case keep:
		c.family.keep(c)
	default:
		h := hunt{group: &c.group, find: c.remnants, deadline: deadline, now: c.spec.Kill, asked: stopped}
		e.Leftover, e.Survivors = h.run()
	}
	if keep {
		for _, p := range c.pumps {
			p.mute()
		}
	} else {
		e.Open = !c.closed(patience)
		for _, p := range c.pumps {
			p.finish()
		}
	}
	c.feed.close()
}

// conclude fills in what the child's own end says.
func (c *child) conclude(e *Exit) {
	e.Duration = time.Since(c.begun)
	e.OutputErr = outputErrors(c.pumps)
	switch {
	case c.end == nil:
		e.Survivors = append(e.Survivors, c.ident)
		e.Code = 128 + 9
	case c.end.state != nil:
		e.Code, e.Signal = codeAndSignal(c.end.state)
	default:
		e.Code = -1
		e.OutputErr = joinWait(e.OutputErr, c.end.err)
	}
	if e.TimedOut || e.Idle {
		e.Code = CodeTimeout
	}
}
