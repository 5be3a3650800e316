package local

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/step"
)

// Choice is which steps a resume runs again although they have a result.
type Choice struct {
	From string // this step and what stands behind it
	Only string // this step alone
	// GoOn has the loops that ended without their goal go on, and runs what
	// stands behind them.
	GoOn bool
}

// target is the step that the choice names; empty without one.
func (c Choice) target() string { return cmp.Or(c.From, c.Only) }

// StepError tells that a step to be run again is not in the recipe.
type StepError struct{ Step string }

func (e *StepError) Error() string {
	return fmt.Sprintf("the recipe has no step %s", e.Step)
}

// entry is an event, or the mark of a resume.
type entry struct {
	event step.Event
	// undone tells that a resume does not keep the event: a signal, what was
	// cancelled because of it, and what was only done because of it.
	undone bool
	// mark tells that the run was resumed here, with the choice.
	mark   bool
	choice Choice
}

// effective are the events that still count, in the order they were recorded:
// each resume takes away what the signals before it did, and what it runs again
// by choice.
func effective(tree *recipes.Tree, entries []entry) ([]step.Event, error) {
	var kept []entry
	for _, e := range entries {
		if !e.mark {
			kept = append(kept, e)
			continue
		}
		chosen, err := e.choice.covers(tree)
		if err != nil {
			return nil, err
		}
		if e.choice.GoOn {
			kept = slices.DeleteFunc(kept, reopen(tree, kept))
		}
		kept = slices.DeleteFunc(kept, func(earlier entry) bool { return earlier.undone || chosen(earlier.event.ID) })
	}
	events := make([]step.Event, len(kept))
	for i, e := range kept {
		events[i] = e.event
	}
	return events, nil
}

// covers gives the test for the actions that a choice runs again. Actions that
// belong to no step, which stand at the end of a run, are among them.
func (c Choice) covers(tree *recipes.Tree) (chosen func(action string) bool, err error) {
	target := c.target()
	if target == "" {
		return func(string) bool { return false }, nil
	}
	to, ok := position(tree.Root, target)
	if !ok {
		return nil, &StepError{target}
	}
	return func(action string) bool {
		at, ok := position(tree.Root, pathOf(action))
		return !ok || again(tree.Root, at, to, c.Only != "")
	}, nil
}

// pathOf is the step's path in the ID of an action.
func pathOf(id string) string {
	if i := strings.LastIndexByte(id, '#'); i >= 0 {
		return unindexed(id[:i])
	}
	return unindexed(id)
}

// position gives the place of a step as the index on each level of the tree.
// Steps of finally come after all others.
func position(r *recipes.Recipe, path string) (place []int, ok bool) {
	for i, st := range slices.Concat(r.Steps, r.Finally) {
		if st.ID == path || inLoop(st, path) {
			return []int{i}, true
		}
		rest, below := strings.CutPrefix(path, st.ID+"/")
		if !below || st.Child == nil {
			continue
		}
		if inner, found := position(st.Child, rest); found {
			return append([]int{i}, inner...), true
		}
	}
	return nil, false
}

// inLoop tells whether a path lies in a loop. A loop is run again as a whole,
// because its rounds follow from each other.
func inLoop(st *recipes.Step, path string) bool {
	return slices.ContainsFunc(st.Parts(), func(part *recipes.Step) bool {
		return path == part.ID || strings.HasPrefix(path, part.ID+"/")
	})
}

// again tells whether what stands at a place runs again when the step at
// another one does.
func again(r *recipes.Recipe, at, to []int, only bool) bool {
	for level, index := range to {
		if level == len(at) {
			return false // what goes around the step itself
		}
		if at[level] != index {
			return !only && behind(r, at[level], index)
		}
		r = slices.Concat(r.Steps, r.Finally)[index].Child
	}
	return true
}

// behind tells whether a step of a recipe waits for another one, directly or
// not. The steps of one group do not wait for each other, those of a graph wait
// for what they depend on, and those of finally for all others.
func behind(r *recipes.Recipe, at, to int) bool {
	if at >= len(r.Steps) || to >= len(r.Steps) {
		return at > to
	}
	units := runner.Units(r.Steps)
	late := make([]bool, len(units))
	first, goal, own := 0, -1, -1
	for i, unit := range units {
		end := first + len(unit.Steps)
		if first <= to && to < end {
			goal = i
		}
		if first <= at && at < end {
			own = i
		}
		first = end
	}
	for range units { // a unit may wait for one further down
		for i, unit := range units {
			late[i] = late[i] || slices.ContainsFunc(unit.After, func(on int) bool { return on == goal || late[on] })
		}
	}
	return late[own]
}
