package runner

import (
	"fmt"
	"strings"
	"testing"

	reasons "github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// Every reason of the halt table is reached by a loop, with its class as the
// code of the run.
func TestALoopEndsForEveryReason(t *testing.T) {
	t.Parallel()
	cases := map[reasons.Reason]braked{
		reasons.SuccessConditionMet:  {keys: ", check: c", verdicts: []string{"DONE"}},
		reasons.JudgedDone:           {verdicts: []string{"DONE"}},
		reasons.JudgedStuck:          {verdicts: []string{"STUCK"}},
		reasons.HumanRequired:        {left: map[string]string{"0001_round": `{"control": {"stop_reason": "unresolvable_error", "author": "workflow"}, "goal_check": {"kind": "absent"}}`}},
		reasons.MaxIterationsReached: {brakes: "rounds: 2"},
		reasons.BlockedPathModified:  {brakes: "protect: [tests]", keys: ", check: c", verdicts: []string{"DONE"}, changed: map[int][]string{1: {"tests/a"}}},
		reasons.MetricIntegrityViolation: {
			brakes: tapSet, keys: ", check: c", verdicts: []string{"DONE"}, sets: []string{tap(1), "1..8\n" + strings.Join(strings.Split(tap(), "\n")[1:9], "\n")},
		},
		reasons.HarnessTampered:     {left: map[string]string{"0001_round": `{"control": {}, "goal_check": {"kind": "absent"}, "tampered": [{"path": "state.json", "change": "changed"}]}`}},
		reasons.CheckFlaky:          {brakes: "probe: 3", keys: ", check: c", checks: []int{1, 1, 2}},
		reasons.CheckHasSideEffects: {brakes: "probe: 2", keys: ", check: c", changed: map[int][]string{0: {"a.snap"}}},
		reasons.GoalCheckBroken:     {keys: ", workflows: [{id: goal_check, recipe: round}]"},
		reasons.DoneButCheckRed:     {keys: ", check: c", checks: []int{1}, verdicts: []string{"DONE"}},
		reasons.NoProgressDetected:  {brakes: lineSet, sets: []string{"a\nb", "c\nd", "e\nf", "g\nh", "i\nj", "k\nl"}, keys: ""},
		reasons.SameFailureRepeated: {brakes: lineSet, sets: []string{"a"}},
		reasons.OscillationDetected: {brakes: lineSet + ", on_regression: ignore", sets: []string{"x", "a", "b", "c", "a"}},
		reasons.SameTestRegressed:   {brakes: tapSet + ", on_regression: halt", sets: []string{tap(1), tap(2)}},
		reasons.UnsatisfiableConstraints: {
			brakes: tapSet, sets: []string{tap(1), tap(2), tap(2, 3)},
		},
		reasons.InfeasibleSuspected:       {brakes: "failing: {command: f, format: lines}"},
		reasons.BudgetExceeded:            {brakes: "budget_usd: 2", usage: []*step.Usage{cost(1), cost(1.5)}},
		reasons.CostAnomaly:               {brakes: "cost_anomaly: true", usage: []*step.Usage{cost(1), cost(1), cost(1), cost(100)}},
		reasons.HeartbeatStale:            {brakes: "stale_after: 1m", works: map[int]step.Result{2: {Cause: step.CauseStale, ExitCode: 124, Error: "silent"}}},
		reasons.ComprehensionDebtExceeded: {brakes: "comprehension: {max_unread: 2}", unread: []string{"a", "b"}},
		reasons.WorkspaceInvalid:          {brakes: "protect: [tests]", outside: true},
		reasons.ExecutionFailure:          {works: map[int]step.Result{1: refused, 2: refused, 3: refused, 4: refused, 5: refused}},
		reasons.TerminalRefusal:           {works: map[int]step.Result{1: {ExitCode: step.ExitRefused, Cause: step.CauseGuard, Error: "no"}}},
		reasons.NoActionableTasks:         {keys: ", workflows: [{id: a, recipe: round, run_on_start: true, must_follow: b}, {id: b, recipe: round, run_after_successes: {workflow: c, every: 1}}, {id: c, recipe: round, must_follow: b}]"},
	}
	// The last round that was observed to its end.
	rounds := map[reasons.Reason]int{
		reasons.BudgetExceeded: 1, reasons.CostAnomaly: 3, reasons.HeartbeatStale: 1, reasons.MaxIterationsReached: 2, reasons.UnsatisfiableConstraints: 2,
		reasons.OscillationDetected: 4, reasons.SameFailureRepeated: 3, reasons.NoProgressDetected: 5, reasons.DoneButCheckRed: 2, reasons.ExecutionFailure: 5,
		reasons.GoalCheckBroken: 3, reasons.CheckFlaky: 0, reasons.CheckHasSideEffects: 0, reasons.InfeasibleSuspected: 0, reasons.WorkspaceInvalid: 0,
		reasons.ComprehensionDebtExceeded: 0,
	}
	for _, row := range reasons.Table() {
		b, written := cases[row.Reason]
		if !written {
			// Only contradicting observations lead to it, which no loop makes.
			if row.Reason != reasons.InternalError {
				t.Errorf("%s is reached by no loop", row.Reason)
			}
			continue
		}
		t.Run(string(row.Reason), func(t *testing.T) {
			t.Parallel()
			o, result, _ := b.play(t)
			h, _ := result["halt"].(map[string]any)
			if h["reason"] != string(row.Reason) || result["halt_reason"] != string(row.Reason) {
				t.Fatalf("the loop ended with %s: %s", value.JSON(result["halt"]), o.Steps[0].Error)
			}
			want := rounds[row.Reason]
			if _, named := rounds[row.Reason]; !named {
				want = 1
			}
			if value.Text(h["round"]) != fmt.Sprint(want) {
				t.Errorf("it ended after round %s, want %d", value.Text(h["round"]), want)
			}
			if value.Text(h["class"]) != fmt.Sprint(int(row.Class)) || h["advice"] == "" {
				t.Errorf("class and advice are %v and %v", h["class"], h["advice"])
			}
			switch {
			case row.Class == reasons.Success:
				if o.Status != Succeeded || o.Halted != 0 {
					t.Errorf("the run is %s with class %d", o.Status, o.Halted)
				}
			case row.Reason == reasons.TerminalRefusal:
				if !o.Refused {
					t.Errorf("the run is %s", o.Status)
				}
			case o.Halted != row.Class.ExitCode() || o.Success():
				t.Errorf("the run is %s with class %d", o.Status, o.Halted)
			}
		})
	}
}
