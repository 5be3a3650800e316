package report

import (
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/step"
)

// State is what the journal does not say of the run.
type State struct {
	// Held tells that a living process works on the run. The lock must have been
	// looked at before the journal was read.
	Held bool
	// Now is the time up to which running steps are counted.
	Now time.Time
	// Recipe is the root recipe of the run; nil where it is not known.
	Recipe *recipes.Recipe
	// Damage is what is wrong with the journal, and Notices what else could not
	// be read.
	Damage  error
	Notices []string
}

// Run makes the report of what was added so far. The collector must not be used
// afterwards.
func (c *Collector) Run(state State, src Sources) *Run {
	r := &Run{
		ID: c.start.RunID, Recipe: clean(c.start.Recipe), WorkDir: clean(c.start.Dir), Host: clean(c.start.Host),
		Version: clean(c.start.Versions["brickoven"]), Started: c.start.Start, Last: c.last, Attempt: c.attempt,
		Steps: c.top, All: c.all, Loops: c.order, Events: c.events, Warnings: c.warnings, Notices: state.Notices,
	}
	if r.Started.IsZero() {
		r.Started = c.last
	}
	upTo := c.last
	if state.Held && c.end == nil {
		upTo = state.Now
	}
	r.Duration = max(0, upTo.Sub(r.Started))
	if c.end != nil || !state.Held {
		c.stop()
	}
	for _, st := range r.Steps {
		st.settle(upTo)
	}
	for _, l := range r.Loops {
		if c.end != nil || !state.Held {
			l.endRound(upTo)
		}
		l.complete()
	}
	if c.attempt == 0 && state.Damage == nil {
		r.End = End{Standing: NotBegun, Over: !state.Held, Advice: "The process died before its first record. Run the recipe again."}
		if state.Held {
			r.End = End{Standing: Underway}
		}
		return r
	}
	r.End = r.ending(c.end, state.Held, state.Damage)
	if state.Recipe != nil {
		describe(r.Steps, state.Recipe)
		r.Graph = r.graph(state.Recipe)
	}
	r.spent()
	r.outputs(src)
	return r
}

// stop marks the steps that have no end and will get none from this owner.
func (c *Collector) stop() {
	for _, st := range c.all {
		if st.Status == Running && (st.Part == PartAuthored || len(st.actions) > 0) {
			st.Status = Interrupted
		}
	}
}

// settle gives a step that no note ended the times and the status that follow
// from its work and from what lies in it.
func (s *Step) settle(upTo time.Time) {
	for _, child := range s.Children {
		child.settle(upTo)
	}
	if s.Part != PartAuthored {
		s.derive(upTo)
	} else if s.Status == Running || s.Status == Interrupted {
		s.Duration = max(0, upTo.Sub(s.Started))
	}
	if s.Usage == nil {
		s.Usage = s.used()
	}
}

// derive is settle for a round, a judge, a check, an element.
func (s *Step) derive(upTo time.Time) {
	end, open := s.Started, false
	bad := Status("")
	for _, child := range s.Children {
		end = later(end, child.Started.Add(child.Duration))
		switch {
		case child.Status == Running || child.Status == Interrupted:
			open, bad = true, child.Status
		case child.Status == Failed && !child.Tolerated && child.Part != PartJudge && child.Part != PartCheck && bad == "":
			bad = Failed
		}
	}
	for _, a := range s.actions {
		if !a.done {
			open = true
			if s.Status != Interrupted {
				bad = Running
			}
			continue
		}
		end = later(end, a.finished)
		if a.result != nil && a.kind != step.Hook {
			s.ExitCode, s.Cause = a.result.ExitCode, a.result.Cause
			if bad = ""; !a.result.OK {
				bad, s.Error = Failed, clean(a.result.Error)
			}
		}
	}
	if open {
		end = upTo
	}
	if s.Duration == 0 {
		s.Duration = max(0, end.Sub(s.Started))
	}
	switch {
	case bad != "":
		s.Status = bad
	case len(s.Children) > 0 || len(s.actions) > 0:
		s.Status = Completed
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// used adds up what the actions and the steps in a step used.
func (s *Step) used() *step.Usage {
	var sum *step.Usage
	for _, child := range s.Children {
		sum = plus(sum, child.Usage)
	}
	for _, a := range s.actions {
		if a.result != nil {
			sum = plus(sum, a.result.Usage)
		}
	}
	return sum
}
