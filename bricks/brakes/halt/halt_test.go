package halt_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/session"
)

var update = flag.Bool("update", false, "write docs/halt-reasons.md")

func TestTheDocumentIsThatOfTheTable(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "..", "docs", "halt-reasons.md")
	if *update {
		if err := os.WriteFile(path, []byte(halt.Markdown(session.HaltStops())), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(data), "\r\n", "\n") != halt.Markdown(session.HaltStops()) {
		t.Errorf("%s is not up to date: go test ./bricks/brakes/halt -update", path)
	}
}

func TestEachReasonStandsOnceWithItsClass(t *testing.T) {
	t.Parallel()
	// The classes of seed 004 and of the issue.
	want := map[halt.Class][]halt.Reason{
		10: {"success_condition_met", "judged_done"},
		11: {"no_actionable_tasks", "human_required"},
		12: {"max_iterations_reached"},
		13: {"blocked_path_modified", "metric_integrity_violation", "harness_tampered"},
		14: {"check_flaky", "check_has_side_effects"},
		16: {"goal_check_broken", "done_but_check_red"},
		17: {"judged_stuck", "no_progress_detected", "same_failure_repeated", "oscillation_detected", "same_test_regressed", "unsatisfiable_constraints", "infeasible_suspected"},
		18: {"budget_exceeded", "cost_anomaly"},
		19: {"heartbeat_stale", "comprehension_debt_exceeded"},
		30: {"workspace_invalid"},
		40: {"execution_failure"},
		50: {"internal_error"},
		79: {"terminal_refusal"},
	}
	got := map[halt.Class][]halt.Reason{}
	last := halt.Class(0)
	for _, row := range halt.Table() {
		if row.Class < last {
			t.Errorf("%s breaks the order of the classes", row.Reason)
		}
		last = row.Class
		if row.Meaning == "" || row.Advice == "" || row.Remedy == "" || row.Kind == "" {
			t.Errorf("%s is not complete: %+v", row.Reason, row)
		}
		if row.Remedy == halt.RaiseTheLimit {
			t.Errorf("%s tells to raise the limit without a look at the trend", row.Reason)
		}
		got[row.Class] = append(got[row.Class], row.Reason)
	}
	for class, reasons := range want {
		if !slices.Equal(got[class], reasons) {
			t.Errorf("class %d has %v, want %v", class, got[class], reasons)
		}
	}
	if len(got) != len(want) {
		t.Errorf("there are the classes of %v", got)
	}
}

func TestAnAbsentReasonIsNotInTheTable(t *testing.T) {
	t.Parallel()
	for _, absent := range halt.NotApplicable() {
		if _, found := halt.Lookup(halt.Reason(absent.Reason)); found {
			t.Errorf("%s is in the table too", absent.Reason)
		}
	}
}

func TestEveryStopReasonHasAHaltReasonOfTheTable(t *testing.T) {
	t.Parallel()
	for _, stop := range session.HaltStops() {
		if _, found := halt.Lookup(stop.Reason); !found {
			t.Errorf("%s goes with %s, which is not in the table", stop.Stop, stop.Reason)
		}
	}
}

func TestRaiseTheLimitNeedsAShrinkingSetAndALimit(t *testing.T) {
	t.Parallel()
	for _, row := range halt.Table() {
		limit := row.Reason == halt.MaxIterationsReached || row.Reason == halt.BudgetExceeded
		if got := halt.New(row.Reason, 3, halt.Evidence{}, true).Remedy == halt.RaiseTheLimit; got != limit {
			t.Errorf("%s while shrinking: raise the limit is %v", row.Reason, got)
		}
		if halt.New(row.Reason, 3, halt.Evidence{}, false).Remedy == halt.RaiseTheLimit {
			t.Errorf("%s without shrinking: raise the limit", row.Reason)
		}
	}
}

func TestAnUnknownReasonIsAnInternalError(t *testing.T) {
	t.Parallel()
	h := halt.New("made_up", 1, halt.Evidence{}, false)
	if h.Reason != halt.InternalError || h.Class != 50 || !strings.Contains(h.Evidence.Detail, "made_up") {
		t.Errorf("got %+v", h)
	}
	if halt.Reason("made_up").Class() != 50 || halt.JudgedDone.Class() != halt.Success {
		t.Error("the class of a reason is not that of the table")
	}
}

func TestASuccessExitsWithZeroAndTheRestWithTheirClass(t *testing.T) {
	t.Parallel()
	for _, row := range halt.Table() {
		want := int(row.Class)
		if row.Class == halt.Success {
			want = 0
		}
		if got := row.Class.ExitCode(); got != want {
			t.Errorf("%s exits with %d", row.Reason, got)
		}
		if halt.New(row.Reason, 1, halt.Evidence{}, false).Succeeded() != (want == 0) {
			t.Errorf("%s: the success does not go with the exit code", row.Reason)
		}
	}
}

func TestAHaltIsOneJSONObjectWithoutNulls(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(halt.New(halt.OscillationDetected, 3, halt.Evidence{Period: 2, Rounds: []int{1, 3}}, false))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"reason":"oscillation_detected"`, `"class":17`, `"round":3`, `"rounds":[1,3]`, `"ids":[]`, `"period":2`, `"remedy":"do-not-retry"`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("%s is missing in %s", part, text)
		}
	}
}

func TestTheExplanationSaysWhatTheEvidenceIsAndWhatToDo(t *testing.T) {
	t.Parallel()
	text := halt.New(halt.OscillationDetected, 3, halt.Evidence{Period: 2, Rounds: []int{1, 3}, IDs: []string{"TestA"}, Detail: "as before"}, false).String()
	for _, part := range []string{"oscillation_detected (class 17, random walk) after round 3", "evidence: as before", "rounds: 1, 3", "period: 2", "  - TestA", "do-not-retry: "} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
}
