package score

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// InputError is a fault in a loop's record or in its guard events.
type InputError struct {
	// Source is what was read, such as a file's name; the caller fills it in.
	Source string
	// Line and Column count from 1; 0 means that the fault has no place, as in
	// a record that was built in Go.
	Line, Column int
	// Path leads to the value, such as score_history[2]; empty for the whole
	// document.
	Path string
	// Index is the position, from 0, of the score at fault; -1 for all others.
	Index   int
	Message string
	// Err is the cause, where there is one.
	Err error
}

func (e *InputError) Error() string {
	var b strings.Builder
	if e.Source != "" {
		b.WriteString(e.Source + ":")
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", e.Line, e.Column)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	if e.Path != "" {
		b.WriteString(e.Path + " ")
	}
	b.WriteString(e.Message)
	return b.String()
}

func (e *InputError) Unwrap() error { return e.Err }

// node is a value of a document together with its place, so that every later
// complaint can say where.
type node struct {
	value  any
	offset int
	path   string
	fields map[string]*node
	items  []*node
}

// maxDepth bounds how deeply a document may nest; a deeper one would exhaust
// the stack before it said anything about a loop.
const maxDepth = 500

// document reads JSON with numbers kept literally. encoding/json gives no
// positions with its values, hence the walk over its tokens.
type document struct {
	text string
	dec  *json.Decoder
}

func newDocument(text string) *document {
	text = strings.TrimPrefix(text, "\uFEFF")
	d := &document{text: text, dec: json.NewDecoder(strings.NewReader(text))}
	d.dec.UseNumber()
	return d
}

// parseOne reads text as exactly one document.
func parseOne(text string) (*document, *node, error) {
	d := newDocument(text)
	root, err := d.read("", 0)
	if err != nil {
		return d, nil, err
	}
	if !d.atEnd() {
		return d, nil, d.fault(d.start(), "", -1, "the text goes on after a complete JSON document", value.ErrNotOneDocument)
	}
	return d, root, nil
}

// parseAll reads text as documents one after the other, such as JSON lines.
func parseAll(text string) (*document, []*node, error) {
	d := newDocument(text)
	var roots []*node
	for !d.atEnd() {
		root, err := d.read("", 0)
		if err != nil {
			return d, nil, err
		}
		roots = append(roots, root)
	}
	return d, roots, nil
}

func (d *document) atEnd() bool { return d.start() >= len(d.text) }

// start is where the next value begins.
func (d *document) start() int {
	at := int(d.dec.InputOffset())
	for at < len(d.text) && strings.IndexByte(" \t\r\n,:", d.text[at]) >= 0 {
		at++
	}
	return at
}

func (d *document) read(path string, depth int) (*node, error) {
	n := &node{offset: d.start(), path: path}
	if depth > maxDepth {
		return nil, d.fault(n.offset, path, -1, fmt.Sprintf("is nested more than %d deep", maxDepth), nil)
	}
	token, err := d.dec.Token()
	if err != nil {
		return nil, d.syntax(path, err)
	}
	switch token {
	case json.Delim('{'):
		return n, d.readObject(n, depth)
	case json.Delim('['):
		return n, d.readList(n, depth)
	}
	n.value = token
	return n, nil
}

func (d *document) readObject(n *node, depth int) error {
	n.fields = map[string]*node{}
	object := map[string]any{}
	for d.dec.More() {
		at := d.start()
		token, err := d.dec.Token()
		if err != nil {
			return d.syntax(n.path, err)
		}
		key, ok := token.(string)
		if !ok {
			return d.fault(at, n.path, -1, "has a key that is not a text", nil)
		}
		child := key
		if n.path != "" {
			child = n.path + "." + key
		}
		if n.fields[key] != nil {
			return d.fault(at, child, -1, "is there twice", nil)
		}
		item, err := d.read(child, depth+1)
		if err != nil {
			return err
		}
		n.fields[key], object[key] = item, item.value
	}
	n.value = object
	return d.close(n.path)
}

func (d *document) readList(n *node, depth int) error {
	n.items = []*node{}
	list := []any{}
	for d.dec.More() {
		item, err := d.read(fmt.Sprintf("%s[%d]", n.path, len(list)), depth+1)
		if err != nil {
			return err
		}
		n.items, list = append(n.items, item), append(list, item.value)
	}
	n.value = list
	return d.close(n.path)
}

func (d *document) close(path string) error {
	if _, err := d.dec.Token(); err != nil {
		return d.syntax(path, err)
	}
	return nil
}

// syntax explains a token that is not JSON. The spellings of infinity and
// not-a-number are worth a sentence of their own: Python writes them.
func (d *document) syntax(path string, err error) error {
	at := d.start()
	rest := d.text[min(at, len(d.text)):]
	message := "is not valid JSON: " + err.Error()
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		message = "ends before the JSON document is complete"
		if strings.TrimSpace(d.text) == "" {
			message = "is empty; expected a JSON document"
		}
	case strings.HasPrefix(rest, "NaN"), strings.HasPrefix(rest, "nan"):
		message = "is NaN, which is not a number"
	case strings.HasPrefix(strings.TrimPrefix(rest, "-"), "Inf"), strings.HasPrefix(strings.TrimPrefix(rest, "-"), "inf"):
		message = "is infinite; a finite number is needed"
	case strings.HasPrefix(rest, "]") || d.strayComma(&at):
		message = "is missing: there is a comma without a value"
	}
	if path == "" {
		message = "the document " + message
	}
	return d.fault(at, path, indexIn(path), message, err)
}

// strayComma reports whether a comma stands between what the decoder consumed
// and the next value, and moves at to it. The comma that separates two values
// the decoder consumes itself.
func (d *document) strayComma(at *int) bool {
	from := min(int(d.dec.InputOffset()), *at)
	comma := strings.IndexByte(d.text[from:*at], ',')
	if comma >= 0 {
		*at = from + comma
	}
	return comma >= 0
}

func (d *document) fault(offset int, path string, index int, message string, cause error) *InputError {
	before := d.text[:min(offset, len(d.text))]
	lineStart := strings.LastIndexByte(before, '\n') + 1
	return &InputError{
		Line:   strings.Count(before, "\n") + 1,
		Column: len([]rune(before[lineStart:])) + 1,
		Path:   path, Index: index, Message: message, Err: cause,
	}
}

// at complains about a value that was read.
func (d *document) at(n *node, message string) *InputError {
	return d.fault(n.offset, n.path, indexIn(n.path), message, nil)
}

// indexIn is the index of the score that path leads to, or -1.
func indexIn(path string) int {
	var index int
	for _, shape := range []string{"score_history[%d]", "iterations[%d].score"} {
		if _, err := fmt.Sscanf(path, shape, &index); err == nil && path == fmt.Sprintf(shape, index) {
			return index
		}
	}
	return -1
}
