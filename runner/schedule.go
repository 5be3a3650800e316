package runner

import (
	"slices"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/scope"
	"github.com/brickoven/brickoven/runner/step"
)

// unit is what is scheduled as one: a single step, or neighbouring steps with
// one parallel_group.
type unit struct {
	steps   []*recipes.Step
	after   []int   // the units that must have ended before, ascending
	next    []*unit // the units that wait for this one
	waiting int     // how many of after have not ended
	reps    []report
	flow    *flow
}

// plan cuts the steps of a recipe into units, and connects them where one of
// the steps depends on others.
func plan(steps []*recipes.Step) (units []*unit, graph bool) {
	units, unitOf := cut(steps)
	graph = slices.ContainsFunc(steps, func(st *recipes.Step) bool { return len(st.DependsOn) > 0 })
	if graph {
		connect(units, unitOf)
	}
	return units, graph
}

// cut makes units of steps; unitOf is the index of each step's unit.
func cut(steps []*recipes.Step) (units []*unit, unitOf map[string]int) {
	unitOf = map[string]int{}
	for i := 0; i < len(steps); {
		u := &unit{steps: steps[i : i+1]}
		if group := steps[i].ParallelGroup; group != "" {
			end := i + 1
			for end < len(steps) && steps[end].ParallelGroup == group {
				end++
			}
			u.steps = steps[i:end]
		}
		for _, st := range u.steps {
			unitOf[st.ID] = len(units)
		}
		i += len(u.steps)
		units = append(units, u)
	}
	return units, unitOf
}

// connect fills in what each unit waits for: what it names in depends_on, or,
// where it names nothing, everything above it.
func connect(units []*unit, unitOf map[string]int) {
	for i, u := range units {
		after := map[int]bool{}
		for _, st := range u.steps {
			for _, id := range st.DependsOn {
				if on := unitOf[id]; on != i {
					after[on] = true
				}
			}
		}
		if !u.named() {
			for above := range i {
				after[above] = true
			}
		}
		u.waiting = len(after)
		for on := range units {
			if after[on] {
				u.after = append(u.after, on)
				units[on].next = append(units[on].next, u)
			}
		}
	}
}

func (u *unit) named() bool {
	return slices.ContainsFunc(u.steps, func(st *recipes.Step) bool { return len(st.DependsOn) > 0 })
}

// runSteps runs the steps of the frame's recipe until they are all done or one
// of them ends the recipe.
func (fr *frame) runSteps(f *flow) ending {
	units, graph := plan(fr.recipe.Steps)
	if graph {
		return fr.runGraph(f, units)
	}
	for _, u := range units {
		var reps []report
		if len(u.steps) == 1 {
			reps = []report{fr.runStep(f, u.steps[0], fr.view())}
		} else {
			reps = fr.runGroup(f, u.steps, fr.view())
		}
		if end := fr.applyAll(reps); !end.ok() {
			return end
		}
		if f.halt.active() {
			return ending{halted: true}
		}
	}
	return ending{}
}

// applyAll takes the ends of steps into the frame in the order of the file.
// The first failure that is not tolerated, a refusal before others, is the end.
func (fr *frame) applyAll(reps []report) (end ending) {
	for _, rep := range reps {
		fr.apply(rep)
		if o := rep.outcome; o.Status == step.Failed && !o.Tolerated {
			if end.failed == nil || o.Refused() && !end.failed.Refused() {
				end.failed = o
			}
		}
	}
	return end
}

// runGroup runs steps side by side. Each sees the variables as they were at the
// start of the group; all of them come to their end, whatever becomes of one.
func (fr *frame) runGroup(f *flow, steps []*recipes.Step, seen *step.View) []report {
	reps := make([]report, len(steps))
	flows := make([]*flow, len(steps))
	for i, st := range steps {
		view := &step.View{Scope: seen.Scope.Fork(), Steps: seen.Steps}
		flows[i] = fr.run.spawn(f.halt, func(f *flow) {
			reps[i] = fr.runStep(f, st, view)
		})
	}
	f.join(flows...)
	return reps
}

// runGraph runs units as soon as what they wait for has ended. A unit sees the
// variables of the units it waited for, directly or not, in the order of the
// file, so that what it sees does not depend on who was faster. After a failure
// nothing new starts; what runs comes to its end.
func (fr *frame) runGraph(f *flow, units []*unit) ending {
	before := ancestors(units)
	base, baseSteps := fr.vars, fr.steps
	failed := false
	for {
		for i, u := range units {
			if failed || f.halt.active() || u.flow != nil || u.waiting > 0 {
				continue
			}
			view := &step.View{Scope: base.Fork(), Steps: fr.inherit(baseSteps, units, before[i])}
			inheritVars(view.Scope, units, before[i])
			u.flow = fr.run.spawn(f.halt, func(inner *flow) {
				u.reps = fr.runUnit(inner, u, view)
				for _, next := range u.next {
					next.waiting--
				}
				failed = failed || u.failed()
			})
		}
		active := running(units)
		if len(active) == 0 {
			break
		}
		f.joinAny(active)
	}
	var reps []report
	for _, u := range units {
		reps = append(reps, u.reps...)
	}
	end := fr.applyAll(reps)
	if end.ok() && f.halt.active() {
		end.halted = true
	}
	return end
}

func (fr *frame) runUnit(f *flow, u *unit, view *step.View) []report {
	if len(u.steps) == 1 {
		return []report{fr.runStep(f, u.steps[0], view)}
	}
	return fr.runGroup(f, u.steps, view)
}

// ancestors lists for every unit all that it waits for, ascending.
func ancestors(units []*unit) [][]int {
	known := make([][]bool, len(units))
	var before func(i int) []bool
	before = func(i int) []bool {
		if known[i] != nil {
			return known[i]
		}
		set := make([]bool, len(units))
		known[i] = set
		for _, on := range slices.Backward(units[i].after) {
			if set[on] {
				continue // and so is all that is before it
			}
			set[on] = true
			for earlier, is := range before(on) {
				set[earlier] = set[earlier] || is
			}
		}
		return set
	}
	all := make([][]int, len(units))
	for i := range units {
		for on, is := range before(i) {
			if is {
				all[i] = append(all[i], on)
			}
		}
	}
	return all
}

func (fr *frame) inherit(base map[string]any, units []*unit, from []int) map[string]any {
	steps := make(map[string]any, len(base)+len(from))
	for id, entry := range base {
		steps[id] = entry
	}
	for _, i := range from {
		for _, rep := range units[i].reps {
			steps[rep.outcome.ID] = describe(rep.outcome)
		}
	}
	return steps
}

func inheritVars(vars *scope.Scope, units []*unit, from []int) {
	for _, i := range from {
		for _, rep := range units[i].reps {
			for _, set := range rep.sets {
				vars.Set(set.name, set.v)
			}
		}
	}
}

func running(units []*unit) (flows []*flow) {
	for _, u := range units {
		if u.flow != nil && !u.flow.done {
			flows = append(flows, u.flow)
		}
	}
	return flows
}

func (u *unit) failed() bool {
	return slices.ContainsFunc(u.reps, func(rep report) bool {
		return rep.outcome.Status == step.Failed && !rep.outcome.Tolerated
	})
}
