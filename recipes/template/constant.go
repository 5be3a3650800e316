package template

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// text reads a text in any of the three quotes. Single quotes are quotes here,
// as in conditions; a Go character constant would print as a number.
func (r *reader) text(quote byte) (operand, error) {
	from := r.pos
	for r.pos++; !r.done() && r.peek() != quote; r.pos++ {
		if r.peek() == '\\' && quote != '`' {
			r.pos++
		}
	}
	if r.pos >= r.end {
		return operand{}, r.fault(from, "this quote is not closed")
	}
	r.pos++
	raw := r.source[from:r.pos]
	if quote == '\'' {
		raw = doubleQuoted(raw[1 : len(raw)-1])
	}
	text, err := strconv.Unquote(raw)
	if err != nil {
		return operand{}, r.fault(from, "the text has an escape that is not valid")
	}
	return operand{kind: constant, text: strconv.Quote(text)}, nil
}

// doubleQuoted writes the inside of a single-quoted text in double quotes.
func doubleQuoted(inner string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(inner); i++ {
		switch c := inner[i]; {
		case c == '"':
			b.WriteString(`\"`)
		case c == '\\' && i+1 < len(inner) && inner[i+1] == '\'':
			b.WriteByte('\'')
			i++
		case c == '\\' && i+1 < len(inner):
			b.WriteString(inner[i : i+2])
			i++
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// number reads a JSON number. Whole numbers that fit are the template's own, so
// that they work as counts and indexes; others keep their literal text.
func (r *reader) number() (operand, error) {
	from := r.pos
	for r.pos++; !r.done() && (isWord(r.peek()) || r.peek() == '.' || r.peek() == '+'); r.pos++ {
		continue
	}
	text := r.source[from:r.pos]
	if v, err := value.Parse(text); err != nil || value.Kind(v) != "number" {
		return operand{}, r.fault(from, fmt.Sprintf("%q is not a number", text))
	}
	if n, err := strconv.Atoi(text); err == nil && strconv.Itoa(n) == text {
		return operand{kind: constant, text: text}, nil
	}
	return operand{kind: constant, text: "(_number " + strconv.Quote(text) + ")"}, nil
}
