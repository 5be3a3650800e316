package session

import (
	"testing"

	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/google/go-cmp/cmp"
)

// begun is a session in its first iteration.
func begun(t *testing.T) *Coordinator {
	t.Helper()
	c, err := Start("s", "hash", Config{Workflows: Single("round", "round")}, moment)
	if err != nil {
		t.Fatal(err)
	}
	c.Begin("round", "a", moment)
	return c
}

var claimed = Reading{StopReason: GoalMet, Author: ByJudge, Reason: "done"}

func TestABrakeEndsTheSessionWhateverElseWasSaid(t *testing.T) {
	t.Parallel()
	for reason, want := range map[HaltReason]StopReason{
		halt.MaxIterationsReached: MaxRounds, halt.BudgetExceeded: MaxCost, halt.BlockedPathModified: Braked, halt.OscillationDetected: Braked,
	} {
		c := begun(t)
		d := c.Finish(Iteration{
			Success: true, FinishedAt: moment, Observation: Observation{Control: claimed}, Check: CheckBarred, Brake: &Brake{Halt: reason, Why: "because"},
		})
		if d.Stop == nil || d.Stop.StopReason != want || d.Stop.HaltReason != reason || d.Stop.Reason != "because" {
			t.Errorf("%s: %+v", reason, d.Stop)
		}
		if !d.Rejected {
			t.Errorf("%s: the claim stays in control.json, and would be a success when the loop is taken up again", reason)
		}
	}
}

// A claim that a brake bars is no claim over a red check: it does not count
// towards done_but_check_red.
func TestABarredClaimIsNoClaimOverARedCheck(t *testing.T) {
	t.Parallel()
	c := begun(t)
	for n := range 4 {
		if n > 0 {
			c.Begin("round", "a", moment)
		}
		d := c.Finish(Iteration{Success: true, FinishedAt: moment, Observation: Observation{Control: claimed}, Check: CheckBarred})
		if d.Stop != nil || !d.Rejected || c.State().Rejected != nil {
			t.Fatalf("claim %d: %+v, %+v", n+1, d, c.State().Rejected)
		}
	}
}

func TestForeseeingChangesNothing(t *testing.T) {
	t.Parallel()
	c := begun(t)
	before := c.State()
	it := Iteration{Success: true, FinishedAt: moment, Observation: Observation{Control: claimed}}
	foreseen := c.Foresee(it)
	if diff := cmp.Diff(before, c.State()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(foreseen, c.Finish(it)); diff != "" {
		t.Errorf("foreseen and decided differ: %s", diff)
	}
}

// The table of stop reasons is the only one: each of its halt reasons is in the
// table of halts.
func TestEveryHaltReasonOfASessionIsInTheTableOfHalts(t *testing.T) {
	t.Parallel()
	for _, row := range Reasons() {
		if _, found := halt.Lookup(row.Halt); !found && row.Halt != "" {
			t.Errorf("%s goes with %s, which is not in the table", row.Stop, row.Halt)
		}
	}
}
