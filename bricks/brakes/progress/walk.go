package progress

import (
	"fmt"
	"slices"

	"github.com/brickoven/brickoven/bricks/brakes/failing"
	"github.com/brickoven/brickoven/bricks/brakes/halt"
)

// repetition records a set and finds that it repeats the last ones, or came
// back after others. A set that equals the one its round began with is a round
// that did nothing; after a revert that is no return.
func (t *Tracker) repetition(round int, set, begin failing.Set) Finding {
	now := Sighting{Round: round, Key: set.Key(), Size: set.Size()}
	earlier := t.State.Sightings
	t.State.Sightings = append(t.State.Sightings, now)

	same := []int{round}
	for _, seen := range slices.Backward(earlier) {
		if seen.Key != now.Key || seen.Round == 0 {
			break
		}
		same = append(same, seen.Round)
	}
	slices.Reverse(same)
	if limit := t.Limits.SameFailure; limit > 0 && len(same) >= limit && now.Size > 0 {
		return Finding{halt.SameFailureRepeated, halt.Evidence{
			Rounds: same, IDs: set.Tests(), Detail: fmt.Sprintf("the same %s %d rounds in a row", failures(now.Size), len(same)),
		}}
	}
	if len(same) > 1 || now.Size == 0 || begin.IsKnown() && begin.Key() == now.Key {
		return Finding{}
	}
	return oscillation(now, earlier, set)
}

// oscillation finds the last earlier sighting of a set. Its period is the
// number of rounds in between.
func oscillation(now Sighting, earlier []Sighting, set failing.Set) Finding {
	for _, seen := range slices.Backward(earlier) {
		if seen.Key != now.Key {
			continue
		}
		period := now.Round - seen.Round
		return Finding{halt.OscillationDetected, halt.Evidence{
			Rounds: []int{seen.Round, now.Round}, IDs: set.Tests(), Period: period,
			Detail: fmt.Sprintf("the failing set of round %d is that of round %d again", now.Round, seen.Round),
		}}
	}
	return Finding{}
}

// live follows each test that was red, and finds one that was green since and
// is red again.
func (t *Tracker) live(round int, set failing.Set) Finding {
	if t.State.Lives == nil {
		t.State.Lives = map[string]Life{}
	}
	red := set.Tests()
	var again []string
	rounds := []int{round}
	for _, test := range red {
		if life := t.State.Lives[test]; life.Fixed {
			again = append(again, test)
			rounds = append(rounds, life.Red, life.Green)
		}
		t.State.Lives[test] = Life{Red: round}
	}
	for test, life := range t.State.Lives {
		if _, isRed := slices.BinarySearch(red, test); !isRed && !life.Fixed && isGreen(set, test) {
			life.Fixed, life.Green = true, round
			t.State.Lives[test] = life
		}
	}
	if len(again) == 0 {
		return Finding{}
	}
	slices.Sort(rounds)
	return Finding{halt.SameTestRegressed, halt.Evidence{
		Rounds: slices.Compact(rounds), IDs: again, Detail: fmt.Sprintf("%d tests went from red to green to red", len(again)),
	}}
}

// isGreen tells that a test which is not red passes. Where the report does not
// list passing tests, one that it does not name passes.
func isGreen(set failing.Set, test string) bool {
	if !set.Complete {
		return true
	}
	_, passed := slices.BinarySearch(set.Passed, test)
	return passed
}

// contradiction finds a test whose fix broke the same other test before: the
// ratchet took both rounds back, so the pair went there and back twice.
func (t *Tracker) contradiction(now Attempt) Finding {
	for _, before := range slices.Backward(t.State.Attempts) {
		fixed, broke := common(before.Fixed, now.Fixed), common(before.Broke, now.Broke)
		if len(fixed) == 0 || len(broke) == 0 {
			continue
		}
		return Finding{halt.UnsatisfiableConstraints, halt.Evidence{
			Rounds: []int{before.Round, now.Round}, IDs: []string{fixed[0], broke[0]},
			Detail: fmt.Sprintf("fixing %s broke %s in rounds %d and %d", fixed[0], broke[0], before.Round, now.Round),
		}}
	}
	return Finding{}
}

func common(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(id string) bool { return !slices.Contains(b, id) })
}

// failures says how many there are.
func failures(n int) string {
	if n == 1 {
		return "1 failure"
	}
	return fmt.Sprintf("%d failures", n)
}
