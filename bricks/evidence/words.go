package evidence

// The classes of bytes for the word scan. Bytes of characters beyond ASCII are
// letters, so that a word is never cut inside a character.
const (
	other byte = iota
	letter
	digit
)

var classOf = func() (table [256]byte) {
	for c := range table {
		switch {
		case c >= '0' && c <= '9':
			table[c] = digit
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= 0x80:
			table[c] = letter
		}
	}
	return table
}()

// wordEnd is the end of the run of letters and digits that begins at i.
func wordEnd(s string, i int) int {
	for i < len(s) && classOf[s[i]] != other {
		i++
	}
	return i
}

// isWord compares s with a lower-case ASCII word, ignoring the case of s.
func isWord(s, word string) bool {
	if len(s) != len(word) {
		return false
	}
	for i := range len(s) {
		if lower(s[i]) != word[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}
