package scope_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/scope"
)

// build makes an environment and gives it as a map; two entries of one name are
// a failure.
func build(t *testing.T, s *scope.Scope, req scope.Request) (map[string]string, *scope.Block) {
	t.Helper()
	if req.Spills == nil {
		req.Spills = scope.NewSpills(filepath.Join(t.TempDir(), "spill"), false)
	}
	block, err := s.Environment(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := block.Cleanup(); err != nil {
			t.Error(err)
		}
	})
	env := map[string]string{}
	for _, entry := range block.Env {
		name, text, _ := strings.Cut(entry, "=")
		if _, twice := env[name]; twice {
			t.Errorf("%s is in the environment twice", name)
		}
		env[name] = text
	}
	return env, block
}

func TestVariablesGetTheirDualNames(t *testing.T) {
	t.Parallel()
	m := map[string]any{"verdict": "STUCK", "deep": map[string]any{"n-1": value.Number("1.10")}, "list": []any{true}}
	for _, c := range []struct {
		name  string
		value any
		want  map[string]string
	}{
		{"loop_name", "x y", map[string]string{"RECIPE_VAR_loop_name": "x y", "LOOP_NAME": "x y"}},
		{"my-out.a", true, map[string]string{"RECIPE_VAR_my_out__a": "true", "MY_OUT__A": "true"}},
		{"n", value.Number("12345678901234567"), map[string]string{"RECIPE_VAR_n": "12345678901234567", "N": "12345678901234567"}},
		{"none", nil, map[string]string{"RECIPE_VAR_none": ""}},
		{"l", []any{"a", map[string]any{"k": "v"}}, map[string]string{"RECIPE_VAR_l": `["a",{"k":"v"}]`}},
		{"path", "p", map[string]string{"RECIPE_VAR_path": "p"}},
		{"h", m, map[string]string{
			"RECIPE_VAR_h":          `{"deep":{"n-1":1.10},"list":[true],"verdict":"STUCK"}`,
			"RECIPE_VAR_h__deep":    `{"n-1":1.10}`,
			"RECIPE_VAR_h__list":    `[true]`,
			"RECIPE_VAR_h__verdict": "STUCK", "RECIPE_VAR_h__deep__n_1": "1.10",
		}},
	} {
		s := scope.New()
		s.Set(c.name, c.value)
		got, _ := build(t, s, scope.Request{})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestReplacedAndHiddenVariablesLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	s := scope.New()
	s.Set("x", map[string]any{"a": "1"})
	build(t, s, scope.Request{})
	child := s.Fork()
	child.Set("x", "plain")
	got, _ := build(t, child, scope.Request{Base: []string{"X=old", "KEEP=1"}})
	if diff := cmp.Diff(map[string]string{"RECIPE_VAR_x": "plain", "X": "plain", "KEEP": "1"}, got); diff != "" {
		t.Errorf("fork (-want +got):\n%s", diff)
	}
	s.Set("x", "new")
	s.Set("y", "2")
	s.Unset("y")
	got, _ = build(t, s, scope.Request{})
	if diff := cmp.Diff(map[string]string{"RECIPE_VAR_x": "new", "X": "new"}, got); diff != "" {
		t.Errorf("parent (-want +got):\n%s", diff)
	}
}

func TestAuthorsVariablesThatClashAreAnError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, name string }{
		{"a-b", "a_b", "RECIPE_VAR_a_b"},
		{"foo", "FOO", "FOO"},
		{"a.b", "a__b", "RECIPE_VAR_a__b"},
	} {
		s := scope.New()
		s.Set(c.a, "1")
		child := s.Fork()
		child.Set(c.b, "2")
		_, err := child.Environment(scope.Request{})
		var clash *scope.CollisionError
		if !errors.As(err, &clash) || clash.Variables != [2]string{c.a, c.b} {
			t.Errorf("%s and %s: %v", c.a, c.b, err)
		}
		if _, err := s.Environment(scope.Request{}); err != nil {
			t.Errorf("the parent of %s: %v", c.b, err)
		}
		child.Set(c.b, "1")
		if got, _ := build(t, child, scope.Request{}); got[c.name] != "1" {
			t.Errorf("equal values of %s and %s: %v", c.a, c.b, got)
		}
	}
}

