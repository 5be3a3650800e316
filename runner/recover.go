package runner

import (
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/scope"
	"github.com/brickoven/brickoven/runner/step"
)

// recoverable reports whether the agent may finish what a called recipe left
// undone. Refusals, a judged STUCK and cancelled work are final, and a stub has
// no work to finish.
func recoverable(st *recipes.Step, o *step.Outcome) bool {
	return st.RecoveryOnFailure && o.Status == step.Failed && len(o.Children) > 0 &&
		!o.Refused() && o.Cause != step.CauseCancelled && !judgedStuck(o)
}

// recover asks the agent once to finish what the child left undone.
func (fr *frame) recover(f *flow, st *recipes.Step, view *step.View, path string, rep *report) {
	o := rep.outcome
	prompt := fmt.Sprintf("%s\n\nComplete the work that remains. "+
		"If, and only if, all of it is done, make the last line of your answer: STATUS: COMPLETE\n"+
		"Otherwise explain what is in the way.", o.Error)
	res := fr.consult(f, &step.Action{
		Kind: step.Agent, Path: path, Def: st, Recipe: fr.recipe, Vars: view, Attempt: 1, Prompt: prompt,
		Env: fr.loops.env, Loops: fr.loops.sessions,
	})
	o.Usage = sum(o.Usage, res.Usage)
	believed, err := fr.about(f, st, res.Text, whether{recovered})
	switch {
	case res.Refused():
		o.ExitCode, o.Cause = step.ExitRefused, step.CauseGuard
	case res.Cause == step.CauseCancelled:
		o.ExitCode, o.Cause = -1, step.CauseCancelled
	case err == nil && res.OK && believed == true:
		o.Status, o.ExitCode, o.Error = step.Completed, 0, ""
		o.Output, o.Value = res.Text, res.Text
		if st.Output != "" {
			rep.sets = append(rep.sets, assignment{st.Output, res.Text})
		}
	default:
		o.Error = strings.Replace(o.Error, "failed.\n", "failed and the recovery by the agent did not complete it.\n", 1)
		if !res.OK {
			o.Error += "\nRecovery: " + res.Error
		}
	}
}

// recovered believes only the last line of an answer.
func recovered(answer string) bool {
	return strings.HasSuffix(strings.TrimRight(answer, " \t\r\n"), "STATUS: COMPLETE")
}

// about asks a question about one value, which may be too large to carry.
func (fr *frame) about(f *flow, st *recipes.Step, v any, q step.Question) (any, error) {
	vars := scope.New()
	vars.Set(subject, v)
	return fr.ask(f, st, &step.View{Scope: vars}, q)
}

// subject is the variable that a question about one value reads.
const subject = "subject"

// whole asks for the value itself.
type whole struct{}

func (whole) Paths() []string { return []string{subject} }
func (whole) Inline() bool    { return true }

func (whole) Answer(lookup step.Lookup) (any, []string, error) {
	v, _ := lookup(subject)
	return v, nil, nil
}

// whether asks if something holds for the value as text.
type whether struct{ holds func(text string) bool }

func (whether) Paths() []string { return []string{subject} }
func (whether) Inline() bool    { return true }

func (q whether) Answer(lookup step.Lookup) (any, []string, error) {
	v, _ := lookup(subject)
	return q.holds(value.Text(v)), nil, nil
}

// stubbed reports whether a stub stands in for the step of a path.
func (fr *frame) stubbed(path string) bool {
	return fr.run.opts.Stubbed != nil && fr.run.opts.Stubbed(fr.recipe, path)
}

// stubbedCall lets a stub answer for a called recipe. The keys of the object
// that it prints stand for the recipe's outputs.
func (fr *frame) stubbedCall(f *flow, st *recipes.Step, view *step.View, path string) report {
	if !fr.run.work.enter(f) {
		return failed(cancelled())
	}
	defer fr.run.work.leave()
	rep := fr.leaf(st, f.do(&step.Action{Kind: step.Shell, Path: path, Def: st, Recipe: fr.recipe, Vars: view}))
	if rep.outcome.Status == step.Failed {
		return rep
	}
	printed, err := fr.about(f, st, rep.outcome.Value, whole{})
	if err != nil {
		return failed(step.Result{ExitCode: -1, Cause: step.CauseState, Error: err.Error()})
	}
	given, _ := printed.(map[string]any)
	rep.outcome.Outputs = map[string]any{}
	own := rep.sets
	rep.sets = nil
	for _, pair := range renames(st) {
		v, has := given[pair.Child]
		if has {
			rep.outcome.Outputs[pair.Name] = v
		}
		rep.sets = append(rep.sets, assignment{pair.Name, v})
	}
	rep.sets = append(rep.sets, own...)
	return rep
}
