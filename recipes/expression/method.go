package expression

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes/value"
)

// methods are what a condition calls as x.f(). Every method of null is null, as
// every path through it is, but get gives its default and startswith and endswith
// are false. Text methods work on numbers
// and bools by the text that those print as. The table is never changed once it
// is built.
var methods = sync.OnceValue(func() map[string]function {
	return map[string]function{
		"strip":      {call: trimming("strip", strings.TrimSpace, strings.Trim), min: 1, max: 2, arguments: "at most one argument"},
		"lstrip":     {call: trimming("lstrip", trimLeftSpace, strings.TrimLeft), min: 1, max: 2, arguments: "at most one argument"},
		"rstrip":     {call: trimming("rstrip", trimRightSpace, strings.TrimRight), min: 1, max: 2, arguments: "at most one argument"},
		"lower":      {call: changing("lower", strings.ToLower), min: 1, max: 1, arguments: "no argument"},
		"upper":      {call: changing("upper", strings.ToUpper), min: 1, max: 1, arguments: "no argument"},
		"title":      {call: changing("title", titleCase), min: 1, max: 1, arguments: "no argument"},
		"startswith": {call: affix("startswith", strings.HasPrefix), min: 2, max: 2, arguments: "one argument", isBool: true},
		"endswith":   {call: affix("endswith", strings.HasSuffix), min: 2, max: 2, arguments: "one argument", isBool: true},
		"replace":    {call: replace, min: 3, max: 4, arguments: "two or three arguments"},
		"split":      {call: split, min: 1, max: 3, arguments: "at most two arguments"},
		"join":       {call: join, min: 2, max: 2, arguments: "one argument"},
		"count":      {call: count, min: 2, max: 2, arguments: "one argument"},
		"find":       {call: find, min: 2, max: 2, arguments: "one argument"},
		"get":        {call: get, min: 2, max: 3, arguments: "one or two arguments"},
		"keys":       {call: keys, min: 1, max: 1, arguments: "no argument"},
		"values":     {call: values, min: 1, max: 1, arguments: "no argument"},
	}
})

func trimLeftSpace(s string) string  { return strings.TrimLeftFunc(s, unicode.IsSpace) }
func trimRightSpace(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }

func changing(name string, change func(string) string) operation {
	return func(args ...any) (any, error) {
		if args[0] == nil {
			return nil, nil
		}
		text, err := textOf(name, args[0])
		if err != nil {
			return nil, err
		}
		return change(text), nil
	}
}

// trimming cuts white space off, or any of the characters it is given.
func trimming(name string, space func(string) string, cut func(s, set string) string) operation {
	return func(args ...any) (any, error) {
		if args[0] == nil {
			return nil, nil
		}
		text, err := textOf(name, args[0])
		if err != nil {
			return nil, err
		}
		if len(args) == 1 || args[1] == nil {
			return space(text), nil
		}
		set, err := textOf(name, args[1])
		if err != nil {
			return nil, err
		}
		return cut(text, set), nil
	}
}

// titleCase is Python's: a letter is upper case where no letter stands before it.
func titleCase(s string) string {
	inside := false
	return strings.Map(func(r rune) rune {
		before := inside
		inside = unicode.IsLetter(r)
		if before {
			return unicode.ToLower(r)
		}
		return unicode.ToTitle(r)
	}, s)
}

// affix tests for one text or for any of a list of them. Null begins and ends
// with nothing.
func affix(name string, has func(s, affix string) bool) operation {
	return func(args ...any) (any, error) {
		if args[0] == nil || args[1] == nil {
			return false, nil
		}
		text, err := textOf(name, args[0])
		if err != nil {
			return nil, err
		}
		candidates, isList := args[1].([]any)
		if !isList {
			candidates = args[1:2]
		}
		for _, candidate := range candidates {
			wanted, err := textOf(name, candidate)
			if err != nil {
				return nil, err
			}
			if has(text, wanted) {
				return true, nil
			}
		}
		return false, nil
	}
}

// texts reads the arguments of a text method.
func texts(name string, args []any) ([]string, error) {
	list := make([]string, len(args))
	for i, arg := range args {
		text, err := textOf(name, arg)
		if err != nil {
			return nil, err
		}
		list[i] = text
	}
	return list, nil
}

func replace(args ...any) (any, error) {
	if args[0] == nil {
		return nil, nil
	}
	t, err := texts("replace", args[:3])
	if err != nil {
		return nil, err
	}
	n, err := optionalCount("replace", args, 3)
	if err != nil {
		return nil, err
	}
	found := strings.Count(t[0], t[1])
	if n >= 0 {
		found = min(found, n)
	}
	if grown := len(t[0]) + found*(len(t[2])-len(t[1])); grown > maxText {
		return nil, failf("the text is longer than %d bytes", maxText)
	}
	return strings.Replace(t[0], t[1], t[2], n), nil
}

