// Package value holds the JSON values that recipes work with.
//
// A value is one of nil, bool, [Number], string, []any and map[string]any, or,
// as a whole variable only, a [Ref] to a text that is too large to carry.
// Numbers keep the text they were written with, so that 12345678901234567,
// 1.10 and 1000000 print the same in every place (DESIGN section 2).
//
// Values are treated as immutable once they are stored: every function here
// returns new values and never changes its arguments, so values may be shared
// between goroutines.
package value

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Number is a JSON number that keeps its literal text.
type Number = json.Number

// Ref stands for the text of a variable that is larger than [MaxInline] bytes
// and therefore lives in the run's state instead of in memory. It never occurs
// inside a list or a map.
type Ref struct {
	// Hash is the SHA-256 of the text in lower-case hex.
	Hash string `json:"sha256"`
	// Size is the length of the text in bytes.
	Size int64 `json:"size"`
	// Place says where the executor finds the text; only the executor that
	// wrote it can read it.
	Place string `json:"place"`
	// JSON tells that the text is one JSON document and stands for that value;
	// otherwise the text stands for itself as a string.
	JSON bool `json:"json,omitempty"`
}

// MaxInline is the size in bytes up to which a value travels by itself rather
// than as a [Ref].
const MaxInline = 64 << 10

// Kind names the type of a value in words that a recipe author knows: null,
// bool, number, string, list, map or reference.
func Kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "bool"
	case Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "list"
	case map[string]any:
		return "map"
	case Ref:
		return "reference"
	}
	return "unknown"
}

// IsScalar reports whether v is a bool, a number or a string; only those get
// the plain upper-case alias in the environment (seed 000, "Reading step
// outputs: the dual-name idiom").
func IsScalar(v any) bool {
	switch v.(type) {
	case bool, Number, string:
		return true
	}
	return false
}

// From converts what Go code builds by hand (ints, floats, []string, nested
// maps) into a value. Types that have no JSON form are returned as their text.
func From(v any) any {
	switch v := v.(type) {
	case nil, bool, string, Number, Ref:
		return v
	case int:
		return Number(strconv.Itoa(v))
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = From(item)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, item := range v {
			m[key] = From(item)
		}
		return m
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if _, is := v.(float64); is {
		return Number(text)
	}
	parsed, err := Parse(string(text))
	if err != nil {
		return fmt.Sprint(v)
	}
	return parsed
}
