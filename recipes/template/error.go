package template

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Error is a template that does not parse, or that failed to render.
type Error struct {
	Source string
	// Offset is where the fault is, in bytes into Source; -1 when unknown.
	Offset int
	// Line and Column count from 1, the column in characters; 0 when unknown.
	Line, Column int
	Message      string
	Hint         string
	// Err is the error of the function that failed; nil when none did.
	Err error
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d, column %d: ", e.Line, e.Column)
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// Unwrap gives the error of the function that failed.
func (e *Error) Unwrap() error { return e.Err }

// hintEscape is the hint of every template that does not parse (DESIGN section
// 3): the braces may well belong to another tool.
const hintEscape = `write \{{ for braces that are not a placeholder`

// fault is an Error whose line and column are not worked out yet.
type fault struct {
	offset        int
	message, hint string
}

func (f *fault) Error() string { return f.message }

// locate makes the Error of a fault.
func (f *fault) locate(source string) *Error {
	before := source[:f.offset]
	lineStart := strings.LastIndexByte(before, '\n') + 1
	hint := hintEscape
	if f.hint != "" {
		hint = f.hint + "; " + hintEscape
	}
	return &Error{
		Source:  source,
		Offset:  f.offset,
		Line:    strings.Count(before, "\n") + 1,
		Column:  utf8.RuneCountInString(before[lineStart:]) + 1,
		Message: f.message,
		Hint:    hint,
	}
}

// warnings describes faults that were left as they stand. Lines are counted
// from one fault to the next, so that a long prompt with many stays linear.
func warnings(source string, faults []*fault) []string {
	slices.SortStableFunc(faults, func(a, b *fault) int { return a.offset - b.offset })
	var texts []string
	line, lineStart, from := 1, 0, 0
	for _, f := range faults {
		between := source[from:f.offset]
		line += strings.Count(between, "\n")
		if i := strings.LastIndexByte(between, '\n'); i >= 0 {
			lineStart = from + i + 1
		}
		from = f.offset
		column := utf8.RuneCountInString(source[lineStart:f.offset]) + 1
		texts = append(texts, fmt.Sprintf("line %d, column %d: %s; the braces stay as they are written", line, column, f.message))
	}
	return texts
}
