package scope_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/scope"
)

func TestReferencesAreReadOnlyWhenTheyAreWanted(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("line\n", 20<<10)
	texts := map[string]string{
		"text": long, "map": ` {"verdict": "STUCK", "long": "` + strings.Repeat("x", 70<<10) + `"}`,
		"string": `"` + strings.Repeat("y", 70<<10) + `"`,
	}
	var mu sync.Mutex
	reads := map[string]int{}
	load := func(ref value.Ref) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		reads[ref.Place]++
		return texts[ref.Place], nil
	}
	s := scope.New()
	for _, name := range []string{"text", "map", "string"} {
		s.Set(name, value.Ref{Place: name, Size: int64(len(texts[name])), JSON: name != "text"})
	}
	store := scope.NewSpills(filepath.Join(t.TempDir(), "spill"), false)
	req := scope.Request{Load: load, Spills: store}
	for range 3 {
		env, _ := build(t, s, req)
		if env["RECIPE_VAR_map__verdict"] != "STUCK" {
			t.Errorf("nested key of a reference: %q", env["RECIPE_VAR_map__verdict"])
		}
		for name, want := range map[string]string{"text": long, "string": strings.Trim(texts["string"], `"`)} {
			if got, err := os.ReadFile(env["RECIPE_VAR_"+name+"_FILE"]); err != nil || string(got) != want {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
		}
	}
	if reads["text"] != 1 || reads["map"] > 2 || reads["string"] > 2 {
		t.Errorf("reads: %v", reads)
	}
}

func TestSpillsWithoutAFolderAreATypedError(t *testing.T) {
	t.Parallel()
	s := scope.New()
	s.Set("x", strings.Repeat("v", 40<<10))
	_, err := s.Environment(scope.Request{})
	var spill *scope.SpillError
	if !errors.As(err, &spill) || spill.Variable != "x" || !errors.Is(err, scope.ErrNoSpills) {
		t.Errorf("err = %v", err)
	}
}

func TestSpillFilesArePrivateAndGo(t *testing.T) {
	t.Parallel()
	for _, perStep := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "spill")
		store := scope.NewSpills(dir, perStep)
		s := scope.New()
		s.Set("x", strings.Repeat("v", 40<<10))
		env, block := build(t, s, scope.Request{Spills: store})
		path := env["RECIPE_VAR_x_FILE"]
		for name, want := range map[string]os.FileMode{dir: 0o700, path: 0o600} {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", name, info, err)
			}
		}
		s.Set("x", "small now")
		if _, err := os.Stat(path); err != nil {
			t.Errorf("the file went while a step had it: %v", err)
		}
		if err := block.Cleanup(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file of a replaced variable stayed: %v", err)
		}
		s.Set("y", strings.Repeat("w", 40<<10))
		_, block = build(t, s, scope.Request{Spills: store})
		if err := block.Cleanup(); err != nil {
			t.Error(err)
		}
		left, err := os.ReadDir(dir)
		if want := map[bool]int{true: 0, false: 1}[perStep]; err != nil || len(left) != want {
			t.Errorf("per step %v: %d files left, %v", perStep, len(left), err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the folder stayed: %v", err)
		}
	}
}

func TestADiscardedLayerTakesItsFilesAlong(t *testing.T) {
	t.Parallel()
	store := scope.NewSpills(filepath.Join(t.TempDir(), "spill"), false)
	s := scope.New()
	s.Set("x", strings.Repeat("v", 40<<10))
	child := s.Fork()
	child.Set("y", strings.Repeat("w", 40<<10))
	env, block := build(t, child, scope.Request{Spills: store})
	if err := block.Cleanup(); err != nil {
		t.Error(err)
	}
	child.Discard()
	if _, err := os.Stat(env["RECIPE_VAR_y_FILE"]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the layer's own file: %v", err)
	}
	if _, err := os.Stat(env["RECIPE_VAR_x_FILE"]); err != nil {
		t.Errorf("the parent's file: %v", err)
	}
}
