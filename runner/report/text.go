package report

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// escapes are the sequences that steer a terminal: colours, cursor, titles.
var escapes = pattern.Pattern{Source: "\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\-_])"}

// clean is a text as people may see it: valid UTF-8 without terminal sequences,
// its control characters shown as the pictures that Unicode has for them. What
// turns the direction of reading is left to the page, which isolates every text.
func clean(text string) string {
	if plain(text) {
		return text
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = escapes.Get().ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20:
			return 0x2400 + r
		case r == 0x7f:
			return '\u2421'
		case r >= 0x80 && r < 0xa0, r == '\uFEFF', r >= 0xFFFE && r <= 0xFFFF:
			return '\uFFFD'
		}
		return r
	}, text)
}

// plain tells a text that needs no cleaning, which is nearly every one.
func plain(text string) bool {
	for i := 0; i < len(text); i++ {
		if b := text[i]; b >= utf8.RuneSelf || b < 0x20 && b != '\n' && b != '\t' || b == 0x7f {
			return false
		}
	}
	return true
}

// key is a name for a path that is safe as an id of a page and the same in every
// report of the run.
func key(path string) string {
	sum := sha256.Sum256([]byte(path))
	return "s" + hex.EncodeToString(sum[:5])
}
