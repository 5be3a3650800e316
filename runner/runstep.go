package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// The order of one step: tags, the limit on steps, pre_step, condition, the
// work with its retries, then post_step or on_error.

// runStep takes one step from its start to its end. It changes nothing of the
// frame: what the step sets is in the report.
func (fr *frame) runStep(f *flow, st *recipes.Step, view *step.View) report {
	r := fr.run
	path := fr.pathOf(st.ID)
	started := r.now
	if r.excluded(st) {
		return fr.finish(st, report{outcome: &step.Outcome{Status: step.Skipped}})
	}
	if !fr.max.enter(f) {
		return fr.finish(st, failed(cancelled()))
	}
	defer fr.max.leave()

	r.note(step.Note{Kind: step.StepStarted, Path: path, Type: string(st.Type)})
	var rep report
	switch {
	case r.opts.DryRun:
		rep = dryRun(st)
	default:
		rep = fr.guarded(f, st, view)
	}
	rep.outcome.Duration = r.now.Sub(started)
	return fr.finish(st, rep)
}

// finish completes the outcome and tells those who watch.
func (fr *frame) finish(st *recipes.Step, rep report) report {
	o := rep.outcome
	o.ID, o.Path = st.ID, fr.pathOf(st.ID)
	o.Tolerated = o.Status == step.Failed && st.Tolerate && !rep.fatal && !o.Refused() && o.Cause != step.CauseCancelled
	if o.Output == nil {
		o.Output = ""
	}
	if o.Status == step.Failed && rep.sets == nil && st.Child != nil && st.Foreach == nil {
		rep.sets = forgotten(st)
	}
	fr.run.note(step.Note{Kind: step.StepFinished, Path: o.Path, Outcome: o})
	return rep
}

// excluded applies the tag filter: an excluded tag always wins, and a step
// without tags always runs.
func (r *Run) excluded(st *recipes.Step) bool {
	if len(st.WhenTags) == 0 {
		return false
	}
	has := func(tags []string) bool {
		return slices.ContainsFunc(st.WhenTags, func(tag string) bool { return slices.Contains(tags, tag) })
	}
	return has(r.opts.ExcludeTags) || len(r.opts.IncludeTags) > 0 && !has(r.opts.IncludeTags)
}

// dryRun is what every step gives in a dry run; later steps that read its
// output find a placeholder.
func dryRun(st *recipes.Step) report {
	text := "[dry run]"
	if st.ParseJSON {
		text = value.JSON(map[string]any{"dry_run": true, "step": st.ID})
	}
	rep := report{outcome: &step.Outcome{Status: step.Skipped, Output: text, Value: value.Guess(text)}}
	if st.Output != "" {
		rep.sets = []assignment{{st.Output, "(dry-run)"}}
	}
	return rep
}

// guarded runs the step between its hooks.
func (fr *frame) guarded(f *flow, st *recipes.Step, view *step.View) report {
	fr.hook(f, st, view, fr.recipe.Hooks.PreStep, nil)
	ok, err := fr.holds(f, st, view)
	var rep report
	switch {
	case err != nil:
		rep = failed(step.Result{ExitCode: -1, Error: fmt.Sprintf("Condition error: %v", err)})
	case !ok:
		rep = report{outcome: &step.Outcome{Status: step.Skipped}}
	default:
		rep = fr.counted(f, st, view)
	}
	if rep.outcome.Status == step.Failed {
		fr.hook(f, st, view, fr.recipe.Hooks.OnError, rep.outcome)
	} else {
		fr.hook(f, st, view, fr.recipe.Hooks.PostStep, rep.outcome)
	}
	return rep
}

func (fr *frame) holds(f *flow, st *recipes.Step, view *step.View) (bool, error) {
	if st.Condition == nil {
		return true, nil
	}
	answer, err := fr.ask(f, st, view, condition{st.Condition})
	return answer == true, err
}

// authoredPath leaves the indexes of foreach elements out of a path, so that a
// step which runs for many elements is one step of the authored tree.
func authoredPath(path string) string {
	for {
		open := strings.IndexByte(path, '[')
		if open < 0 {
			return path
		}
		end := strings.IndexByte(path[open:], ']')
		path = path[:open] + path[open+end+1:]
	}
}

// counted runs the step if the limit on authored steps allows another one.
func (fr *frame) counted(f *flow, st *recipes.Step, view *step.View) report {
	r := fr.run
	if authored := authoredPath(fr.pathOf(st.ID)); !fr.judge && !r.ran[authored] {
		if len(r.ran) >= r.limits.MaxTotalSteps {
			return failed(step.Result{ExitCode: -1, Error: fmt.Sprintf("Total step limit (%d) exceeded", r.limits.MaxTotalSteps)})
		}
		r.ran[authored] = true
	}
	if st.Foreach != nil {
		return fr.foreach(f, st, view)
	}
	return fr.retried(f, st, view, fr.pathOf(st.ID))
}

// hook runs one of the recipe's hooks. A hook that fails warns; it never fails
// the step.
func (fr *frame) hook(f *flow, st *recipes.Step, view *step.View, hook *recipes.Command, o *step.Outcome) {
	if hook == nil {
		return
	}
	env := map[string]string{"BRICKOVEN_STEP_ID": st.ID, "BRICKOVEN_STEP_STATUS": "", "BRICKOVEN_STEP_ERROR": ""}
	if o != nil {
		env["BRICKOVEN_STEP_STATUS"] = string(o.Status)
		env["BRICKOVEN_STEP_ERROR"] = o.Error
	}
	ask := func() step.Result {
		return f.do(&step.Action{
			Kind: step.Hook, Path: fr.pathOf(st.ID), Def: st, Recipe: fr.recipe, Vars: view, Hook: hook, HookEnv: env,
		})
	}
	var res step.Result
	if o != nil && o.Status == step.Failed {
		// What reports a failure must run after an interruption too.
		res = f.shielded(ask)
	} else {
		res = ask()
	}
	if !res.OK {
		fr.run.warn(fr.pathOf(st.ID), "hook failed: "+res.Error)
	}
}

func failed(res step.Result) report {
	return report{outcome: &step.Outcome{
		Status: step.Failed, Output: res.Text, Value: res.Value, Error: res.Error,
		ExitCode: res.ExitCode, Signal: res.Signal, Cause: res.Cause, Truncated: res.Truncated, Usage: res.Usage, Agent: res.Agent,
	}}
}
