package local

import (
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/step"
)

// goalMet is the status of a session whose loop has nothing left to do.
const goalMet = "goal_met"

// Halted tells whether a loop of the run ended without its goal, so that a
// person may have it go on.
func (h *History) Halted(tree *recipes.Tree) bool { return len(unmet(tree, h.entries)) > 0 }

// unmet finds the loops that let go of their sessions without their goal, each
// with the event of its last end. A loop inside the rounds of another one is the
// other one's affair.
func unmet(tree *recipes.Tree, entries []entry) map[string]string {
	loops := map[string]string{}
	for _, e := range entries {
		if e.mark || e.event.Kind != step.Done || e.event.Result == nil {
			continue
		}
		given, _ := e.event.Result.Value.(map[string]any)
		status, closed := given[step.SessionStatus].(string)
		path := e.event.ID[:max(strings.LastIndexByte(e.event.ID, '#'), 0)]
		if st, ok := stepAt(tree.Root, unindexed(path)); !closed || !ok || st.Type != recipes.Loop {
			continue
		}
		delete(loops, path)
		if _, reopened := given[step.SessionReopened]; status != goalMet && !reopened {
			loops[path] = e.event.ID
		}
	}
	return loops
}

// stepAt finds a step by its path; steps inside the rounds of a loop have none.
func stepAt(r *recipes.Recipe, path string) (*recipes.Step, bool) {
	for _, st := range slices.Concat(r.Steps, r.Finally) {
		if st.ID == path {
			return st, true
		}
		if rest, below := strings.CutPrefix(path, st.ID+"/"); below && st.Child != nil {
			if inner, found := stepAt(st.Child, rest); found {
				return inner, true
			}
		}
	}
	return nil, false
}

// reopen gives the test for the events that do not count any more when ended
// loops go on: their ends, and everything that stands behind them.
func reopen(tree *recipes.Tree, kept []entry) func(e entry) bool {
	ends := unmet(tree, kept)
	var places [][]int
	for path := range ends {
		if place, ok := position(tree.Root, unindexed(path)); ok {
			places = append(places, place)
		}
	}
	return func(e entry) bool {
		id := e.event.ID
		if len(ends) == 0 || e.event.Kind != step.Done {
			return false
		}
		if ends[e.event.ID[:max(strings.LastIndexByte(id, '#'), 0)]] == id {
			return true
		}
		at, ok := position(tree.Root, pathOf(id))
		return !ok || slices.ContainsFunc(places, func(to []int) bool {
			inside := len(at) >= len(to) && slices.Equal(at[:len(to)], to)
			return !inside && again(tree.Root, at, to, false)
		})
	}
}
