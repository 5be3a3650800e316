// Package extract finds the JSON answer in prose. It is the one JSON finder of
// the project (DESIGN section 5): the runner's parse_json, the helper
// extract-json and the verdict of a judge all read text through it.
//
// Every function works on text that may be hostile: braces without end, quotes
// without end, bytes that are not UTF-8. Time is linear in the text and memory
// does not grow with it, apart from the value that is returned.
package extract

import (
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// MaxDepth is how deep lists and maps may be nested in an answer. What is
// nested deeper is not JSON here.
const MaxDepth = 1000

// Options choose which value of the text is the answer.
type Options struct {
	// RequireField makes the answer the last object anywhere that carries this
	// key, nested objects only if no top-level one does.
	RequireField string
}

// Result is a found answer and where it stood.
type Result struct {
	Value      any
	Strategy   string // whole, fenced, object or list
	Start, End int    // byte range of the JSON text in the input
}

// The strategies of a Result.
const (
	Whole  = "whole"
	Fenced = "fenced"
	Object = "object"
	List   = "list"
)

// Find returns the answer in text; found is false when there is none.
//
// Without a required field it is the whole text if that is JSON; else the last
// fenced block that is; else the last top-level value that is an object, or a
// list that begins a line and is not a footnote mark such as "[1] See …".
//
// A value is top-level when it lies in no other: reading from the left, the
// first brace or bracket that opens a valid value takes it whole, and reading
// goes on behind it. What opens no valid value is prose, and what it holds is
// looked at by itself. Of repeated keys in one object the last counts.
func Find(text string, opts Options) (r Result, found bool) {
	if opts.RequireField != "" {
		at, ok := search(text, opts.RequireField)
		if !ok {
			return Result{}, false
		}
		strategy := Object
		if start, end := trim(text, 0, len(text)); at.start == start && at.end == end {
			strategy = Whole
		}
		return read(text, at, strategy)
	}
	if start, end := trim(text, 0, len(text)); document(text[start:end]) {
		return read(text, span{start, end}, Whole)
	}
	if at, ok := lastFence(text); ok {
		return read(text, at, Fenced)
	}
	at, ok := search(text, "")
	if !ok {
		return Result{}, false
	}
	strategy := Object
	if text[at.start] == '[' {
		strategy = List
	}
	return read(text, at, strategy)
}

// span is a byte range.
type span struct{ start, end int }

func read(text string, at span, strategy string) (Result, bool) {
	v, err := value.Parse(text[at.start:at.end])
	if err != nil {
		return Result{}, false
	}
	return Result{Value: v, Strategy: strategy, Start: at.start, End: at.end}, true
}

// trim leaves JSON's white space out of text[start:end].
func trim(text string, start, end int) (int, int) {
	inner := strings.TrimLeft(text[start:end], " \t\r\n")
	start = end - len(inner)
	return start, start + len(strings.TrimRight(inner, " \t\r\n"))
}

// document reports whether text is one JSON value without space around it.
func document(text string) bool {
	if text == "" {
		return false
	}
	var m machine
	m.begin()
	for i := range len(text) {
		switch m.step(text[i], i) {
		case dead:
			return false
		}
		if m.state == behind && m.depth() == 0 && i < len(text)-1 {
			return false
		}
	}
	return m.complete()
}

// lastFence finds the last fenced code block whose text is JSON. Fences are
// those of CommonMark at any indentation; one without an end goes on to the end
// of the text.
func lastFence(text string) (last span, found bool) {
	var fence string
	inside := 0
	check := func(end int) {
		if start, end := trim(text, inside, end); document(text[start:end]) {
			last, found = span{start, end}, true
		}
	}
	for at := 0; at < len(text); {
		next := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		marks, info := fenceMarks(text[at:next])
		switch {
		case marks == "":
		case fence == "":
			fence, inside = marks, next
		case marks[0] == fence[0] && len(marks) >= len(fence) && info == "":
			check(at)
			fence = ""
		}
		at = next
	}
	if fence != "" {
		check(len(text))
	}
	return last, found
}

// fenceMarks cuts the line of a fence into its marks and its info string.
func fenceMarks(line string) (marks, info string) {
	line = strings.TrimLeft(line, " \t")
	if line == "" || line[0] != '`' && line[0] != '~' {
		return "", ""
	}
	rest := strings.TrimLeft(line, line[:1])
	if marks = line[:len(line)-len(rest)]; len(marks) < 3 {
		return "", ""
	}
	info = strings.TrimSpace(rest)
	if marks[0] == '`' && strings.Contains(info, "`") {
		return "", ""
	}
	return marks, info
}
