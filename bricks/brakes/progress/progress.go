// Package progress detects the random walk: rounds that move without getting
// nearer (seed 004, "Random walk"). Progress is defined over the failing set,
// never over one line of output.
//
// A Tracker is a value without clock or chance: the same observations give the
// same findings, and its State can be stored as JSON and taken up again. It is
// not safe for concurrent use.
package progress

import (
	"fmt"
	"maps"
	"slices"

	"github.com/brickoven/brickoven/bricks/brakes/failing"
	"github.com/brickoven/brickoven/bricks/brakes/halt"
)

// Limits are the patience of a tracker in rounds; 0 turns a limit off.
type Limits struct {
	// NoProgress is how many rounds the smallest set may stay as large as it is.
	NoProgress int
	// SameFailure is how many rounds in a row may have the identical set.
	SameFailure int
}

// Sighting is one known failing set.
type Sighting struct {
	Round int    `json:"round"` // 0 is the state before the first round
	Key   string `json:"key"`
	Size  int    `json:"size"`
	// Rejected tells that the ratchet took the round back.
	Rejected bool `json:"rejected,omitempty"`
}

// Attempt is what a rejected round fixed and broke.
type Attempt struct {
	Round int      `json:"round"`
	Fixed []string `json:"fixed"`
	Broke []string `json:"broke"`
}

// Life is what became of one test that was red once.
type Life struct {
	Red   int  `json:"red"` // the last round that saw it red
	Green int  `json:"green,omitempty"`
	Fixed bool `json:"fixed,omitempty"` // red once and green in round Green
}

// State is all that a tracker remembers.
type State struct {
	Round     int        `json:"round"`
	Sightings []Sighting `json:"sightings,omitempty"`
	// Accepted is the set that the next round begins with; unset before the
	// first known one.
	Accepted      failing.Set     `json:"accepted"`
	AcceptedRound int             `json:"accepted_round"`
	Lives         map[string]Life `json:"lives,omitempty"`
	Attempts      []Attempt       `json:"attempts,omitempty"`
	// BestRound is the round that last made the smallest set smaller, or gave
	// the first one.
	BestRound int `json:"best_round"`
	Best      int `json:"best"` // meaningless while Accepted is unset
	// Unread are the rounds whose set was unknown since BestRound.
	Unread []int `json:"unread,omitempty"`
}

// Tracker watches one loop. The zero State is a loop that saw nothing yet.
type Tracker struct {
	Limits Limits
	State  State
}

// Finding is what a tracker found; a zero Reason is nothing.
type Finding struct {
	Reason   halt.Reason
	Evidence halt.Evidence
}

// Accept takes in the set of an accepted round, or of the state before the
// first round with round 0. An unknown or unset set is a round without
// progress, and nothing else. Rounds must come in ascending order.
func (t *Tracker) Accept(round int, set failing.Set) Finding {
	t.State.Round = round
	if !set.IsKnown() {
		return t.unread(round)
	}
	begin := t.State.Accepted
	repeated := t.repetition(round, set, begin)
	regressed := t.live(round, set)
	if !begin.IsKnown() || set.Size() < t.State.Best {
		t.State.Best, t.State.BestRound, t.State.Unread = set.Size(), round, nil
	}
	t.State.Accepted, t.State.AcceptedRound = set, round
	return first(repeated, regressed, t.stall(round))
}

// Reject takes in the set of a round that the ratchet took back, because it
// broke what is listed in broke. The set must be known.
func (t *Tracker) Reject(round int, set failing.Set, broke []string) Finding {
	t.State.Round = round
	attempt := Attempt{Round: round, Fixed: missing(t.State.Accepted.Tests(), set.Tests()), Broke: broke}
	contradiction := t.contradiction(attempt)
	t.State.Attempts = append(t.State.Attempts, attempt)
	repeated := t.repetition(round, set, t.State.Accepted)
	t.State.Sightings[len(t.State.Sightings)-1].Rejected = true
	return first(contradiction, repeated, t.stall(round))
}

func first(findings ...Finding) Finding {
	for _, f := range findings {
		if f.Reason != "" {
			return f
		}
	}
	return Finding{}
}

// Clone copies what later observations change.
func (s State) Clone() State {
	s.Sightings = slices.Clone(s.Sightings)
	s.Lives = maps.Clone(s.Lives)
	s.Attempts = slices.Clone(s.Attempts)
	s.Unread = slices.Clone(s.Unread)
	return s
}

// Override makes a set the accepted one by a person's word. What was tried and
// broken before says nothing about the new start.
func (s *State) Override(set failing.Set) {
	s.Accepted, s.AcceptedRound = set, s.Round
	s.Best, s.BestRound = set.Size(), s.Round
	s.Sightings, s.Lives, s.Attempts, s.Unread = nil, nil, nil, nil
}

// Shrinking tells that the failing set was still strictly shrinking: the last
// two steps between accepted known sets (the only one, where there is just one)
// were decreases, and nothing unknown or rejected came after them.
func (s State) Shrinking() bool {
	var sizes []int
	for _, seen := range s.Sightings {
		if seen.Rejected {
			continue
		}
		sizes = append(sizes, seen.Size)
	}
	last := len(s.Sightings) - 1
	if len(sizes) < 2 || s.Sightings[last].Round != s.Round || s.Sightings[last].Rejected {
		return false
	}
	const steps = 2
	sizes = sizes[max(0, len(sizes)-1-steps):]
	for i := 1; i < len(sizes); i++ {
		if sizes[i] >= sizes[i-1] {
			return false
		}
	}
	return true
}

func (t *Tracker) unread(round int) Finding {
	t.State.Unread = append(t.State.Unread, round)
	return t.stall(round)
}

// stall finds that the smallest set has not become smaller for too long. A
// round whose set is unknown made no progress either, or a loop that fails
// before it does anything would never end.
func (t *Tracker) stall(round int) Finding {
	limit := t.State.BestRound + t.Limits.NoProgress
	if t.Limits.NoProgress == 0 || round < limit {
		return Finding{}
	}
	if t.State.Accepted.IsKnown() && t.State.Best == 0 {
		return Finding{} // nothing is left to shrink; the goal lies elsewhere
	}
	detail := fmt.Sprintf("the failing set was never read in %d rounds", round)
	if t.State.Accepted.IsKnown() {
		detail = fmt.Sprintf("%s since round %d", failures(t.State.Best), t.State.BestRound)
		if n := len(t.State.Unread); n > 0 {
			detail += fmt.Sprintf("; the set could not be read in %d of the rounds since", n)
		}
	}
	return Finding{halt.NoProgressDetected, halt.Evidence{
		Rounds: span(t.State.BestRound+1, round), IDs: t.State.Accepted.Tests(), Detail: detail,
	}}
}

func span(from, to int) []int {
	rounds := make([]int, 0, max(0, to-from+1))
	for r := from; r <= to; r++ {
		rounds = append(rounds, r)
	}
	return rounds
}

// missing lists what is in the sorted list before and not in after.
func missing(before, after []string) []string {
	return slices.DeleteFunc(slices.Clone(before), func(id string) bool {
		_, found := slices.BinarySearch(after, id)
		return found
	})
}
