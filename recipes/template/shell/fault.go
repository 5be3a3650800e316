package shell

import (
	"errors"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/brickoven/brickoven/recipes/template"
)

// position turns an offset into a line and a column, both from 1.
func position(source string, offset int) (line, column int) {
	before := source[:min(offset, len(source))]
	lineStart := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[lineStart:]) + 1
}

func (t *text) errorAt(m *marker, message, hint string, cause error) *Error {
	line, column := position(t.source, m.start)
	return &Error{Source: t.source, Line: line, Column: column, Message: message, Hint: hint, Err: cause}
}

// sourceOffset finds the place in the source of an offset in the marked text.
// Between markers it is exact but for escaped braces before it on the line.
func (t *text) sourceOffset(at int) int {
	offset := at
	for _, m := range t.marks {
		if m.at >= at {
			break
		}
		offset = m.start + m.length + at - m.at - len(string(m.char))
	}
	return min(offset, len(t.source))
}

// templateError places an error of a placeholder within the command.
func templateError(source string, start int, err error) *Error {
	out := &Error{Source: source, Message: err.Error(), Err: err}
	out.Line, out.Column = position(source, start)
	var inner *template.Error
	if errors.As(err, &inner) {
		out.Message, out.Hint = inner.Message, inner.Hint
		out.Line, out.Column = position(source, start+max(inner.Offset, 0))
	}
	return out
}

// syntaxError shows an error of the shell parser in terms of the source.
func (c *compiler) syntaxError(err error) *Error {
	out := &Error{Source: c.text.source, Message: "the command does not parse: " + err.Error(), Err: err}
	out.Hint = "check the quotes, and that each if, for, case and heredoc is closed"
	var at syntax.Pos
	var parse syntax.ParseError
	var lang syntax.LangError
	switch {
	case errors.As(err, &parse):
		at, out.Message = parse.Pos, "the command does not parse: "+c.readable(parse.Text)
		if parse.Text == "invalid var name" {
			out.Hint = `a name with a placeholder needs quotes around the whole word: export "{{name}}=value"`
		}
	case errors.As(err, &lang):
		at, out.Message = lang.Pos, "the command does not parse: "+c.readable(lang.Error())
		out.Hint = "set shell: bash on the step if it is written for bash"
	default:
		return out
	}
	out.Line, out.Column = position(c.text.source, c.text.sourceOffset(int(at.Offset())))
	return out
}

// portable refuses what the built-in interpreter does not have, in the command
// as it was written and with its placeholders in place.
func (c *compiler) portable(tree *syntax.File) error {
	if lacks := Portable(c.text.marked, tree); len(lacks) > 0 {
		line, column := position(c.text.source, c.text.sourceOffset(lacks[0].Offset))
		return c.unsupported(lacks[0], line, column)
	}
	if len(c.text.marks) == 0 {
		return nil
	}
	var script strings.Builder
	for _, seg := range c.segments() {
		script.WriteString(seg.text)
		if seg.mark != nil && seg.mark.place.form == asInteger {
			script.WriteString(seg.mark.place.prefix + "1" + seg.mark.place.suffix)
		} else if seg.mark != nil && seg.mark.place.form == asName {
			script.WriteString("name")
		}
	}
	placed, err := c.parse(script.String())
	if err != nil {
		return c.syntaxError(err)
	}
	if lacks := Portable(script.String(), placed); len(lacks) > 0 {
		return c.unsupported(lacks[0], lacks[0].Line, 1)
	}
	return nil
}

func (c *compiler) unsupported(l Lack, line, column int) *Error {
	return &Error{
		Source: c.text.source, Line: line, Column: column, Message: "shell: builtin: " + c.readable(l.Message), Unsupported: true,
		Hint: "leave shell: out for bash",
	}
}

// readable shows markers as the placeholders they stand for.
func (c *compiler) readable(message string) string {
	for _, m := range c.text.marksIn(message) {
		message = strings.ReplaceAll(message, string(m.char), m.quoted)
	}
	return message
}

// fail keeps the first fault.
func (c *compiler) fail(m *marker, message, hint string) {
	if c.err == nil {
		c.err = c.text.errorAt(m, message, hint, nil)
	}
	m.placed = true
}

// refuseReparse is a fault unless the step allows a second shell to parse the
// value. It reports whether the caller may go on and place the marker.
func (c *compiler) refuseReparse(m *marker, why, hint string) bool {
	if c.allowReparse {
		c.note(m, ReparseAllowed, m.quoted+" "+why)
		return true
	}
	if c.err == nil {
		c.err = c.text.errorAt(m, m.quoted+" "+why, hint+"; allow_reparse: true on the step lets it through", nil)
		c.err.Reparse = true
	}
	return false
}

func (c *compiler) note(m *marker, code, message string) {
	line, column := position(c.text.source, m.start)
	n := Note{Line: line, Column: column, Code: code, Message: message}
	for _, old := range c.notes {
		if old == n {
			return
		}
	}
	c.notes = append(c.notes, n)
}
