package step_test

import (
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/scope"
	"github.com/brickoven/brickoven/runner/step"
)

// action is the step of a recipe with one step, over variables.
func action(t *testing.T, fields string, vars map[string]any) *step.Action {
	t.Helper()
	text := "name: r\ncontext: {x: 1, y: 1}\nsteps:\n  - {id: a, command: echo}\n  - {id: s, " + fields + "}\n"
	tree, err := recipes.NewResolver(recipes.Search{}).ResolveText("r", []byte(text), t.TempDir(), recipes.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	view := &step.View{Scope: scope.New(), Steps: map[string]any{"a": map[string]any{"output": "1"}}}
	for name, v := range vars {
		view.Scope.Set(name, v)
	}
	return &step.Action{Def: tree.Root.Steps[1], Vars: view}
}

// The arguments of a step are the values of what it reads, and nothing else.
func TestTheArgumentsAreWhatAStepReads(t *testing.T) {
	t.Parallel()
	for _, fields := range []string{
		`command: "echo {{x}}"`, `command: "echo {{x.k}}"`, `prompt: "do {{x.k}}"`,
		`command: "true", env: {A: "{{x}}"}`, `command: "true", stdin: "{{x}}"`, `command: "echo $RECIPE_VAR_x"`,
	} {
		x := func(v any) map[string]any { return map[string]any{"x": map[string]any{"k": v}, "y": "1"} }
		base := action(t, fields, x("1")).Arguments(nil)
		if base == "" || base != action(t, fields, x("1")).Arguments(nil) {
			t.Errorf("%s: %q is not the same twice", fields, base)
		}
		if base == action(t, fields, x("2")).Arguments(nil) {
			t.Errorf("%s: another value has the same hash", fields)
		}
		other := x("1")
		other["y"] = "2"
		if base != action(t, fields, other).Arguments(nil) {
			t.Errorf("%s: a variable that is not read counts", fields)
		}
	}
	if got := action(t, `command: "true"`, map[string]any{"x": "1"}).Arguments(nil); got != "" {
		t.Errorf("a step that reads nothing has the arguments %q", got)
	}
	for _, fields := range []string{`command: "true", condition: "x == 1"`, `command: "true", foreach: "{{x}}"`} {
		if got := action(t, fields, map[string]any{"x": "1"}).Arguments(nil); got != "" {
			t.Errorf("%s has the arguments %q", fields, got)
		}
	}
	if got := (&step.Action{}).Arguments(nil); got != "" {
		t.Errorf("an action without a step has the arguments %q", got)
	}
}

func TestLargeAndSecretArguments(t *testing.T) {
	t.Parallel()
	large := func(hash string) string {
		return action(t, `command: "echo {{x.k}} {{steps.a.output}}"`, map[string]any{"x": value.Ref{Hash: hash}}).Arguments(nil)
	}
	if first, again := large("aa"), large("aa"); first == large("bb") || first != again {
		t.Error("a large value does not count by its hash")
	}
	hide := func(text string) string { return strings.ReplaceAll(text, "secret", "***") }
	shown := func(v string) string {
		return action(t, `command: "echo {{x}}"`, map[string]any{"x": v}).Arguments(hide)
	}
	if shown("a secret") != shown("a ***") {
		t.Error("a secret can be found out from the hash")
	}
}
