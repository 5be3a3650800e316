package recipes

import "strings"

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
		b.WriteString("\n  " + f.Line + "\n  " + caret(f.Line, f.Pos.Column))
	}
	if f.Hint != "" {
		b.WriteString("\n  hint: " + f.Hint)
	}
	return b.String()
}

// caret keeps the tabs of the line so that the mark stands under its column.
func caret(line string, column int) string {
	var b strings.Builder
	for i, r := range line {
		if i >= column-1 {
			break
		}
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String() + "^"
}
