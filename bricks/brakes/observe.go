package brakes

import (
	"fmt"

	"github.com/brickoven/brickoven/bricks/brakes/failing"
	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/brakes/integrity"
	"github.com/brickoven/brickoven/bricks/brakes/progress"
)

// Observe takes in a finished round. The order is fixed: refusals and integrity
// first, then the ratchet, then the goal, then whoever asks to stop, then the
// random walk, then what was spent, then the fuse. So a green check is no
// success in a round that broke or dropped tests, and a success in the last
// allowed round is a success (seed 004, "guards dominate success").
func (e *Engine) Observe(r Round) Decision {
	if e.state.Halted != nil || r.Number != e.state.Round+1 {
		return e.End(halt.InternalError, halt.Evidence{
			Rounds: []int{r.Number}, Detail: fmt.Sprintf("round %d was observed after round %d", r.Number, e.state.Round),
		})
	}
	before := e.state.Spent
	e.state.Round = r.Number
	e.state.Spent = append(before, r.Spend)
	e.state.Total = Total{e.state.Total.Add(r.Spend), e.state.Total.Elapsed + r.Elapsed}

	if h := e.guards(r); h != nil {
		return e.end(Decision{Tree: Keep, Halt: h})
	}
	d := Decision{Tree: Accept, Warnings: e.unknownCost()}
	walked := e.judgeTree(r, &d)
	if d.Halt != nil {
		return e.end(d)
	}
	e.arrive(r, &d)
	for _, next := range []func() *halt.Halt{
		func() *halt.Halt { return e.stopped(r) },
		func() *halt.Halt { return walked },
		func() *halt.Halt { return e.runaway(e.observed(), e.state.Total, before, r.Spend) },
		e.fuse,
	} {
		if d.Halt == nil {
			d.Halt = next()
		}
	}
	return e.end(d)
}

// guards finds what ends a loop whatever else the round achieved.
func (e *Engine) guards(r Round) *halt.Halt {
	here := []int{r.Number}
	if r.ExitCode == TerminalExit {
		return e.halt(halt.TerminalRefusal, halt.Evidence{Rounds: here, Detail: fmt.Sprintf("a child ended with exit code %d", TerminalExit)})
	}
	if len(r.Tampered) > 0 {
		return e.halt(halt.HarnessTampered, halt.Evidence{Rounds: here, IDs: r.Tampered, Detail: "files of the session are not as they were left"})
	}
	if blocked := integrity.Blocked(e.config.protected(), r.Changed); len(blocked) > 0 {
		return e.halt(halt.BlockedPathModified, halt.Evidence{Rounds: here, IDs: blocked, Detail: fmt.Sprintf("%d protected paths changed", len(blocked))})
	}
	vanished, skipped := integrity.Lost(e.state.Walk.Accepted, r.Failing)
	if len(vanished)+len(skipped) > 0 {
		e.state.Last = r.Failing
		return e.halt(halt.MetricIntegrityViolation, halt.Evidence{
			Rounds: here, IDs: append(vanished, skipped...),
			Detail: fmt.Sprintf("%d tests vanished and %d are skipped now", len(vanished), len(skipped)),
		})
	}
	if len(r.CheckChanged) > 0 {
		return e.halt(halt.CheckHasSideEffects, halt.Evidence{Rounds: here, IDs: r.CheckChanged, Detail: "the check changed the tree"})
	}
	return nil
}

