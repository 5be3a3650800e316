package expression_test

import (
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes/expression"
	"github.com/brickoven/brickoven/recipes/value"
)

// FuzzCompile: no input panics, every failure is an *Error that can be shown,
// and what compiles runs to a value or an *Error, the same every time.
func FuzzCompile(f *testing.F) {
	for _, row := range conditionRows(f) {
		f.Add(row.condition)
	}
	for _, seed := range []string{"not not", "a if b else", "x[", "#", "(#)", "any(a, #)", "a.0.0", "a.-", "'{{", "'{{}}'", "1..", "..", "a?.b?.[0]", "a ?? b == c", "é-è", "`a``"} {
		f.Add(seed)
	}
	lookup := conditionContext(f)
	f.Fuzz(func(t *testing.T, source string) {
		p, err := expression.Compile(source, expression.Options{Names: []string{"my-step", "a-b"}})
		if err != nil {
			checkFailure(t, source, err)
			return
		}
		p.Advise(map[string]any{"flag": "false"})
		v, _, err := p.Eval(lookup)
		again, _, errAgain := p.Eval(lookup)
		if (err == nil) != (errAgain == nil) || value.JSON(v) != value.JSON(again) {
			t.Fatalf("%q gives %v, then %v", source, v, again)
		}
		if err != nil {
			checkFailure(t, source, err)
			return
		}
		checkValue(t, source, v)
	})
}

func checkFailure(t *testing.T, source string, err error) {
	t.Helper()
	var failed *expression.Error
	if !errors.As(err, &failed) || failed.Message == "" || failed.Offset < -1 || failed.Offset > len(source) {
		t.Fatalf("%q: %#v", source, err)
	}
	if failed.Offset >= 0 && failed.Offset < len(source) && !utf8.RuneStart(source[failed.Offset]) {
		t.Fatalf("%q: offset %d is inside a character", source, failed.Offset)
	}
	if failed.Error() == "" {
		t.Fatalf("%q: an empty error", source)
	}
}

// checkValue holds results to the kinds of package value.
func checkValue(t *testing.T, source string, v any) {
	t.Helper()
	switch v := v.(type) {
	case nil, bool, string, value.Number:
	case []any:
		for _, item := range v {
			checkValue(t, source, item)
		}
	case map[string]any:
		for _, item := range v {
			checkValue(t, source, item)
		}
	default:
		t.Fatalf("%q gives a %T", source, v)
	}
}
