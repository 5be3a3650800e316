package expression

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes/value"
)

// function is a function, or a method whose first argument is the receiver.
type function struct {
	call     operation
	min, max int // arguments; max -1 means any number
	// arguments says in words how many there are, for messages.
	arguments string
	// isBool tells that the result is always a bool.
	isBool bool
}

// functions are what a condition calls as f(x). The table is never changed once
// it is built.
var functions = sync.OnceValue(func() map[string]function {
	return map[string]function{
		"int":   {call: toInt, min: 1, max: 1, arguments: "one argument"},
		"float": {call: toFloat, min: 1, max: 1, arguments: "one argument"},
		"str":   {call: toText, min: 1, max: 1, arguments: "one argument"},
		"bool":  {call: toBool, min: 1, max: 1, arguments: "one argument", isBool: true},
		"len":   {call: length, min: 1, max: 1, arguments: "one argument"},
		"min":   {call: extreme("min", -1), min: 1, max: -1, arguments: "at least one argument"},
		"max":   {call: extreme("max", 1), min: 1, max: -1, arguments: "at least one argument"},
		"token": {call: verdictToken, min: 1, max: 1, arguments: "one argument"},
		"abs":   {call: absolute, min: 1, max: 1, arguments: "one argument"},
	}
})

// toInt reads a whole number: a number loses its fraction, a text must be one
// whole number, true is 1. Everything else fails, null too.
func toInt(args ...any) (any, error) {
	switch v := args[0].(type) {
	case bool:
		if v {
			return integer(1), nil
		}
		return integer(0), nil
	case value.Number:
		exact, ok := value.Rational(v)
		if !ok {
			return nil, failf("int: the number %s is too large", v)
		}
		return result(new(big.Rat).SetInt(new(big.Int).Quo(exact.Num(), exact.Denom())))
	case string:
		trimmed := strings.TrimSpace(v)
		if exact, ok := value.Rational(trimmed); ok && isDigits(strings.TrimLeft(trimmed, "+-")) {
			return result(exact)
		}
		return nil, failf("int: %s is not a whole number", describe(v))
	}
	return nil, failf("int takes a number or a text, not %s", describe(args[0]))
}

// toFloat reads a number with its fraction. A whole number keeps no point.
func toFloat(args ...any) (any, error) {
	switch v := args[0].(type) {
	case bool:
		return toInt(v)
	case value.Number:
		return v, nil
	case string:
		exact, ok := value.Rational(v)
		if !ok {
			return nil, failf("float: %s is not a number", describe(v))
		}
		if trimmed := strings.TrimSpace(v); value.IsPlainDecimal(trimmed) {
			return value.Number(trimmed), nil
		}
		return result(exact)
	}
	return nil, failf("float takes a number or a text, not %s", describe(args[0]))
}

func toText(args ...any) (any, error) { return value.Text(args[0]), nil }

func toBool(args ...any) (any, error) { return value.Truth(args[0]), nil }

// length counts the characters of a text, the items of a list, the keys of a
// map. Null has length 0, as it has no truth.
func length(args ...any) (any, error) {
	switch v := args[0].(type) {
	case nil:
		return integer(0), nil
	case []any:
		return integer(int64(len(v))), nil
	case map[string]any:
		return integer(int64(len(v))), nil
	}
	return integer(int64(utf8.RuneCountInString(value.Text(args[0])))), nil
}

// extreme is min or max of its arguments or of one list, by [value.Compare].
func extreme(name string, sign int) operation {
	return func(args ...any) (any, error) {
		candidates := args
		if list, ok := args[0].([]any); ok && len(args) == 1 {
			candidates = list
		}
		if len(candidates) == 0 {
			return nil, failf("%s of an empty list", name)
		}
		best := candidates[0]
		for _, candidate := range candidates {
			order, ok := compare(candidate, best)
			if !ok {
				return nil, failf("%s: %s and %s have no order", name, describe(candidate), describe(best))
			}
			if order*sign > 0 {
				best = candidate
			}
		}
		return best, nil
	}
}

// verdictToken is the text as a verdict word: trimmed and in upper case, "" for null.
// It is compared as a whole, so DISCONTINUE is not CONTINUE (seed 000).
func verdictToken(args ...any) (any, error) {
	if args[0] == nil {
		return "", nil
	}
	text, err := textOf("token", args[0])
	if err != nil {
		return nil, err
	}
	return normalToken(text), nil
}

func normalToken(text string) string { return strings.ToUpper(strings.TrimSpace(text)) }

func absolute(args ...any) (any, error) {
	n, ok := exactNumber(args[0])
	if !ok {
		return nil, failf("abs takes a number, not %s", describe(args[0]))
	}
	if n.Sign() < 0 {
		return negative(args[0])
	}
	return args[0], nil
}

// optionalCount is a number of replacements or splits; absent and negative ones
// mean all.
func optionalCount(what string, args []any, at int) (int, error) {
	if len(args) <= at {
		return -1, nil
	}
	n, ok := wholeNumber(args[at])
	if !ok {
		return 0, fmt.Errorf("%s counts with a whole number, not %s", what, describe(args[at]))
	}
	return min(n, math.MaxInt32), nil
}
