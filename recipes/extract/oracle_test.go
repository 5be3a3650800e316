package extract_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes/extract"
	"github.com/brickoven/brickoven/recipes/value"
	"pgregory.net/rapid"
)

// valueAt is the end of the JSON list or map that begins at start, by asking
// encoding/json about every possible end.
func valueAt(text string, start int) (end int, ok bool) {
	for end := start + 2; end <= len(text); end++ {
		if json.Valid([]byte(text[start:end])) {
			return end, true
		}
	}
	return 0, false
}

type place struct{ start, end int }

// topLevel reads from the left and takes every value that begins where no other
// was taken.
func topLevel(text string) []place {
	var found []place
	for i := 0; i < len(text); i++ {
		if text[i] != '{' && text[i] != '[' {
			continue
		}
		if end, ok := valueAt(text, i); ok {
			found = append(found, place{i, end})
			i = end - 1
		}
	}
	return found
}

// oracle is the answer in text without fences, the slow way.
func oracle(text, field string) (place, bool) {
	start, end := len(text)-len(strings.TrimLeft(text, " \n")), len(strings.TrimRight(text, " \n"))
	if field == "" && start < end && json.Valid([]byte(text)) {
		return place{start, end}, true
	}
	var last, nested place
	var found, foundNested bool
	for _, p := range topLevel(text) {
		if field == "" {
			before := text[:p.start]
			line := before[strings.LastIndexByte(before, '\n')+1:]
			after, _, _ := strings.Cut(text[p.end:], "\n")
			footnote := text[p.start:p.end] == "[1]" && strings.TrimSpace(after) != ""
			if text[p.start] == '{' || strings.TrimSpace(line) == "" && !footnote {
				last, found = p, true
			}
			continue
		}
		if carries(text[p.start:p.end], field) {
			last, found = p, true
		}
		if in, ok := lastInside(text, p, field); ok {
			nested, foundNested = in, true
		}
	}
	if !found && foundNested {
		return nested, true
	}
	return last, found
}

// lastInside is the nested map that ends last among those that carry the field.
func lastInside(text string, outer place, field string) (best place, ok bool) {
	inText := false
	for i := outer.start + 1; i < outer.end; i++ {
		switch {
		case inText && text[i] == '\\':
			i++
		case text[i] == '"':
			inText = !inText
		case !inText && text[i] == '{':
			if end, valid := valueAt(text, i); valid && carries(text[i:end], field) && end > best.end {
				best, ok = place{i, end}, true
			}
		}
	}
	return best, ok
}

func carries(text, field string) bool {
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) != nil {
		return false
	}
	_, has := object[field]
	return has
}

// pieces make texts that are nearly JSON in every way.
func pieces() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{
		"{", "}", "[", "]", `"`, ":", ",", `\`, "f", "1", "-0.5e3", "true", "null", " ", "\n",
		`"f"`, `"f":`, `{"f":1}`, `"a":`, "{}", "[]", `"{"`, `["`, `"]`, "'", "x", "\xff", `\"`, `\u0066`,
	}), 0, 24), func(parts []string) string { return strings.Join(parts, "") })
}

func TestFindAgreesWithTheSlowWay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, field := pieces().Draw(t, "text"), rapid.SampledFrom([]string{"", "f"}).Draw(t, "field")
		compare(t, text, field)
	})
}

type failer interface {
	Fatalf(format string, args ...any)
}

func compare(t failer, text, field string) {
	want, ok := oracle(text, field)
	got, found := extract.Find(text, extract.Options{RequireField: field})
	if found != ok || found && (got.Start != want.start || got.End != want.end) {
		t.Fatalf("Find(%q, %q) = %v %d..%d, want %v %d..%d", text, field, found, got.Start, got.End, ok, want.start, want.end)
	}
}

func FuzzFind(f *testing.F) {
	f.Add(`Draft: {"f":"a"} final {"f":{"g":1}}`, true)
	f.Add("```json\n{\"f\":1}\n```", false)
	f.Add(`x { "y {"f":1}`, true)
	f.Add("[1]\n[[{]}\"\\", false)
	f.Fuzz(func(t *testing.T, text string, withField bool) {
		field := ""
		if withField {
			field = "f"
		}
		got, found := extract.Find(text, extract.Options{RequireField: field})
		if found {
			v, err := value.Parse(text[got.Start:got.End])
			if err != nil || !value.Equal(v, got.Value) {
				t.Fatalf("the range %d..%d of %q is not the value: %v", got.Start, got.End, text, err)
			}
		}
		fences := strings.Contains(text, "```") || strings.Contains(text, "~~~")
		footnotes := strings.Contains(text, "]") && !withField
		if len(text) < 200 && !fences && !footnotes && utf8.ValidString(text) && !strings.ContainsAny(text, "\r\t\v\f\u0085\u00a0") {
			compare(t, text, field)
		}
	})
}
