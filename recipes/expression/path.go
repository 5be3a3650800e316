package expression

import (
	"strings"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes/value"
)

// path is a name with the keys that are known before the run.
type path struct {
	root  string
	parts []string
}

// resolve walks the path. A name or key that is not there is null.
func (p *path) resolve(f *frame) any {
	v := f.find(p.root)
	for _, part := range p.parts {
		v = member(v, part)
	}
	return v
}

// member is the item of a list or map, or one character of a text; null where
// there is none. Python's negative indexes count from the end.
func member(v any, key string) any {
	if text, ok := v.(string); ok {
		if i, ok := index(key, utf8.RuneCountInString(text)); ok {
			return string([]rune(text)[i])
		}
		return nil
	}
	if list, ok := v.([]any); ok {
		if i, ok := index(key, len(list)); ok {
			return list[i]
		}
		return nil
	}
	item, _ := value.At(v, []string{key})
	return item
}

func index(key string, length int) (i int, ok bool) {
	i, ok = wholeNumber(value.Number(key))
	if ok && i < 0 {
		i += length
	}
	return i, ok && i >= 0 && i < length
}

// with returns the path one key longer.
func (p *path) with(part string) *path {
	parts := make([]string, len(p.parts), len(p.parts)+1)
	copy(parts, p.parts)
	return &path{root: p.root, parts: append(parts, part)}
}

// String writes the path with dots, up to the first key that dots cannot write.
func (p *path) String() string {
	written := p.root
	for _, part := range p.parts {
		if part == "" || strings.ContainsFunc(part, notNameRune) {
			break
		}
		written += "." + part
	}
	return written
}

func notNameRune(r rune) bool {
	return r != '-' && (r >= utf8.RuneSelf || !isWordByte(byte(r)) || r == '$')
}

// template is a quoted text with {{path}} in it.
type template struct {
	pieces []piece
}

// piece is a literal text, or a path where path is not nil.
type piece struct {
	text string
	path *path
}

// parseTemplate finds the {{path}} of a decoded text. It returns nil when there
// are none but for escaped ones, and then plain is the text itself. \{{ is a
// literal {{ (DESIGN section 3), and {{ that is never closed is text too.
func parseTemplate(decoded string) (t *template, plain, problem string) {
	t = new(template)
	var literal strings.Builder
	rest := decoded
	for {
		open := strings.Index(rest, "{{")
		if open < 0 {
			break
		}
		if open > 0 && rest[open-1] == '\\' {
			literal.WriteString(rest[:open-1] + "{{")
			rest = rest[open+2:]
			continue
		}
		inside, behind, closed := strings.Cut(rest[open+2:], "}}")
		if !closed {
			break
		}
		found, problem := parsePath(strings.TrimSpace(inside))
		if problem != "" {
			return nil, "", problem
		}
		literal.WriteString(rest[:open])
		if literal.Len() > 0 {
			t.pieces = append(t.pieces, piece{text: literal.String()})
			literal.Reset()
		}
		t.pieces = append(t.pieces, piece{path: found})
		rest = behind
	}
	literal.WriteString(rest)
	if len(t.pieces) == 0 {
		return nil, literal.String(), ""
	}
	if literal.Len() > 0 {
		t.pieces = append(t.pieces, piece{text: literal.String()})
	}
	return t, "", ""
}

func parsePath(inside string) (p *path, problem string) {
	parts, ok := value.SplitPath(inside)
	if !ok {
		return nil, `a condition's text takes {{name}} or {{a.b}} only; write \{{ for two plain braces`
	}
	if strings.Contains(parts[0], "__") {
		return nil, "a name in a condition cannot contain __"
	}
	return &path{root: parts[0], parts: parts[1:]}, ""
}

// render resolves the template. One that is a path and nothing else is the value
// itself, so that a list stays a list; as a quoted text, it is "" for null.
func (t *template) render(f *frame) any {
	if len(t.pieces) == 1 {
		if v := t.pieces[0].path.resolve(f); v != nil {
			return v
		}
		return ""
	}
	var out strings.Builder
	for _, p := range t.pieces {
		if p.path == nil {
			out.WriteString(p.text)
			continue
		}
		out.WriteString(value.Text(p.path.resolve(f)))
	}
	return out.String()
}
