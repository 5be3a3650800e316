package runner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/bricks/brakes"
	"github.com/brickoven/brickoven/bricks/doomloop"
	"github.com/brickoven/brickoven/runner/step"
)

// circling looks for the doom loops of one loop of a recipe.
type circling struct {
	steps  *doomloop.Detector       // of the rounds; nil looks for nothing
	waited map[string]time.Duration // before the next attempt of a step
	calls  map[string]*toolCalls    // of the agent calls under way, by action
}

// circle begins to look for doom loops, or begins anew.
func (l *loop) circle() error {
	b := &l.braking
	b.circling = circling{}
	if !b.config.DoomLoop.IsOn() {
		return nil
	}
	d, err := doomloop.New(b.config.DoomLoop.Steps)
	b.circling = circling{steps: d, waited: map[string]time.Duration{}, calls: map[string]*toolCalls{}}
	return err
}

// stepped lets the loops around an action look at what it did.
func (r *Run) stepped(p *pending) {
	for _, l := range slices.Clone(r.braked) {
		if c := &l.braking.circling; c.steps != nil && p.flow.halt.within(l.braking.inside) {
			delete(c.calls, p.action.ID)
			l.did(p.action, p.result)
		}
	}
}

// did takes the end of an action. It leaves out the same as the report on a
// finished run does, so that both find the same.
func (l *loop) did(a *step.Action, res *step.Result) {
	c := &l.braking.circling
	switch a.Kind {
	case step.Sleep, step.Wait:
		c.waited[a.Path] += res.Duration
		return
	case step.Shell, step.Agent:
	default:
		return
	}
	waited := c.waited[a.Path]
	delete(c.waited, a.Path)
	switch res.Cause {
	case step.CauseCancelled, step.CauseInterrupted, step.CauseGuard:
		return
	}
	isLoop := l.fr.run.isLoop
	if doomloop.OwnWork(a.Path, isLoop) {
		return
	}
	s := doomloop.Step{
		Path: a.Path, Args: a.Arguments(nil), Failed: !res.OK, Output: res.Text, Error: res.Error, Waited: waited, At: l.fr.run.now,
	}
	if u := res.Usage; u != nil {
		s.Tokens, s.CostUSD = known(u.InputTokens)+known(u.OutputTokens), known(u.CostUSD)
	}
	l.circled(c.steps.Feed(s.Event(isLoop)))
}

// known is a number that an agent told, or 0.
func known[T int64 | float64](n *T) T {
	if n == nil {
		return 0
	}
	return *n
}

// sawMovement takes in that the judge saw something move in this round.
func (l *loop) sawMovement() {
	if c := &l.braking.circling; c.steps != nil {
		l.circled(c.steps.Feed(doomloop.Moved(fmt.Sprintf("%s[%d]", l.path, l.round), l.fr.run.now)))
	}
}

// circled ends the loop for the first doom loop that was found.
func (l *loop) circled(found []doomloop.Finding) {
	b := &l.braking
	if len(found) == 0 || b.engine.Halted() != nil {
		return
	}
	var rounds []int
	for _, name := range found[0].Names {
		path, _, _ := strings.Cut(name, ": ")
		if n := doomloop.RoundOf(path, l.path); n > 0 && !slices.Contains(rounds, n) {
			rounds = append(rounds, n)
		}
	}
	b.engine.Doomed(found[0], rounds, brakes.Meter{Spend: spending(l.usedNow()), Elapsed: l.elapsed()})
	l.fr.run.stopAll(b.inside)
}

// usedNow is what the round that runs has used so far.
func (l *loop) usedNow() *step.Usage {
	for _, m := range l.fr.run.meters {
		if m.halt == l.braking.inside {
			return sum(l.braking.used, l.fr.run.soFar(m))
		}
	}
	return l.braking.used
}

// isLoop tells whether the path is that of a loop that has begun.
func (r *Run) isLoop(path string) bool { return r.looped[path] }
