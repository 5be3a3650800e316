package progress_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/bricks/brakes/failing"
	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/brakes/progress"
)

func lines(ids ...string) failing.Set {
	return failing.Parse(failing.Lines, failing.Output{Stdout: []byte(strings.Join(ids, "\n"))})
}

var unknown = failing.Set{State: failing.Unknown}

func TestAnOscillationNamesItsPeriodAndItsRounds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sets   []failing.Set
		period int
		rounds []int
	}{
		"A B A":                 {[]failing.Set{lines("a"), lines("b"), lines("a")}, 2, []int{1, 3}},
		"A B C A":               {[]failing.Set{lines("a"), lines("b"), lines("c"), lines("a")}, 3, []int{1, 4}},
		"A ? B A":               {[]failing.Set{lines("a"), unknown, lines("b"), lines("a")}, 3, []int{1, 4}},
		"A B B A":               {[]failing.Set{lines("a"), lines("b"), lines("b"), lines("a")}, 3, []int{1, 4}},
		"the nearest one tells": {[]failing.Set{lines("x"), lines("a", "b"), lines("a"), lines("a", "b")}, 2, []int{2, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tracker progress.Tracker
			var found progress.Finding
			for i, set := range c.sets {
				if found.Reason != "" {
					t.Fatalf("it ended in round %d", i)
				}
				found = tracker.Accept(i+1, set)
			}
			if found.Reason != halt.OscillationDetected || found.Evidence.Period != c.period {
				t.Fatalf("got %+v", found)
			}
			if diff := cmp.Diff(c.rounds, found.Evidence.Rounds); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestShrinkingLooksAtTheLastTwoSteps(t *testing.T) {
	t.Parallel()
	four, three, two := lines("1", "2", "3", "4"), lines("1", "2", "3"), lines("1", "2")
	for name, c := range map[string]struct {
		sets []failing.Set
		want bool
	}{
		"nothing":             {nil, false},
		"one set":             {[]failing.Set{four}, false},
		"one step":            {[]failing.Set{four, three}, true},
		"two steps":           {[]failing.Set{four, three, two}, true},
		"the last stood":      {[]failing.Set{four, three, three}, false},
		"the one before":      {[]failing.Set{three, three, two}, false},
		"long ago":            {[]failing.Set{three, three, lines("1", "2"), lines("1")}, true},
		"the last is unknown": {[]failing.Set{four, three, unknown}, false},
		"unknown in between":  {[]failing.Set{four, unknown, three}, true},
		"it grew":             {[]failing.Set{two, three}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tracker progress.Tracker
			for i, set := range c.sets {
				tracker.Accept(i+1, set)
			}
			if got := tracker.State.Shrinking(); got != c.want {
				t.Errorf("shrinking is %v", got)
			}
		})
	}
}

func TestASkippedTestIsNotGreen(t *testing.T) {
	t.Parallel()
	red := failing.Set{State: failing.Known, Complete: true, Failures: []failing.Failure{{Test: "a"}}}
	skipped := failing.Set{State: failing.Known, Complete: true, Skipped: []string{"a"}, Failures: []failing.Failure{{Test: "b"}}}
	otherwise := failing.Set{State: failing.Known, Complete: true, Failures: []failing.Failure{{Test: "a", Message: "v1:2"}}}
	var tracker progress.Tracker
	for i, set := range []failing.Set{red, skipped, otherwise} {
		if found := tracker.Accept(i+1, set); found.Reason != "" {
			t.Errorf("round %d: %+v", i+1, found)
		}
	}
}

func TestAStateThatWasClonedDoesNotChange(t *testing.T) {
	t.Parallel()
	var tracker progress.Tracker
	tracker.Accept(1, lines("a", "b"))
	before := tracker.State.Clone()
	again := tracker.State.Clone()
	tracker.Accept(2, lines("b"))
	tracker.Reject(3, lines("c"), []string{"c"})
	tracker.Accept(4, unknown)
	if diff := cmp.Diff(again, before); diff != "" {
		t.Error(diff)
	}
}

func TestAfterAnOverrideTheWalkBeginsAnew(t *testing.T) {
	t.Parallel()
	tracker := progress.Tracker{Limits: progress.Limits{NoProgress: 2, SameFailure: 2}}
	tracker.Accept(0, lines("a"))
	tracker.Reject(1, lines("b"), []string{"b"})
	tracker.State.Override(lines("b"))
	if found := tracker.Accept(2, lines("b")); found.Reason != "" {
		t.Errorf("got %+v", found)
	}
	if found := tracker.Reject(3, lines("a"), []string{"a"}); found.Reason != halt.NoProgressDetected {
		t.Errorf("got %+v", found)
	}
}
