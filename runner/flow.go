package runner

import (
	"iter"
	"slices"

	"github.com/brickoven/brickoven/runner/step"
)

// A flow is one line of decisions, written as plain code that asks for an
// action and goes on when its result is there. Flows are coroutines of one
// goroutine at a time: nothing in this package runs in parallel, and the order
// in which flows go on depends on the events alone. That is what makes a replay
// take the same decisions.
type flow struct {
	run    *Run
	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	halt   *halt
	done   bool
	joiner *flow // the flow that waits for this one
}

// abandoned unwinds a flow whose run is thrown away.
type abandoned struct{}

// halt ends a set of flows: what they have running is cancelled, and what they
// ask for from then on is answered as cancelled.
type halt struct {
	parent  *halt
	set     bool
	pausing pausing
}

func (h *halt) active() bool {
	for ; h != nil; h = h.parent {
		if h.set {
			return true
		}
	}
	return false
}

func (h *halt) within(outer *halt) bool {
	for ; h != nil; h = h.parent {
		if h == outer {
			return true
		}
	}
	return false
}

// spawn starts a flow that runs body; it first gets its turn when the present
// flow waits.
func (r *Run) spawn(h *halt, body func(*flow)) *flow {
	f := &flow{run: r, halt: h}
	f.resume, f.stop = iter.Pull(iter.Seq[struct{}](func(yield func(struct{}) bool) {
		defer func() {
			if p := recover(); p != nil {
				if _, thrown := p.(abandoned); !thrown {
					panic(p)
				}
			}
		}()
		f.yield = yield
		body(f)
		f.done = true
	}))
	r.flows[f] = struct{}{}
	r.ready = append(r.ready, f)
	return f
}

// park gives the turn back until something makes the flow ready again.
func (f *flow) park() {
	if !f.yield(struct{}{}) {
		panic(abandoned{})
	}
}

// settle lets flows run until all of them wait.
func (r *Run) settle() {
	for len(r.ready) > 0 {
		f := r.ready[0]
		r.ready = r.ready[1:]
		if f.done {
			continue
		}
		f.resume()
		if f.done {
			delete(r.flows, f)
			if f.joiner != nil {
				r.ready = append(r.ready, f.joiner)
				f.joiner = nil
			}
		}
	}
}

// join waits for all the flows.
func (f *flow) join(others ...*flow) {
	for _, other := range others {
		for !other.done {
			other.joiner = f
			f.park()
		}
	}
}

// joinAny waits until at least one of the flows is done.
func (f *flow) joinAny(others []*flow) {
	for !slices.ContainsFunc(others, func(o *flow) bool { return o.done }) && len(others) > 0 {
		for _, other := range others {
			other.joiner = f
		}
		f.park()
	}
}

// pending is an action whose result is awaited.
type pending struct {
	flow   *flow
	action *step.Action
	result *step.Result
	used   *step.Usage // by an agent call, as far as it has told
	// lost is what calls used that died with an owner of the run, up to attempt.
	lost    *step.Usage
	attempt int
}

// end takes the result, with what was lost as a part of what it used.
func (p *pending) end(ev step.Event) {
	p.seenBy(ev.Attempt)
	p.result = ev.Result
	if p.lost == nil {
		return
	}
	whole := *ev.Result
	whole.Usage = sum(p.lost, p.usage())
	p.result = &whole
}

// usage is what an action that has ended used: what its result says, else what
// it had told.
func (p *pending) usage() *step.Usage {
	if p.result.Usage != nil {
		return p.result.Usage
	}
	return p.used
}

// seenBy tells which attempt of the run sees the action. A later one makes the
// call again, and what it used until then was used all the same.
func (p *pending) seenBy(attempt int) {
	if attempt > p.attempt {
		p.attempt, p.lost, p.used = attempt, sum(p.lost, p.used), nil
	}
}

// do asks for an action and waits for its result.
func (f *flow) do(a *step.Action) step.Result {
	if f.halt.active() {
		return cancelled()
	}
	a.ID = f.run.actionID(a)
	p := &pending{flow: f, action: a}
	f.run.pending[a.ID] = p
	f.run.batch.Actions = append(f.run.batch.Actions, a)
	for p.result == nil {
		f.park()
	}
	return *p.result
}

// shielded runs ask beyond the reach of the first interruption.
func (f *flow) shielded(ask func() step.Result) step.Result {
	usual := f.halt
	f.halt = f.run.ending
	defer func() { f.halt = usual }()
	return ask()
}

func cancelled() step.Result {
	return step.Result{Cause: step.CauseCancelled, ExitCode: -1, Error: "cancelled before it started"}
}

// stopAll sets a halt and asks for the end of everything that runs under it.
func (r *Run) stopAll(h *halt) {
	if h.set {
		return
	}
	h.set = true
	for _, id := range r.order() {
		if r.pending[id].flow.halt.within(h) && !r.withdraw(id) {
			r.batch.Cancels = append(r.batch.Cancels, id)
		}
	}
	for _, s := range r.slots {
		s.release(h)
	}
}

// withdraw takes an action back that nobody has been told of yet. It returns
// false where the action is under way.
func (r *Run) withdraw(id string) bool {
	at := slices.IndexFunc(r.batch.Actions, func(a *step.Action) bool { return a.ID == id })
	if at < 0 {
		return false
	}
	r.batch.Actions = slices.Delete(r.batch.Actions, at, at+1)
	p, res := r.pending[id], cancelled()
	p.result = &res
	delete(r.pending, id)
	delete(r.issued, id)
	r.ready = append(r.ready, p.flow)
	return true
}

// slots bounds how many flows are in a section at once; who waits longest goes
// first. A nil slots bounds nothing.
type slots struct {
	run   *Run
	free  int
	queue []*waiter
}

type waiter struct {
	flow    *flow
	granted bool
}

func (r *Run) newSlots(n int) *slots {
	if n <= 0 {
		return nil
	}
	s := &slots{run: r, free: n}
	r.slots = append(r.slots, s)
	return s
}

// dropSlots forgets slots that nobody will enter again.
func (r *Run) dropSlots(s *slots) {
	r.slots = slices.DeleteFunc(r.slots, func(other *slots) bool { return other == s })
}

// enter waits for a place. It returns false, without one, when the flow was
// halted.
func (s *slots) enter(f *flow) bool {
	if s == nil {
		return true
	}
	if f.halt.active() {
		return false
	}
	if s.free > 0 {
		s.free--
		return true
	}
	w := &waiter{flow: f}
	s.queue = append(s.queue, w)
	for !w.granted && !f.halt.active() {
		f.park()
	}
	return w.granted
}

func (s *slots) leave() {
	if s == nil {
		return
	}
	if len(s.queue) == 0 {
		s.free++
		return
	}
	w := s.queue[0]
	s.queue = s.queue[1:]
	w.granted = true
	s.run.ready = append(s.run.ready, w.flow)
}

// release wakes the waiting flows under a halt, so that they see it.
func (s *slots) release(h *halt) {
	kept := s.queue[:0]
	for _, w := range s.queue {
		if w.flow.halt.within(h) {
			s.run.ready = append(s.run.ready, w.flow)
			continue
		}
		kept = append(kept, w)
	}
	s.queue = kept
}
