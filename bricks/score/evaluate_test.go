package score

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/bricks/doomloop"
	"github.com/brickoven/brickoven/recipes/value"
)

// asValue is the result as its readers see it.
func asValue(t testing.TB, r Result) map[string]any {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// The file holds one history a line with what the original's algorithm says of
// it; the keys of want are those that the history decides.
func TestHistoriesGetTheVerdictsOfTheOriginal(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/histories.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	count := 0
	for lines.Scan() {
		var c struct {
			Name      string
			Loop      json.RawMessage
			Option    string `json:"threshold"`
			MaxWasted int    `json:"max_wasted"`
			Want      map[string]any
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		count++
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			record, err := Parse(string(c.Loop))
			if err != nil {
				t.Fatal(err)
			}
			r, err := Evaluate(record.Loop, record.GuardEvents, nil, Options{Threshold: value.Number(c.Option), MaxWasted: c.MaxWasted})
			if err != nil {
				t.Fatal(err)
			}
			all := asValue(t, r)
			// What the original says comes first; we may add sentences.
			want, _ := c.Want["reasoning"].(string)
			if !strings.HasPrefix(r.Reasoning, want) {
				t.Errorf("reasoning %q, want it to begin with %q", r.Reasoning, want)
			}
			got := map[string]any{"reasoning": want}
			for key := range c.Want {
				if key != "reasoning" {
					got[key] = all[key]
				}
			}
			if diff := cmp.Diff(c.Want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if err := lines.Err(); err != nil || count < 60 {
		t.Errorf("%d histories, %v", count, err)
	}
}

func evaluate(t interface{ Fatal(...any) }, loop Loop, events []any, options Options) Result {
	r, err := Evaluate(loop, events, nil, options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTheThresholdThatWasUsedSaysWhoseItIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		loop, option, want value.Number
		from               string
	}{
		{"7.50", "", "7.50", "loop"},
		{"7.5", "0", "0", "option"},
		{"0", "", "0", "loop"},
		{"", "", "8.0", "default"},
	} {
		r := evaluate(t, Loop{Scores: []value.Number{"9"}, Threshold: c.loop}, nil, Options{Threshold: c.option})
		if r.Threshold != c.want || r.ThresholdFrom != c.from {
			t.Errorf("%+v: %s from %s", c, r.Threshold, r.ThresholdFrom)
		}
	}
}

func TestAContradictionOfTheLoopItselfIsSaid(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for _, c := range []struct {
		loop Loop
		by   string
		says string
	}{
		{Loop{Mode: "review", Scores: []value.Number{"9", "8", "6"}, Success: &yes}, "loop_success",
			"The loop calls itself a success, which its last score 6 contradicts (best: 9 in iteration 1)."},
		{Loop{Mode: "optimize", Scores: []value.Number{"6", "9"}, Success: &no}, "first_score_at_threshold",
			"The loop calls itself a failure, which its best score 9 in iteration 2 contradicts."},
	} {
		r := evaluate(t, c.loop, nil, Options{})
		if !r.SuccessDisagrees || !strings.HasSuffix(r.Reasoning, c.says) || r.ConvergedBy != c.by {
			t.Errorf("%+v", r)
		}
	}
}

func TestAnUnknownModeIsOptimizeWithAWarning(t *testing.T) {
	t.Parallel()
	r := evaluate(t, Loop{Mode: "explore", Scores: []value.Number{"9"}}, nil, Options{})
	if r.Mode != Optimize || !r.Converged || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "explore") {
		t.Errorf("%+v", r)
	}
}

func TestLoopsInTheStepsMakeALoopUnhealthy(t *testing.T) {
	t.Parallel()
	finding := doomloop.Finding{Kind: doomloop.Cycle, Period: 2, Count: 2, Witnesses: []int{3, 4, 5, 6}, Last: 9, Reason: "round and round"}
	r, err := Evaluate(Loop{Scores: []value.Number{"9"}}, nil, []doomloop.Finding{finding}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := "Converged in 1 iteration(s). Doom loop in the steps (cycle, steps 3 to 9): round and round."
	if r.Success || !r.DoomLoopFired || r.GuardInterventions != 0 || r.Reasoning != want {
		t.Errorf("%+v", r)
	}
}

func TestUnknownIsNullAndNeverZero(t *testing.T) {
	t.Parallel()
	v := asValue(t, evaluate(t, Loop{Scores: []value.Number{"9", "9"}}, nil, Options{}))
	waste, _ := v["waste"].(map[string]any)
	want := map[string]any{
		"rounds": 1.0, "minutes": nil, "tokens": nil, "cost_usd": nil,
		"accepted_improvements": 0.0, "cost_usd_per_accepted_improvement": nil,
	}
	if diff := cmp.Diff(want, waste); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if v["total_duration_s"] != nil {
		t.Errorf("total_duration_s is %v", v["total_duration_s"])
	}
	empty := asValue(t, evaluate(t, Loop{}, nil, Options{}))
	for _, key := range []string{"score_delta_per_iteration", "score_history", "guard_events", "findings", "warnings"} {
		if list, ok := empty[key].([]any); !ok || len(list) != 0 {
			t.Errorf("%s is %v, want an empty list", key, empty[key])
		}
	}
	if empty["best"] != nil || empty["converged_iteration"] != nil {
		t.Errorf("best %v, converged_iteration %v", empty["best"], empty["converged_iteration"])
	}
}

func TestWasteAddsUpWhatCameAfterTheThreshold(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	loop := Loop{
		Scores: []value.Number{"5", "8", "7", "9"},
		Rounds: []Round{
			{Duration: "60", Tokens: "100", CostUSD: "0.1"}, {Duration: "60", Tokens: "100", CostUSD: "0.2"},
			{Duration: "90", Tokens: "10", CostUSD: "0.1"}, {Duration: "30.5", Tokens: "20", CostUSD: "0.2"},
		},
	}
	got := evaluate(t, loop, nil, Options{}).Waste
	number := func(n json.Number) *json.Number { return &n }
	want := Waste{Rounds: 2, Minutes: number("2.0083"), Tokens: number("30"), CostUSD: number("0.3"),
		AcceptedImprovements: 2, CostPerImprovement: number("0.3")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	loop.Rounds[0].Accepted, loop.Rounds[1].Accepted = &no, &yes
	if got := evaluate(t, loop, nil, Options{}).Waste; got.AcceptedImprovements != 1 || *got.CostPerImprovement != "0.6" {
		t.Errorf("marked rounds: %+v", got)
	}
	loop.Rounds[3].Tokens = ""
	if got := evaluate(t, loop, nil, Options{}).Waste; got.Tokens != nil || got.CostUSD == nil {
		t.Errorf("one unknown makes the sum unknown, and no other: %+v", got)
	}
	if got := evaluate(t, loop, nil, Options{Threshold: "9"}).Waste; got.Rounds != 0 || *got.Tokens != "0" {
		t.Errorf("nothing wasted is known to be nothing: %+v", got)
	}
}

func TestNumbersThatAreNoneAreRefusedWithTheirIndex(t *testing.T) {
	t.Parallel()
	for _, bad := range []value.Number{"NaN", "Infinity", "-Infinity", "", "eight", "1e999", "8.0x"} {
		_, err := Evaluate(Loop{Scores: []value.Number{"1", "2", bad}}, nil, nil, Options{})
		var fault *InputError
		if !errors.As(err, &fault) || fault.Index != 2 || fault.Path != "score_history[2]" {
			t.Errorf("score %q: %v", bad, err)
		}
	}
	for name, call := range map[string]func() error{
		"loop threshold":   func() error { _, err := Evaluate(Loop{Threshold: "NaN"}, nil, nil, Options{}); return err },
		"option threshold": func() error { _, err := Evaluate(Loop{}, nil, nil, Options{Threshold: "inf"}); return err },
		"duration":         func() error { _, err := Evaluate(Loop{TotalDuration: "x"}, nil, nil, Options{}); return err },
		"waste":            func() error { _, err := Evaluate(Loop{}, nil, nil, Options{MaxWasted: -1}); return err },
		"rounds":           func() error { _, err := Evaluate(Loop{Rounds: []Round{{}}}, nil, nil, Options{}); return err },
	} {
		var fault *InputError
		if err := call(); !errors.As(err, &fault) || fault.Index != -1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func drawLoop(t *rapid.T) Loop {
	loop := Loop{Mode: rapid.SampledFrom([]string{"optimize", "review"}).Draw(t, "mode")}
	for _, n := range rapid.SliceOfN(rapid.IntRange(0, 100), 1, 20).Draw(t, "scores") {
		loop.Scores = append(loop.Scores, value.Number(fmt.Sprintf("%d.%d", n/10, n%10)))
	}
	return loop
}

func TestRaisingTheThresholdNeverConvergesEarlier(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		loop := drawLoop(t)
		low := rapid.IntRange(0, 10).Draw(t, "low")
		high := rapid.IntRange(low, 10).Draw(t, "high")
		lower := evaluate(t, loop, nil, Options{Threshold: value.Number(fmt.Sprint(low))})
		higher := evaluate(t, loop, nil, Options{Threshold: value.Number(fmt.Sprint(high))})
		if higher.Converged && (!lower.Converged || higher.IterationsToSuccess < lower.IterationsToSuccess) {
			t.Fatalf("%v: %d at %d, %d at %d", loop.Scores, lower.IterationsToSuccess, low, higher.IterationsToSuccess, high)
		}
		if higher.WastedIterations > lower.WastedIterations {
			t.Fatalf("more waste at a higher threshold")
		}
	})
}

func TestRoundsAfterConvergenceOnlyAddWaste(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		loop := drawLoop(t)
		loop.Mode = "optimize"
		before := evaluate(t, loop, nil, Options{})
		if !before.Converged {
			t.Skip("not converged")
		}
		more := drawLoop(t).Scores
		loop.Scores = append(loop.Scores, more...)
		after := evaluate(t, loop, nil, Options{})
		if !after.Converged || after.IterationsToSuccess != before.IterationsToSuccess ||
			after.WastedIterations != before.WastedIterations+len(more) || after.Success && !before.Success {
			t.Fatalf("before %+v\nafter %+v", before, after)
		}
	})
}

func TestTheOrderOfGuardEventsChangesNothing(t *testing.T) {
	t.Parallel()
	kinds := []any{
		map[string]any{"type": "doom_loop"}, map[string]any{"action": "warn"}, map[string]any{"is_loop": false},
		map[string]any{"stuck": true}, "text", nil, map[string]any{},
	}
	rapid.Check(t, func(t *rapid.T) {
		loop := drawLoop(t)
		events := rapid.SliceOfN(rapid.SampledFrom(kinds), 0, 8).Draw(t, "events")
		shuffled := rapid.Permutation(events).Draw(t, "shuffled")
		a, b := evaluate(t, loop, events, Options{}), evaluate(t, loop, shuffled, Options{})
		if diff := cmp.Diff(withoutOrder(a), withoutOrder(b)); diff != "" {
			t.Fatalf("(-one order +another):\n%s", diff)
		}
	})
}

// withoutOrder drops the positions of the guard events and sorts them.
func withoutOrder(r Result) Result {
	for i := range r.GuardEvents {
		r.GuardEvents[i].Index = 0
	}
	sort.Slice(r.GuardEvents, func(i, j int) bool {
		return fmt.Sprint(r.GuardEvents[i]) < fmt.Sprint(r.GuardEvents[j])
	})
	return r
}
