package mask

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// A sealed text holds, in place of a secret, {$secret:NAME/form}, or
// {$secret:NAME/form+3} for the form without its first 3 bytes. The opening
// itself is written {$secret:}, so that every text can be sealed; a number
// becomes a string that begins with {$secret:#number}.
const (
	opening = "{$secret:"
	closing = "}"
	literal = opening + closing
	number  = opening + "#number" + closing
)

// Seal gives a value (see package value) in which every secret, in all forms
// that Text masks, is replaced by a reference to the secret's name, and the
// names that it used, sorted. [Unseal] gives the value back exactly. What goes
// through Unseal later must have gone through Seal, also where there are no
// secrets. A [value.Ref] stays as it is.
func (m *Masker) Seal(v any) (sealed any, names []string) {
	used := map[string]bool{}
	sealed = m.seal(v, used)
	return sealed, slices.Sorted(maps.Keys(used))
}

func (m *Masker) seal(v any, used map[string]bool) any {
	switch v := v.(type) {
	case string:
		return m.sealText(v, used)
	case value.Number:
		if text := m.sealText(v.String(), used); text != v.String() {
			return number + text
		}
		return v
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = m.seal(item, used)
		}
		return list
	case map[string]any:
		members := make(map[string]any, len(v))
		for key, item := range v {
			members[m.sealText(key, used)] = m.seal(item, used)
		}
		return members
	}
	return v
}

// match is a place of a text where a form stands.
type match struct{ start, end, form int }

func (m *Masker) sealText(s string, used map[string]bool) string {
	var matches []match
	if !m.empty() {
		scan(m.auto, root, s, func(end, form int) {
			matches = append(matches, match{end - len(m.forms[form].text), end, form})
		})
	}
	if len(matches) == 0 {
		return strings.ReplaceAll(s, opening, literal)
	}
	var covered spans
	for _, found := range matches {
		covered.add(found.start, found.end)
	}
	var out strings.Builder
	from := 0
	for _, span := range covered {
		out.WriteString(strings.ReplaceAll(s[from:span.start], opening, literal))
		for from = span.start; from < span.end; {
			var best match
			best, matches = longest(matches, from, m.limit)
			out.WriteString(m.marker(best, from))
			used[m.forms[best.form].name] = true
			from = best.end
		}
	}
	out.WriteString(strings.ReplaceAll(s[from:], opening, literal))
	return out.String()
}

// longest picks the match over the position at that reaches furthest, and drops
// those that end before. Matches are sorted by their ends, and none is longer
// than limit.
func longest(matches []match, at, limit int) (best match, rest []match) {
	for matches[0].end <= at {
		matches = matches[1:]
	}
	best = matches[0]
	for _, found := range matches[1:] {
		if found.end > at+limit {
			break
		}
		if found.start <= at {
			best = found
		}
	}
	return best, matches
}

func (m *Masker) marker(found match, at int) string {
	f := m.forms[found.form]
	text := opening + url.QueryEscape(f.name) + "/" + f.kind
	if at > found.start {
		text += "+" + strconv.Itoa(at-found.start)
	}
	return text + closing
}