func TestAKeyFromDataLosesToWhatIsThereWithAWarning(t *testing.T) {
	t.Parallel()
	s := scope.New()
	s.Set("a", map[string]any{"b": "data", "x-y": "first", "x_y": "second"})
	s.Set("a__b", "author")
	got, block := build(t, s, scope.Request{})
	if got["RECIPE_VAR_a__b"] != "author" || got["RECIPE_VAR_a__x_y"] != "first" {
		t.Errorf("got %v", got)
	}
	if len(block.Warnings) != 2 {
		t.Errorf("warnings: %q", block.Warnings)
	}
	if _, again := build(t, s, scope.Request{}); len(again.Warnings) != 0 {
		t.Errorf("warned twice: %q", again.Warnings)
	}
}

func TestKeysAndNamesThatNoShellReadsAreLeftOut(t *testing.T) {
	t.Parallel()
	s := scope.New()
	s.Set("m", map[string]any{"a b": "1", "c=d": "2", "e\nf": "3", "": "4", "é": "5", "n\x00": "6", "ok": "7"})
	s.Set("bad name", "x")
	got, block := build(t, s, scope.Request{})
	names := slices.Sorted(maps.Keys(got))
	if diff := cmp.Diff([]string{"RECIPE_VAR_m", "RECIPE_VAR_m__ok"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(block.Warnings) != 7 {
		t.Errorf("warnings: %q", block.Warnings)
	}
}

func TestNulIsDroppedAndBadBytesAreReplacedWithAWarning(t *testing.T) {
	t.Parallel()
	s := scope.New()
	s.Set("x", "a\x00b\xffc")
	got, block := build(t, s, scope.Request{Extra: map[string]string{"RECIPE_PIPE_1": "p\x00q"}})
	if got["RECIPE_VAR_x"] != "ab\uFFFDc" || got["RECIPE_PIPE_1"] != "pq" || len(block.Warnings) != 2 {
		t.Errorf("got %q, warnings %q", got, block.Warnings)
	}
}

func TestTheLastOfTwoBaseEntriesHolds(t *testing.T) {
	t.Parallel()
	got, _ := build(t, scope.New(), scope.Request{Base: []string{"A=1", "B=2", "A=3"}})
	if diff := cmp.Diff(map[string]string{"A": "3", "B": "2"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBudgetRules(t *testing.T) {
	t.Parallel()
	const kib = 1 << 10
	text := func(n int) string { return strings.Repeat("v", n) }
	for _, c := range []struct {
		name     string
		set      func(s *scope.Scope)
		req      scope.Request
		exported []string
		filed    []string
		loaded   []string
	}{
		{"a value of the limit stays", func(s *scope.Scope) { s.Set("x", text(32*kib)) },
			scope.Request{}, []string{"x"}, nil, nil},
		{"a value over the limit spills", func(s *scope.Scope) { s.Set("x", text(32*kib+1)) },
			scope.Request{}, nil, []string{"x"}, nil},
		{"a named one stays to 120 KiB", func(s *scope.Scope) { s.Set("x", text(120*kib)) },
			scope.Request{Mentions: []string{"X"}}, []string{"x"}, nil, nil},
		{"a named one over 120 KiB is loaded", func(s *scope.Scope) { s.Set("x", text(120*kib+1)) },
			scope.Request{Mentions: []string{"RECIPE_VAR_x"}}, nil, []string{"x"}, []string{"x"}},
		{"and is a file where there is no shell", func(s *scope.Scope) { s.Set("x", text(120*kib+1)) },
			scope.Request{Mentions: []string{"X"}, Shell: scope.Other}, nil, []string{"x"}, nil},
		{"a placeholder names, too", func(s *scope.Scope) { s.Set("x", text(200*kib)) },
			scope.Request{Extra: map[string]string{"RECIPE_VAR_x": text(200 * kib)}}, nil, []string{"x"}, []string{"x"}},
		{"over the total the oldest go", func(s *scope.Scope) {
			for _, name := range []string{"a", "b", "c"} {
				s.Set(name, text(30*kib))
			}
			s.Set("a", text(30*kib))
		}, scope.Request{MaxTotal: 130 * kib}, []string{"a", "c"}, []string{"b"}, nil},
		{"but not what is named", func(s *scope.Scope) {
			for _, name := range []string{"a", "b", "c"} {
				s.Set(name, text(30*kib))
			}
		}, scope.Request{MaxTotal: 130 * kib, Mentions: []string{"A"}}, []string{"a", "c"}, []string{"b"}, nil},
		{"nor a small scalar", func(s *scope.Scope) {
			s.Set("a", text(255))
			s.Set("b", text(256))
			s.Set("c", text(300))
		}, scope.Request{MaxTotal: 100, MaxValue: 10}, []string{"a"}, []string{"b", "c"}, nil},
		{"the file of a small one on demand", func(s *scope.Scope) { s.Set("x", "1") },
			scope.Request{Mentions: []string{"RECIPE_VAR_x_FILE"}}, []string{"x"}, []string{"x"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := scope.New()
			c.set(s)
			env, block := build(t, s, c.req)
			var exported, filed, loaded []string
			for _, name := range s.Names() {
				if _, ok := env["RECIPE_VAR_"+name]; ok {
					exported = append(exported, name)
				}
				if path, ok := env["RECIPE_VAR_"+name+"_FILE"]; ok {
					filed = append(filed, name)
					v, _ := s.Get(name)
					if got, err := os.ReadFile(path); err != nil || string(got) != v {
						t.Errorf("the file of %s holds %d bytes, %v", name, len(got), err)
					}
				}
				if strings.Contains(block.Prelude, " RECIPE_VAR_"+name+" ") {
					loaded = append(loaded, name)
				}
			}
			if diff := cmp.Diff([][]string{c.exported, c.filed, c.loaded}, [][]string{exported, filed, loaded}); diff != "" {
				t.Errorf("exported, filed, loaded (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNestedKeysThatDoNotFitAreLeftOutWithAWarning(t *testing.T) {
	t.Parallel()
	m := map[string]any{}
	for i := range 3000 {
		m[fmt.Sprintf("key_%04d", i)] = strings.Repeat("v", 100)
	}
	s := scope.New()
	s.Set("m", m)
	env, block := build(t, s, scope.Request{})
	total := 0
	for _, entry := range block.Env {
		total += len(entry) + 1
	}
	if total > scope.DefaultMaxTotal || len(block.Warnings) != 1 || env["RECIPE_VAR_m_FILE"] == "" {
		t.Errorf("%d bytes, warnings %q", total, block.Warnings)
	}
}

func TestThousandsOfVariablesKeepTheEnvironmentInItsBudget(t *testing.T) {
	t.Parallel()
	s := scope.New()
	entries, said := map[int]int{}, 0
	for i := range 6000 {
		s.Set(fmt.Sprintf("variable_%04d", i), strings.Repeat("v", 1000))
		if i%1000 != 999 {
			continue
		}
		env, block := build(t, s, scope.Request{Mentions: []string{"VARIABLE_0000"}, Shell: scope.Bash})
		total := 0
		for _, entry := range block.Env {
			total += len(entry) + 1
		}
		if total > scope.DefaultMaxTotal || env["RECIPE_VAR_variable_0000"] == "" || env[fmt.Sprintf("VARIABLE_%04d", i)] == "" {
			t.Errorf("%d variables: %d bytes", i+1, total)
		}
		entries[len(block.Env)]++
		said += len(block.Warnings)
	}
	// A further variable must not make the next step dearer.
	if len(entries) != 1 || said != 1 {
		t.Errorf("environments by their number of entries: %v, and %d warnings", entries, said)
	}
}

func TestForksBuildEnvironmentsConcurrently(t *testing.T) {
	t.Parallel()
	store := scope.NewSpills(filepath.Join(t.TempDir(), "spill"), false)
	s := scope.New()
	for i := range 40 {
		s.Set(fmt.Sprintf("v%d", i), strings.Repeat("v", 10<<10))
	}
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			child := s.Fork()
			child.Set("own", fmt.Sprint(i))
			block, err := child.Environment(scope.Request{Spills: store, Mentions: []string{"V3"}})
			if err != nil || !slices.Contains(block.Env, fmt.Sprintf("OWN=%d", i)) {
				t.Errorf("fork %d: %v", i, err)
				return
			}
			if err := block.Cleanup(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
