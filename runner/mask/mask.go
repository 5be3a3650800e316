// Package mask takes secrets out of everything that leaves a run: its journal,
// logs, results, progress and error texts.
//
// A [Masker] finds each secret raw and in the forms that programs print it in:
// base64 in the standard and the URL alphabet, padded or not, at each of the
// three alignments that it can have inside of a longer text, and wrapped at 64
// and 76 columns; hex; URL-escaped with %20 and with +, in the sets of
// characters that common libraries escape, upper-case and lower-case; JSON-
// escaped, also twice, with and without \u escapes. The lines of a secret of
// several lines are secrets of their own. What it finds becomes [Replacement].
//
// In base64 text a group of four characters mixes bytes: where a secret stands
// inside of a longer text, up to four bits of its first and last byte remain.
//
// [Masker.Seal] is the reversible way for what must be read again: it puts a
// reference to the secret's name where the secret was, and [Unseal] puts the
// secret back.
package mask

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes/value"
)

// Replacement stands where a secret was.
const Replacement = "***"

// MinLength is the length in characters from which a value, or a line of one,
// is masked. Shorter ones would be found in innocent text everywhere.
const MinLength = 4

// Masker finds the secrets of a run. It is immutable and safe for concurrent
// use. A nil Masker, and one without secrets, changes nothing and costs next to
// nothing.
type Masker struct {
	forms []form // of all secrets, each text once
	auto  *automaton
	limit int // the length of the longest form in bytes
}

// Warning tells that a secret is not masked.
type Warning struct {
	Name   string // of the secret
	Reason string
}

// String is the warning for people; it does not hold the value.
func (w Warning) String() string {
	return fmt.Sprintf("the secret %s is not masked: %s", w.Name, w.Reason)
}

// New makes the masker for secrets, which maps names to values. A value under
// [MinLength] characters is refused with a warning; the warnings are sorted by
// name.
func New(secrets map[string]string) (*Masker, []Warning) {
	m := &Masker{}
	var warnings []Warning
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		secret := secrets[name]
		if n := utf8.RuneCountInString(secret); n < MinLength {
			warnings = append(warnings, Warning{name, fmt.Sprintf("it has %d characters, and at least %d are needed", n, MinLength)})
			continue
		}
		for _, f := range formsOf(secret) {
			if !seen[f.text] {
				seen[f.text] = true
				f.name = name
				m.forms = append(m.forms, f)
				m.limit = max(m.limit, len(f.text))
			}
		}
	}
	if len(m.forms) > 0 {
		m.auto = newAutomaton(m.forms)
	}
	return m, warnings
}

func (m *Masker) empty() bool { return m == nil || m.auto == nil }

// Text gives s with every secret replaced. Secrets that overlap are replaced
// together.
func (m *Masker) Text(s string) string {
	if m.empty() {
		return s
	}
	var spans spans
	scan(m.auto, root, s, func(end, form int) { spans.add(end-len(m.forms[form].text), end) })
	if len(spans) == 0 {
		return s
	}
	var out strings.Builder
	from := 0
	for _, span := range spans {
		out.WriteString(s[from:span.start])
		out.WriteString(Replacement)
		from = span.end
	}
	out.WriteString(s[from:])
	return out.String()
}

// Value gives a value (see package value) with every secret in its strings, map
// keys and numbers replaced; such a number becomes a string. Keys that would
// become equal are numbered. A [value.Ref] stays as it is: what it refers to
// must be masked where it is written.
func (m *Masker) Value(v any) any {
	if m.empty() {
		return v
	}
	switch v := v.(type) {
	case string:
		return m.Text(v)
	case value.Number:
		if text := m.Text(v.String()); text != v.String() {
			return text
		}
		return v
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = m.Value(item)
		}
		return list
	case map[string]any:
		return m.members(v)
	}
	return v
}

func (m *Masker) members(v map[string]any) map[string]any {
	masked := make(map[string]any, len(v))
	for _, key := range slices.Sorted(maps.Keys(v)) {
		name := m.Text(key)
		for n := 2; ; n++ {
			if _, taken := masked[name]; !taken {
				break
			}
			name = fmt.Sprintf("%s#%d", m.Text(key), n)
		}
		masked[name] = m.Value(v[key])
	}
	return masked
}

// span is a stretch of text that holds secrets.
type span struct{ start, end int }

// spans are sorted and do not overlap.
type spans []span

// add takes a match in. Matches come in the order of their ends.
func (s *spans) add(start, end int) {
	for n := len(*s); n > 0 && (*s)[n-1].end > start; n-- {
		start = min(start, (*s)[n-1].start)
		*s = (*s)[:n-1]
	}
	*s = append(*s, span{start, end})
}
