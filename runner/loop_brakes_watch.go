package runner

import (
	"slices"
	"time"

	"github.com/brickoven/brickoven/bricks/brakes"
	"github.com/brickoven/brickoven/runner/step"
)

// within runs a part of a round, or of what comes before the first one, that a
// brake may end in its middle. After that nothing more runs in it.
func (l *loop) within(f *flow, body func(*flow)) {
	b, r := &l.braking, l.fr.run
	if b.engine.Halted() != nil || f.halt.active() {
		return
	}
	b.inside = &halt{parent: f.halt}
	var soFar *step.Usage
	m := r.metered(b.inside, func(used *step.Usage) {
		soFar = used
		l.weigh(brakes.Meter{Spend: spending(sum(b.used, soFar))})
	})
	r.braked = append(r.braked, l)
	part := r.spawn(b.inside, body)
	beside := &halt{parent: f.halt}
	clock := l.clock(beside, &soFar)
	f.join(part)
	r.stopAll(beside)
	f.join(clock...)
	r.unmetered(m)
	r.braked = slices.DeleteFunc(r.braked, func(other *loop) bool { return other == l })
	b.used = sum(b.used, soFar)
	b.waited += b.inside.paused(r.now)
	b.inside = nil
}

// clock ends what runs when the minutes of the budget are over.
func (l *loop) clock(beside *halt, soFar **step.Usage) []*flow {
	b, r := &l.braking, l.fr.run
	limit := b.config.BudgetTime
	if limit == 0 {
		return nil
	}
	left := limit - b.engine.Elapsed() - l.elapsed()
	return []*flow{r.spawn(beside, func(f *flow) {
		for left > 0 && b.engine.Halted() == nil {
			res := f.do(&step.Action{Kind: step.Sleep, Path: l.path, Def: l.st, Recipe: l.fr.recipe, Vars: l.view, Delay: left})
			if !res.OK {
				return
			}
			left = limit - b.engine.Elapsed() - l.elapsed()
		}
		l.weigh(brakes.Meter{Spend: spending(sum(b.used, *soFar))})
	})}
}

// elapsed is the time since it was counted last, without waits for used-up
// limits.
func (l *loop) elapsed() time.Duration {
	b, now := &l.braking, l.fr.run.now
	spent := now.Sub(b.mark) - b.waited
	if b.inside != nil {
		spent -= b.inside.paused(now)
	}
	return max(0, spent)
}

// count begins to count time and usage anew.
func (b *braking) count(now time.Time) { b.mark, b.used, b.waited = now, nil, 0 }

// weigh lets the brakes look at a round that runs, and ends it where they say
// so.
func (l *loop) weigh(m brakes.Meter) {
	b := &l.braking
	m.Elapsed = l.elapsed()
	if d := b.engine.During(m); d.Halt != nil {
		l.fr.run.stopAll(b.inside)
	}
}

// silence tells the loops around an action that it was ended because it was
// silent for too long.
func (r *Run) silence(p *pending) {
	if p.result.Cause != step.CauseStale {
		return
	}
	for _, l := range slices.Clone(r.braked) {
		b := &l.braking
		if stale := b.config.StaleAfter; stale > 0 && stale <= p.action.Stale && p.flow.halt.within(b.inside) {
			l.weigh(brakes.Meter{Spend: spending(b.used), Silent: stale, Phase: "step " + p.action.Path})
		}
	}
}
