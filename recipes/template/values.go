package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// valueFunctions replace those of sprig and text/template that go by Go's types
// or Go's truth.
func valueFunctions() []*function {
	parse := func(args []any) (any, error) {
		text, err := printed(args[0])
		if err != nil {
			return nil, err
		}
		return value.Parse(text)
	}
	compact := func(args []any) (any, error) { return value.JSON(args[0]), nil }
	return []*function{
		{name: "default", min: 1, max: 2, optional: true, run: orDefault},
		{name: "coalesce", min: 0, max: -1, optional: true, run: coalesce},
		{name: "empty", min: 1, max: 1, optional: true, run: func(args []any) (any, error) { return !value.Truth(args[0]), nil }},
		{name: "not", min: 1, max: 1, run: func(args []any) (any, error) { return !value.Truth(args[0]), nil }},
		{name: "and", min: 1, max: -1, run: until(false)},
		{name: "or", min: 1, max: -1, run: until(true)},
		{name: "all", min: 0, max: -1, run: func(args []any) (any, error) { return !slices.ContainsFunc(args, untrue), nil }},
		{name: "any", min: 0, max: -1, run: func(args []any) (any, error) { return slices.ContainsFunc(args, value.Truth), nil }},
		{name: "ternary", min: 3, max: 3, run: func(args []any) (any, error) {
			if value.Truth(args[2]) {
				return args[0], nil
			}
			return args[1], nil
		}},
		{name: "eq", min: 2, max: -1, run: func(args []any) (any, error) {
			return slices.ContainsFunc(args[1:], func(v any) bool { return value.Equal(args[0], v) }), nil
		}},
		{name: "ne", min: 2, max: 2, run: func(args []any) (any, error) { return !value.Equal(args[0], args[1]), nil }},
		{name: "lt", min: 2, max: 2, run: ordered(func(order int) bool { return order < 0 })},
		{name: "le", min: 2, max: 2, run: ordered(func(order int) bool { return order <= 0 })},
		{name: "gt", min: 2, max: 2, run: ordered(func(order int) bool { return order > 0 })},
		{name: "ge", min: 2, max: 2, run: ordered(func(order int) bool { return order >= 0 })},
		library("keys", "m*", sorted(func(key string, _ any) any { return key })),
		library("values", "m", sorted(func(_ string, v any) any { return v })),
		library("compact", "l", func(l []any) any { return slices.DeleteFunc(slices.Clone(l), untrue) }),
		{name: "fromJson", min: 1, max: 1, run: parse}, {name: "mustFromJson", min: 1, max: 1, run: parse},
		{name: "toJson", min: 1, max: 1, run: compact}, {name: "mustToJson", min: 1, max: 1, run: compact},
		{name: "toRawJson", min: 1, max: 1, run: compact}, {name: "mustToRawJson", min: 1, max: 1, run: compact},
		{name: "toPrettyJson", min: 1, max: 1, run: pretty}, {name: "mustToPrettyJson", min: 1, max: 1, run: pretty},
		{name: "len", min: 1, max: 1, run: length},
		{name: "index", min: 1, max: -1, run: index},
		{name: "slice", min: 1, max: 3, run: slice},
	}
}

func untrue(v any) bool { return !value.Truth(v) }

func orDefault(args []any) (any, error) {
	if len(args) == 2 && value.Truth(args[1]) {
		return args[1], nil
	}
	return args[0], nil
}

func coalesce(args []any) (any, error) {
	for _, arg := range args {
		if value.Truth(arg) {
			return arg, nil
		}
	}
	return nil, nil
}

// until gives the first argument of that truth, or the last one.
func until(truth bool) func([]any) (any, error) {
	return func(args []any) (any, error) {
		for _, arg := range args {
			if value.Truth(arg) == truth {
				return arg, nil
			}
		}
		return args[len(args)-1], nil
	}
}

// ordered compares as conditions do; what has no order compares false.
func ordered(holds func(order int) bool) func([]any) (any, error) {
	return func(args []any) (any, error) {
		order, ok := value.Compare(args[0], args[1])
		return ok && holds(order), nil
	}
}

// sorted lists something of maps in the order of their keys.
func sorted(pick func(key string, v any) any) func(...map[string]any) any {
	return func(tables ...map[string]any) any {
		items := []any{}
		for _, t := range tables {
			for _, key := range sortedKeys(t) {
				items = append(items, pick(key, t[key]))
			}
		}
		return items
	}
}

func pretty(args []any) (any, error) {
	var out bytes.Buffer
	text := value.JSON(args[0])
	depth, deepest := 0, 0
	for _, c := range text {
		switch c {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	items := strings.Count(text, ",") + strings.Count(text, "[") + strings.Count(text, "{")
	if err := room(2*deepest, 2*items); err != nil {
		return nil, err
	}
	err := json.Indent(&out, []byte(text), "", "  ")
	return out.String(), err
}

func length(args []any) (any, error) {
	switch v := args[0].(type) {
	case nil:
		return 0, nil
	case []any:
		return len(v), nil
	case map[string]any:
		return len(v), nil
	case string:
		return len([]rune(v)), nil
	default:
		return nil, fmt.Errorf("a %s has no length", value.Kind(v))
	}
}

// index walks along keys and indexes; what is not there is empty.
func index(args []any) (any, error) {
	parts := make([]string, len(args)-1)
	for i, arg := range args[1:] {
		text, err := printed(arg)
		if err != nil {
			return nil, err
		}
		parts[i] = text
	}
	item, _ := value.At(args[0], parts)
	return item, nil
}

// slice cuts a list by items or a text by characters: slice x 1 3 is x[1:3].
func slice(args []any) (any, error) {
	var size int
	var cut func(from, to int) any
	if text, isText := args[0].(string); isText && text != "" {
		runes := []rune(text)
		size, cut = len(runes), func(from, to int) any { return string(runes[from:to]) }
	} else {
		items, err := list(args[0])
		if err != nil {
			return nil, err
		}
		size, cut = len(items), func(from, to int) any { return items[from:to:to] }
	}
	ends := [2]int{0, size}
	for i, arg := range args[1:] {
		n, err := integer(arg)
		if err != nil {
			return nil, err
		}
		ends[i] = n
	}
	if ends[0] < 0 || ends[0] > ends[1] || ends[1] > size {
		return nil, errors.New("the range is outside of the value")
	}
	return cut(ends[0], ends[1]), nil
}
