package runner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/scope"
	"github.com/brickoven/brickoven/runner/step"
)

// call runs another recipe: with the caller's variables, the step's context
// over them, and the child's defaults under them. Only what steps of the child
// declare as outputs comes back (DESIGN section 7).
func (fr *frame) call(f *flow, st *recipes.Step, view *step.View, path string) report {
	r := fr.run
	if fr.stubbed(path) {
		return fr.stubbedCall(f, st, view, path)
	}
	if st.Child == nil {
		return failed(step.Result{ExitCode: -1, Error: missing(st)})
	}
	if fr.depth >= r.limits.MaxDepth {
		return failed(step.Result{ExitCode: -1, Error: fmt.Sprintf(
			"Maximum recipe recursion depth (%d) exceeded", r.limits.MaxDepth)})
	}
	vars, err := fr.pass(f, st, view, declared(st.Child))
	if err != nil {
		return failed(step.Result{ExitCode: -1, Error: err.Error()})
	}
	return fr.enter(f, st, &frame{path: path, vars: vars, loops: fr.loops, judge: fr.judge})
}

// enter runs the recipe of a step in a frame that has its path and variables.
func (fr *frame) enter(f *flow, st *recipes.Step, child *frame) report {
	r := fr.run
	child.run, child.recipe, child.depth = r, st.Child, fr.depth+1
	child.steps, child.seen, child.max = map[string]any{}, map[string]bool{}, r.newSlots(st.Child.MaxParallel)
	defer r.dropSlots(child.max)
	if fault := child.checkInputs(f, st); fault != "" {
		return failed(step.Result{ExitCode: -1, Error: fault})
	}
	end := child.runSteps(f)
	status, reason := Succeeded, ""
	if !end.ok() || f.halt.active() {
		status, reason = Broken, end.reason(r)
	}
	last := child.runFinally(f, status, reason, end.failedPath())
	if refused := refusal(last); refused != nil && !end.refused() {
		status, end.failed = Broken, refused
	}

	rep := report{outcome: &step.Outcome{Status: step.Completed, Children: slices.Concat(child.outcomes, last)}}
	rep.outcome.Outputs, rep.sets = fr.returned(st, child)
	for _, o := range rep.outcome.Children {
		rep.outcome.Usage = sum(rep.outcome.Usage, o.Usage)
	}
	switch {
	case status == Broken:
		brokenCall(st, rep.outcome, end, f.halt.active())
	case anyFailed(last):
		rep.outcome.Status, rep.outcome.Error = step.Degraded, "a finally step failed"
	}
	if rep.outcome.Output == nil {
		rep.outcome.Output = summary(st.Child.Name, rep.outcome)
	}
	rep.outcome.Value = rep.outcome.Output
	if st.Output != "" && rep.outcome.Status != step.Failed {
		rep.sets = append(rep.sets, assignment{st.Output, rep.outcome.Output})
	}
	return rep
}

func missing(st *recipes.Step) string {
	if st.Missing != nil {
		return st.Missing.Error()
	}
	return fmt.Sprintf("Sub-recipe '%s' not found", st.Recipe)
}

// pass makes the variables that the child starts with; those with the names in
// hidden are null.
func (fr *frame) pass(f *flow, st *recipes.Step, view *step.View, hidden []string) (*scope.Scope, error) {
	if err := st.CheckChosen(view.Lookup); err != nil {
		return nil, err
	}
	vars := view.Scope.Fork()
	given := map[string]any{}
	for _, arg := range st.Context {
		v, err := fr.argument(f, st, view, "context."+arg.Name, arg.Value)
		if err != nil {
			return nil, err
		}
		given[arg.Name] = v
	}
	hide(vars, hidden)
	for _, def := range st.Child.Context {
		fill(vars, given, def.Name, def.Value)
	}
	for _, in := range st.Child.Inputs {
		if in.HasDefault {
			fill(vars, given, in.Name, in.Default)
		}
	}
	for _, arg := range st.Context {
		vars.Set(arg.Name, given[arg.Name])
	}
	return vars, nil
}

// hide makes null of what the caller already has under the names of the child's
// outputs: what an earlier call left must not pass for this one's.
func hide(vars *scope.Scope, outputs []string) {
	for _, name := range outputs {
		if _, has := vars.Get(name); has {
			vars.Set(name, nil)
		}
	}
}

// fill sets a default where neither the caller nor the step's context has the
// variable.
func fill(vars *scope.Scope, given map[string]any, name string, v any) {
	if _, has := given[name]; has {
		return
	}
	if present, _ := vars.Get(name); present == nil {
		vars.Set(name, v)
	}
}

