package ledger

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/recipes/value/pattern"
)

var (
	escapes   = pattern.Pattern{Source: "\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\-_])"}
	numberish = pattern.Pattern{Source: `(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?|\.\d+`}
	unit      = pattern.Pattern{Source: `^(?:%|ms|us|ns|µs|s|m|h|B|[kKMGT]i?B|[kKMGT])(?:$|[^\pL\pN_])`}
)

// HoldsNumber tells whether the transcript of an evidence command holds the
// number as a token of its own: 2 is in "2 failing", in "found 2." and in
// "2 ms", 38000 is in "38,000" and 0.5 in "0.50"; 2 is not in "v2", "-2",
// "1.2.3", "2026-01-02", "12:02" or "#2". Terminal escapes do not count as text.
func HoldsNumber(transcript string, number value.Number) bool {
	want, ok := value.Rational(number)
	if !ok {
		return false
	}
	text := escapes.Get().ReplaceAllString(transcript, "")
	for _, span := range numberish.Get().FindAllStringIndex(text, -1) {
		start, end := span[0], span[1]
		if !endsToken(text[end:]) || isBetweenSlashes(text, start, end) {
			continue
		}
		digits := strings.ReplaceAll(text[start:end], ",", "")
		negative, begins := beginsToken(text[:start])
		if !begins {
			continue
		}
		if strings.HasPrefix(digits, ".") {
			digits = "0" + digits
		}
		if negative {
			digits = "-" + digits
		}
		if found, ok := value.Rational(value.Number(digits)); ok && found.Cmp(want) == 0 {
			return true
		}
	}
	return false
}

// beginsToken judges what stands before a number.
func beginsToken(before string) (negative, ok bool) {
	last, size := utf8.DecodeLastRuneInString(before)
	if last == '-' || last == '+' {
		earlier, _ := utf8.DecodeLastRuneInString(before[:len(before)-size])
		return last == '-', !isWordRune(earlier) && !strings.ContainsRune(".-+", earlier)
	}
	if isWordRune(last) || strings.ContainsRune(`.#@\`, last) {
		return false, false
	}
	rest := before[:max(len(before)-size, 0)]
	earlier, _ := utf8.DecodeLastRuneInString(rest)
	switch last {
	case ':':
		return false, !unicode.IsDigit(earlier)
	case '/':
		return false, unicode.IsDigit(earlier) && !strings.Contains(lastWord(rest), "/")
	}
	return false, true
}

// isBetweenSlashes knows the middle of a date or of a path.
func isBetweenSlashes(text string, start, end int) bool {
	return strings.HasSuffix(text[:start], "/") && strings.HasPrefix(text[end:], "/")
}

// endsToken judges what follows a number.
func endsToken(after string) bool {
	next, size := utf8.DecodeRuneInString(after)
	following, _ := utf8.DecodeRuneInString(after[size:])
	switch {
	case after == "":
		return true
	case isWordRune(next) || next == '%':
		return unit.Get().MatchString(after)
	case next == '.':
		return !isWordRune(following)
	case next == ':':
		return !unicode.IsDigit(following)
	case next == '-' || next == '+':
		return !isWordRune(following)
	case next == '/':
		word, _, _ := strings.Cut(after[size:], " ")
		return unicode.IsDigit(following) && !strings.Contains(word, "/")
	}
	return true
}

func isWordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func lastWord(text string) string {
	return text[strings.LastIndexAny(text, " \t\n")+1:]
}
