package ledger

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/brickoven/brickoven/recipes/value"
)

// compatID is the brief id of the original engine (seed-systems section 2.5):
// the hash of the diff, the rubric, the declared paths and the verification
// output, printed as Python's json.dumps prints them with sorted keys. The
// baseline and everything else the critic is shown are not part of it.
func compatID(p Packet) string {
	var declared any
	if p.Scope.DeclaredPaths != nil {
		declared = value.From(p.Scope.DeclaredPaths)
	}
	var b strings.Builder
	pythonJSON(&b, map[string]any{
		"diff": p.Diff, "rubric": value.From(p.Rubric), "scope": declared, "verification": p.Verification,
	})
	return shortHash(b.String())
}

// pythonJSON prints a value with ", " and ": " between items and everything
// outside ASCII escaped.
func pythonJSON(b *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		pythonText(b, v)
	case value.Number:
		b.WriteString(pythonNumber(v.String()))
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			pythonJSON(b, item)
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		for i, key := range sortedKeys(v) {
			if i > 0 {
				b.WriteString(", ")
			}
			pythonText(b, key)
			b.WriteString(": ")
			pythonJSON(b, v[key])
		}
		b.WriteByte('}')
	default:
		b.WriteString(value.JSON(v))
	}
}

func pythonText(b *strings.Builder, text string) {
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\b':
			b.WriteString(`\b`)
		case r == '\f':
			b.WriteString(`\f`)
		case r >= 0x20 && r < 0x7f:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
}

// pythonNumber prints an integer as it is, and anything else as repr prints
// the nearest float.
func pythonNumber(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		return text
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	printed := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(printed, ".") {
		printed += ".0"
	}
	return printed
}
