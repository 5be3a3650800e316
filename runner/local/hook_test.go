package local

import (
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/scope"
	"github.com/brickoven/brickoven/runner/step"
)

// hookAction is the pre_step hook of a recipe with one step.
func hookAction(t *testing.T, command string) *step.Action {
	t.Helper()
	resolver := recipes.NewResolver(recipes.Search{Builtin: func(string) ([]byte, bool) {
		return []byte("name: hooked\nhooks: {pre_step: '" + command + "'}\nsteps: [{id: a, command: \"true\"}]\n"), true
	}})
	tree, err := resolver.Resolve("hooked", recipes.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return &step.Action{
		ID: "a#hook.1", Kind: step.Hook, Path: "a", Def: tree.Root.Steps[0], Recipe: tree.Root,
		Vars: &step.View{Scope: scope.New()}, Hook: tree.Root.Hooks.PreStep, HookEnv: map[string]string{"BRICKOVEN_STEP_ID": "a"},
	}
}

func TestAHookIsBounded(t *testing.T) {
	t.Parallel()
	store, err := OpenStore(t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	m := &Machine{WorkDir: t.TempDir(), Base: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, Store: store}
	if got, want := m.hookTimeout(), 30*time.Second; got != want {
		t.Errorf("a hook may take %s, want %s", got, want)
	}
	if res := m.Do(t.Context(), hookAction(t, `test "$BRICKOVEN_STEP_ID" = a`), nil); !res.OK {
		t.Errorf("a hook that ends by itself: %+v", res)
	}
	m.HookTimeout = 50 * time.Millisecond
	res := m.Do(t.Context(), hookAction(t, "sleep 600"), nil)
	if res.OK || res.Cause != step.CauseTimeout || !strings.Contains(res.Error, "timed out after 50ms") {
		t.Errorf("a hook that does not end: %+v", res)
	}
}
