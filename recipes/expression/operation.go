package expression

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/expr-lang/expr/builtin"

	"github.com/brickoven/brickoven/recipes/value"
)

// maxText bounds the length in bytes of a text that a condition builds.
const maxText = 16 << 20

// maxItems bounds the items that the loops of one run go over together.
const maxItems = 200_000

// maxRange bounds the length of a list that a condition builds with a..b.
const maxRange = 10_000

type operation = func(args ...any) (any, error)

// operations is everything that a compiled condition can call, by names that no
// source can spell. The table is never changed once it is built.
var operations = sync.OnceValue(func() map[string]*builtin.Function {
	table := map[string]*builtin.Function{}
	add := func(name string, f operation) { table[name] = &builtin.Function{Name: name, Func: f} }
	for name, f := range functions() {
		add("function."+name, f.call)
	}
	for name, f := range methods() {
		add("method."+name, f.call)
	}
	for name, f := range operators() {
		add("op."+name, f)
	}
	return table
})

func operators() map[string]operation {
	return map[string]operation{
		"get":      func(args ...any) (any, error) { return args[1].(*path).resolve(args[0].(*frame)), nil },
		"render":   func(args ...any) (any, error) { return args[1].(*template).render(args[0].(*frame)), nil },
		"truth":    func(args ...any) (any, error) { return value.Truth(args[0]), nil },
		"equal":    func(args ...any) (any, error) { return value.Equal(args[0], args[1]), nil },
		"unequal":  func(args ...any) (any, error) { return !value.Equal(args[0], args[1]), nil },
		"in":       in,
		"contains": func(args ...any) (any, error) { return in(args[1], args[0]) },
		"matches":  matches,
		"member":   memberOf,
		"slice":    slice,
		"list":     listOf,
		"number":   numberOf,
		"key":      keyOf,
		"<":        ordering("<", func(order int) bool { return order < 0 }),
		"<=":       ordering("<=", func(order int) bool { return order <= 0 }),
		">":        ordering(">", func(order int) bool { return order > 0 }),
		">=":       ordering(">=", func(order int) bool { return order >= 0 }),
		"+":        add,
		"-":        arithmetic("subtract", subtract),
		"*":        arithmetic("multiply", multiply),
		"/":        arithmetic("divide", divide),
		"%":        arithmetic("divide", remainder),
		"**":       arithmetic("raise", power),
		"..":       between,
		"negative": negative,
		"positive": positive,
	}
}

// failf is a failure at run time; the machine adds the place.
func failf(format string, args ...any) error { return fmt.Errorf(format, args...) }

// describe names a value in a message: its kind, and a short one in full.
func describe(v any) string {
	kind := value.Kind(v)
	text := value.Text(v)
	if v == nil || !value.IsScalar(v) || len(text) > 40 {
		return kind
	}
	return fmt.Sprintf("the %s %q", kind, text)
}

// in is membership in a list, a key of a map, a part of a text. Numbers and
// bools on the right are searched as the texts they print as, because a step
// that printed 42 has a number for its output. Nothing is in null.
func in(args ...any) (any, error) {
	needle, haystack := args[0], args[1]
	switch haystack := haystack.(type) {
	case nil:
		return false, nil
	case []any:
		for _, item := range haystack {
			if value.Equal(item, needle) {
				return true, nil
			}
		}
		return false, nil
	case map[string]any:
		_, has := haystack[value.Text(needle)]
		return has && value.IsScalar(needle), nil
	}
	switch {
	case needle == nil:
		return false, nil
	case !value.IsScalar(needle):
		return nil, failf("a %s cannot be in a text", value.Kind(needle))
	}
	return strings.Contains(value.Text(haystack), value.Text(needle)), nil
}

// ordering compares by [value.Compare]. Null, lists and maps have no order and
// compare false, the latter two with a warning (DESIGN section 4).
func ordering(operator string, holds func(order int) bool) operation {
	return func(args ...any) (any, error) {
		f, a, b := args[0].(*frame), args[1], args[2]
		order, ok := compare(a, b)
		if ok {
			return holds(order), nil
		}
		for _, side := range []any{a, b} {
			if side != nil && !value.IsScalar(side) {
				f.warn(fmt.Sprintf("a %s has no order, so %s is false", value.Kind(side), operator))
			}
		}
		return false, nil
	}
}

// compare is [value.Compare], without its exact arithmetic where both sides are
// short whole numbers.
func compare(a, b any) (order int, ok bool) {
	if x, isNumber := a.(value.Number); isNumber {
		if y, isNumber := b.(value.Number); isNumber {
			if order, ok := compareWhole(x, y); ok {
				return order, true
			}
		}
	}
	return value.Compare(a, b)
}

// matches searches a text for a regular expression (RE2). Null matches nothing.
func matches(args ...any) (any, error) {
	if args[0] == nil || args[1] == nil {
		return false, nil
	}
	subject, err := textOf("matches", args[0])
	if err != nil {
		return nil, err
	}
	pattern, err := textOf("matches", args[1])
	if err != nil {
		return nil, err
	}
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("matches: %w", err)
	}
	return expression.MatchString(subject), nil
}

func memberOf(args ...any) (any, error) {
	if args[0] == nil || args[1] == nil {
		return nil, nil
	}
	if !value.IsScalar(args[1]) {
		return nil, failf("%s cannot be a key", describe(args[1]))
	}
	return member(args[0], value.Text(args[1])), nil
}

// slice is a part of a list or text with Python's bounds; a part of null is null.
func slice(args ...any) (any, error) {
	switch v := args[0].(type) {
	case nil:
		return nil, nil
	case []any:
		from, to, err := bounds(args[1], args[2], len(v))
		if err != nil {
			return nil, err
		}
		return v[from:to:to], nil
	}
	text, err := textOf("[a:b]", args[0])
	if err != nil {
		return nil, err
	}
	from, to, err := bounds(args[1], args[2], utf8.RuneCountInString(text))
	if err != nil {
		return nil, err
	}
	return string([]rune(text)[from:to]), nil
}

func bounds(from, to any, length int) (lo, hi int, err error) {
	if lo, err = bound(from, 0, length); err != nil {
		return 0, 0, err
	}
	if hi, err = bound(to, length, length); err != nil {
		return 0, 0, err
	}
	return lo, max(lo, hi), nil
}

func bound(v any, absent, length int) (int, error) {
	if v == nil {
		return absent, nil
	}
	i, ok := wholeNumber(v)
	if !ok {
		return 0, failf("a bound of [a:b] is a whole number, not %s", describe(v))
	}
	if i < 0 {
		i += length
	}
	return min(max(i, 0), length), nil
}

// between is the list of whole numbers from a to b, both included.
func between(args ...any) (any, error) {
	from, okFrom := wholeNumber(args[0])
	to, okTo := wholeNumber(args[1])
	if !okFrom || !okTo {
		return nil, failf("a..b takes two whole numbers, not %s and %s", describe(args[0]), describe(args[1]))
	}
	if to-from >= maxRange {
		return nil, failf("a..b makes at most %d numbers", maxRange)
	}
	list := []any{}
	for i := from; i <= to; i++ {
		list = append(list, integer(int64(i)))
	}
	return list, nil
}

// textOf is the text of a scalar; what names the caller in the failure.
func textOf(what string, v any) (string, error) {
	if !value.IsScalar(v) {
		return "", failf("%s takes a text, not %s", what, describe(v))
	}
	return value.Text(v), nil
}
