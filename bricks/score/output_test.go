package score

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/bricks/doomloop"
	"github.com/brickoven/brickoven/recipes/value"
)

func TestTextTellsTheVerdictAndItsReasons(t *testing.T) {
	t.Parallel()
	loop := Loop{Name: "writer", Mode: "new", Scores: []value.Number{"6.0", "8.5", "8.0"}, TotalDuration: "12.5",
		Rounds: []Round{{}, {}, {Duration: "90", Tokens: "5", CostUSD: "0.01"}}}
	events := []any{map[string]any{"action": "halt", "reason": "same\ncall"}, map[string]any{}}
	r, err := Evaluate(loop, events, []doomloop.Finding{{Kind: doomloop.Cycle, Witnesses: []int{1, 2}, Last: 2, Reason: "round"}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	want := `UNHEALTHY  writer
Converged in 2 iteration(s). 1 wasted iteration(s) after threshold. Doom-loop guard fired. 2 guard intervention(s). Doom loop in the steps (cycle, steps 1 to 2): round.

  scores        6.0  8.5 (+2.5)  8.0 (-0.5)
  threshold     8.0 (optimize, from the default)
  wasted        1 of 3 rounds, 0 tolerated
                1.5 minutes, 5 tokens, 0.01 USD
  improvements  1, unknown USD each
  duration      12.5 s
  doom loop     yes, 2 guard intervention(s)
                guard event 1: doom loop, by rule decision, halt, same call
                guard event 2: an intervention, no doom loop, by rule none
                cycle: round, events 1, 2
  warning       mode "new" is unknown and was read as optimize
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTextOfNothing(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := evaluate(t, Loop{}, nil, Options{}).WriteText(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "NOTHING TO EXAMINE\n") || !strings.Contains(out.String(), "scores        none\n") {
		t.Error(out.String())
	}
}

func TestJUnitHasACaseForEachCondition(t *testing.T) {
	t.Parallel()
	doom := []any{map[string]any{"type": "doom_loop"}}
	good := []value.Number{"9"}
	for _, c := range []struct {
		name             string
		loop             Loop
		events           []any
		failures, errors int
	}{
		{"healthy", Loop{Name: "a", Scores: good}, nil, 0, 0},
		{"not converged", Loop{Scores: []value.Number{"1"}}, nil, 1, 0},
		{"waste", Loop{Scores: []value.Number{"9", "9"}}, nil, 1, 0},
		{"doom loop and waste", Loop{Scores: []value.Number{"9", "9"}}, doom, 2, 0},
		{"nothing", Loop{}, nil, 0, 1},
		{"hostile", Loop{Name: "]]><\x00\x1b&\"", Scores: good}, nil, 0, 0},
	} {
		var out strings.Builder
		if err := evaluate(t, c.loop, c.events, Options{}).WriteJUnit(&out); err != nil {
			t.Fatal(err)
		}
		var got junitSuite
		if err := xml.Unmarshal([]byte(out.String()), &got); err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, out.String())
			continue
		}
		failed, broken := 0, 0
		for _, testCase := range got.Cases {
			if testCase.Failure != nil {
				failed++
			}
			if testCase.Error != nil {
				broken++
			}
		}
		counts := []int{got.Tests, len(got.Cases), got.Failures, failed, got.Errors, broken}
		if diff := cmp.Diff([]int{3, 3, c.failures, c.failures, c.errors, c.errors}, counts); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
