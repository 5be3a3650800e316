package bricks_test

import (
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes/value"
)

func TestLoopScoreJudgesARecord(t *testing.T) {
	t.Parallel()
	record := `{"score_history": [6, 8.5, 8], "threshold": 8, "mode": "optimize"}`
	object, err := value.Parse(record)
	if err != nil {
		t.Fatal(err)
	}
	halted := []any{map[string]any{"type": "no_progress"}}
	for _, c := range []struct {
		name       string
		vars       map[string]any
		status     string
		code, lazy int
	}{
		{"wasted", map[string]any{"loop_record": object}, "unhealthy", 1, 0},
		{"as a text", map[string]any{"loop_record": record}, "unhealthy", 1, 0},
		{"tolerated", map[string]any{"loop_record": object, "loop_score_max_wasted": value.Number("1"), "loop_guard_events": []any{}}, "healthy", 0, 0},
		{"another threshold", map[string]any{"loop_record": object, "loop_score_threshold": value.Number("9")}, "unhealthy", 1, 0},
		{"threshold 0", map[string]any{"loop_record": object, "loop_score_threshold": "0", "loop_score_max_wasted": "2"}, "healthy", 0, 0},
		{"a guard", map[string]any{"loop_record": object, "loop_score_max_wasted": "1", "loop_guard_events": halted}, "unhealthy", 1, 0},
		{"nothing", map[string]any{"loop_record": `{"score_history": []}`}, "nothing_to_examine", 4, 0},
	} {
		result, _, err := native(t, "loop-score", c.vars)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if status, _ := value.At(result, []string{"status"}); status != c.status {
			t.Errorf("%s: %v", c.name, result)
		}
		_, enforced, err := native(t, "loop-score-enforce", map[string]any{"loop_score": result})
		if err != nil || enforced.ExitCode != c.code || (enforced.Stderr == "") != (c.code == 0) {
			t.Errorf("%s: enforced %+v, %v", c.name, enforced, err)
		}
		_, lax, err := native(t, "loop-score-enforce", map[string]any{"loop_score": result, "loop_score_enforce": false})
		if err != nil || lax.ExitCode != c.lazy || !strings.Contains(lax.Stdout, "onverge") {
			t.Errorf("%s: reported %+v, %v", c.name, lax, err)
		}
	}
}

func TestLoopScoreRefusesWhatIsNoRecord(t *testing.T) {
	t.Parallel()
	for name, vars := range map[string]map[string]any{
		"loop_record":           {"loop_record": "no JSON"},
		"score_history[0]":      {"loop_record": map[string]any{"score_history": []any{"8"}}},
		"loop_guard_events":     {"loop_record": map[string]any{"score_history": []any{}}, "loop_guard_events": "no JSON"},
		"loop_score_threshold":  {"loop_record": map[string]any{"score_history": []any{}}, "loop_score_threshold": "high"},
		"loop_score_max_wasted": {"loop_record": map[string]any{"score_history": []any{}}, "loop_score_max_wasted": "-1"},
	} {
		if _, _, err := native(t, "loop-score", vars); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := native(t, "loop-score-enforce", map[string]any{"loop_score": map[string]any{}}); err == nil {
		t.Error("enforced no result")
	}
}
