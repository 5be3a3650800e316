package runner

import (
	"fmt"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// foreach runs the step for each element of a list and keeps their order. The
// element and what single elements set stay inside; collect and output get the
// list of the elements' outputs.
func (fr *frame) foreach(f *flow, st *recipes.Step, view *step.View) report {
	list, err := fr.list(f, st, view)
	if err != nil {
		return failed(step.Result{ExitCode: -1, Error: err.Error()})
	}
	reps := fr.elements(f, st, view, list)

	out := &step.Outcome{Status: step.Completed}
	values := make([]any, len(list))
	var fatal *step.Outcome
	for i, rep := range reps {
		o := rep.outcome
		out.Children = append(out.Children, o)
		out.Usage = sum(out.Usage, o.Usage)
		if o.Status != step.Failed {
			values[i] = element(st, o)
			continue
		}
		out.Failures = append(out.Failures, map[string]any{"index": value.From(i), "error": o.Error})
		if fatal == nil && o.Cause != step.CauseCancelled && (!st.Tolerate || o.Refused()) {
			fatal = o
		}
	}
	rep := report{outcome: out}
	collected, err := fr.gather(f, st, values)
	if err != nil {
		return failed(step.Result{ExitCode: -1, Cause: step.CauseState, Error: err.Error()})
	}
	out.Value, out.Output = collected, collected
	if _, large := collected.(value.Ref); !large {
		out.Output = value.JSON(collected)
	}
	switch {
	case fatal != nil || f.halt.active():
		rep.outcome = brokenElements(out, fatal)
		return rep
	case len(list) > 0 && len(out.Failures) == len(list):
		rep.outcome = brokenElements(out, reps[0].outcome)
		rep.fatal = true
		return rep
	case len(out.Failures) > 0:
		out.Status = step.Degraded
		out.Error = fmt.Sprintf("%d of %d elements failed", len(out.Failures), len(list))
	}
	for _, name := range []string{st.Output, st.Collect} {
		if name != "" {
			rep.sets = append(rep.sets, assignment{name, collected})
		}
	}
	return rep
}

// elements runs the step once per element, at most st.Parallel at once. The
// first failure that is not tolerated ends the rest, and is waited for.
func (fr *frame) elements(f *flow, st *recipes.Step, view *step.View, list []any) []report {
	reps := make([]report, len(list))
	flows := make([]*flow, len(list))
	rest := &halt{parent: f.halt}
	places := fr.run.newSlots(max(1, st.Parallel))
	defer fr.run.dropSlots(places)
	name := st.As
	if name == "" {
		name = "item"
	}
	for i, item := range list {
		flows[i] = fr.run.spawn(rest, func(f *flow) {
			path := fmt.Sprintf("%s[%d]", fr.pathOf(st.ID), i)
			if !places.enter(f) {
				reps[i] = failed(cancelled())
				reps[i].outcome.ID, reps[i].outcome.Path = st.ID, path
				return
			}
			defer places.leave()
			own := &step.View{Scope: view.Scope.Fork(), Steps: view.Steps}
			own.Scope.Set(name, item)
			started := fr.run.now
			reps[i] = fr.retried(f, st, own, path)
			o := reps[i].outcome
			o.ID, o.Path, o.Duration = st.ID, path, fr.run.now.Sub(started)
			if o.Output == nil {
				o.Output = ""
			}
			if o.Status == step.Failed && (!st.Tolerate || o.Refused()) {
				fr.run.stopAll(rest)
			}
		})
	}
	f.join(flows...)
	return reps
}

// element is what collect keeps of one element: the outputs of a called recipe,
// the output of any other step.
func element(st *recipes.Step, o *step.Outcome) any {
	if st.Type == recipes.Call || st.Type == recipes.Loop {
		return o.Outputs
	}
	return o.Value
}

func brokenElements(out, cause *step.Outcome) *step.Outcome {
	out.Status, out.ExitCode = step.Failed, 1
	if cause == nil {
		out.Cause, out.ExitCode, out.Error = step.CauseCancelled, -1, "cancelled"
		return out
	}
	out.Cause, out.ExitCode, out.Signal = cause.Cause, cause.ExitCode, cause.Signal
	out.Error = fmt.Sprintf("element %s: %s", cause.Path, cause.Error)
	return out
}