// split cuts at white space, or at a separator, at most as often as is said.
func split(args ...any) (any, error) {
	if args[0] == nil {
		return nil, nil
	}
	text, err := textOf("split", args[0])
	if err != nil {
		return nil, err
	}
	n, err := optionalCount("split", args, 2)
	if err != nil {
		return nil, err
	}
	if len(args) < 2 || args[1] == nil {
		return splitSpace(text, n), nil
	}
	separator, err := textOf("split", args[1])
	if err != nil {
		return nil, err
	}
	if separator == "" {
		return nil, failf("split: the separator is empty")
	}
	if n >= 0 {
		n++ // Go counts the parts, Python the cuts.
	}
	return list(strings.SplitN(text, separator, n)), nil
}

func splitSpace(text string, cuts int) []any {
	parts := []any{}
	for rest := trimLeftSpace(text); rest != ""; rest = trimLeftSpace(rest) {
		end := strings.IndexFunc(rest, unicode.IsSpace)
		if end < 0 || cuts >= 0 && len(parts) == cuts {
			if cuts < 0 || len(parts) < cuts {
				rest = trimRightSpace(rest)
			}
			return append(parts, rest)
		}
		parts = append(parts, rest[:end])
		rest = rest[end:]
	}
	return parts
}

func list(texts []string) []any {
	items := make([]any, len(texts))
	for i, text := range texts {
		items[i] = text
	}
	return items
}

// join puts a list together: ', '.join(items), and items.join(', ') too.
func join(args ...any) (any, error) {
	separator, items := args[0], args[1]
	if reversed, ok := separator.([]any); ok {
		separator, items = items, any(reversed)
	}
	if separator == nil || items == nil {
		return nil, nil
	}
	parts, ok := items.([]any)
	if !ok {
		return nil, failf("join takes a list, not %s", describe(items))
	}
	glue, err := textOf("join", separator)
	if err != nil {
		return nil, err
	}
	written := make([]string, len(parts))
	total := len(glue) * len(parts)
	for i, part := range parts {
		written[i] = value.Text(part)
		total += len(written[i])
	}
	if total > maxText {
		return nil, failf("the text is longer than %d bytes", maxText)
	}
	return strings.Join(written, glue), nil
}

// count counts a part in a text, without overlap, or equal items of a list.
func count(args ...any) (any, error) {
	if args[0] == nil {
		return nil, nil
	}
	if items, ok := args[0].([]any); ok {
		n := 0
		for _, item := range items {
			if value.Equal(item, args[1]) {
				n++
			}
		}
		return integer(int64(n)), nil
	}
	t, err := texts("count", args[:2])
	if err != nil {
		return nil, err
	}
	return integer(int64(strings.Count(t[0], t[1]))), nil
}

// find is where a part begins in a text, in characters; -1 where it is not.
func find(args ...any) (any, error) {
	if args[0] == nil {
		return nil, nil
	}
	t, err := texts("find", args[:2])
	if err != nil {
		return nil, err
	}
	at := strings.Index(t[0], t[1])
	if at > 0 {
		at = utf8.RuneCountInString(t[0][:at])
	}
	return integer(int64(at)), nil
}

// get is the item of a map under a key, or the default, or null.
func get(args ...any) (any, error) {
	var otherwise any
	if len(args) > 2 {
		otherwise = args[2]
	}
	if args[0] == nil {
		return otherwise, nil
	}
	m, ok := args[0].(map[string]any)
	if !ok {
		return nil, failf("get takes a map, not %s", describe(args[0]))
	}
	if !value.IsScalar(args[1]) {
		return otherwise, nil
	}
	if item, has := m[value.Text(args[1])]; has {
		return item, nil
	}
	return otherwise, nil
}

// keys are the keys of a map, sorted.
func keys(args ...any) (any, error) {
	if args[0] == nil {
		return nil, nil
	}
	m, ok := args[0].(map[string]any)
	if !ok {
		return nil, failf("keys takes a map, not %s", describe(args[0]))
	}
	return list(slices.Sorted(maps.Keys(m))), nil
}

// values are the items of a map in the order of the sorted keys.
func values(args ...any) (any, error) {
	if args[0] == nil {
		return nil, nil
	}
	m, ok := args[0].(map[string]any)
	if !ok {
		return nil, failf("values takes a map, not %s", describe(args[0]))
	}
	items := make([]any, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		items = append(items, m[key])
	}
	return items, nil
}
