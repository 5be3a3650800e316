package mask

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// jsonStyle is a set of characters that a JSON writer escapes beyond need.
type jsonStyle int

const (
	jsonPlain jsonStyle = iota // only what must be
	jsonHTML                   // < > & too, as Go does
	jsonSlash                  // / too, as PHP does
	jsonASCII                  // all that is not ASCII, as Python does
)

// escapeJSON is the inside of a JSON string.
func escapeJSON(text string, style jsonStyle) string {
	var out strings.Builder
	for _, r := range text {
		if short := shortEscape(r); short != "" {
			out.WriteString(short)
			continue
		}
		switch {
		case r < 0x20,
			style == jsonHTML && (r == '<' || r == '>' || r == '&' || r == '\u2028' || r == '\u2029'),
			style == jsonASCII && r > 0x7e:
			unicodeEscape(&out, r)
		case style == jsonSlash && r == '/':
			out.WriteString(`\/`)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

func shortEscape(r rune) string {
	switch r {
	case '"':
		return `\"`
	case '\\':
		return `\\`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	case '\b':
		return `\b`
	case '\f':
		return `\f`
	}
	return ""
}

func unicodeEscape(out *strings.Builder, r rune) {
	if high, low := utf16.EncodeRune(r); high != '\ufffd' {
		fmt.Fprintf(out, `\u%04x\u%04x`, high, low)
		return
	}
	fmt.Fprintf(out, `\u%04x`, r)
}
