// Package score tells from the record of a finished loop, without any model
// call, whether the loop was healthy: whether it converged, what it wasted and
// whether a doom-loop guard fired (seed 003). It also holds the logic of the
// evaluation loop, which produces such records.
//
// All functions are pure: values in, values out. They may be called from
// several goroutines.
package score

import (
	"github.com/brickoven/brickoven/recipes/value"
)

// Mode is what a loop does with a score that is good enough.
type Mode string

// The modes of seed 003.
const (
	// Optimize stops, or should, at the first score at or over the threshold.
	Optimize Mode = "optimize"
	// Review runs every round; the last one counts.
	Review Mode = "review"
)

// Loop is the record of a finished loop. Numbers keep the text they were
// written with; an empty number is an unknown one.
type Loop struct {
	// Name is the loop's own name; empty when it has none.
	Name string
	// Scores are in the order of the rounds.
	Scores []value.Number
	// Threshold is the loop's own; empty when it has none.
	Threshold value.Number
	// Mode is the mode as recorded, in any case; every mode but review counts
	// as optimize.
	Mode string
	// Success is the loop's own verdict; nil when it gives none.
	Success *bool
	// TotalDuration is in seconds.
	TotalDuration value.Number
	// Rounds say what each round used. It is nil, or as long as Scores.
	Rounds []Round
}

// Round is what one round of a loop used. An empty number is unknown, which is
// not zero.
type Round struct {
	Duration value.Number // seconds
	Tokens   value.Number
	CostUSD  value.Number
	// Accepted tells whether the round's work was kept; nil when nobody says.
	Accepted *bool
}

// DefaultThreshold is used where neither the caller nor the loop has one.
const DefaultThreshold value.Number = "8.0"

// mode reads the recorded mode. known is false when it is neither of the two.
func (l Loop) mode() (mode Mode, known bool) {
	switch normalised(l.Mode) {
	case "", string(Optimize):
		return Optimize, true
	case string(Review):
		return Review, true
	}
	return Optimize, false
}