// judgeTree decides what becomes of the round's changes, and feeds the random
// walk. It halts by itself only where regressions halt.
func (e *Engine) judgeTree(r Round, d *Decision) (walked *halt.Halt) {
	if r.Failing.State == failing.Unset {
		if e.config.FailingCommand != "" {
			r.Failing = failing.Set{State: failing.Unknown, Why: "it was not read"}
		} else {
			return nil
		}
	}
	e.state.Last = r.Failing
	d.Broke = e.regressed(r.Failing)
	switch {
	case !r.Failing.IsKnown():
		// Nothing is claimed about the tree, neither good nor bad.
		d.Tree = Keep
		d.Warnings = append(d.Warnings, "the failing set is unknown: "+r.Failing.Why)
	case len(d.Broke) > 0 && e.config.OnRegression == HaltOnRegression:
		d.Tree = Keep
		d.Halt = e.halt(halt.SameTestRegressed, halt.Evidence{
			Rounds: []int{e.state.Walk.AcceptedRound, r.Number}, IDs: d.Broke, Detail: fmt.Sprintf("%d tests that passed are red", len(d.Broke)),
		})
		return nil
	case len(d.Broke) > 0:
		d.Tree = Restore
		e.state.Reverts++
		return e.walk(func(t *progress.Tracker) progress.Finding { return t.Reject(r.Number, r.Failing, d.Broke) })
	}
	return e.walk(func(t *progress.Tracker) progress.Finding { return t.Accept(r.Number, r.Failing) })
}

// arrive decides whether the goal is met. What a judge or a workflow claims
// counts only if the check does not contradict it, and never for a tree that is
// not accepted.
func (e *Engine) arrive(r Round, d *Decision) {
	judgeless := r.Verdict == NoVerdict && r.Stop == NoStop
	claimed := r.Verdict == Done || r.Stop == GoalMet || r.Stop == DoneButCheckRed || judgeless && r.Check == CheckGreen
	if !claimed {
		return
	}
	here := []int{r.Number}
	switch {
	case r.Check == CheckRed || r.Check == CheckBroken || r.Stop == DoneButCheckRed:
		e.redClaim(r, d)
	case d.Tree == Restore:
		d.Warnings = append(d.Warnings, "the goal is claimed, but the round broke passing tests")
	case d.Tree == Keep:
		d.Warnings = append(d.Warnings, "the goal is claimed, but without the failing set it is not shown that no test was lost")
	case r.Check == CheckGreen:
		d.Halt = e.halt(halt.SuccessConditionMet, halt.Evidence{Rounds: here, Detail: "the check is green"})
	default:
		d.Halt = e.halt(halt.JudgedDone, halt.Evidence{Rounds: here, Detail: "there is no check"})
	}
}

// redClaim refuses a claim over a red check. Whether it was one too many is the
// session's to say, which knows whose claim it was.
func (e *Engine) redClaim(r Round, d *Decision) {
	if previous := e.state.RedClaim; r.Stop == DoneButCheckRed {
		here := []int{r.Number}
		if previous > 0 {
			here = []int{previous, r.Number}
		}
		d.Halt = e.halt(halt.DoneButCheckRed, halt.Evidence{
			Rounds: here, IDs: r.Failing.Tests(), Detail: "the check is " + string(r.Check),
		})
	}
	e.state.RedClaim = r.Number
	d.ShowCheck = true
}

// stopped follows whoever asks to stop; a person comes before the judge.
func (e *Engine) stopped(r Round) *halt.Halt {
	evidence := halt.Evidence{Rounds: []int{r.Number}, Detail: r.StopDetail}
	switch {
	case r.Stop == StopRequested:
		return e.halt(halt.HumanRequired, evidence)
	case r.Verdict == Stuck:
		evidence.IDs = r.NotConverging
		return e.halt(halt.JudgedStuck, evidence)
	case r.Stop == UnresolvableError:
		return e.halt(halt.HumanRequired, evidence)
	case r.Stop == GoalCheckBroken:
		return e.halt(halt.GoalCheckBroken, evidence)
	case r.Stop == WorkflowFailureCap:
		return e.halt(halt.ExecutionFailure, evidence)
	case r.Stop == InvalidControlOutput:
		return e.halt(halt.WorkspaceInvalid, evidence)
	case r.Stop == NoEligibleWorkflow:
		return e.halt(halt.NoActionableTasks, evidence)
	case r.Stop != NoStop && r.Stop != GoalMet && r.Stop != DoneButCheckRed:
		return e.halt(halt.InternalError, halt.Evidence{Rounds: []int{r.Number}, Detail: fmt.Sprintf("unknown stop %q", r.Stop)})
	}
	return nil
}
