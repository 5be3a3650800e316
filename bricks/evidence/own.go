package evidence

import (
	"iter"
	"strings"
)

// ownMarks are the texts of which every line that the bricks wrote has one.
var ownMarks = [...]string{Tag, `"verdict_source"`, `"terminal_reason"`}

// foreignLines yields the lines of text without what the loop-health bricks
// wrote themselves. Lines are cut at \n and \r; they share the memory of text.
func foreignLines(text string) iter.Seq[string] {
	hasOwn := holdsOwn(text)
	return func(yield func(string) bool) {
		for len(text) > 0 {
			line := text
			if i := strings.IndexByte(text, '\n'); i >= 0 {
				line, text = text[:i], text[i+1:]
			} else {
				text = ""
			}
			for len(line) > 0 {
				part, rest, _ := strings.Cut(line, "\r")
				line = rest
				if hasOwn && holdsOwn(part) {
					part = withoutOwn(part)
				}
				if part != "" && !yield(part) {
					return
				}
			}
		}
	}
}

func holdsOwn(text string) bool {
	for _, mark := range ownMarks {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// withoutOwn removes what the bricks wrote from one line. A line of prose with
// the tag goes as a whole. In a line of JSON only the object or the line of a
// string that is ours goes, because a history kept as one line of JSON also
// carries what the rounds themselves said.
func withoutOwn(line string) string {
	if strings.HasPrefix(strings.TrimSpace(line), `"terminal_reason"`) {
		return ""
	}
	var prose, kept strings.Builder
	for i := 0; i < len(line); {
		if opensJSON(line[i:]) {
			if rest, n, ok := foreignJSON(line[i:]); ok {
				kept.WriteString(rest)
				i += n
				continue
			}
			prose.WriteString(line[i:])
			kept.WriteString(line[i:])
			break
		}
		prose.WriteByte(line[i])
		kept.WriteByte(line[i])
		i++
	}
	if strings.Contains(prose.String(), Tag) {
		return ""
	}
	return kept.String()
}

// opensJSON tells a JSON container from the other brackets of prose, such as
// those of the tag.
func opensJSON(s string) bool {
	if s[0] != '{' && s[0] != '[' {
		return false
	}
	inner := strings.TrimLeft(s[1:], " \t")
	return inner != "" && strings.IndexByte(`"{[}]`, inner[0]) >= 0
}

// frame is one open container while foreignJSON walks through it.
type frame struct {
	start int // where its text begins in the output
	keys  ownKeys
}

type ownKeys struct{ verdict, source, refusal, reason bool }

func (k *ownKeys) note(key string) {
	switch key {
	case "loop_verdict":
		k.verdict = true
	case "verdict_source":
		k.source = true
	case "terminal_refusal":
		k.refusal = true
	case "terminal_reason":
		k.reason = true
	}
}

// ours tells the two objects that the bricks print: loop_health and
// loop_evidence.
func (k ownKeys) ours() bool { return k.verdict && k.source || k.refusal && k.reason }

// foreignJSON copies the JSON container that s begins with, up to its end at n,
// without the objects and the string lines that are ours. ok is false when the
// container does not end in s.
func foreignJSON(s string) (rest string, n int, ok bool) {
	out := make([]byte, 0, len(s))
	var open []frame
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			end := stringEnd(s, i)
			if end < 0 {
				return "", 0, false
			}
			literal := s[i:end]
			if isKey(s[end:]) {
				open[len(open)-1].keys.note(literal[1 : len(literal)-1])
			}
			out = append(out, withoutTagged(literal)...)
			i = end - 1
		case '{', '[':
			open = append(open, frame{start: len(out)})
			out = append(out, c)
		case '}', ']':
			out = append(out, c)
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if last.keys.ours() {
				out = append(out[:last.start], "{}"...)
			}
			if len(open) == 0 {
				return string(out), i + 1, true
			}
		default:
			out = append(out, c)
		}
	}
	return "", 0, false
}

// stringEnd is the index after the closing quote of the string at s[i], or -1.
func stringEnd(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

func isKey(after string) bool { return strings.HasPrefix(strings.TrimLeft(after, " \t"), ":") }

// withoutTagged drops the tagged lines of a JSON string literal; its lines are
// separated by the escape \n.
func withoutTagged(literal string) string {
	if !strings.Contains(literal, Tag) {
		return literal
	}
	inner := literal[1 : len(literal)-1]
	kept := make([]string, 0, 1)
	for _, line := range strings.Split(inner, `\n`) {
		if !strings.Contains(line, Tag) {
			kept = append(kept, line)
		}
	}
	return `"` + strings.Join(kept, `\n`) + `"`
}
