package runner

import (
	"slices"

	"github.com/brickoven/brickoven/recipes"
)

// Unit is what a run starts as one: a single step, or the neighbouring steps of
// a parallel_group.
type Unit struct {
	Steps []*recipes.Step
	// After holds the indexes of the units that this one waits for, ascending.
	// What one of them waits for in its turn is left out.
	After []int
}

// Units says in which order a run starts the steps of a recipe, for those who
// draw it.
func Units(steps []*recipes.Step) []Unit {
	cutUp, unitOf := cut(steps)
	connect(cutUp, unitOf)
	before := ancestors(cutUp)
	units := make([]Unit, len(cutUp))
	for i, u := range cutUp {
		units[i].Steps = u.steps
		implied := make([]bool, len(cutUp))
		for _, on := range slices.Backward(u.after) {
			if implied[on] {
				continue // and so is what it waits for
			}
			for _, earlier := range before[on] {
				implied[earlier] = true
			}
		}
		for _, on := range u.after {
			if !implied[on] {
				units[i].After = append(units[i].After, on)
			}
		}
	}
	return units
}
