package recipes

import (
	"strings"
	"unicode"
)

// Finding is one fault or warning in a recipe document, with its place.
type Finding struct {
	// Code names the kind of finding, such as duplicate-key; docs/findings.md
	// has a section for each.
	Code    string
	Message string
	// Hint says what to do about it; empty when the message says it.
	Hint string
	Pos  Position
	// Line is the text of the line at Pos, for the snippet; empty when unknown.
	Line string
	// Warning tells a finding that does not stop a run from one that does.
	Warning bool
}

// Error prints the finding with its line and a caret under its column.
func (f *Finding) Error() string {
	var b strings.Builder
	if place := f.Pos.String(); place != "" {
		b.WriteString(place + ": ")
	}
	b.WriteString(f.Message)
	if f.Line != "" {
		line, column := window(f.Line, f.Pos.Column)
		b.WriteString("\n  " + line + "\n  " + caret(line, column))
	}
	if f.Hint != "" {
		b.WriteString("\n  hint: " + f.Hint)
	}
	return b.String()
}

// window cuts a long line to the part around the column, and replaces what a
// terminal would act on.
func window(line string, column int) (part string, at int) {
	const width = 120
	runes := []rune(strings.Map(visible, line))
	at = min(max(column, 1), len(runes)+1)
	if len(runes) <= width {
		return string(runes), at
	}
	from := max(0, min(at-1-width/2, len(runes)-width))
	to := min(len(runes), from+width)
	part, at = string(runes[from:to]), at-from
	if from > 0 {
		part, at = "…"+part, at+1
	}
	if to < len(runes) {
		part += "…"
	}
	return part, at
}

func visible(r rune) rune {
	if r != '\t' && unicode.IsControl(r) {
		return unicode.ReplacementChar
	}
	return r
}

// caret keeps the tabs of the line so that the mark stands under its column.
func caret(line string, column int) string {
	var b strings.Builder
	n := 1
	for _, r := range line {
		if n >= column {
			break
		}
		n++
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String() + "^"
}
