package expression

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error is a condition that does not compile, or one that failed to evaluate.
type Error struct {
	Source string
	// Offset is the place in bytes into Source; -1 when it is unknown.
	Offset int
	// Message says what is wrong, on one line and without the source.
	Message string
	// Err is the cause, where there is one beyond the message.
	Err error
}

// Error is the message and, where the place is known, the line of the condition
// with a caret under the place.
func (e *Error) Error() string {
	if e.Offset < 0 || e.Offset > len(e.Source) {
		return e.Message
	}
	start := strings.LastIndexByte(e.Source[:e.Offset], '\n') + 1
	line, _, _ := strings.Cut(e.Source[start:], "\n")
	indent := strings.Map(blank, e.Source[start:e.Offset])
	return fmt.Sprintf("%s\n  %s\n  %s^", e.Message, strings.TrimRight(line, "\r"), indent)
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.Err }

// blank keeps tabs, so that the caret lines up however wide they are shown.
func blank(r rune) rune {
	switch r {
	case '\t':
		return r
	case utf8.RuneError:
		return '.'
	}
	return ' '
}
