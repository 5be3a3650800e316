package expression

import (
	"strings"
	"unicode/utf8"
)

// mask hides from expr's lexer what it cannot read, without moving anything:
// the inside of quoted texts becomes blanks (Python keeps unknown escapes, expr
// refuses them) and the hyphens of hyphenated names become underscores.
type mask struct {
	source string
	known  map[string]bool
	out    []byte
	texts  []text
	// last is the last byte before the current one that is not white space,
	// and beforeLast the byte in front of that.
	last, beforeLast byte
	// number tells that the last word was a number, so that the digits after a
	// dot are its fraction and no key.
	number bool
}

// text is a quoted text of the source, decoded.
type text struct {
	offset int
	value  string
}

// run masks the whole source. The masked text has as many runes as the source.
func (m *mask) run() *Error {
	m.out = make([]byte, 0, len(m.source))
	for i := 0; i < len(m.source); {
		c := m.source[i]
		end := i + 1
		var err *Error
		switch {
		case c == '\'' || c == '"' || c == '`':
			end, err = m.quoted(i)
		case strings.HasPrefix(m.source[i:], "//") || strings.HasPrefix(m.source[i:], "/*"):
			err = m.fail(i, "a condition has no comments and no operator //; int(a / b) divides without a remainder")
		case isDigit(c):
			end = m.digits(i)
		case isWordByte(c):
			end = m.name(i)
		default:
			m.out = append(m.out, c)
		}
		if err != nil {
			return err
		}
		if c != '.' && !isDigit(c) {
			m.number = false
		}
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			m.last = m.source[end-1]
			m.beforeLast = 0
			if end >= 2 {
				m.beforeLast = m.source[end-2]
			}
		}
		i = end
	}
	return nil
}

func (m *mask) fail(offset int, message string) *Error {
	return &Error{Source: m.source, Offset: offset, Message: message}
}

// quoted masks the quoted text that begins at i and returns where it ends.
func (m *mask) quoted(i int) (end int, err *Error) {
	quote := m.source[i]
	end = i + 1
	for {
		if end >= len(m.source) || m.source[end] == '\n' && quote != '`' {
			return 0, m.fail(i, "this quoted text does not end")
		}
		c := m.source[end]
		if c == '\\' && quote != '`' {
			end += 2
			continue
		}
		end++
		if c != quote {
			continue
		}
		if quote != '`' || end >= len(m.source) || m.source[end] != '`' {
			break
		}
		end++ // A doubled backquote stands for one.
	}
	inside := m.source[i+1 : end-1]
	decoded := strings.ReplaceAll(inside, "``", "`")
	if quote != '`' {
		var at int
		var problem string
		if decoded, at, problem = unescape(inside); problem != "" {
			return 0, m.fail(i+1+at, problem)
		}
	}
	m.texts = append(m.texts, text{offset: i, value: decoded})
	m.out = append(m.out, quote)
	for range utf8.RuneCountInString(inside) {
		m.out = append(m.out, ' ')
	}
	m.out = append(m.out, quote)
	return end, nil
}

// digits copies a number, or masks a key such as the 0 of items.0.name, which
// expr's lexer would take for the number .0.
func (m *mask) digits(i int) (end int) {
	isKey := !m.number && m.last == '.' && (isWordByte(m.beforeLast) || m.beforeLast == ']' || m.beforeLast == ')')
	m.number = !isKey
	for end = i; end < len(m.source) && isWordByte(m.source[end]); end++ {
		c := m.source[end]
		if isKey && isDigit(c) {
			c = '_'
		}
		m.out = append(m.out, c)
	}
	return end
}

// name masks the hyphens of the name that begins at i. A variable's name takes
// the longest hyphenated form that the recipe knows; a key after a dot takes all
// of it, except that a last -1 is subtracted unless the key is known with it.
func (m *mask) name(i int) (end int) {
	run := i
	for run < len(m.source) && (isWordByte(m.source[run]) || m.source[run] == '-') {
		run++
	}
	whole := strings.TrimRight(m.source[i:run], "-")
	name := whole
	switch {
	case m.known[whole]:
	case m.last == '.' && m.beforeLast != '.':
		name = m.key(whole, i+len(whole))
	default:
		for !m.known[name] && strings.Contains(name, "-") {
			name = strings.TrimRight(name[:strings.LastIndexByte(name, '-')], "-")
		}
	}
	m.out = append(m.out, strings.ReplaceAll(name, "-", "_")...)
	return i + len(name)
}

func (m *mask) key(whole string, end int) string {
	rest := m.source[end:]
	if strings.HasPrefix(rest, "[") || len(rest) > 1 && rest[0] == '.' && !isDigit(rest[1]) {
		return whole
	}
	if cut := strings.LastIndexByte(whole, '-'); cut > 0 && isDigits(whole[cut+1:]) {
		return strings.TrimRight(whole[:cut], "-")
	}
	return whole
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// isWordByte admits the bytes of letters beyond ASCII too; expr's lexer then
// decides which of those are letters.
func isWordByte(c byte) bool {
	return c == '_' || c == '$' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}
