package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/bricks/brakes"
	"github.com/brickoven/brickoven/bricks/brakes/failing"
	reasons "github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/session"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// closeRound captures what a round left, before anybody judges it.
func (l *loop) closeRound(f *flow) *step.Result {
	b := &l.braking
	b.changed = nil
	if !b.config.Watches() {
		return nil
	}
	stand, broken := l.capture(f, b.begun)
	b.ended, b.changed = stand.Trees, stand.Changed
	return broken
}

// watchedCheck runs the loop's check, and lists what it changed itself.
func (l *loop) watchedCheck(f *flow) (outcome session.CheckOutcome, changed []string, broken *step.Result) {
	before := l.braking.ended
	if l.braking.config.Watches() {
		// The judge, or a person, may have changed something since the round.
		stand, broken := l.capture(f, before)
		if broken != nil {
			return "", nil, broken
		}
		before = stand.Trees
	}
	l.within(f, func(f *flow) { outcome = l.checked(f) })
	if l.braking.config.Watches() && !f.halt.active() {
		stand, broken := l.capture(f, before)
		return outcome, stand.Changed, broken
	}
	return outcome, nil, nil
}

// brake lets the brakes decide about a round: what becomes of its changes, and
// whether the loop ends for it. The coordinator is told through it.
func (l *loop) brake(f *flow, it *session.Iteration, o *step.Outcome, checkChanged []string) *step.Result {
	b := &l.braking
	var set failing.Set
	if l.st.Loop.Failing != nil {
		l.within(f, func(f *flow) { set = l.failing(f, fmt.Sprint(l.round), "", it.Check == session.CheckRed) })
	}
	if f.halt.active() {
		return nil
	}
	d := brakes.Decision{Tree: brakes.Keep, Halt: b.engine.Halted()}
	foreseen := l.co.Foresee(*it).Stop
	if d.Halt == nil {
		r := l.observed(*it, foreseen, o)
		r.Failing, r.CheckChanged = set, checkChanged
		d = b.engine.Observe(r)
	} else {
		b.engine.Pass(l.round)
	}
	b.count(l.fr.run.now)
	b.broke = nil
	if broken := l.settleTree(f, &d); broken != nil {
		return broken
	}
	l.warnOnce(d.Warnings)
	l.noteBrakes(l.round, d)
	l.overrule(it, foreseen, d)
	return nil
}

// observed is a finished round as the brakes see it.
func (l *loop) observed(it session.Iteration, foreseen *session.Stop, o *step.Outcome) brakes.Round {
	b := &l.braking
	r := brakes.Round{
		Number: b.engine.Round() + 1, Check: brakes.Check(it.Check), Changed: b.changed,
		Spend: spending(b.used), Elapsed: l.elapsed(), Verdict: brakes.Continue,
	}
	if o.Status == step.Failed {
		r.ExitCode = innermost(o).ExitCode
	}
	for _, d := range it.Observation.Tampered {
		r.Tampered = append(r.Tampered, d.Path)
	}
	control := it.Observation.Control
	switch {
	case control.Author == session.ByJudge && control.StopReason == session.GoalMet:
		r.Verdict = brakes.Done
	case control.Author == session.ByJudge && control.StopReason == session.UnresolvableError:
		r.Verdict = brakes.Stuck
		last, _ := l.verdict.(map[string]any)
		given, _ := last["not_converging"].([]any)
		for _, item := range given {
			r.NotConverging = append(r.NotConverging, strings.Join(strings.Fields(value.Text(item)), " "))
		}
	case control.StopReason == session.GoalMet:
		r.Stop = brakes.GoalMet
	}
	if foreseen == nil {
		return r
	}
	r.StopDetail = foreseen.Reason
	switch {
	case foreseen.StopReason == session.GoalMet, foreseen.StopReason == session.HarnessTampered:
	case foreseen.StopReason == session.UnresolvableError && foreseen.Author == session.ByJudge:
	default:
		r.Stop = brakes.Stop(foreseen.StopReason)
	}
	return r
}

// settleTree does with the round's changes what was decided. A tree that could
// not be put back is no ground to go on from.
func (l *loop) settleTree(f *flow, d *brakes.Decision) *step.Result {
	b := &l.braking
	if !b.config.Watches() {
		return nil
	}
	switch d.Tree {
	case brakes.Accept:
		return l.accept(f, b.ended, b.config.MaxUnread > 0)
	case brakes.Restore:
		b.broke = d.Broke
		if err := l.restore(f); err != nil && d.Halt == nil {
			d.Halt = b.engine.End(reasons.WorkspaceInvalid, reasons.Evidence{
				Rounds: []int{l.round}, IDs: d.Broke, Detail: "the round could not be taken back: " + err.Error(),
			}).Halt
		} else if err != nil {
			l.fr.run.warn(l.path, "the round could not be taken back: "+err.Error())
		}
	}
	return nil
}

// overrule brings the brakes' word to the coordinator, where it is another one
// than its own: an end, or a claim that does not count.
func (l *loop) overrule(it *session.Iteration, foreseen *session.Stop, d brakes.Decision) {
	met := foreseen != nil && foreseen.StopReason == session.GoalMet
	same := foreseen != nil && d.Halt != nil && foreseen.HaltReason == d.Halt.Reason
	if same {
		return
	}
	if met {
		it.Check = session.CheckBarred
		l.check = strings.Join(append(slices.Clone(d.Warnings), l.braking.takenBack()), "\n")
	}
	if d.Halt != nil {
		it.Brake = &session.Brake{Halt: d.Halt.Reason, Why: d.Halt.Evidence.Detail}
	}
}