// checkInputs tests what the child declares of its inputs; where that needs a
// look at the file system the executor does it.
func (fr *frame) checkInputs(f *flow, st *recipes.Step) string {
	if len(fr.recipe.Inputs) == 0 && len(fr.recipe.Validation) == 0 {
		return ""
	}
	res := f.do(&step.Action{
		Kind: step.Check, Path: fr.path, Def: st, Recipe: fr.recipe, Vars: fr.view(), Callee: fr.recipe,
	})
	return res.Error
}

// returned is what the child gives back, under the caller's names. What the
// child declares and did not give is null, so that an old value cannot outlive
// a recipe that failed.
func (fr *frame) returned(st *recipes.Step, child *frame) (map[string]any, []assignment) {
	outputs := map[string]any{}
	var sets []assignment
	pairs := renames(st)
	for _, pair := range pairs {
		var v any
		if child.seen[pair.Child] {
			v, _ = child.vars.Get(pair.Child)
			outputs[pair.Name] = v
		}
		sets = append(sets, assignment{pair.Name, v})
	}
	return outputs, sets
}

// renames lists what a recipe step takes from its child; all outputs under
// their own names where the step does not select.
func renames(st *recipes.Step) []recipes.Rename {
	if st.Outputs != nil {
		return st.Outputs.Pairs
	}
	children := []*recipes.Recipe{st.Child}
	if st.Type == recipes.Loop {
		children = nil
		for _, round := range st.Loop.Rounds {
			children = append(children, round.Child)
		}
	}
	var pairs []recipes.Rename
	for _, child := range children {
		if child == nil {
			continue
		}
		for _, name := range declared(child) {
			pair := recipes.Rename{Name: name, Child: name}
			if !slices.Contains(pairs, pair) {
				pairs = append(pairs, pair)
			}
		}
	}
	return pairs
}

// declared lists the outputs of a recipe and of the recipes it calls, in the
// order of the file, each once.
func declared(r *recipes.Recipe) []string {
	var names []string
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, st := range r.Steps {
		if st.Child != nil && st.Foreach == nil {
			for _, pair := range renames(st) {
				add(pair.Name)
			}
		}
		add(st.Output)
		if st.Foreach != nil {
			add(st.Collect)
		}
	}
	return names
}

// forgotten makes null of everything that a call would have given back.
func forgotten(st *recipes.Step) (sets []assignment) {
	for _, pair := range renames(st) {
		sets = append(sets, assignment{pair.Name, nil})
	}
	return sets
}

// brokenCall describes the failure of a child, in words that existing callers
// look for.
func brokenCall(st *recipes.Step, o *step.Outcome, end ending, halted bool) {
	o.Status, o.ExitCode = step.Failed, 1
	o.Error = fmt.Sprintf("Sub-recipe '%s' failed.\n%s", st.Child.Name, failures(o.Children))
	switch {
	case end.failed != nil && end.failed.Refused():
		o.ExitCode, o.Cause = step.ExitRefused, end.failed.Cause
	case halted:
		o.Cause, o.ExitCode = step.CauseCancelled, -1
	}
}

// failures names the failed steps of a child with their errors, and those that
// were completed.
func failures(children []*step.Outcome) string {
	var lines []string
	var done []string
	for _, o := range children {
		switch o.Status {
		case step.Failed:
			kind, detail := "error", strings.TrimSpace(o.Error)
			if detail == "" {
				kind, detail = "no detail", "no additional detail"
			}
			lines = append(lines, fmt.Sprintf("- %s [%s]: %s", o.ID, kind, detail))
		case step.Completed:
			done = append(done, o.ID)
		}
	}
	var parts []string
	if len(lines) > 0 {
		parts = append(parts, "Failed steps:\n"+strings.Join(lines, "\n"))
	}
	if len(done) > 0 {
		parts = append(parts, "Completed steps: "+strings.Join(done, ", "))
	}
	if len(parts) == 0 {
		return "No step of it ran."
	}
	return strings.Join(parts, "\n")
}

// summary is the text report of a called recipe; it is never empty.
func summary(name string, o *step.Outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Recipe '%s': %s", name, o.Status)
	for _, child := range o.Children {
		fmt.Fprintf(&b, "\n  [%s] %s", child.Status, child.ID)
	}
	return b.String()
}

func sortedKeys(m map[string]any) []string {
	return slices.Sorted(maps.Keys(m))
}
