package value

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// ErrNotOneDocument is returned by [Parse] when the text goes on after a
// complete JSON document.
var ErrNotOneDocument = errors.New("the text holds more than one JSON document")

// Parse reads text as exactly one JSON document, with numbers kept literally.
// White space around the document is allowed.
func Parse(text string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrNotOneDocument
	}
	return v, nil
}

// Capture turns the standard output of a step into the text and the value that
// its variable gets (DESIGN section 2). The text loses trailing white space,
// and a single line loses leading white space too. The value is the JSON
// document where the whole text is one, otherwise the text. A bare scalar is a
// number only when it is a plain decimal: 1e5 and 007 stay text.
func Capture(stdout string) (text string, v any) {
	text = strings.TrimRight(stdout, " \t\r\n\v\f")
	if !strings.Contains(text, "\n") {
		text = strings.TrimLeft(text, " \t\r\v\f")
	}
	return text, Guess(text)
}

// Guess reads text as a JSON value where it is exactly one, with the rule of
// [Capture] for bare numbers, and otherwise returns it as a string.
func Guess(text string) any {
	trimmed := strings.Trim(text, " \t\r\n")
	if trimmed == "" {
		return text
	}
	switch c := trimmed[0]; {
	case c == '{' || c == '[' || c == '"':
	case c == 't' || c == 'f' || c == 'n':
		if len(trimmed) > len("false") {
			return text
		}
	case c == '-' || c >= '0' && c <= '9':
		if IsPlainDecimal(trimmed) {
			return Number(trimmed)
		}
		return text
	default:
		return text
	}
	if v, err := Parse(text); err == nil {
		return v
	}
	return text
}

// Authored reads the text of an unquoted YAML scalar the way recipe authors
// mean it: bool only for true/false (and True/False), null only for null, ~
// and nothing, a number only for a plain decimal without a leading zero.
// Everything else (0474915, 2024-01-01, 0755, yes) stays as it was written.
func Authored(text string) any {
	switch text {
	case "true", "True":
		return true
	case "false", "False":
		return false
	case "null", "~", "":
		return nil
	}
	if IsPlainDecimal(text) {
		return Number(text)
	}
	return text
}

// Assigned reads the right side of --set name=text: a JSON object, list, bool
// or number where the text is exactly that, True and False as bools, and a
// string otherwise. A JSON string or null stays the text that was given.
func Assigned(text string) any {
	switch text {
	case "True":
		return true
	case "False":
		return false
	}
	switch v := Guess(text).(type) {
	case nil, string:
		return text
	default:
		return v
	}
}

// IsPlainDecimal reports whether text is a decimal number as JSON writes it,
// without an exponent: -12, 0, 1.10, but not 007, 1e5, +1, .5 or 1.
func IsPlainDecimal(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	whole, fraction, dotted := strings.Cut(digits, ".")
	if !allDigits(whole) || len(whole) > 1 && whole[0] == '0' {
		return false
	}
	return !dotted || allDigits(fraction)
}

func allDigits(s string) bool {
	if s == "" {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// Clean makes text fit for a variable: NUL bytes are dropped and bytes that are
// not UTF-8 become U+FFFD, each its own. changed tells whether anything was done.
func Clean(text string) (clean string, changed bool) {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text, false
	}
	return strings.Map(func(r rune) rune {
		if r == 0 {
			return -1
		}
		return r
	}, text), true
}
