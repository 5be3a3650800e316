package integrity_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/bricks/brakes/failing"
	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/brakes/integrity"
)

func pattern(t *testing.T, text string) integrity.Pattern {
	t.Helper()
	p, err := integrity.ParsePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPatternsMatchLikeTheyRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"Makefile", "Makefile", true},
		{"Makefile", "sub/Makefile", false},
		{"Makefile", "Makefile2", false},
		{"tests", "tests/deep/a.go", true},
		{"tests/", "tests/deep/a.go", true},
		{"tests", "tests2/a.go", false},
		{"./tests", "tests/a", true},
		{"tests/**", "tests/a", true},
		{"tests/**", "tests", true},
		{"**/*_test.go", "a_test.go", true},
		{"**/*_test.go", "x/y/a_test.go", true},
		{"**/*_test.go", "x/y/a.go", false},
		{"a/**/z", "a/z", true},
		{"a/**/z", "a/b/c/z", true},
		{"a/**/z", "a/b/c/zz", false},
		{"*.go", "a.go", true},
		{"*.go", "x/a.go", false},
		{"a?c", "abc", true},
		{"[ab].go", "b.go", true},
		{".", "anything/at/all", true},
		{"**", "anything/at/all", true},
	} {
		if got := pattern(t, c.pattern).Match(c.name); got != c.want {
			t.Errorf("%q matches %q: %v", c.pattern, c.name, got)
		}
	}
}

func TestAPatternThatMatchesNothingIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "  ", "/etc", "..", "../x", "a/../../x", "[a"} {
		if _, err := integrity.ParsePattern(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestBlockedPathsAreSortedAndUnique(t *testing.T) {
	t.Parallel()
	got := integrity.Blocked([]integrity.Pattern{pattern(t, "t"), pattern(t, "t/**")}, []string{"t/b", "src", "t/a", "t/b"})
	if diff := cmp.Diff([]string{"t/a", "t/b"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestMatchingIsTheSameAsByTrial(t *testing.T) {
	t.Parallel()
	segment := rapid.SampledFrom([]string{"a", "b", "**", "*", "ab"})
	name := rapid.SampledFrom([]string{"a", "b", "ab"})
	rapid.Check(t, func(t *rapid.T) {
		glob := append(rapid.SliceOfN(segment, 0, 5).Draw(t, "glob"), "*")
		names := rapid.SliceOfN(name, 1, 6).Draw(t, "names")
		p, err := integrity.ParsePattern(strings.Join(glob, "/"))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := p.Match(strings.Join(names, "/")), byTrial(glob, names); got != want {
			t.Fatalf("%v matches %v: %v", glob, names, got)
		}
	})
}

// byTrial tries every length for each **.
func byTrial(glob, names []string) bool {
	if len(glob) == 0 {
		return len(names) == 0
	}
	if glob[0] == "**" {
		for i := 0; i <= len(names); i++ {
			if byTrial(glob[1:], names[i:]) {
				return true
			}
		}
		return false
	}
	return len(names) > 0 && (glob[0] == "*" || glob[0] == names[0]) && byTrial(glob[1:], names[1:])
}

func set(passed, failed, skipped, broken []string) failing.Set {
	s := failing.Set{State: failing.Known, Complete: true, Passed: passed, Skipped: skipped, Broken: broken}
	for _, id := range failed {
		s.Failures = append(s.Failures, failing.Failure{Test: id})
	}
	return s
}

func TestTestsThatVanishOrGetSkippedAreLost(t *testing.T) {
	t.Parallel()
	before := set([]string{"p::a", "p::b", "q::c"}, []string{"p::d"}, []string{"p::e"}, nil)
	for name, c := range map[string]struct {
		now               failing.Set
		vanished, skipped []string
	}{
		"nothing changed":       {before, nil, nil},
		"fixed and broken":      {set([]string{"p::b", "p::d", "q::c"}, []string{"p::a"}, []string{"p::e"}, nil), nil, nil},
		"one is gone":           {set([]string{"p::b", "q::c"}, []string{"p::d"}, []string{"p::e"}, nil), []string{"p::a"}, nil},
		"the failing one too":   {set([]string{"p::a", "p::b", "q::c"}, nil, []string{"p::e"}, nil), []string{"p::d"}, nil},
		"the skipped one too":   {set([]string{"p::a", "p::b", "q::c"}, []string{"p::d"}, nil, nil), []string{"p::e"}, nil},
		"one is skipped":        {set([]string{"p::a", "q::c"}, []string{"p::d"}, []string{"p::b", "p::e"}, nil), nil, []string{"p::b"}},
		"the failing one is":    {set([]string{"p::a", "p::b", "q::c"}, nil, []string{"p::d", "p::e"}, nil), nil, []string{"p::d"}},
		"a package did not run": {set([]string{"q::c"}, []string{"p"}, nil, []string{"p"}), nil, nil},
		"more tests":            {set([]string{"p::a", "p::b", "p::new", "q::c"}, []string{"p::d"}, []string{"p::e"}, nil), nil, nil},
		"unreadable":            {failing.Set{State: failing.Unknown}, nil, nil},
		"not read":              {failing.Set{}, nil, nil},
		"no list of passing":    {failing.Set{State: failing.Known}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vanished, skipped := integrity.Lost(before, c.now)
			if diff := cmp.Diff([][]string{c.vanished, c.skipped}, [][]string{vanished, skipped}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAProbeThatDisagreesIsFlaky(t *testing.T) {
	t.Parallel()
	red := func(ids ...string) failing.Set { return set(nil, ids, nil, nil) }
	for name, c := range map[string]struct {
		trials []integrity.Trial
		want   halt.Reason
		ids    []string
	}{
		"none":                  {nil, "", nil},
		"all green":             {[]integrity.Trial{{}, {}, {}}, "", nil},
		"all red alike":         {[]integrity.Trial{{ExitCode: 1, Failing: red("a")}, {ExitCode: 1, Failing: red("a")}}, "", nil},
		"pass and fail":         {[]integrity.Trial{{}, {}, {ExitCode: 1}}, halt.CheckFlaky, nil},
		"two kinds of failing":  {[]integrity.Trial{{ExitCode: 1}, {ExitCode: 2}}, halt.CheckFlaky, nil},
		"other tests each time": {[]integrity.Trial{{ExitCode: 1, Failing: red("a", "c")}, {ExitCode: 1, Failing: red("b", "c")}}, halt.CheckFlaky, []string{"a", "b"}},
		"one was not read":      {[]integrity.Trial{{ExitCode: 1, Failing: red("a")}, {ExitCode: 1}, {ExitCode: 1, Failing: red("a")}}, "", nil},
		"the first was not":     {[]integrity.Trial{{ExitCode: 1}, {ExitCode: 1, Failing: red("a")}, {ExitCode: 1, Failing: red("b")}}, halt.CheckFlaky, []string{"a", "b"}},
		"it writes":             {[]integrity.Trial{{}, {ExitCode: 1, Changed: []string{"x"}}}, halt.CheckHasSideEffects, []string{"x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reason, evidence := integrity.Probe(c.trials)
			if reason != c.want || (reason != "") != (evidence.Detail != "") {
				t.Fatalf("got %q: %q", reason, evidence.Detail)
			}
			if diff := cmp.Diff(c.ids, evidence.IDs); diff != "" {
				t.Error(diff)
			}
		})
	}
}
