package bricks_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/bricks"
	"github.com/brickoven/brickoven/recipes/value"
)

// native calls a native function over variables and reads what it printed.
func native(t *testing.T, name string, vars map[string]any) (printed any, res bricks.Result, err error) {
	t.Helper()
	res, err = bricks.Natives()[name](context.Background(), bricks.Call{Inputs: vars})
	return value.Guess(strings.TrimSpace(res.Stdout)), res, err
}

// A round of evaluation-loop is recorded from the variables that its steps left,
// with the time that they took.
func TestEvaluationRecordReadsTheVariablesOfARound(t *testing.T) {
	t.Parallel()
	took := func(seconds string) map[string]any { return map[string]any{"duration": value.Number(seconds)} }
	vars := map[string]any{
		"evaluation_output": "draft", "evaluation_threshold": value.Number("7"), "evaluation_mode": "review",
		"evaluation_max_rounds": value.Number("2"),
		"evaluation_judgement":  `Good {"score": 3}. In the end: {"score": 7.50, "findings": ["x"]}`,
		"steps":                 map[string]any{"produce": took("1.25"), "judge": took("2")},
	}
	report, _, err := native(t, "evaluation-record", vars)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	for _, path := range []string{"score_history", "threshold", "mode", "max_rounds", "best_output", "total_duration_seconds", "accumulated_findings"} {
		got[path], _ = value.At(report, []string{path})
	}
	want := map[string]any{
		"score_history": []any{value.Number("7.50")}, "threshold": value.Number("7"), "mode": "review", "max_rounds": value.Number("2"),
		"best_output": "draft", "total_duration_seconds": value.Number("3.25"), "accumulated_findings": []any{"x"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	for _, steps := range []any{nil, map[string]any{}, map[string]any{"produce": map[string]any{}}} {
		vars["steps"] = steps
		report, _, err := native(t, "evaluation-record", vars)
		if took, _ := value.At(report, []string{"total_duration_seconds"}); err != nil || took != nil {
			t.Errorf("with the steps %v it took %v, %v", steps, took, err)
		}
	}
	usage := func(unknownTokens, unknownCost string, more ...any) map[string]any {
		given := map[string]any{"unknown_tokens": value.Number(unknownTokens), "unknown_cost": value.Number(unknownCost)}
		for i := 0; i < len(more); i += 2 {
			given[more[i].(string)] = value.Number(more[i+1].(string))
		}
		return map[string]any{"duration": value.Number("1"), "usage": given}
	}
	whole := usage("0", "0", "input_tokens", "100", "output_tokens", "20", "cost_usd", "0.1")
	for _, test := range []struct {
		steps        map[string]any
		tokens, cost any
	}{
		{map[string]any{"produce": whole, "judge": whole}, value.Number("240"), value.Number("0.2")},
		{map[string]any{"produce": whole, "judge": took("1")}, value.Number("120"), value.Number("0.1")},
		{map[string]any{"produce": whole, "judge": usage("1", "0", "input_tokens", "7", "cost_usd", "1")}, nil, value.Number("1.1")},
		{map[string]any{"produce": usage("0", "1", "input_tokens", "7", "output_tokens", "1")}, value.Number("8"), nil},
		{map[string]any{"produce": took("1")}, nil, nil},
	} {
		vars["steps"] = test.steps
		report, _, err := native(t, "evaluation-record", vars)
		tokens, _ := value.At(report, []string{"iterations", "0", "tokens"})
		cost, _ := value.At(report, []string{"iterations", "0", "cost_usd"})
		if err != nil || tokens != test.tokens || cost != test.cost {
			t.Errorf("with the steps %v: %v tokens, %v USD, %v; want %v and %v", test.steps, tokens, cost, err, test.tokens, test.cost)
		}
	}
	for _, bad := range []any{"no object", `{"points": 8}`, nil, map[string]any{"score": "8"}} {
		vars["evaluation_judgement"] = bad
		if _, _, err := native(t, "evaluation-record", vars); err == nil {
			t.Errorf("the judgement %v was recorded", bad)
		}
	}
}

// The loop around decides by the number of its rounds, so that a round that left
// nothing is not taken for the one before.
func TestEvaluationDecideKnowsTheRound(t *testing.T) {
	t.Parallel()
	report, _, err := native(t, "evaluation-record", map[string]any{
		"evaluation_output": "x", "evaluation_judgement": map[string]any{"score": value.Number("5")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for round, want := range map[string]string{"1": "CONTINUE", "2": "STUCK"} {
		health, _, err := native(t, "evaluation-decide", map[string]any{
			"evaluation": report, "loop": map[string]any{"round": value.Number(round)}, "loop_last_round_output": "broken",
		})
		if verdict, _ := value.At(health, []string{"loop_verdict"}); err != nil || verdict != want {
			t.Errorf("round %s: %v, %v", round, health, err)
		}
	}
}

func TestEvaluationBestAndEnforceReport(t *testing.T) {
	t.Parallel()
	report, _, err := native(t, "evaluation-record", map[string]any{
		"evaluation_output": map[string]any{"k": "v"}, "evaluation_max_rounds": value.Number("1"),
		"evaluation_judgement": map[string]any{"score": value.Number("5")},
	})
	if err != nil {
		t.Fatal(err)
	}
	best, _, err := native(t, "evaluation-best", map[string]any{"evaluation": report})
	if diff := cmp.Diff(map[string]any{"k": "v"}, best); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	_, nothing, err := native(t, "evaluation-best", map[string]any{})
	if nothing.Stdout != "" || err != nil {
		t.Errorf("the best of nothing is %q, %v", nothing.Stdout, err)
	}
	_, strict, err := native(t, "evaluation-enforce", map[string]any{"evaluation": report})
	if strict.ExitCode != 1 || strict.Stdout != "" || !strings.Contains(strict.Stderr, "the best with 5; the threshold is 8.0") || err != nil {
		t.Errorf("%+v, %v", strict, err)
	}
	_, lax, err := native(t, "evaluation-enforce", map[string]any{"evaluation": report, "evaluation_enforce": "false"})
	if lax.ExitCode != 0 || !strings.Contains(lax.Stdout, "the best with 5") || err != nil {
		t.Errorf("%+v, %v", lax, err)
	}
	_, ended, err := native(t, "evaluation-enforce", map[string]any{"evaluation_rounds": map[string]any{"reason": "stopped\nby hand"}})
	if ended.ExitCode != 1 || ended.Stderr != "There is no output to return, because no round was recorded: by hand\n" || err != nil {
		t.Errorf("%+v, %v", ended, err)
	}
	for _, name := range []string{"evaluation-best", "evaluation-enforce", "evaluation-decide"} {
		if _, _, err := native(t, name, map[string]any{"evaluation": "text"}); err == nil {
			t.Errorf("%s takes a text for an evaluation", name)
		}
	}
}
