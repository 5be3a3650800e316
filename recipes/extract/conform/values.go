package conform

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes/value"
)

// values are the keywords about one value by itself.
func (k *keywords) values() {
	k.types()
	if list, ok := k.list("enum"); ok {
		k.add(func(p place, r *result, _ *scope) {
			if !slices.ContainsFunc(list, func(v any) bool { return same(v, p.value) }) {
				r.fail(p.fault("%s", oneOfWords(list)))
			}
		})
	}
	if want, given := k.m["const"]; given {
		k.add(func(p place, r *result, _ *scope) {
			if !same(want, p.value) {
				r.fail(p.fault("%s", oneOfWords([]any{want})))
			}
		})
	}
	k.numbers()
	k.texts()
}

var typeNames = []string{"null", "boolean", "object", "array", "number", "string", "integer"}

func (k *keywords) types() {
	v, given := k.m["type"]
	if !given {
		return
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var names []string
	for _, item := range list {
		name, _ := item.(string)
		if !slices.Contains(typeNames, name) {
			k.fail(k.at("type"), "type is one of "+strings.Join(typeNames, ", "))
			return
		}
		names = append(names, name)
	}
	k.add(func(p place, r *result, _ *scope) {
		got := typeOf(p.value)
		if slices.Contains(names, got) || got == "number" && slices.Contains(names, "integer") && whole(p.value) {
			return
		}
		r.fail(p.fault("got %s, want %s", got, strings.Join(names, " or ")))
	})
}

func typeOf(v any) string {
	switch value.Kind(v) {
	case "list":
		return "array"
	case "map":
		return "object"
	case "bool":
		return "boolean"
	}
	return value.Kind(v)
}

// whole tells whether a number has no fraction, however it is written.
func whole(v any) bool {
	n, ok := number(v)
	return ok && n.IsInt()
}

// number reads a number exactly; ok is false for anything else, texts included.
func number(v any) (*big.Rat, bool) {
	if _, is := v.(value.Number); !is {
		return nil, false
	}
	return value.Rational(v)
}

func (k *keywords) numbers() {
	for _, bound := range []struct {
		name  string
		holds func(order int) bool
	}{
		{"minimum", func(order int) bool { return order >= 0 }},
		{"maximum", func(order int) bool { return order <= 0 }},
		{"exclusiveMinimum", func(order int) bool { return order > 0 }},
		{"exclusiveMaximum", func(order int) bool { return order < 0 }},
	} {
		want, ok := k.rational(bound.name)
		if !ok {
			continue
		}
		k.add(func(p place, r *result, _ *scope) {
			if n, is := number(p.value); is && !bound.holds(n.Cmp(want)) {
				r.fail(p.fault("%s: got %v, want %v", bound.name, p.value, k.m[bound.name]))
			}
		})
	}
	want, ok := k.rational("multipleOf")
	if !ok {
		return
	}
	if want.Sign() <= 0 {
		k.fail(k.at("multipleOf"), "a number over zero is wanted")
		return
	}
	k.add(func(p place, r *result, _ *scope) {
		if n, is := number(p.value); is && !new(big.Rat).Quo(n, want).IsInt() {
			r.fail(p.fault("multipleOf: got %v, want %v", p.value, k.m["multipleOf"]))
		}
	})
}

func (k *keywords) rational(name string) (*big.Rat, bool) {
	v, given := k.m[name]
	if !given {
		return nil, false
	}
	n, ok := number(v)
	if !ok {
		k.fail(k.at(name), "a number is wanted")
	}
	return n, ok
}

func (k *keywords) texts() {
	k.size("minLength", "maxLength", func(v any) (int, bool) {
		text, ok := v.(string)
		return utf8.RuneCountInString(text), ok
	})
	source, given := k.m["pattern"]
	if !given {
		return
	}
	if re := k.pattern(source, k.at("pattern")); re != nil {
		k.add(func(p place, r *result, _ *scope) {
			if text, ok := p.value.(string); ok && !re.MatchString(text) {
				r.fail(p.fault("%s does not match pattern %s", quote(text), quote(re.String())))
			}
		})
	}
}

func (k *keywords) pattern(v any, path string) *regexp.Regexp {
	source, ok := v.(string)
	if !ok {
		k.fail(path, "a regular expression is wanted")
		return nil
	}
	re, err := regexp.Compile(source)
	if err != nil {
		k.fail(path, err.Error())
		return nil
	}
	return re
}

// size adds the two bounds of a size that count tells.
func (k *keywords) size(least, most string, count func(v any) (int, bool)) {
	if want, ok := k.count(least); ok {
		k.add(func(p place, r *result, _ *scope) {
			if got, is := count(p.value); is && got < want {
				r.fail(p.fault("%s: got %d, want %d", least, got, want))
			}
		})
	}
	if want, ok := k.count(most); ok {
		k.add(func(p place, r *result, _ *scope) {
			if got, is := count(p.value); is && got > want {
				r.fail(p.fault("%s: got %d, want %d", most, got, want))
			}
		})
	}
}

// count reads a whole number that is not negative.
func (k *keywords) count(name string) (int, bool) {
	v, given := k.m[name]
	if !given {
		return 0, false
	}
	n, ok := number(v)
	if !ok || !n.IsInt() || n.Sign() < 0 {
		k.fail(k.at(name), "a whole number that is not negative is wanted")
		return 0, false
	}
	if !n.Num().IsInt64() {
		return int(^uint(0) >> 1), true
	}
	return int(n.Num().Int64()), true
}

// list reads a list of values.
func (k *keywords) list(name string) ([]any, bool) {
	v, given := k.m[name]
	if !given {
		return nil, false
	}
	list, ok := v.([]any)
	if !ok {
		k.fail(k.at(name), "a list is wanted")
	}
	return list, ok
}

// words reads a list of texts.
func (k *keywords) words(v any, path string) []string {
	list, ok := v.([]any)
	names := make([]string, 0, len(list))
	for _, item := range list {
		name, isText := item.(string)
		ok = ok && isText
		names = append(names, name)
	}
	if !ok {
		k.fail(path, "a list of texts is wanted")
	}
	return names
}

// word reads a text; empty where there is none.
func (c *compiler) word(m map[string]any, name, path string) string {
	v, given := m[name]
	if !given {
		return ""
	}
	text, ok := v.(string)
	if !ok {
		c.fail(path+"/"+name, "a text is wanted")
	}
	return text
}

// same compares as JSON Schema does: by value and type, 1.0 being 1.
func same(a, b any) bool {
	switch a := a.(type) {
	case value.Number:
		x, isNumber := number(a)
		y, other := number(b)
		if !isNumber || !other {
			return a == b
		}
		return x.Cmp(y) == 0
	case []any:
		list, ok := b.([]any)
		return ok && slices.EqualFunc(a, list, same)
	case map[string]any:
		m, ok := b.(map[string]any)
		if !ok || len(a) != len(m) {
			return false
		}
		for key, item := range a {
			other, has := m[key]
			if !has || !same(item, other) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case []any, map[string]any, value.Number:
		return false
	}
	return a == b
}
