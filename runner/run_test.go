package runner

import (
	"strings"
	"testing"

	"github.com/brickoven/brickoven/runner/step"
)

// play runs a recipe in the order of asking.
func play(t *testing.T, fails map[string]int, texts ...string) (*world, *Outcome) {
	t.Helper()
	w := newWorld(t, 0)
	w.fails = fails
	return w, w.play(New(tree(t, texts...), Options{}))
}

const three = `
name: root
steps:
  - {id: a, command: "true", output: x}
  - {id: b, command: "true"}
  - {id: c, command: "true"}
`

func TestStepsRunInOrder(t *testing.T) {
	t.Parallel()
	w, o := play(t, nil, three)
	if got, want := strings.Join(w.order, " "), "a#shell.1 b#shell.1 c#shell.1"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	if o.Status != Succeeded || o.Reason != "" || o.FailedStep != "" {
		t.Errorf("outcome %+v", o)
	}
}

func TestAFailureEndsTheRecipeAndLeavesNoEntryForWhatNeverRan(t *testing.T) {
	t.Parallel()
	_, o := play(t, map[string]int{"b": 3}, three)
	if got, want := statuses(o.Steps), "a=completed b=failed"; got != want {
		t.Errorf("steps %s, want %s", got, want)
	}
	if o.Status != Broken || o.FailedStep != "b" {
		t.Errorf("status %s at %q", o.Status, o.FailedStep)
	}
}

func TestATolerationGoesOnAndLeavesTheVariableUnset(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"continue_on_error: true", "fatal: false", "nonfatal: true"} {
		_, o := play(t, map[string]int{"a": 1}, strings.Replace(three, `"true", output: x`, `"true", output: x, `+key, 1))
		if got, want := statuses(o.Steps), "a=failed~ b=completed c=completed"; got != want {
			t.Errorf("%s: steps %s, want %s", key, got, want)
		}
		if _, has := o.Vars.Get("x"); has {
			t.Errorf("%s: the output of the failed step was set", key)
		}
		if !o.Success() {
			t.Errorf("%s: the run failed", key)
		}
	}
}

func TestExit79IsNeverToleratedNorRetried(t *testing.T) {
	t.Parallel()
	w, o := play(t, map[string]int{"a": 79}, `
name: root
steps:
  - {id: outer, recipe: child, continue_on_error: true, retry: {attempts: 3, delay: 1}, recovery_on_failure: true}
  - {id: after, command: "true"}
`, `name: child
steps:
  - {id: a, command: "true", continue_on_error: true, retry: {attempts: 3, delay: 1}}
`)
	if o.Status != Refused || !o.Refused || o.FailedStep != "outer/a" {
		t.Errorf("outcome %s at %s, want refused at outer/a", o.Status, o.FailedStep)
	}
	if got := strings.Join(w.order, " "); got != "outer/a#shell.1" {
		t.Errorf("actions %s, want a single attempt and nothing after it", got)
	}
	if !strings.Contains(o.Reason, "BLOCKED_TERMINAL") {
		t.Errorf("reason %q lacks BLOCKED_TERMINAL", o.Reason)
	}
}

func TestRetryWaitsAndHonoursItsExitCodes(t *testing.T) {
	t.Parallel()
	const recipe = `
name: root
steps:
  - {id: a, command: "true", retry: {attempts: 3, delay: 1, on_exit: [7]}}
`
	w, _ := play(t, map[string]int{"a": 7}, recipe)
	if got, want := strings.Join(w.order, " "), "a#shell.1 a#sleep.1 a#shell.2 a#sleep.2 a#shell.3"; got != want {
		t.Errorf("exit 7: %s, want %s", got, want)
	}
	w, _ = play(t, map[string]int{"a": 8}, recipe)
	if got, want := strings.Join(w.order, " "), "a#shell.1"; got != want {
		t.Errorf("exit 8: %s, want %s", got, want)
	}
}

