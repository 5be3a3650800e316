package expression_test

import (
	"errors"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/recipes/expression"
	"github.com/brickoven/brickoven/recipes/value"
)

func mustCompile(tb testing.TB, condition string, names ...string) *expression.Program {
	tb.Helper()
	p, err := expression.Compile(condition, expression.Options{Names: names})
	if err != nil {
		tb.Fatalf("%s: %v", condition, err)
	}
	return p
}

func TestNamesAndPathsAreWhatTheConditionReads(t *testing.T) {
	t.Parallel()
	tests := []struct {
		condition    string
		names, paths []string
	}{
		{"a.b.c == a['d'] and z", []string{"a", "z"}, []string{"a.b.c", "a.d", "z"}},
		{"'{{x.y}}' in \"q {{z}} {{x.y}}\"", []string{"x", "z"}, []string{"x.y", "z"}},
		{"items[0].name", []string{"items"}, []string{"items.0.name"}},
		{"items[i].name", []string{"i", "items"}, []string{"i", "items"}},
		{"a['two words'].b", []string{"a"}, []string{"a"}},
		{"steps.my-step.output.strip() == ''", []string{"steps"}, []string{"steps.my-step.output"}},
		{"any(rows, .status == limit)", []string{"limit", "rows"}, []string{"limit", "rows"}},
		{"len(x) > 2 and not True", []string{"x"}, []string{"x"}},
		{"5", []string{}, []string{}},
	}
	for _, test := range tests {
		p := mustCompile(t, test.condition)
		if diff := cmp.Diff(test.names, p.Names()); diff != "" {
			t.Errorf("names of %s: %s", test.condition, diff)
		}
		if diff := cmp.Diff(test.paths, p.Paths()); diff != "" {
			t.Errorf("paths of %s: %s", test.condition, diff)
		}
		if p.Source() != test.condition {
			t.Errorf("source of %s is %s", test.condition, p.Source())
		}
	}
}

