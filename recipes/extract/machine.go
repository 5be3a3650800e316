package extract

import (
	"encoding/json"
	"strings"
)

// machine reads one JSON value byte by byte and accepts exactly what
// encoding/json does, up to MaxDepth.
type machine struct {
	state state
	// stack has the lists and maps that are open.
	stack []container
	// literal is what is left of true, false or null; hex counts the digits
	// that \u still wants.
	literal string
	hex     int
	// key tells that the text being read is a key, which began at keyStart.
	key      bool
	keyStart int
	// field is the key that containers are asked for; empty for none.
	field string
}

// container is a list or map that is not complete yet.
type container struct {
	start int
	list  bool
	// carries tells that the map has the required field itself, inner is the
	// last map in it that does.
	carries  bool
	inner    span
	hasInner bool
	// shadowed tells that the container begins inside a value that is complete:
	// it is no candidate any more. run is the index of a container further out,
	// from which on all are shadowed up to this one.
	shadowed bool
	run      int
}

type state uint8

const (
	idle     state = iota // nothing is open
	want                  // a value
	first                 // a value or ]
	firstKey              // a key or }
	nextKey               // a key
	colon
	behind // a comma or the end of the container
	quoted
	escaped
	unicode
	word // true, false, null
	minus
	zero
	digits
	point
	fraction
	exponent
	exponentSign
	exponentDigits
)

// outcome says what a byte did to the machine.
type outcome uint8

const (
	going  outcome = iota
	opened         // the byte opens a list or map of the value
	closed         // the byte closes one; it is in machine.stack's last slot
	dead           // the text is no JSON
)

func (m *machine) begin() {
	m.stack = m.stack[:0]
	m.state = want
}

func (m *machine) depth() int { return len(m.stack) }

// complete tells whether a value outside of any container may end here.
func (m *machine) complete() bool {
	if len(m.stack) > 0 {
		return false
	}
	switch m.state {
	case behind, zero, digits, fraction, exponentDigits:
		return true
	}
	return false
}

// step reads the byte c at offset i. It does not read the text itself but for
// keys, see name.
func (m *machine) step(c byte, i int) outcome {
	switch m.state {
	case quoted:
		switch {
		case c == '"':
			if m.state = behind; m.key {
				m.state = colon
			}
		case c == '\\':
			m.state = escaped
		case c < ' ':
			return dead
		}
		return going
	case escaped, unicode, word:
		return m.inToken(c)
	}
	if m.state >= minus {
		if m.inNumber(c) {
			return going
		}
		if m.state != zero && m.state != digits && m.state != fraction && m.state != exponentDigits {
			return dead
		}
		m.state = behind
	}
	if c == ' ' || c == '\n' || c == '\t' || c == '\r' {
		return going
	}
	return m.structure(c, i)
}

// structure reads a byte between the scalars.
func (m *machine) structure(c byte, i int) outcome {
	switch m.state {
	case firstKey, nextKey:
		if c == '}' && m.state == firstKey {
			return m.close()
		}
		if c != '"' {
			return dead
		}
		m.state, m.key, m.keyStart = quoted, true, i
		return going
	case colon:
		if c != ':' {
			return dead
		}
		m.state = want
		return going
	case behind:
		return m.behind(c)
	case first:
		if c == ']' {
			return m.close()
		}
	}
	return m.value(c, i)
}

func (m *machine) behind(c byte) outcome {
	if len(m.stack) == 0 {
		return dead
	}
	list := m.stack[len(m.stack)-1].list
	switch {
	case c == ',' && list:
		m.state = want
	case c == ',':
		m.state = nextKey
	case c == ']' && list, c == '}' && !list:
		return m.close()
	default:
		return dead
	}
	return going
}

// value reads the first byte of a value.
func (m *machine) value(c byte, i int) outcome {
	switch {
	case c == '{' || c == '[':
		if len(m.stack) == MaxDepth {
			return dead
		}
		m.stack = append(m.stack, container{start: i, list: c == '['})
		if m.state = firstKey; c == '[' {
			m.state = first
		}
		return opened
	case c == '"':
		m.state, m.key = quoted, false
	case c == '-':
		m.state = minus
	case c == '0':
		m.state = zero
	case c > '0' && c <= '9':
		m.state = digits
	case c == 't':
		m.state, m.literal = word, "rue"
	case c == 'f':
		m.state, m.literal = word, "alse"
	case c == 'n':
		m.state, m.literal = word, "ull"
	default:
		return dead
	}
	return going
}

// close takes the innermost container off the stack; it stays readable in the
// slot behind the end until the next byte.
func (m *machine) close() outcome {
	m.stack = m.stack[:len(m.stack)-1]
	m.state = behind
	return closed
}

// inToken reads a byte of an escape or of true, false and null.
func (m *machine) inToken(c byte) outcome {
	switch m.state {
	case escaped:
		switch c {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			m.state = quoted
		case 'u':
			m.state, m.hex = unicode, 4
		default:
			return dead
		}
	case unicode:
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return dead
		}
		if m.hex--; m.hex == 0 {
			m.state = quoted
		}
	case word:
		if c != m.literal[0] {
			return dead
		}
		if m.literal = m.literal[1:]; m.literal == "" {
			m.state = behind
		}
	}
	return going
}

// inNumber reads a byte of a number; false means that the number ended before.
func (m *machine) inNumber(c byte) bool {
	digit := c >= '0' && c <= '9'
	next := idle
	switch m.state {
	case minus:
		if c == '0' {
			next = zero
		} else if digit {
			next = digits
		}
	case zero, digits, fraction:
		switch {
		case digit && m.state != zero:
			next = m.state
		case c == '.' && m.state != fraction:
			next = point
		case c == 'e' || c == 'E':
			next = exponent
		}
	case point:
		if digit {
			next = fraction
		}
	case exponent:
		if c == '+' || c == '-' {
			next = exponentSign
		} else if digit {
			next = exponentDigits
		}
	case exponentSign, exponentDigits:
		if digit {
			next = exponentDigits
		}
	}
	if next == idle {
		return false
	}
	m.state = next
	return true
}

// named notes that the innermost map has the required field, when the key that
// ended in text at offset i, its closing quote, is that.
func (m *machine) named(text string, i int) {
	raw := text[m.keyStart : i+1]
	const longestEscape = 6 // \u0041 for one byte
	if raw[1:len(raw)-1] != m.field {
		if len(raw) > longestEscape*len(m.field)+2 || strings.IndexByte(raw, '\\') < 0 {
			return
		}
		var name string
		if json.Unmarshal([]byte(raw), &name) != nil || name != m.field {
			return
		}
	}
	m.stack[len(m.stack)-1].carries = true
}
