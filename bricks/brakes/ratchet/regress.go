// Package ratchet holds the ground that a loop has gained: it tells a round
// that breaks passing tests, and puts a repository back to the last accepted
// state without losing anything of its user's (seed 004, "No-regression
// ratchet").
package ratchet

import (
	"slices"

	"github.com/brickoven/brickoven/bricks/brakes/failing"
)

// Regressed lists the tests that pass in accepted and do not in now, sorted: a
// round is accepted only if its passing set contains the last accepted one.
// Where the report does not list passing tests, every failing test that did not
// fail before has regressed. An unknown or unset set regresses nothing.
func Regressed(accepted, now failing.Set) []string {
	if !accepted.IsKnown() || !now.IsKnown() {
		return nil
	}
	if accepted.Complete && now.Complete {
		return missing(accepted.Passed, now.Passed)
	}
	return missing(now.Tests(), accepted.Tests())
}

// missing lists what is in ids and not in the sorted list.
func missing(ids, list []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		_, found := slices.BinarySearch(list, id)
		return found
	})
}
