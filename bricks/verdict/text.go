package verdict

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText is how many characters of one text a report shows (issue: the
// loop-health bricks, "at most 2,000 characters of each").
const maxText = 2000

// clean makes a text of the outside world fit for a line of a report: line
// breaks and tabs become blanks, other control characters and bytes that are
// not UTF-8 go, so that it can neither fake a line nor steer a terminal.
func clean(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			return ' '
		case unicode.IsControl(r) || r == utf8.RuneError:
			return -1
		}
		return r
	}, text))
}

// clip cuts a text after n characters and says so with the last of them.
func clip(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	runes := []rune(text)
	return string(runes[:n-1]) + "…"
}
