package contract

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

const nothing = "(nothing)"

// match notes a mismatch where a value is not what it must be.
func (k *checker) match(what string, m Matcher, got any, found bool) {
	shown := nothing
	if found {
		shown = pretty(got)
	}
	switch m.Kind {
	case Absent:
		if found {
			k.add(what, nothing, shown)
		}
		return
	case Present:
		if !found {
			k.add(what, "something", nothing)
		}
		return
	case Equals:
		if m.Want == nil && !found || found && equal(m.Want, got) {
			return
		}
		k.add(what, pretty(m.Want), shown)
		return
	}
	want := value.Text(m.Want)
	if found && holds(m.Kind, value.Text(got), want) || !found && m.Kind == NotContains {
		return
	}
	words := map[Kind]string{Contains: "a text that holds: ", NotContains: "a text that does not hold: ", Matches: "a text that matches: "}
	k.add(what, words[m.Kind]+want, shown)
}

func holds(kind Kind, text, want string) bool {
	switch kind {
	case Contains:
		return strings.Contains(text, want)
	case NotContains:
		return !strings.Contains(text, want)
	}
	pattern, err := regexp.Compile(want)
	return err == nil && pattern.MatchString(text)
}

// equal compares as conditions do, and texts without their trailing line ends,
// so that a block after | equals what a command printed.
func equal(want, got any) bool {
	if x, ok := want.(string); ok {
		if y, ok := got.(string); ok {
			return strings.TrimRight(x, "\r\n") == strings.TrimRight(y, "\r\n")
		}
	}
	return value.Equal(want, got)
}

// pretty prints a value for people: texts as they are, lists and maps indented.
func pretty(v any) string {
	if v == nil {
		return "null"
	}
	if value.IsScalar(v) {
		return value.Text(v)
	}
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return value.JSON(v)
	}
	return string(data)
}