func TestAnOldVerdictDoesNotOutliveABrickThatFailed(t *testing.T) {
	t.Parallel()
	child := `name: judge
steps:
  - {id: verdict, command: "true", output: loop_health}
  - {id: enforce, command: "true", output: report}
`
	_, o := play(t, map[string]int{"verdict": 1}, `
name: root
context: {loop_health: {loop_verdict: CONTINUE}}
steps:
  - {id: judge, recipe: judge, continue_on_error: true}
  - {id: again, command: "true", condition: "loop_health.loop_verdict == 'CONTINUE'"}
`, child)
	if got, want := statuses(o.Steps), "judge=failed~ again=skipped"; got != want {
		t.Errorf("steps %s, want %s", got, want)
	}
	if v, _ := o.Vars.Get("loop_health"); v != nil {
		t.Errorf("loop_health is %v, want null", v)
	}
}

func TestOutputsOfAFailedChildComeBackAsFarAsItsStepsCompleted(t *testing.T) {
	t.Parallel()
	_, o := play(t, map[string]int{"enforce": 1}, `
name: root
steps:
  - {id: judge, recipe: judge, continue_on_error: true, outputs: {mine: loop_health}}
`, `name: judge
context: {private: 1}
steps:
  - {id: verdict, command: "true", output: loop_health}
  - {id: enforce, command: "true", output: report}
`)
	if v, _ := o.Vars.Get("mine"); v == nil {
		t.Error("the output of the completed step did not come back under its new name")
	}
	for _, name := range []string{"private", "loop_health", "report"} {
		if _, has := o.Vars.Get(name); has {
			t.Errorf("%s leaked into the caller", name)
		}
	}
}

func TestTheDepthLimitOfTheOutermostRecipeCounts(t *testing.T) {
	t.Parallel()
	_, o := play(t, nil, `
name: root
recursion: {max_depth: 1}
steps: [{id: one, recipe: one}]
`, `name: one
recursion: {max_depth: 9}
steps: [{id: two, recipe: two}]
`, `name: two
steps: [{id: leaf, command: "true"}]
`)
	want := "Maximum recipe recursion depth (1) exceeded"
	if !strings.Contains(o.Steps[0].Error, want) || !strings.Contains(o.Steps[0].Error, "Sub-recipe 'one' failed") {
		t.Errorf("error %q, want it to hold %q", o.Steps[0].Error, want)
	}
}

func TestTheTotalLimitCountsAuthoredStepsOnly(t *testing.T) {
	t.Parallel()
	recipe := `
name: root
recursion: {max_total_steps: 2}
context: {list: [1, 2, 3, 4, 5]}
steps:
  - {id: many, foreach: "{{list}}", command: "true"}
  - {id: skipped, command: "true", condition: "false"}
  - {id: second, command: "true"}
  - {id: third, command: "true"}
`
	_, o := play(t, nil, recipe)
	if got, want := statuses(o.Steps), "many=completed skipped=skipped second=completed third=failed"; got != want {
		t.Errorf("steps %s, want %s", got, want)
	}
	if want := "Total step limit (2) exceeded"; o.Steps[3].Error != want {
		t.Errorf("error %q, want %q", o.Steps[3].Error, want)
	}
}

func TestForeachKeepsOrderAndDoesNotLeakItsElement(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 7)
	o := w.play(New(tree(t, `
name: root
context: {list: [1, 2, 3, 4]}
steps:
  - {id: each, foreach: "{{list}}", as: it, parallel: 2, collect: all, command: "true"}
`), Options{}))
	all, _ := o.Vars.Get("all")
	for i, v := range all.([]any) {
		if prefix := "each[" + string(rune('0'+i)) + "]@"; !strings.HasPrefix(v.(string), prefix) {
			t.Errorf("element %d is %v, want %s…", i, v, prefix)
		}
	}
	if _, leaked := o.Vars.Get("it"); leaked {
		t.Error("the element leaked")
	}
	if w.most != 2 {
		t.Errorf("%d elements ran at once, want 2", w.most)
	}
}

func TestForeachOfNothingIsACompletedStepWithAnEmptyList(t *testing.T) {
	t.Parallel()
	_, o := play(t, nil, `
name: root
context: {list: [], text: hello}
steps:
  - {id: each, foreach: "{{list}}", collect: all, command: "true"}
  - {id: bad, foreach: "{{text}}", command: "true"}
`)
	if got, want := statuses(o.Steps), "each=completed bad=failed"; got != want {
		t.Errorf("steps %s, want %s", got, want)
	}
	if all, _ := o.Vars.Get("all"); len(all.([]any)) != 0 {
		t.Errorf("all is %v", all)
	}
	if !strings.Contains(o.Steps[1].Error, "is a string, not a list") {
		t.Errorf("error %q", o.Steps[1].Error)
	}
}

