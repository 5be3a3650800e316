package score

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/recipes/value"
)

func judged(scores ...string) Evaluation {
	e := Evaluation{Mode: Optimize, Threshold: "8.0", MaxRounds: 3}
	for i, score := range scores {
		e = e.Record(Judged{
			Output:    fmt.Sprintf("draft %d", i+1),
			Judgement: Judgement{Score: value.Number(score), Reasoning: "because", Findings: []string{"dull", "long " + score}},
			Used:      Round{Duration: "2", CostUSD: "0.1"},
		})
	}
	return e
}

func TestDecideStopsAsItsModeSays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		mode   Mode
		scores string
		want   Decision
	}{
		{"before the first round", Optimize, "", Decision{Continue: true}},
		{"optimize goes on under the threshold", Optimize, "7.9", Decision{Continue: true, Returned: 1}},
		{"optimize stops at the threshold", Optimize, "6 8.0", Decision{Stop: ThresholdReached, Success: true, Returned: 2}},
		{"optimize in its last round", Optimize, "1 2 9", Decision{Stop: ThresholdReached, Success: true, Returned: 3}},
		{"optimize gives up with the best", Optimize, "5 7 6", Decision{Stop: AllRoundsRun, Returned: 2}},
		{"review goes on over the threshold", Review, "9 9", Decision{Continue: true, Success: true, Returned: 1}},
		{"review fails by its last score and returns the best", Review, "9 8 6", Decision{Stop: AllRoundsRun, Returned: 1}},
		{"review succeeds by its last score", Review, "9 8 8", Decision{Stop: AllRoundsRun, Success: true, Returned: 1}},
		{"the first of equals is returned", Review, "5 9 9.0", Decision{Stop: AllRoundsRun, Success: true, Returned: 2}},
	} {
		e := judged(strings.Fields(c.scores)...)
		e.Mode = c.mode
		if diff := cmp.Diff(c.want, e.Decide()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestRecordLeavesTheEvaluationAsItWas(t *testing.T) {
	t.Parallel()
	before := judged("1")
	a := before.Record(Judged{Judgement: Judgement{Score: "2"}})
	b := before.Record(Judged{Judgement: Judgement{Score: "3"}})
	if len(before.Rounds) != 1 || a.Rounds[1].Score != "2" || b.Rounds[1].Score != "3" {
		t.Errorf("%+v %+v %+v", before, a, b)
	}
}

func TestReportSaysWhichOutputIsReturned(t *testing.T) {
	t.Parallel()
	e := judged("9", "8", "6")
	e.Mode = Review
	r := e.Report()
	for key, want := range map[string]any{
		"success": false, "final_score": value.Number("6"), "final_output": "draft 3",
		"best_score": value.Number("9"), "best_output": "draft 1", "best_iteration": value.Number("1"),
		"returned": "best", "returned_iteration": value.Number("1"), "num_iterations": value.Number("3"),
		"total_duration_seconds": value.Number("6"), "stop_reason": "all_rounds_run", "mode": "review",
		"accumulated_findings": []any{"dull", "long 9", "long 8", "long 6"},
	} {
		if diff := cmp.Diff(want, r[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
	last, _ := r["iterations"].([]any)[2].(map[string]any)
	if last["passed"] != false || last["reasoning"] != "because" || last["tokens"] != nil {
		t.Errorf("last round: %v", last)
	}
}

func TestJudgementsAreReadOrRefusedNeverBent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Judgement{
		`{"score":8.50,"reasoning":"good","findings":["a","b"]}`: {Score: "8.50", Reasoning: "good", Findings: []string{"a", "b"}},
		`{"score":0,"findings":"one"}`:                           {Score: "0", Findings: []string{"one"}},
		`{"score":10,"reasoning":null,"findings":null}`:          {Score: "10"},
	} {
		v, err := value.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseJudgement(v)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{
		`8`, `"8"`, `null`, `{}`, `{"score":null}`, `{"score":"8"}`, `{"score":true}`, `{"score":10.01}`, `{"score":-0.1}`,
		`{"score":1e999}`, `{"score":8,"reasoning":5}`, `{"score":8,"findings":5}`, `{"score":8,"findings":[5]}`,
	} {
		v, err := value.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var fault *InputError
		if _, err := ParseJudgement(v); !errors.As(err, &fault) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func round(score string) map[string]any {
	return map[string]any{
		"judgement": map[string]any{"score": value.Number(score), "findings": []any{"dull"}}, "output": "text " + score,
		"usage": map[string]any{"duration_seconds": value.Number("60"), "tokens": value.Number("-1"), "cost_usd": "x"},
	}
}

// The native functions carry an evaluation from round to round through the
// variables of a recipe.
func TestTheNativeFunctionsRunALoopToItsEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, scores, verdicts, action string
		settings                       map[string]any
	}{
		{"done", "6 8.5", "CONTINUE DONE", "take the output of round 2", nil},
		{"stuck", "6 5", "CONTINUE STUCK", "look at the findings; the best output is that of round 1", map[string]any{"max_rounds": value.Number("2")}},
		{"review", "9 9", "CONTINUE DONE", "take the output of round 1", map[string]any{"mode": "Review", "max_rounds": "2"}},
		{"threshold 0", "0", "DONE", "take the output of round 1", map[string]any{"threshold": value.Number("0")}},
	} {
		var evaluation any
		var verdicts []string
		var health map[string]any
		for _, score := range strings.Fields(c.scores) {
			inputs := round(score)
			inputs["evaluation"] = evaluation
			for key, v := range c.settings {
				inputs[key] = v
			}
			report, err := RecordRound(inputs)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			// A variable holds what JSON can hold.
			evaluation, err = value.Parse(value.JSON(report))
			if err != nil {
				t.Fatal(err)
			}
			if health, err = DecideRound(map[string]any{"evaluation": evaluation}); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			verdicts = append(verdicts, health["loop_verdict"].(string))
		}
		if got := strings.Join(verdicts, " "); got != c.verdicts || health["recommended_action"] != c.action {
			t.Errorf("%s: %s, %v", c.name, got, health)
		}
		inputs := round("1")
		inputs["evaluation"] = evaluation
		for key, v := range c.settings {
			inputs[key] = v
		}
		if _, err := RecordRound(inputs); err == nil {
			t.Errorf("%s: a round was recorded after the end", c.name)
		}
	}
}

func TestTheVerdictNamesWhatMovedAndWhatDoesNotConverge(t *testing.T) {
	t.Parallel()
	for scores, want := range map[string][2][]any{
		"5":     {{}, {}},
		"5 7":   {{}, {"score 5 -> 7"}},
		"5 5.0": {{}, {}},
		"5 7 6": {{"no score reached 8.0: the best of 3 is 7", "dull", "long 6"}, {"score 7 -> 6"}},
	} {
		health, err := DecideRound(map[string]any{"evaluation": judged(strings.Fields(scores)...).Report()})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, [2][]any{health["not_converging"].([]any), health["moved"].([]any)}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", scores, diff)
		}
	}
}

func TestTheNativeFunctionsRefuseFaultyInputs(t *testing.T) {
	t.Parallel()
	for key, bad := range map[string]any{
		"mode": "explore", "threshold": "NaN", "max_rounds": value.Number("0"), "evaluation": "text", "judgement": "8",
	} {
		inputs := round("5")
		inputs[key] = bad
		var fault *InputError
		if _, err := RecordRound(inputs); !errors.As(err, &fault) {
			t.Errorf("%s %v: %v", key, bad, err)
		}
	}
	inputs := round("5")
	inputs["evaluation"] = map[string]any{"iterations": []any{map[string]any{"score": "x"}}}
	if _, err := RecordRound(inputs); err == nil || !strings.Contains(err.Error(), "round 1") {
		t.Errorf("a faulty earlier round: %v", err)
	}
	for _, bad := range []any{nil, "text", map[string]any{}, map[string]any{"mode": "x", "iterations": []any{}}} {
		if _, err := DecideRound(map[string]any{"evaluation": bad}); err == nil {
			t.Errorf("decided on %v", bad)
		}
	}
}

// An evaluation loop's report is a loop that can be scored, and one that ran as
// it decided has nothing wasted.
func TestALoopThatDecidedForItselfIsScoredAsItDecided(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := Evaluation{
			Mode:      rapid.SampledFrom([]Mode{Optimize, Review}).Draw(t, "mode"),
			Threshold: value.Number(fmt.Sprint(rapid.IntRange(0, 10).Draw(t, "threshold"))),
			MaxRounds: rapid.IntRange(1, 6).Draw(t, "rounds"),
		}
		for e.Decide().Continue {
			score := value.Number(fmt.Sprint(rapid.IntRange(0, 10).Draw(t, "score")))
			e = e.Record(Judged{Judgement: Judgement{Score: score}})
		}
		record, err := Parse(value.JSON(e.Report()))
		if err != nil {
			t.Fatal(err)
		}
		r := evaluate(t, record.Loop, record.GuardEvents, Options{})
		if r.Success != e.Decide().Success || r.SuccessDisagrees || r.WastedIterations != 0 || r.Best.Iteration != e.Decide().Returned {
			t.Fatalf("%+v\n%+v", e, r)
		}
	})
}

// A round that was not recorded ends the loop, and says what it said last: no
// score speaks for it, and repeating it would cost what it cost.
func TestARoundThatWasNotRecordedEndsTheLoop(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"first\nno such model\n\n":                 "round 2 was not recorded: no such model",
		"no such recipe\nlooked in:\n  - a folder": "round 2 was not recorded: no such recipe",
		" ":                      "round 2 was not recorded: it said nothing",
		strings.Repeat("x", 300): "round 2 was not recorded: " + strings.Repeat("x", 200) + "…",
	} {
		health, err := DecideRound(map[string]any{
			"evaluation": judged("5").Report(), "round": value.Number("2"), "last_output": output,
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]any{"STUCK", []any{want}}, []any{health["loop_verdict"], health["not_converging"]}); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	health, err := DecideRound(map[string]any{"round": value.Number("1"), "last_output": "broken"})
	if err != nil || health["loop_verdict"] != "STUCK" {
		t.Errorf("a first round that was not recorded: %v, %v", health, err)
	}
	health, err = DecideRound(map[string]any{"evaluation": judged("5").Report(), "round": value.Number("1")})
	if err != nil || health["loop_verdict"] != "CONTINUE" {
		t.Errorf("a round that was recorded: %v, %v", health, err)
	}
}

func TestWhatAnEvaluationReturnsAndWhetherItPasses(t *testing.T) {
	t.Parallel()
	review := judged("9", "7", "6")
	review.Mode = Review
	passed := judged("9", "7", "8")
	passed.Mode = Review
	for _, c := range []struct {
		name      string
		e         *Evaluation
		enforce   any
		output    any
		passes    bool
		sentences string
	}{
		{"nothing recorded", nil, "false", nil, false, "There is no output to return, because no round was recorded: stopped by hand"},
		{"reached", ptr(judged("5", "8")), true, "draft 2", true, "Returned is the output of round 2 of 2, the best with 8; the threshold is 8.0."},
		{"missed", ptr(judged("5", "7", "6")), nil, "draft 2", false, "Returned is the output of round 2 of 3, the best with 7; the threshold is 8.0."},
		{"missed and tolerated", ptr(judged("5", "7", "6")), " False", "draft 2", true, "Returned is the output of round 2 of 3, the best with 7; the threshold is 8.0."},
		{"ended before its end", ptr(judged("5")), "false", "draft 1", false, "Returned is the output of round 1 of 1, the best with 5; the threshold is 8.0. The loop did not come to its end: stopped by hand"},
		{"review missed", &review, false, "draft 1", true, "Returned is the output of round 1 of 3, the best with 9; the threshold is 8.0. In review the last round counts, and it scored 6."},
		{"review passed", &passed, "true", "draft 1", true, "Returned is the output of round 1 of 3, the best with 9; the threshold is 8.0."},
	} {
		inputs := map[string]any{"enforce": c.enforce, "reason": "stopped by hand"}
		if c.e != nil {
			inputs["evaluation"] = c.e.Report()
		}
		sentence, passes, err := Enforce(inputs)
		best, bestErr := BestOutput(inputs)
		if err != nil || bestErr != nil {
			t.Fatal(err, bestErr)
		}
		if passes != c.passes || sentence != c.sentences || best != c.output {
			t.Errorf("%s: %v %q %v", c.name, passes, sentence, best)
		}
	}
	for _, bad := range []any{"text", map[string]any{"mode": "x"}} {
		if _, _, err := Enforce(map[string]any{"evaluation": bad}); err == nil {
			t.Errorf("enforced %v", bad)
		}
		if _, err := BestOutput(map[string]any{"evaluation": bad}); err == nil {
			t.Errorf("the best of %v", bad)
		}
	}
}

func ptr[T any](v T) *T { return &v }

func TestAProducerIsToldWhatBecameOfTheLastRound(t *testing.T) {
	t.Parallel()
	e := judged("5")
	e = e.Record(Judged{Output: "x", Judgement: Judgement{Score: "7.5", Reasoning: "Clear, but long.", Findings: []string{"cut it", "a typo"}}})
	want := "Round 2 scored 7.5 of 10; the threshold is 8.0.\nClear, but long.\n- cut it\n- a typo"
	if got := e.Report()["feedback"]; got != want {
		t.Errorf("feedback %q, want %q", got, want)
	}
	review := judged("9", "6")
	review.Mode, review.MaxRounds = Review, 2
	health, err := DecideRound(map[string]any{"evaluation": review.Report()})
	if got := health["not_converging"].([]any)[0]; err != nil || got != "the last score, 6, is below 8.0" {
		t.Errorf("review: %v %v", got, err)
	}
	if got := (Evaluation{}).Report()["feedback"]; got != "" {
		t.Errorf("feedback %q before the first round", got)
	}
}
