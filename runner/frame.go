package runner

import (
	"fmt"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/scope"
	"github.com/brickoven/brickoven/runner/step"
)

// frame is one recipe under way.
type frame struct {
	run    *Run
	recipe *recipes.Recipe
	path   string // of the step that called the recipe; empty for the root
	depth  int
	vars   *scope.Scope
	steps  map[string]any // steps.<id> for conditions and templates
	max    *slots         // bounds the steps of this recipe
	loops  loops          // the loops around it
	judge  bool           // it judges a loop: its steps count for no limit

	outcomes []*step.Outcome
	given    []string        // names that steps set as outputs, in order
	seen     map[string]bool // names in given
}

// assignment is a variable that a step sets when it has ended.
type assignment struct {
	name string
	v    any
}

// report is the end of one step with what it changes.
type report struct {
	outcome *step.Outcome
	sets    []assignment
	fatal   bool // the failure cannot be tolerated
}

// ending says why the steps of a frame stopped early; the zero ending is a
// recipe that came to its end.
type ending struct {
	failed *step.Outcome
	halted bool
}

func (e ending) ok() bool { return e.failed == nil && !e.halted }

func (e ending) refused() bool { return e.failed != nil && e.failed.Refused() }

// failedPath names the innermost step that failed.
func (e ending) failedPath() string {
	if e.failed == nil {
		return ""
	}
	return innermost(e.failed).Path
}

// innermost is the step whose own failure a failure is. A loop that ended without
// its goal has failed itself, whatever its rounds did.
func innermost(o *step.Outcome) *step.Outcome {
	if o.Cause == step.CauseLoop {
		return o
	}
	for _, child := range o.Children {
		if child.Status == step.Failed && !child.Tolerated {
			return innermost(child)
		}
	}
	return o
}

func (e ending) reason(r *Run) string {
	switch {
	case e.refused():
		return fmt.Sprintf("step %s was refused by a structural guard (BLOCKED_TERMINAL)", e.failedPath())
	case r.root.set:
		return "interrupted by a signal"
	case e.failed != nil:
		return fmt.Sprintf("step %s failed", e.failedPath())
	}
	return ""
}

func (fr *frame) pathOf(id string) string {
	if fr.path == "" {
		return id
	}
	return fr.path + "/" + id
}

// view is what a step sees that runs alone, with the frame's own variables.
func (fr *frame) view() *step.View {
	return &step.View{Scope: fr.vars, Steps: fr.steps}
}

// apply takes the end of a step into the frame.
func (fr *frame) apply(rep report) {
	fr.outcomes = append(fr.outcomes, rep.outcome)
	fr.adopt(rep.sets)
	fr.steps[rep.outcome.ID] = describe(rep.outcome)
}

func (fr *frame) adopt(sets []assignment) {
	for _, set := range sets {
		fr.vars.Set(set.name, set.v)
		if !fr.seen[set.name] {
			fr.seen[set.name] = true
			fr.given = append(fr.given, set.name)
		}
		fr.run.note(step.Note{Kind: step.VariableSet, Path: fr.path, Name: set.name, Value: set.v})
	}
}

// describe is the entry of a step under the name steps.
func describe(o *step.Outcome) map[string]any {
	entry := map[string]any{
		"status":    string(o.Status),
		"exit_code": value.From(o.ExitCode),
		"output":    o.Value,
		"error":     o.Error,
		"duration":  value.From(o.Duration.Seconds()),
	}
	if o.Status == step.Failed {
		entry["output"] = o.Output
	}
	if o.Outputs != nil {
		entry["outputs"] = o.Outputs
	}
	if o.Failures != nil {
		entry["failed"] = o.Failures
	}
	if o.Usage != nil {
		entry["usage"] = usageValue(o.Usage)
	}
	return entry
}

// runFinally runs the finally steps, which see how the recipe ended.
func (fr *frame) runFinally(f *flow, status RunStatus, reason, failedStep string) []*step.Outcome {
	if len(fr.recipe.Finally) == 0 {
		return nil
	}
	last := &frame{
		run: fr.run, recipe: fr.recipe, path: fr.path, depth: fr.depth,
		vars: fr.vars.Fork(), steps: fr.steps, seen: map[string]bool{}, loops: fr.loops, judge: fr.judge,
	}
	last.vars.Set("run", map[string]any{"status": string(status), "reason": reason, "failed_step": failedStep})
	end := fr.run.spawn(fr.run.ending, func(f *flow) {
		for _, st := range fr.recipe.Finally {
			last.apply(last.runStep(f, st, last.view()))
		}
	})
	f.join(end)
	return last.outcomes
}
