package runner

import (
	"fmt"
	"strconv"
	"strings"

	reasons "github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/ledger"
	"github.com/brickoven/brickoven/bricks/session"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// book is the work ledger of a loop (seed 002), for one with a contract.
type book struct {
	next int64 // the number of the next iteration
	// evaluation is the score of the last round that was measured; nil before it.
	evaluation any
}

// openLedger opens the loop's ledger, where it has a contract.
func (l *loop) openLedger(f *flow) *step.Result {
	if l.st.Loop.Contract == nil {
		return nil
	}
	_, broken := l.enterLedger(f, step.LedgerOpen, l.st.Loop.Contract)
	return broken
}

// enterLedger asks something of the ledger.
func (l *loop) enterLedger(f *flow, op step.LedgerOp, load any) (map[string]any, *step.Result) {
	call := &step.LedgerCall{Op: op, ID: l.sessionID(), Number: l.book.next, Load: load}
	res := f.do(&step.Action{Kind: step.Ledger, Path: l.path, Def: l.st, Recipe: l.fr.recipe, Vars: l.view, Ledger: call})
	if !res.OK {
		return nil, &res
	}
	given, _ := res.Value.(map[string]any)
	next, err := strconv.ParseInt(value.Text(given["next"]), 10, 64)
	if err != nil {
		return nil, unreadable(fmt.Errorf("the ledger's next iteration: %w", err))
	}
	l.book.next = next
	return given, nil
}

// keep records a round in the ledger after the coordinator has decided about it.
// A round that would go on and that a stall predicate holds for ends the loop.
func (l *loop) keep(f *flow, rep report, given signals) *step.Result {
	if l.st.Loop.Contract == nil {
		return nil
	}
	facts, broken := l.facts(f, rep, given)
	if broken != nil || f.halt.active() {
		return broken
	}
	record, broken := l.enterLedger(f, step.LedgerRecord, facts)
	if broken != nil {
		return broken
	}
	if evaluation := record["evaluation"]; evaluation != nil {
		l.book.evaluation = evaluation
	}
	if stall := ledger.Text(value.Text(record["stall"])); stall != "" {
		l.co.Halt(session.Braked, stalled(stall), strings.TrimSuffix(fmt.Sprintf("the ledger's stall predicate %s holds: %s", stall, value.Text(record["why"])), ": "), l.fr.run.now)
	}
	return nil
}

// stalled is the halt reason of a stall predicate.
func stalled(predicate ledger.Text) reasons.Reason {
	switch predicate {
	case ledger.RepeatedError:
		return reasons.SameFailureRepeated
	case ledger.CircularState:
		return reasons.OscillationDetected
	case ledger.RetriesExhausted:
		return reasons.MaxIterationsReached
	}
	return reasons.ExecutionFailure
}

// facts are what the ledger is told of a round.
func (l *loop) facts(f *flow, rep report, given signals) (ledger.Facts, *step.Result) {
	facts := ledger.Facts{Outcome: ledger.Continue, Time: l.fr.run.now, Note: fmt.Sprintf("round %d of %s", l.round, l.path)}
	if o := rep.outcome; o.Status == step.Failed {
		facts.Error = o.Error
	}
	for _, set := range rep.sets {
		if set.name == "dependency_missing" {
			facts.DependencyMissing = value.Text(set.v)
		}
	}
	if stop := l.co.State().Stop; stop != nil {
		l.ending(&facts, *stop)
	}
	facts.Measured = l.measured(f)
	stand, broken := l.capture(f, nil)
	if broken != nil {
		return facts, broken
	}
	facts.State = standing(stand.Trees, given)
	return facts, nil
}

// standing is a text that stays the same when a round moved nothing: neither the
// trees nor anything that it says of its findings and signals. It is empty where
// nothing of that is known.
func standing(trees []Tree, given signals) string {
	var known []any
	for _, t := range trees {
		known = append(known, t.Tree)
	}
	seen := []any{given.findings, given.tests, given.ci, given.progress}
	if len(known) == 0 && (given.findings == nil && given.tests == nil && given.ci == nil && given.progress == nil) {
		return ""
	}
	return value.JSON([]any{known, seen})
}

// ending says in the ledger's words how the loop ends.
func (l *loop) ending(facts *ledger.Facts, stop session.Stop) {
	row, _ := reasons.Lookup(stop.HaltReason)
	switch {
	case stop.StopReason == session.GoalMet:
		facts.Outcome = ledger.Complete
		return
	case stop.StopReason == session.StopRequested:
		facts.Outcome = ledger.Pause
		return
	case row.Kind == reasons.Runaway:
		facts.Outcome = ledger.Stop
		return
	}
	facts.Outcome = ledger.Escalate
	facts.Blocker = fmt.Sprintf("%s (%s)", stop.HaltReason, stop.StopReason)
	facts.Evidence, facts.RecommendedNext = strings.TrimSpace(stop.Reason), row.Advice
	if facts.Evidence == "" {
		facts.Evidence = fmt.Sprintf("round %d of session %s", l.round, l.sessionID())
	}
}

// closeLedger ends the ledger of a loop that ends between two rounds.
func (l *loop) closeLedger(f *flow) *step.Result {
	stop := l.co.State().Stop
	if l.st.Loop.Contract == nil || stop == nil {
		return nil
	}
	var facts ledger.Facts
	l.ending(&facts, *stop)
	_, broken := l.enterLedger(f, step.LedgerClose, ledger.Ending{
		Outcome: facts.Outcome, Blocker: facts.Blocker, Evidence: facts.Evidence, RecommendedNext: facts.RecommendedNext,
	})
	return broken
}

// measured runs the commands of measure:. A set that is not whole is none, so
// that it never becomes a baseline.
func (l *loop) measured(f *flow) []ledger.Measurement {
	var list []ledger.Measurement
	for _, m := range l.st.Loop.Measures {
		path := fmt.Sprintf("%s[%d]", l.path+strings.TrimPrefix(m.Step.ID, l.st.ID), l.round)
		rep := l.fr.attempt(f, m.Step, l.seen(), path, 1)
		text := strings.TrimSpace(value.Text(rep.outcome.Value))
		_, number := value.Rational(value.Guess(text))
		switch {
		case f.halt.active():
			return nil
		case rep.outcome.Status == step.Failed:
			l.fr.run.warn(l.path, fmt.Sprintf("measure.%s: %s", m.Dimension, rep.outcome.Error))
			return nil
		case !number:
			l.fr.run.warn(l.path, fmt.Sprintf("measure.%s: %s is not a number; the round is not measured", m.Dimension, quoted(text)))
			return nil
		}
		list = append(list, ledger.Measurement{Dimension: m.Dimension, Value: text})
	}
	return list
}

// quoted shows the beginning of a text.
func quoted(text string) string {
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:60], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}
