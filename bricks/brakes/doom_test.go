package brakes_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/bricks/brakes"
	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/doomloop"
	"github.com/brickoven/brickoven/recipes/value"
)

func TestTheThresholdsOfDoomLoopsAreReadForStepsAndTools(t *testing.T) {
	t.Parallel()
	steps, tools := doomloop.Default(), doomloop.DefaultTools()
	changed := brakes.DoomLoop{Steps: steps, Tools: tools}
	changed.Steps.CycleRepeats, changed.Tools.CycleRepeats = 4, 4
	for text, want := range map[string]brakes.DoomLoop{
		`{}`:                                    {},
		`{"doom_loop": false}`:                  {},
		`{"doom_loop": null}`:                   {},
		`{"doom_loop": true}`:                   {Steps: steps, Tools: tools},
		`{"doom_loop": {"cycle_repeats": "4"}}`: changed,
	} {
		v, err := value.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		config, err := brakes.ParseConfig(v)
		if diff := cmp.Diff(want, config.DoomLoop); diff != "" || err != nil || config.DoomLoop.IsOn() != (want != brakes.DoomLoop{}) {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
	v, err := value.Parse(`{"doom_loop": {"cycles": 3}}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := brakes.ParseConfig(v); err == nil || !strings.Contains(err.Error(), "brakes.doom_loop: ") {
		t.Errorf("a key that is none: %v", err)
	}
}

// Every doom loop has its reason in the halt table, and what the round used
// until then counts.
func TestADoomLoopEndsTheLoopInTheMiddleOfARound(t *testing.T) {
	t.Parallel()
	for kind, want := range map[doomloop.Kind]halt.Reason{
		doomloop.Cycle: halt.OscillationDetected, doomloop.CircularPlan: halt.OscillationDetected,
		doomloop.RepeatedFailure: halt.SameFailureRepeated, doomloop.ResourceExhaustion: halt.BudgetExceeded,
		doomloop.RepeatedAction: halt.NoProgressDetected, doomloop.RepeatedOutput: halt.NoProgressDetected,
		doomloop.NoProgress: halt.NoProgressDetected,
	} {
		e := brakes.New(brakes.Config{}, brakes.State{})
		found := doomloop.Finding{Kind: kind, Period: 2, Names: []string{"l[1]/a", "l[2]/a"}, Reason: "why"}
		d := e.Doomed(found, []int{1, 2}, brakes.Meter{Elapsed: time.Minute})
		evidence := halt.Evidence{Rounds: []int{1, 2}, IDs: found.Names, Period: 2, Detail: string(kind) + ": why"}
		if diff := cmp.Diff(evidence, d.Halt.Evidence); diff != "" || d.Halt.Reason != want || d.Halt.Round != 1 || d.Tree != brakes.Keep {
			t.Errorf("%s: %+v (-want +got):\n%s", kind, d.Halt, diff)
		}
		if e.State().Total.Elapsed != time.Minute {
			t.Errorf("%s: the round's time does not count", kind)
		}
		again := e.Doomed(doomloop.Finding{Kind: doomloop.NoProgress}, nil, brakes.Meter{Elapsed: time.Hour})
		if again.Halt != e.Halted() || e.State().Total.Elapsed != time.Minute {
			t.Errorf("%s: a loop that has ended ended again", kind)
		}
	}
}