func TestOnlyNeededNamesAreLookedUp(t *testing.T) {
	t.Parallel()
	var asked []string
	_, _, err := mustCompile(t, "no and costly or yes").Eval(func(name string) (any, bool) {
		asked = append(asked, name)
		return name == "yes", true
	})
	if diff := cmp.Diff([]string{"no", "yes"}, asked); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestNilLookupKnowsNoName(t *testing.T) {
	t.Parallel()
	if ok, _, err := mustCompile(t, "x.y == null").Test(nil); !ok || err != nil {
		t.Errorf("got %v, %v", ok, err)
	}
}

func TestHyphenIsPartOfKnownNamesOnly(t *testing.T) {
	t.Parallel()
	variables := map[string]any{
		"a-b": "joined", "a": value.Number("5"), "b": value.Number("2"), "a-b-c": "longest", "c": value.Number("1"),
		"m":     map[string]any{"x-y": "key", "x": value.Number("9"), "n-1": "known"},
		"step1": "s", "step-1": map[string]any{"status": "ok"},
	}
	tests := []struct {
		condition string
		names     []string
		want      string
	}{
		{"a-b", nil, `3`},
		{"a-b", []string{"a-b"}, `"joined"`},
		{"a - b", []string{"a-b"}, `3`},
		{"a -b", []string{"a-b"}, `3`},
		{"a-b-c", []string{"a-b", "a-b-c"}, `"longest"`},
		{"a-c", []string{"a-b"}, `4`},
		{"a-b-c", nil, `2`},
		{"a-b == 'joined' and a - b == 3", []string{"a-b"}, `true`},
		{"m.x-y", nil, `"key"`},
		{"m.x - b", nil, `7`},
		{"m.x-1", nil, `8`},
		{"m.n-1", []string{"n-1"}, `"known"`},
		{"step-1.status", []string{"step-1"}, `"ok"`},
		{"'{{a-b}}'", nil, `"joined"`},
		{"a-b-1", []string{"a-b"}, `error: cannot subtract with the string "joined"`},
		{"a-", []string{"a-"}, `error: the condition ends too early`},
		{"3-b", nil, `1`},
		{"a-2", nil, `3`},
	}
	for _, test := range tests {
		got := outcome(test.condition, lookupIn(variables), expression.Options{Names: test.names})
		if !agrees(got, test.want) {
			t.Errorf("%s with %v: got %s, want %s", test.condition, test.names, got, test.want)
		}
	}
}

func TestErrorsShowTheLineWithACaret(t *testing.T) {
	t.Parallel()
	tests := []struct {
		condition, want string
		offset          int
	}{
		{"name == ", "the condition ends too early\n  name == \n          ^", 8},
		{"a == 'x' b", "unexpected b\n  a == 'x' b\n           ^", 9},
		{"x and 'open", "this quoted text does not end\n  x and 'open\n        ^", 6},
		{"früh == __x", "a name in a condition cannot contain __\n  früh == __x\n          ^", 9},
		{"a and\n  b = 3 or\nc", "= does not compare; write ==\n    b = 3 or\n      ^", 10},
		{"'a\\x4'", "this escape needs 2 hexadecimal digits\n  'a\\x4'\n    ^", 2},
		{"\tx ==", "the condition ends too early\n  \tx ==\n  \t    ^", 5},
		{"x.frob()", "", 2},
		{"", "the condition is empty\n  \n  ^", 0},
		{"   ", "the condition is empty\n     \n  ^", 0},
		{"not", "the condition ends too early\n  not\n     ^", 3},
		{"(a == 1", "this ( is not closed\n  (a == 1\n  ^", 0},
		{"{{flag}} == 'x'", "", 1},
		{"a == ?", "unexpected ?\n  a == ?\n       ^", 5},
		{"'{{a|b}}' == 1", "", 0},
	}
	for _, test := range tests {
		_, err := expression.Compile(test.condition, expression.Options{})
		checkError(t, test.condition, err, test.want, test.offset)
	}
}

func TestRuntimeErrorsShowTheirPlace(t *testing.T) {
	t.Parallel()
	tests := []struct {
		condition, want string
		offset          int
	}{
		{"yes and 5 % 0 == 1", "division by zero\n  yes and 5 % 0 == 1\n            ^", 10},
		{"'früh' == '' or int('x') == 1", "int: the string \"x\" is not a whole number\n  'früh' == '' or int('x') == 1\n                  ^", 17},
		{"items.upper()", "upper takes a text, not list\n  items.upper()\n        ^", 6},
		{"a and\nint(nothing)", "", 6},
	}
	lookup := lookupIn(map[string]any{"yes": true, "a": true, "items": []any{}})
	for _, test := range tests {
		_, _, err := mustCompile(t, test.condition).Eval(lookup)
		if test.condition == "a and\nint(nothing)" && err != nil {
			checkError(t, test.condition, err, "int takes a number or a text, not null\n  int(nothing)\n  ^", 6)
			continue
		}
		checkError(t, test.condition, err, test.want, test.offset)
	}
}

func checkError(t *testing.T, condition string, err error, want string, offset int) {
	t.Helper()
	var failed *expression.Error
	if !errors.As(err, &failed) {
		t.Errorf("%q: %v is no *Error", condition, err)
		return
	}
	if failed.Source != condition || failed.Offset != offset || want != "" && err.Error() != want {
		t.Errorf("%q: offset %d, want %d, error\n%s\nwant\n%s", condition, failed.Offset, offset, err, want)
	}
}

func TestTestIsFalseWithAnError(t *testing.T) {
	t.Parallel()
	if ok, _, err := mustCompile(t, "1 % 0").Test(nil); ok || err == nil {
		t.Errorf("got %v, %v", ok, err)
	}
}

func TestOrderingOfListsAndMapsWarnsOnce(t *testing.T) {
	t.Parallel()
	lookup := lookupIn(map[string]any{"l": []any{value.Number("1")}, "m": map[string]any{}, "n": nil})
	tests := []struct {
		condition string
		want      []string
	}{
		{"l < 1 or l < 2", []string{"a list has no order, so < is false"}},
		{"1 >= m", []string{"a map has no order, so >= is false"}},
		{"n < 1", nil},
		{"l == 1", nil},
		{"l > m", []string{"a list has no order, so > is false", "a map has no order, so > is false"}},
	}
	for _, test := range tests {
		p := mustCompile(t, test.condition)
		for range 2 {
			ok, warnings, err := p.Test(lookup)
			if ok || err != nil || !slices.Equal(warnings, test.want) {
				t.Errorf("%s: %v, %q, %v; want false, %q", test.condition, ok, warnings, err, test.want)
			}
		}
	}
}

func TestBoundsOfOneCondition(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("(", n) + "1" + strings.Repeat(")", n) }
	chain := "1"
	for range 60 {
		chain = "1 < (" + chain + ") < 3"
	}
	refused := map[string]string{
		"long":     "'" + strings.Repeat("x", 17<<10) + "'",
		"deep":     deep(101),
		"wide":     "1" + strings.Repeat("+1", 5000),
		"repeated": chain,
		"utf8":     "a == '\xff'",
		"power":    "9 ** 9 ** 9",
		"product":  strings.Repeat("9999999999999999999999999 * ", 60) + "1",
		"growth":   "x" + strings.Repeat(".replace('a', 'aaaaaaaaaaaaaaaa')", 8),
		"join":     "items.join('" + strings.Repeat("x", 9000) + "')",
	}
	refused["loops"] = "any(1..9000, any(1..9000, any(1..9000, # < 0)))"
	many := make([]any, 5000)
	lookup := lookupIn(map[string]any{"x": "aaaa", "items": many})
	for name, condition := range refused {
		if got := outcome(condition, lookup, expression.Options{}); !strings.HasPrefix(got, "error: ") {
			t.Errorf("%s is not refused", name)
		}
	}
	for _, condition := range []string{deep(100), "1" + strings.Repeat("+1", 1000) + " == 1001", strings.Repeat("not ", 501) + "0", strings.Repeat("-", 500) + "1"} {
		if ok, _, err := mustCompile(t, condition).Test(nil); !ok || err != nil {
			t.Errorf("%.20s…: %v, %v", condition, ok, err)
		}
	}
}

func TestProgramIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	p := mustCompile(t, "l > 1 or x.strip() == 'a' and 'b' in items")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			x := []any{"a", "z"}[i%2]
			for range 200 {
				ok, warnings, err := p.Test(lookupIn(map[string]any{"x": x, "items": []any{"b"}, "l": []any{}}))
				if ok != (x == "a") || len(warnings) != 1 || err != nil {
					t.Errorf("%v: %v, %q, %v", x, ok, warnings, err)
					return
				}
			}
		})
	}
	group.Wait()
}

func TestEvalChangesNoValue(t *testing.T) {
	t.Parallel()
	items := append(make([]any, 0, 4), "a", "b")
	lookup := lookupIn(map[string]any{"items": items})
	for _, condition := range []string{"items + ['c']", "items[0:1] + ['x']", "map(items, # + '!')"} {
		if _, _, err := mustCompile(t, condition).Eval(lookup); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]any{"a", "b", nil, nil}, items[:4]); diff != "" {
		t.Error(diff)
	}
}

func TestErrorKeepsItsCause(t *testing.T) {
	t.Parallel()
	_, _, err := mustCompile(t, "x matches '('").Eval(lookupIn(map[string]any{"x": "a"}))
	var cause *syntax.Error
	if !errors.As(err, &cause) {
		t.Errorf("%v has no cause from the regular expression", err)
	}
}