func TestForeachWithToleratedFailures(t *testing.T) {
	t.Parallel()
	recipe := `
name: root
context: {list: [1, 2]}
steps:
  - {id: each, foreach: "{{list}}", recipe: one, collect: all, continue_on_error: true}
  - {id: after, command: "true", condition: "steps.each.failed[0].index == 1"}
`
	child := `name: one
steps:
  - {id: good, command: "true", output: v, condition: "item == 1"}
  - {id: bad, command: "true", condition: "item == 2"}
`
	_, o := play(t, map[string]int{"bad": 1}, recipe, child)
	if got, want := statuses(o.Steps), "each=degraded after=completed"; got != want {
		t.Errorf("steps %s, want %s", got, want)
	}
	all, _ := o.Vars.Get("all")
	if list := all.([]any); list[0] == nil || list[1] != nil {
		t.Errorf("collect is %v, want a value and null", list)
	}
	_, o = play(t, map[string]int{"bad": 1, "good": 1}, recipe, child)
	if o.Steps[0].Status != step.Failed || o.Success() {
		t.Errorf("every element failed, but the step is %s and the run %s", o.Steps[0].Status, o.Status)
	}
}

func TestTheFirstFatalElementEndsTheOthers(t *testing.T) {
	t.Parallel()
	w, o := play(t, map[string]int{"each": 1}, `
name: root
context: {list: [1, 2, 3, 4, 5, 6]}
steps:
  - {id: each, foreach: "{{list}}", parallel: 2, command: "true"}
`)
	if len(w.order) != 2 {
		t.Errorf("%d elements were started (%v), want the two that ran at once", len(w.order), w.order)
	}
	if o.Steps[0].Status != step.Failed || o.Status != Broken {
		t.Errorf("step %s, run %s", o.Steps[0].Status, o.Status)
	}
}

func TestAGroupSeesTheVariablesAsTheyWereAtItsStart(t *testing.T) {
	t.Parallel()
	w, o := play(t, nil, `
name: root
context: {x: before}
steps:
  - {id: a, command: "true", parallel_group: g, output: x}
  - {id: b, command: "true", parallel_group: g, condition: "x == 'before'"}
  - {id: c, command: "true", condition: "x != 'before'"}
`)
	if got, want := statuses(o.Steps), "a=completed b=completed c=completed"; got != want {
		t.Errorf("steps %s, want %s", got, want)
	}
	if w.most != 2 {
		t.Errorf("%d at once, want 2", w.most)
	}
}

func TestAGraphStartsAStepWhenWhatItNeedsIsDone(t *testing.T) {
	t.Parallel()
	w, o := play(t, nil, `
name: root
steps:
  - {id: a, command: "true", output: va}
  - {id: b, command: "true", output: vb, depends_on: [a]}
  - {id: c, command: "true", depends_on: [a], condition: "vb == null"}
  - {id: d, command: "true", condition: "vb != null"}
`)
	if got, want := strings.Join(w.order, " "), "a#shell.1 b#shell.1 c#shell.1 d#shell.1"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	if got, want := statuses(o.Steps), "a=completed b=completed c=completed d=completed"; got != want {
		t.Errorf("steps %s, want %s: c does not depend on b and must not see its output", got, want)
	}
	if w.most != 2 {
		t.Errorf("%d at once, want b and c", w.most)
	}
}

func TestMaxParallelBoundsARecipeAndTheRun(t *testing.T) {
	t.Parallel()
	recipe := `
name: root
steps:
  - {id: a, command: "true", parallel_group: g}
  - {id: b, command: "true", parallel_group: g}
  - {id: c, command: "true", parallel_group: g}
  - {id: d, command: "true", parallel_group: g}
`
	w := newWorld(t, 3)
	w.play(New(tree(t, strings.Replace(recipe, "steps:", "max_parallel: 2\nsteps:", 1)), Options{}))
	if w.most != 2 {
		t.Errorf("max_parallel: %d at once, want 2", w.most)
	}
	w = newWorld(t, 3)
	w.play(New(tree(t, recipe), Options{MaxParallel: 3}))
	if w.most != 3 {
		t.Errorf("--max-parallel: %d at once, want 3", w.most)
	}
}

