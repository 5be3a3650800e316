package integrity

import (
	"fmt"

	"github.com/brickoven/brickoven/bricks/brakes/failing"
	"github.com/brickoven/brickoven/bricks/brakes/halt"
)

// Trial is one run of the check on the tree that the loop starts from.
type Trial struct {
	// ExitCode is the check's; not only pass and fail are compared, because a
	// check that fails in a different way each time is not repeatable either.
	ExitCode int `json:"exit_code"`
	// Failing is the failing set read after this run; unset where there is none.
	Failing failing.Set `json:"failing"`
	// Changed are the paths that differ before and after this run.
	Changed []string `json:"changed,omitempty"`
}

// Probe compares the runs of a check. It returns check_has_side_effects or
// check_flaky with the evidence, and an empty reason when all runs agree, which
// says nothing about how good the check is. A set that could not be read is
// compared with nothing.
func Probe(trials []Trial) (halt.Reason, halt.Evidence) {
	for i, trial := range trials {
		if len(trial.Changed) > 0 {
			return halt.CheckHasSideEffects, halt.Evidence{
				IDs:    trial.Changed,
				Detail: fmt.Sprintf("run %d of the check changed the tree", i+1),
			}
		}
	}
	known := -1
	for i, trial := range trials {
		if trial.ExitCode != trials[0].ExitCode {
			return halt.CheckFlaky, halt.Evidence{
				Detail: fmt.Sprintf("run 1 of the check ended with %d, run %d with %d, on the same tree", trials[0].ExitCode, i+1, trial.ExitCode),
			}
		}
		if !trial.Failing.IsKnown() {
			continue
		}
		if known >= 0 && trial.Failing.Key() != trials[known].Failing.Key() {
			return halt.CheckFlaky, halt.Evidence{
				IDs:    difference(trials[known].Failing, trial.Failing),
				Detail: fmt.Sprintf("runs %d and %d of the check fail differently on the same tree", known+1, i+1),
			}
		}
		if known < 0 {
			known = i
		}
	}
	return "", halt.Evidence{}
}

// difference lists the tests of the failures that are in one set only.
func difference(a, b failing.Set) []string {
	count := map[failing.Failure]int{}
	for _, f := range a.Failures {
		count[f]++
	}
	for _, f := range b.Failures {
		count[f]--
	}
	var ids []string
	for _, set := range []failing.Set{a, b} {
		for _, f := range set.Failures {
			if count[f] != 0 {
				ids = append(ids, f.Test)
				count[f] = 0
			}
		}
	}
	return ids
}
