package runner

import (
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
	"github.com/google/go-cmp/cmp"
)

// The second element fails without asking for anything, in the same turn in
// which the first asks for its command: nobody may be told to start that.
func TestWorkOfAnEndedForeachIsNotStarted(t *testing.T) {
	t.Parallel()
	w, o := play(t, nil, `
name: root
context: {list: [[], 1]}
steps:
  - {id: each, foreach: "{{list}}", parallel: 2, recipe: child}
`, `name: child
steps:
  - {id: good, command: "true", condition: "item != 1"}
  - {id: bad, foreach: "{{item}}", command: "true"}
`)
	if len(w.order) != 0 {
		t.Errorf("actions %v, want none", w.order)
	}
	if want := "each=failed"; statuses(o.Steps) != want || o.Status != Broken {
		t.Errorf("steps %s, run %s", statuses(o.Steps), o.Status)
	}
}

// Elements that are ended in their pre_step hook must not queue for a place of
// the whole run: nobody would give it back.
func TestAnEndedForeachKeepsNoPlaceOfTheRun(t *testing.T) {
	t.Parallel()
	recipe := tree(t, `
name: root
context: {list: [1, 2, 3, 4]}
steps:
  - {id: each, foreach: "{{list}}", parallel: 4, recipe: child, parallel_group: g}
  - {id: beside, foreach: "{{list}}", parallel: 2, command: "true", parallel_group: g}
`, `name: child
hooks: {pre_step: "true"}
steps: [{id: bad, command: "true"}]
`)
	for seed := range uint64(200) {
		w := newWorld(t, seed)
		w.fails = map[string]int{"bad": 1}
		o := w.play(New(recipe, Options{MaxParallel: 2}))
		if got, want := statuses(o.Steps), "each=failed beside=completed"; got != want {
			t.Fatalf("seed %d: steps %s, want %s", seed, got, want)
		}
	}
}

// Whatever keeps a recipe from starting, the outputs that it would have given
// are null: what an earlier call left must not pass for this one's.
func TestAnOldVerdictDoesNotOutliveACallThatNeverStarted(t *testing.T) {
	t.Parallel()
	const judge = `name: judge
inputs: [{name: needed, type: number, required: true}]
steps: [{id: verdict, command: "true", output: loop_health}]
`
	tests := map[string]string{
		"its condition fails to evaluate": `condition: "1 / [] == 2"`,
		"an argument is unknown":          `context: {needed: "{{nowhere}}"}`,
	}
	for name, key := range tests {
		_, o := play(t, nil, `
name: root
strict: true
context: {loop_health: {loop_verdict: CONTINUE}}
steps:
  - {id: judge, recipe: judge, continue_on_error: true, `+key+`}
`, judge)
		if got, want := statuses(o.Steps), "judge=failed~"; got != want {
			t.Errorf("%s: steps %s, want %s", name, got, want)
		}
		if v, _ := o.Vars.Get("loop_health"); v != nil {
			t.Errorf("%s: loop_health is %v, want null", name, v)
		}
	}
}

func TestARefusalInAFinallyStepIsFinal(t *testing.T) {
	t.Parallel()
	fails := map[string]int{"tidy": step.ExitRefused}
	const child = `name: child
steps: [{id: work, command: "true"}]
finally: [{id: tidy, command: "true", continue_on_error: true}]
`
	_, o := play(t, fails, strings.Replace(child, "name: child", "name: root", 1))
	if o.Status != Refused || o.FailedStep != "tidy" {
		t.Errorf("the run is %s at %q, want refused at tidy", o.Status, o.FailedStep)
	}
	w, o := play(t, fails, `
name: root
steps:
  - {id: call, recipe: child, continue_on_error: true, recovery_on_failure: true, retry: {attempts: 3, delay: 0}}
  - {id: next, command: "true"}
`, child)
	if o.Status != Refused || o.FailedStep != "call/tidy" || len(w.order) != 2 {
		t.Errorf("the run is %s at %q after %v, want refused at call/tidy after work and tidy", o.Status, o.FailedStep, w.order)
	}
}

func TestTheAgentIsAskedOnceToRecoverAfterTheLastAttempt(t *testing.T) {
	t.Parallel()
	w, _ := play(t, map[string]int{"bad": 1}, `
name: root
steps: [{id: call, recipe: child, recovery_on_failure: true, retry: {attempts: 2, delay: 0}}]
`, `name: child
steps: [{id: bad, command: "true"}]
`)
	want := "call/bad#shell.1 call#sleep.1 call/bad#shell.2 call#agent.1"
	if got := strings.Join(w.order, " "); got != want {
		t.Errorf("actions %s, want %s", got, want)
	}
}

func TestOnlyTheLastLineSaysThatTheWorkIsComplete(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"STATUS: COMPLETE":                     true,
		"done\nSTATUS: COMPLETE\n\n":           true,
		"done\r\nSTATUS: COMPLETE\r\n":         true,
		"It is done. STATUS: COMPLETE":         true,
		"STATUS: COMPLETE\nnot really":         false,
		"STATUS: COMPLETED":                    false,
		"STATUS: complete":                     false,
		"STATUS: COMPLETE?":                    false,
		"`STATUS: COMPLETE`":                   false,
		"":                                     false,
		"the last line must be:\nSTATUS: OPEN": false,
	}
	for answer, want := range tests {
		if got := recovered(answer); got != want {
			t.Errorf("recovered(%q) = %v, want %v", answer, got, want)
		}
	}
}