func TestFinallyRunsAfterAFailureAndSeesIt(t *testing.T) {
	t.Parallel()
	recipe := three + `
finally:
  - {id: tidy, command: "true", condition: "run.status == 'failed' and run.failed_step == 'b'"}
  - {id: more, command: "true"}
`
	_, o := play(t, map[string]int{"b": 1}, recipe)
	if got, want := statuses(o.Finally), "tidy=completed more=completed"; got != want {
		t.Errorf("finally %s, want %s", got, want)
	}
	_, o = play(t, map[string]int{"more": 1}, recipe)
	if o.Status != Weakened || !o.Success() {
		t.Errorf("a failed finally step makes the run %s, want degraded", o.Status)
	}
}

func TestAnInterruptionStopsSchedulingAndRunsFinally(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.interrupt = 1
	o := w.play(New(tree(t, three+`
hooks: {on_error: "true"}
finally:
  - {id: tidy, command: "true", condition: "run.status == 'interrupted'"}
`), Options{}))
	if o.Status != Interrupted || o.Signal != 2 {
		t.Errorf("status %s, signal %d", o.Status, o.Signal)
	}
	if got, want := strings.Join(w.order, " "), "a#shell.1 b#shell.1 b#hook.1 tidy#shell.1"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
}

func TestTagsFilterStepsThatHaveThem(t *testing.T) {
	t.Parallel()
	tree := tree(t, `
name: root
steps:
  - {id: plain, command: "true"}
  - {id: fast, command: "true", when_tags: [fast]}
  - {id: both, command: "true", when_tags: [fast, slow]}
`)
	tests := []struct {
		include, exclude []string
		want             string
	}{
		{nil, nil, "plain=completed fast=completed both=completed"},
		{[]string{"fast"}, nil, "plain=completed fast=completed both=completed"},
		{[]string{"slow"}, nil, "plain=completed fast=skipped both=completed"},
		{[]string{"fast"}, []string{"slow"}, "plain=completed fast=completed both=skipped"},
	}
	for _, test := range tests {
		o := newWorld(t, 0).play(New(tree, Options{IncludeTags: test.include, ExcludeTags: test.exclude}))
		if got := statuses(o.Steps); got != test.want {
			t.Errorf("include %v, exclude %v: %s, want %s", test.include, test.exclude, got, test.want)
		}
	}
}

func TestDryRunSkipsEveryStepAndStillFillsTheVariables(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	o := w.play(New(tree(t, `
name: root
steps:
  - {id: a, command: "true", output: x}
  - {id: b, command: "true", parse_json: true}
`), Options{DryRun: true}))
	if len(w.order) != 0 {
		t.Errorf("a dry run did %v", w.order)
	}
	if got, want := o.Steps[0].Output, "[dry run]"; got != want {
		t.Errorf("output %q, want %q", got, want)
	}
	if got, want := o.Steps[1].Output, `{"dry_run":true,"step":"b"}`; got != want {
		t.Errorf("output %q, want %q", got, want)
	}
	if got := statuses(o.Steps); got != "a=skipped b=skipped" {
		t.Errorf("steps %s", got)
	}
}

func TestHooksSurroundAStep(t *testing.T) {
	t.Parallel()
	recipe := `
name: root
hooks: {pre_step: "true", post_step: "true", on_error: "true"}
steps:
  - {id: good, command: "true"}
  - {id: bad, command: "true", continue_on_error: true}
  - {id: not, command: "true", condition: "false"}
`
	w, _ := play(t, map[string]int{"bad": 1}, recipe)
	want := "good#hook.1 good#shell.1 good#hook.2 bad#hook.1 bad#shell.1 bad#hook.2 not#hook.1 not#hook.2"
	if got := strings.Join(w.order, " "); got != want {
		t.Errorf("order %s\nwant  %s", got, want)
	}
}
