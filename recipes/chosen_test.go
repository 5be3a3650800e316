package recipes

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The recipe that a variable names is looked for beside the callers, wherever
// the recipe stands that leaves the choice open.
func TestAChosenRecipeIsFoundBesideTheCallers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "mine", "root.yaml"), "name: root\nsteps:\n  - {id: x, recipe: frame, context: {producer: leaf}}\n")
	write(t, filepath.Join(dir, "mine", "leaf.yaml"), "name: leaf\nsteps:\n  - {id: l, command: echo}\n")
	frame := "name: frame\nsteps:\n  - {id: produce, recipe: \"{{producer}}\"}\n"
	resolver := NewResolver(Search{
		WorkDir: t.TempDir(), BuiltinNames: func() []string { return []string{"frame"} },
		Builtin: func(name string) ([]byte, bool) { return []byte(frame), name == "frame" },
	})
	tree, err := resolver.Resolve(filepath.Join(dir, "mine", "root.yaml"), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	step, ok := tree.Step("x/produce")
	if !ok || step.Child == nil || step.Child.Name != "leaf" || step.Recipe != "leaf" || step.Chosen != "producer" {
		t.Fatalf("the step is %+v", step)
	}

	var rec Recording
	data, err := json.Marshal(tree.Recording)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &rec); err != nil {
		t.Fatal(err)
	}
	again, err := Restore(&rec, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(outline(tree), outline(again)); diff != "" {
		t.Errorf("the restored tree differs:\n%s", diff)
	}
}

// A choice holds for the whole run: a variable that came to name another recipe
// is a fault, not another recipe.
func TestAChoiceMustNotChange(t *testing.T) {
	t.Parallel()
	lookup := func(v any) func(string) (any, bool) {
		return func(name string) (any, bool) { return v, name == "producer" }
	}
	chosen := &Step{Recipe: "leaf", Chosen: "producer"}
	if err := chosen.CheckChosen(lookup("leaf")); err != nil {
		t.Error(err)
	}
	for _, v := range []any{"other", nil, map[string]any{}} {
		if err := chosen.CheckChosen(lookup(v)); err == nil || !strings.Contains(err.Error(), `"leaf"`) {
			t.Errorf("%v: %v", v, err)
		}
	}
	if err := (&Step{Recipe: "leaf"}).CheckChosen(lookup("other")); err != nil {
		t.Error(err)
	}
}
