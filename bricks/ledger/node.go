package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

type nodeKind int

const (
	nullNode nodeKind = iota
	boolNode
	numberNode
	textNode
	listNode
	mapNode
)

// node is one value of a document with its place. JSON and YAML both become
// nodes, so that one checker gives one set of findings.
type node struct {
	kind         nodeKind
	text         string // as written, for scalars
	items        []*node
	fields       []nodeField
	line, column int
}

type nodeField struct {
	key   string
	value *node
}

func (n *node) field(key string) *node {
	for _, f := range n.fields {
		if f.key == key {
			return f.value
		}
	}
	return nil
}

// maxDepth bounds the nesting of a document; a contract needs four levels.
const maxDepth = 64

// syntaxFault is a document that can not be read, with the place.
func syntaxFault(line, column int, format string, args ...any) *Refusal {
	return &Refusal{Code: Malformed, Findings: []Finding{{
		Field: "document", Message: fmt.Sprintf(format, args...), Line: line, Column: column,
	}}}
}

// jsonReader turns the tokens of a JSON text into nodes.
type jsonReader struct {
	data []byte
	dec  *json.Decoder
	// The place found last. Tokens come in the order of the text, so places are
	// counted on from there, and a long line costs no more than a short one.
	offset, line, column int
}

// readJSON reads exactly one JSON document and refuses keys that are there
// twice.
func readJSON(data []byte) (*node, error) {
	r := &jsonReader{data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1, column: 1}
	if at := invalidUTF8(data); at >= 0 {
		return nil, r.fault(at, "the text is not UTF-8")
	}
	r.dec.UseNumber()
	root, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, r.fault(r.next(), "the text goes on after the document")
	}
	return root, nil
}

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

func (r *jsonReader) place(offset int) (line, column int) {
	if offset < r.offset {
		r.offset, r.line, r.column = 0, 1, 1
	}
	passed := r.data[r.offset:offset]
	if i := bytes.LastIndexByte(passed, '\n'); i >= 0 {
		r.line += bytes.Count(passed, []byte("\n"))
		r.column = 1
		passed = passed[i+1:]
	}
	r.column += utf8.RuneCount(passed)
	r.offset = offset
	return r.line, r.column
}

func (r *jsonReader) fault(offset int, format string, args ...any) *Refusal {
	line, column := r.place(min(offset, len(r.data)))
	return syntaxFault(line, column, format, args...)
}

// next is the offset of the token that the decoder reads next.
func (r *jsonReader) next() int {
	at := int(r.dec.InputOffset())
	for at < len(r.data) && bytes.IndexByte([]byte(" \t\r\n,:"), r.data[at]) >= 0 {
		at++
	}
	return at
}

func (r *jsonReader) token() (json.Token, error) {
	at := r.next()
	token, err := r.dec.Token()
	if err == nil {
		return token, nil
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return nil, r.fault(max(int(syntax.Offset)-1, 0), "not valid JSON: %s", syntax)
	}
	return nil, r.fault(at, "not valid JSON: the document ends early")
}

func (r *jsonReader) value(depth int) (*node, error) {
	at := r.next()
	if depth > maxDepth {
		return nil, r.fault(at, "the document is nested too deeply")
	}
	token, err := r.token()
	if err != nil {
		return nil, err
	}
	n := &node{}
	n.line, n.column = r.place(at)
	switch token := token.(type) {
	case bool:
		n.kind, n.text = boolNode, fmt.Sprint(token)
	case json.Number:
		n.kind, n.text = numberNode, token.String()
	case string:
		n.kind, n.text = textNode, token
	case json.Delim:
		if token == '{' {
			return n, r.object(n, depth)
		}
		return n, r.list(n, depth)
	}
	return n, nil
}

func (r *jsonReader) list(n *node, depth int) error {
	n.kind = listNode
	for r.dec.More() {
		item, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	_, err := r.token()
	return err
}

func (r *jsonReader) object(n *node, depth int) error {
	n.kind = mapNode
	seen := map[string]bool{}
	for r.dec.More() {
		at := r.next()
		token, err := r.token()
		if err != nil {
			return err
		}
		key, isText := token.(string)
		if !isText {
			return r.fault(at, "not valid JSON: a key must be a text")
		}
		if seen[key] {
			return r.fault(at, "the key %q is there twice", key)
		}
		seen[key] = true
		item, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.fields = append(n.fields, nodeField{key, item})
	}
	_, err := r.token()
	return err
}
