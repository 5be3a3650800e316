package session

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
)

// object reads the fields of one JSON object and gathers what is wrong with
// them. Each field must be asked for; what was not is unknown.
type object struct {
	invalid *Invalid
	path    string
	fields  map[string]any
	asked   []string
	// broken means that there was no object to read; its fields are not
	// reported as missing on top of that.
	broken bool
}

func (o *object) at(key string) string {
	if o.path == "" {
		return key
	}
	return o.path + "." + key
}

func (o *object) fail(key, format string, args ...any) {
	if !o.broken {
		o.invalid.add(o.at(key), format, args...)
	}
}

// has looks a field up; one that is null counts as absent.
func (o *object) has(key string) (any, bool) {
	o.asked = append(o.asked, key)
	v, found := o.fields[key]
	return v, found && v != nil
}

// take reads a field as a T. A field that is absent or null is an error where it
// is required, and otherwise the zero value.
func take[T any](o *object, key string, required bool, kind string) T {
	var zero T
	v, found := o.has(key)
	if !found {
		if required {
			o.fail(key, "is missing or null")
		}
		return zero
	}
	typed, fits := v.(T)
	if !fits {
		o.fail(key, "is a %s, not a %s", value.Kind(v), kind)
		return zero
	}
	return typed
}

func (o *object) text(key string) string   { return take[string](o, key, true, "string") }
func (o *object) textOr(key string) string { return take[string](o, key, false, "string") }
func (o *object) truth(key string) bool    { return take[bool](o, key, true, "bool") }
func (o *object) list(key string) []any    { return take[[]any](o, key, false, "list") }

// number reads an optional finite decimal that is not negative, as written.
func (o *object) number(key string) value.Number {
	n := take[value.Number](o, key, false, "number")
	if n == "" {
		return ""
	}
	if amount, ok := value.Rational(n); !ok || amount.Sign() < 0 {
		o.fail(key, "%s is not a number of at least 0", n)
		return ""
	}
	return n
}

// count reads a whole number of at least 0.
func (o *object) count(key string, required bool) int {
	n := take[value.Number](o, key, required, "number")
	if n == "" {
		return 0
	}
	i, err := strconv.Atoi(n.String())
	if err != nil || i < 0 {
		o.fail(key, "%s is not a whole number of at least 0", n)
		return 0
	}
	return i
}

// integer reads an optional whole number; nil means unknown.
func (o *object) integer(key string) *int64 {
	n := take[value.Number](o, key, false, "number")
	if n == "" {
		return nil
	}
	i, err := strconv.ParseInt(n.String(), 10, 64)
	if err != nil {
		o.fail(key, "%s is not a whole number", n)
		return nil
	}
	return &i
}

// tally is integer for what is counted.
func (o *object) tally(key string) *int64 {
	i := o.integer(key)
	if i != nil && *i < 0 {
		o.fail(key, "%d is not a whole number of at least 0", *i)
		return nil
	}
	return i
}

// instant reads a time as RFC 3339 writes it.
func (o *object) instant(key string, required bool) time.Time {
	text := take[string](o, key, required, "string")
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		o.fail(key, "%q is not a time such as 2026-01-02T03:04:05Z", text)
		return time.Time{}
	}
	return at.UTC()
}

// object reads a nested object; nil when it is absent.
func (o *object) object(key string, required bool) *object {
	fields := take[map[string]any](o, key, required, "map")
	if fields == nil {
		return nil
	}
	return &object{invalid: o.invalid, path: o.at(key), fields: fields}
}

// objects reads a list of objects.
func (o *object) objects(key string) []*object {
	var all []*object
	for i, item := range o.list(key) {
		path := fmt.Sprintf("%s[%d]", o.at(key), i)
		fields, ok := item.(map[string]any)
		if !ok {
			o.invalid.add(path, "is a %s, not a map", value.Kind(item))
			continue
		}
		all = append(all, &object{invalid: o.invalid, path: path, fields: fields})
	}
	return all
}

// oneOf reads a word of a closed list; the empty word is allowed where the
// field is optional.
func oneOf[T ~string](o *object, key string, required bool, words ...T) T {
	word := T(take[string](o, key, required, "string"))
	if v, found := o.fields[key]; !found || v == nil || slices.Contains(words, word) {
		return word
	}
	if _, isText := o.fields[key].(string); isText {
		o.fail(key, "%q is none of %s", word, join(words))
	}
	return ""
}

func join[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return strings.Join(texts, ", ")
}

// version checks schema_version; only where byDefault is set may it be left out.
func (o *object) version(byDefault bool) {
	n := take[value.Number](o, "schema_version", !byDefault, "number")
	if n != "" && n.String() != strconv.Itoa(SchemaVersion) {
		o.fail("schema_version", "%s is not %d", n, SchemaVersion)
	}
}

// done reports the fields that nobody asked for.
func (o *object) done() {
	for _, key := range slices.Sorted(maps.Keys(o.fields)) {
		if !slices.Contains(o.asked, key) {
			o.fail(key, "is not a key of this document")
		}
	}
}

// truthOr reads an optional bool.
func (o *object) truthOr(key string, otherwise bool) bool {
	if _, given := o.has(key); !given {
		return otherwise
	}
	return o.truth(key)
}

// whole reads an optional whole number, negative ones included.
func (o *object) whole(key string, otherwise int) int {
	i := o.integer(key)
	if i == nil {
		return otherwise
	}
	return int(*i)
}
