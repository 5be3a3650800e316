package value

import (
	"strconv"
	"strings"
)

// At walks from v along the parts of a path: map keys, and list indexes written
// as decimal numbers. found is false as soon as a part leads nowhere; a key
// that is present with null is found.
func At(v any, parts []string) (item any, found bool) {
	for _, part := range parts {
		switch container := v.(type) {
		case map[string]any:
			next, ok := container[part]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || !allDigits(part) || i >= len(container) {
				return nil, false
			}
			v = container[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// SplitPath cuts "a.b.0" or "a.b[0]['k']" into its parts. ok is false when the
// text is not such a path. Names may hold letters, digits, _ and -, and a name
// at the front may not begin with a digit or a hyphen (DESIGN section 3).
func SplitPath(text string) (parts []string, ok bool) {
	rest := text
	for rest != "" {
		var part string
		switch {
		case rest[0] == '[':
			part, rest, ok = cutIndex(rest)
			if !ok || len(parts) == 0 {
				return nil, false
			}
		default:
			if len(parts) > 0 {
				if rest[0] != '.' {
					return nil, false
				}
				rest = rest[1:]
			}
			n := nameLength(rest)
			if n == 0 || len(parts) == 0 && !IsName(rest[:n]) {
				return nil, false
			}
			part, rest = rest[:n], rest[n:]
		}
		parts = append(parts, part)
	}
	return parts, len(parts) > 0
}

// cutIndex reads an index or a quoted key, which may hold brackets but not its
// own quote.
func cutIndex(text string) (part, rest string, ok bool) {
	inner := text[1:]
	if inner != "" && (inner[0] == '\'' || inner[0] == '"') {
		part, rest, ok = strings.Cut(inner[1:], inner[:1])
		if !ok || rest == "" || rest[0] != ']' {
			return "", "", false
		}
		return part, rest[1:], true
	}
	part, rest, ok = strings.Cut(inner, "]")
	return part, rest, ok && allDigits(part)
}

func nameLength(text string) int {
	n := 0
	for n < len(text) && isNameByte(text[n]) {
		n++
	}
	return n
}

func isNameByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// IsName reports whether text can name a variable: letters, digits, _ and -,
// not beginning with a digit or a hyphen.
func IsName(text string) bool {
	if text == "" || nameLength(text) != len(text) {
		return false
	}
	return text[0] != '-' && (text[0] < '0' || text[0] > '9')
}