// A recovery's answer that is too large to carry is looked at by the executor.
func TestALargeAnswerIsBelievedByItsLastLine(t *testing.T) {
	t.Parallel()
	run := New(tree(t, `
name: root
steps: [{id: call, recipe: child, recovery_on_failure: true}]
`, `name: child
steps: [{id: bad, command: "true"}]
`), Options{})
	defer run.Abandon()
	w := newWorld(t, 0)
	batch := run.Start(w.tick())
	results := map[step.Kind]step.Result{
		step.Shell: {ExitCode: 1},
		step.Agent: {OK: true, Text: value.Ref{Hash: "h", Size: 1 << 20}, Value: value.Ref{Hash: "h", Size: 1 << 20}},
		step.Query: {OK: true, Value: true},
	}
	for run.Outcome() == nil {
		a := batch.Actions[0]
		res := results[a.Kind]
		batch = w.feed(run, step.Event{Kind: step.Done, ID: a.ID, Result: &res, At: w.tick()})
	}
	if o := run.Outcome(); o.Status != Succeeded {
		t.Errorf("the run is %s: %s", o.Status, o.Steps[0].Error)
	}
}

func TestAQuestionAboutALargeValueIsAnsweredOverItsText(t *testing.T) {
	t.Parallel()
	lookup := func(string) (any, bool) { return strings.Repeat("x", 100_000) + "\nSTATUS: COMPLETE\n", true }
	if v, _, err := (whether{recovered}).Answer(lookup); v != true || err != nil {
		t.Errorf("Answer() = %v, %v, want true", v, err)
	}
}

// The second question of an agent step holds the first answer, however large.
func TestTheSecondQuestionHoldsALargeAnswer(t *testing.T) {
	t.Parallel()
	run := New(tree(t, `
name: root
steps: [{id: ask, type: agent, prompt: go, parse_json: true}]
`), Options{})
	defer run.Abandon()
	w := newWorld(t, 0)
	ref := value.Ref{Hash: "h", Size: 1 << 20}
	first := run.Start(w.tick()).Actions[0]
	query := w.feed(run, step.Event{Kind: step.Done, ID: first.ID, At: w.tick(),
		Result: &step.Result{Cause: step.CauseJSON, Error: "no JSON", Text: ref, Value: ref}}).Actions[0]
	second := w.feed(run, step.Event{Kind: step.Done, ID: query.ID, At: w.tick(),
		Result: &step.Result{OK: true, Value: "the long answer"}}).Actions[0]
	if second.Kind != step.Agent || second.Answer != "the long answer" {
		t.Errorf("the second question is %s with the answer %q", second.ID, second.Answer)
	}
}

func TestAStubOnACalledRecipeStandsForAllOfIt(t *testing.T) {
	t.Parallel()
	resolved := tree(t, `
name: root
steps:
  - {id: call, recipe: child, outputs: {mine: given, other: missing}}
  - {id: ask, type: agent, prompt: go, auto_stage: true}
`, `name: child
steps:
  - {id: a, command: "true", output: given}
  - {id: b, command: "true", output: missing}
`)
	run := New(resolved, Options{Stubbed: func(*recipes.Recipe, string) bool { return true }})
	defer run.Abandon()
	w := newWorld(t, 0)
	var asked []string
	batch := run.Start(w.tick())
	for run.Outcome() == nil {
		a := batch.Actions[0]
		asked = append(asked, a.ID)
		v := map[string]any{"given": "yes", "private": 1}
		batch = w.feed(run, step.Event{Kind: step.Done, ID: a.ID, At: w.tick(),
			Result: &step.Result{OK: true, Value: v, Text: value.JSON(v)}})
	}
	if diff := cmp.Diff([]string{"call#shell.1", "ask#agent.1"}, asked); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
	if mine, _ := run.Outcome().Vars.Get("mine"); mine != "yes" {
		t.Errorf("mine is %v, want yes", mine)
	}
	if other, has := run.Outcome().Vars.Get("other"); other != nil || !has {
		t.Errorf("other is %v, want null", other)
	}
	if _, has := run.Outcome().Vars.Get("private"); has {
		t.Error("what is no output of the recipe came back")
	}
}

func TestASignalDuringFinallyInterruptsTheRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.interrupt = 1
	o := w.play(New(tree(t, `
name: root
steps: [{id: a, command: "true"}]
finally: [{id: tidy, command: "true"}, {id: more, command: "true"}]
`), Options{}))
	if o.Status != Interrupted || o.Reason != "interrupted by a signal" {
		t.Errorf("the run is %s (%q), want interrupted", o.Status, o.Reason)
	}
	if got, want := statuses(o.Finally), "tidy=completed more=completed"; got != want {
		t.Errorf("finally %s, want %s", got, want)
	}
}

func TestUnitsSayWhatWaitsForWhat(t *testing.T) {
	t.Parallel()
	units := Units(tree(t, `
name: root
steps:
  - {id: a, command: "true"}
  - {id: b, command: "true", depends_on: [a]}
  - {id: c, command: "true", parallel_group: g, depends_on: [a]}
  - {id: d, command: "true", parallel_group: g}
  - {id: e, command: "true"}
  - {id: f, command: "true", depends_on: [a, e]}
`).Root.Steps)
	want := [][]int{nil, {0}, {0}, {1, 2}, {3}}
	for i, u := range units {
		if diff := cmp.Diff(want[i], u.After); diff != "" {
			t.Errorf("unit %d waits for (-want +got):\n%s", i, diff)
		}
	}
}
