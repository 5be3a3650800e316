package template

import (
	"strconv"
	"unicode/utf8"
)

func (r *reader) done() bool { return r.pos >= r.end }

// peek is the next byte, and 0 at the end.
func (r *reader) peek() byte {
	if r.done() {
		return 0
	}
	return r.source[r.pos]
}

// char is the next character in quotes, for messages.
func (r *reader) char() string {
	c, _ := utf8.DecodeRuneInString(r.source[r.pos:r.end])
	return strconv.QuoteRune(c)
}

func (r *reader) space() {
	for !r.done() && isSpace(r.source[r.pos]) {
		r.pos++
	}
}

// word reads letters, digits, _ and -.
func (r *reader) word() string {
	from := r.pos
	for !r.done() && isWord(r.source[r.pos]) {
		r.pos++
	}
	return r.source[from:r.pos]
}

// finish makes sure that nothing is left.
func (r *reader) finish() error {
	if r.space(); !r.done() {
		return r.fault(r.pos, r.char()+" is unexpected here")
	}
	return nil
}

func (r *reader) fault(offset int, message string) *fault {
	return &fault{offset: offset, message: message}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return c == '_' || c == '-' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
