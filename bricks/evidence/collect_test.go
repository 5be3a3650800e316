package evidence_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/bricks/evidence"
	"github.com/brickoven/brickoven/recipes/value"
)

func TestWorkedExampleOfThe2h47mRun(t *testing.T) {
	t.Parallel()
	e := collect(evidence.Inputs{
		History:         strings.Repeat("step finished in 10m 0s\n", 7) + "child returned BLOCKED_TERMINAL at depth 4/3, exit code 79\n",
		LastOutput:      "The review workflow is still running; I'm waiting for its structured findings.",
		FindingsCurrent: "F1\nF2", FindingsPrevious: "F1\nF2",
		TestSignal: "3 failed", TestPrevious: "3 failed",
	})
	got, err := value.Parse(e.JSON())
	if err != nil {
		t.Fatal(err)
	}
	want, err := value.Parse(`{
		"terminal_refusal": "true",
		"terminal_reason": "BLOCKED_TERMINAL reported by a child; exit code 79 present in round output",
		"commits_since_baseline": 0, "diff_lines": 0,
		"repeated_duration_count": 7, "repeated_duration_value": "10m 0s",
		"findings_new": 0, "findings_recurring": 2, "findings_resolved": 0,
		"tests_moved": "false", "waiting_on_output": "true"}`)
	if err != nil {
		t.Fatal(err)
	}
	for key, field := range want.(map[string]any) {
		if diff := cmp.Diff(field, got.(map[string]any)[key]); diff != "" {
			t.Errorf("%s: -want +got\n%s", key, diff)
		}
	}
}

func TestBooleansAreTextsAndCountsAreNumbers(t *testing.T) {
	t.Parallel()
	got, err := value.Parse(collect(evidence.Inputs{}).JSON())
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{
		"terminal_refusal": "string", "terminal_reason": "string", "commits_since_baseline": "number", "diff_lines": "number",
		"diff_stat": "string", "git_observed": "string", "repeated_duration_count": "number", "repeated_duration_value": "string",
		"repeated_output": "string", "findings_new": "number", "findings_recurring": "number", "findings_resolved": "number",
		"tests_observed": "string", "tests_moved": "string", "ci_observed": "string", "ci_moved": "string",
		"waiting_on_output": "string", "infrastructure_fault": "string", "infrastructure_fault_class": "string",
		"untracked_files": "number", "repeated_similarity": "number", "paths_changed": "number", "paths_observed": "string",
	}
	for key, kind := range kinds {
		if field, there := got.(map[string]any)[key]; !there || value.Kind(field) != kind {
			t.Errorf("%s is a %s, want a %s", key, value.Kind(field), kind)
		}
	}
}

// longHistory is a history of size bytes with what the detectors look at.
func longHistory(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "round %d: step finished in %dm %ds; exit status %d; still no finding resolved in file_%d.go\n", i, i%60, i%60, i%7, i)
	}
	return b.String()
}

func TestALongHistoryIsNotCopied(t *testing.T) {
	history := longHistory(50 << 20)
	output := strings.Repeat("a new sentence about the work of this round ", 100)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	collect(evidence.Inputs{History: history, LastOutput: output})
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 50<<20 {
		t.Errorf("50 MB of history made %d MB of garbage", allocated>>20)
	}
	runtime.KeepAlive(history)
}

func BenchmarkCollect50MB(b *testing.B) {
	history := longHistory(50 << 20)
	output := strings.Repeat("a new sentence about the work of this round ", 100)
	b.SetBytes(int64(len(history)))
	b.ReportAllocs()
	for b.Loop() {
		collect(evidence.Inputs{History: history, LastOutput: output})
	}
}

func FuzzCollect(f *testing.F) {
	f.Add(`[{"terminal_refusal":"true","terminal_reason":"x"}] exit 79 1h 2m`, "BLOCKED_TERMINAL")
	f.Add("{\"a\":\"[loop-health-evaluator]\\n\"]}", "10m0s 429 error")
	f.Fuzz(func(t *testing.T, history, output string) {
		e := collect(evidence.Inputs{History: history, LastOutput: output, FindingsCurrent: history, WatchManifest: output, WatchPaths: "x"})
		if _, err := value.Parse(e.JSON()); err != nil {
			t.Errorf("the evidence is no JSON: %v", err)
		}
		again := collect(evidence.Inputs{History: e.JSON()})
		if again.TerminalRefusal {
			t.Errorf("the evidence makes itself terminal: %s", e.JSON())
		}
	})
}
