package diff

import "strings"

// Unquote reads a path as git prints it: a C-style quoted text with octal
// escapes where the path has unusual bytes, otherwise as it stands. A text that
// is not one quoted path as a whole is returned unchanged.
func Unquote(text string) string {
	if !strings.HasPrefix(text, `"`) {
		return text
	}
	name, rest := cutQuoted(text)
	if rest != "" {
		return text
	}
	return name
}

// cutQuoted reads the quoted text at the front and returns what follows it.
func cutQuoted(text string) (name, rest string) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			return b.String(), text[i+1:]
		case '\\':
			char, size := escape(text[i+1:])
			if size == 0 {
				return text, ""
			}
			b.WriteByte(char)
			i += size
		default:
			b.WriteByte(c)
		}
	}
	return text, ""
}

// escape decodes the escape behind a backslash; size 0 means that it is none.
func escape(text string) (char byte, size int) {
	if len(text) >= 3 && isOctal(text[:3]) {
		return (text[0]-'0')<<6 | (text[1]-'0')<<3 | (text[2] - '0'), 3
	}
	if text == "" {
		return 0, 0
	}
	const letters, bytes = `abtnvfr"\`, "\a\b\t\n\v\f\r\"\\"
	if i := strings.IndexByte(letters, text[0]); i >= 0 {
		return bytes[i], 1
	}
	return 0, 0
}

func isOctal(text string) bool {
	return text[0] >= '0' && text[0] <= '3' && text[1] >= '0' && text[1] <= '7' && text[2] >= '0' && text[2] <= '7'
}
