package integrity

import (
	"slices"

	"github.com/brickoven/brickoven/bricks/brakes/failing"
)

// Lost compares two known and complete sets: the tests of before that are not
// there any more, and those that ran and are skipped now. Tests of a container
// that failed as a whole did not run, which the failure already says; they are
// not lost. Sets that are unknown or do not list passing tests lose nothing.
func Lost(before, now failing.Set) (vanished, skipped []string) {
	if !before.IsKnown() || !now.IsKnown() || !before.Complete || !now.Complete {
		return nil, nil
	}
	ran := append(slices.Clone(before.Passed), before.Tests()...)
	failed := now.Tests()
	for _, test := range ran {
		switch {
		case contains(now.Passed, test), contains(failed, test):
		case contains(now.Skipped, test):
			skipped = append(skipped, test)
		case !now.IsBroken(test) && !before.IsBroken(test):
			vanished = append(vanished, test)
		}
	}
	for _, test := range before.Skipped {
		if !contains(now.Passed, test) && !contains(failed, test) && !contains(now.Skipped, test) && !now.IsBroken(test) {
			vanished = append(vanished, test)
		}
	}
	slices.Sort(vanished)
	slices.Sort(skipped)
	return slices.Compact(vanished), slices.Compact(skipped)
}

func contains(sorted []string, id string) bool {
	_, found := slices.BinarySearch(sorted, id)
	return found
}
