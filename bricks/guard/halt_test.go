package guard_test

import (
	"testing"

	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/guard"
)

// Every reason of the halt table is a doom loop, an intervention, or the work of
// no guard, and the recogniser reads it so.
func TestTheEndsOfLoopsAreGuardEvents(t *testing.T) {
	t.Parallel()
	const none, intervention, doom = "none", "intervention", "doom"
	want := map[halt.Reason]string{
		halt.SuccessConditionMet: none, halt.JudgedDone: none, halt.NoActionableTasks: none, halt.HumanRequired: none,
		halt.GoalCheckBroken: none, halt.DoneButCheckRed: none, halt.JudgedStuck: none, halt.WorkspaceInvalid: none,
		halt.ExecutionFailure: none, halt.InternalError: none,
		halt.MaxIterationsReached: intervention, halt.HeartbeatStale: intervention, halt.ComprehensionDebtExceeded: intervention,
		halt.BlockedPathModified: intervention, halt.MetricIntegrityViolation: intervention, halt.HarnessTampered: intervention,
		halt.CheckFlaky: intervention, halt.CheckHasSideEffects: intervention, halt.TerminalRefusal: intervention,
		halt.NoProgressDetected: doom, halt.SameFailureRepeated: doom, halt.OscillationDetected: doom,
		halt.SameTestRegressed: doom, halt.UnsatisfiableConstraints: doom, halt.InfeasibleSuspected: doom,
		halt.BudgetExceeded: doom, halt.CostAnomaly: doom,
	}
	for _, row := range halt.Table() {
		event := guard.OfHalt(halt.New(row.Reason, 3, halt.Evidence{Detail: "why"}, false))
		got := none
		if event != nil {
			r := guard.Recognise(event)
			if r.Reason != "why" || r.Iteration != 3 {
				t.Errorf("%s was read as %+v", row.Reason, r)
			}
			got = intervention
			if r.DoomLoop {
				got = doom
			}
		}
		if got != want[row.Reason] {
			t.Errorf("%s is %s, want %s", row.Reason, got, want[row.Reason])
		}
	}
}
