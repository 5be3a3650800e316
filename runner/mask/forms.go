package mask

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// form is one text that stands for a secret.
type form struct {
	name string // of the secret
	kind string // which form: raw, base64.1, line.2/json …
	text string
}

// manyForms is the length in bytes of a secret up to which the rarer forms are
// looked for, too. It bounds the memory of the automaton.
const manyForms = 8 << 10

// formsOf lists the texts that stand for a secret, the same for the same secret
// every time.
func formsOf(secret string) []form {
	rare := len(secret) <= manyForms
	forms := whole(secret, rare)
	lines := strings.FieldsFunc(secret, func(r rune) bool { return r == '\n' || r == '\r' })
	for i, line := range lines {
		if line == secret || !longEnough(line) {
			continue
		}
		for _, f := range whole(line, rare) {
			forms = append(forms, form{kind: fmt.Sprintf("line.%d/%s", i+1, f.kind), text: f.text})
		}
	}
	return forms
}

func longEnough(text string) bool { return utf8.RuneCountInString(text) >= MinLength }

// builder collects forms, of which some may be equal: which ones are depends on
// the secret, and a recorded kind is to be there for its next value as well.
type builder struct{ forms []form }

func (b *builder) add(kind, text string) {
	if len(text) >= MinLength {
		b.forms = append(b.forms, form{kind: kind, text: text})
	}
}

// whole lists the forms of one text, with or without the rarer ones.
func whole(secret string, rare bool) []form {
	b := &builder{}
	b.add("raw", secret)
	b.base64("base64", base64.StdEncoding, secret)
	b.base64("base64url", base64.URLEncoding, secret)
	escaped := escapeJSON(secret, jsonPlain)
	b.add("json", escaped)
	if !rare {
		return b.forms
	}
	b.add("json.html", escapeJSON(secret, jsonHTML))
	b.add("json.slash", escapeJSON(secret, jsonSlash))
	b.add("json.ascii", escapeJSON(secret, jsonASCII))
	b.add("json.json", escapeJSON(escaped, jsonPlain))
	b.wrapped(secret)
	b.add("hex", hex.EncodeToString([]byte(secret)))
	b.add("hex.upper", strings.ToUpper(hex.EncodeToString([]byte(secret))))
	b.urls(secret)
	return b.forms
}

// base64 adds the encodings of a secret that follows 0, 1 or 2 bytes in its
// group of three: what does not depend on its neighbours, and what stands there
// when the text ends with the secret, with and without the padding.
func (b *builder) base64(kind string, encoding *base64.Encoding, secret string) {
	for before, skip := range []int{0, 2, 3} {
		text := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
		bits := 8 * (before + len(secret))
		inner := text[:bits/6]
		prefix := fmt.Sprintf("%s.%d", kind, before)
		b.add(prefix+".padded", text[skip:])
		b.add(prefix+".end", strings.TrimRight(text, "=")[skip:])
		b.add(prefix, inner[skip:])
	}
}

// wrapped adds the lines of a base64 text that breaks them at the columns that
// base64, openssl and mail use.
func (b *builder) wrapped(secret string) {
	for _, columns := range []int{64, 76} {
		text := base64.StdEncoding.EncodeToString([]byte(secret))
		if len(text) <= columns {
			continue
		}
		for i := 0; len(text) > 0; i++ {
			line := text[:min(columns, len(text))]
			text = text[len(line):]
			b.add(fmt.Sprintf("base64.wrap%d.%d", columns, i), line)
		}
	}
}

// urlSets are the characters beside letters and digits that common libraries do
// not escape.
var urlSets = [...]struct{ kind, kept string }{
	{"url", "-_.~"},                           // RFC 3986, Go and Python queries
	{"url.component", "-_.~!*'()"},            // encodeURIComponent
	{"url.path", "-_.~/"},                     // Python's quote
	{"url.segment", "-_.~$&+=:@"},             // Go's path segments
	{"url.form", "-_.*"},                      // HTML forms
	{"url.uri", "-_.~!*'();/?:@&=+$,#"},       // encodeURI
	{"url.rfc1738", "-_."},                    // PHP's urlencode
	{"url.reserved", "-_.~!$&'()*+,;=:@/?[]"}, // curl and browsers in paths
}

func (b *builder) urls(secret string) {
	for _, set := range urlSets {
		for _, plus := range []bool{false, true} {
			for _, lower := range []bool{false, true} {
				kind := set.kind
				if plus {
					kind += ".plus"
				}
				if lower {
					kind += ".lower"
				}
				b.add(kind, escapeURL(secret, set.kept, plus, lower))
			}
		}
	}
}

func escapeURL(text, kept string, plus, lower bool) string {
	digits := "0123456789ABCDEF"
	if lower {
		digits = "0123456789abcdef"
	}
	var out strings.Builder
	for _, c := range []byte(text) {
		switch {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', strings.IndexByte(kept, c) >= 0:
			out.WriteByte(c)
		case c == ' ' && plus:
			out.WriteByte('+')
		default:
			out.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return out.String()
}
