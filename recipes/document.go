package recipes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// MaxFileSize is the size in bytes up to which a recipe file is read.
const MaxFileSize = 10 << 20

// document is the YAML of one recipe file, with aliases and merge keys resolved.
type document struct {
	source Source
	lines  []string
	// root is the mapping of the document.
	root *yaml.Node
	// owners tells for nodes that came in through extends which document they
	// were written in; all other nodes belong to this one.
	owners map[*yaml.Node]*document
}

// readDocument turns the bytes of a file into nodes. The error is [Findings].
func readDocument(source Source, data []byte) (*document, error) {
	if err := checkBytes(source.Path, data); err != nil {
		return nil, Findings{err}
	}
	source.Text = string(data)
	doc := &document{source: source, lines: splitLines(strings.TrimPrefix(source.Text, "\ufeff"))}
	node, err := doc.parse(data)
	if err != nil {
		return nil, Findings{err}
	}
	if node.Kind != yaml.MappingNode {
		return nil, Findings{doc.finding(node, "not-a-mapping",
			"a recipe is a mapping with name and steps, not "+kindName(node))}
	}
	doc.root = node
	if found := doc.normalize(); len(found) > 0 {
		return nil, found
	}
	return doc, nil
}

// parse reads the one YAML document that the file may hold.
func (doc *document) parse(data []byte) (*yaml.Node, *Finding) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var top yaml.Node
	switch err := dec.Decode(&top); {
	case errors.Is(err, io.EOF), err == nil && isEmptyDocument(&top):
		return nil, &Finding{Code: "empty-file", Message: "the recipe file is empty", Pos: Position{File: doc.source.Path}}
	case err != nil:
		return nil, doc.syntaxFinding(err)
	}
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case errors.Is(err, io.EOF):
		return top.Content[0], nil
	case err != nil:
		return nil, doc.syntaxFinding(err)
	}
	found := doc.findingAt(max(second.Line, 1), 1, "second-document",
		"a second YAML document begins here; a recipe file holds one recipe")
	found.Hint = "put the second recipe into a file of its own"
	return nil, found
}

func isEmptyDocument(top *yaml.Node) bool {
	return len(top.Content) == 0 || isNull(top.Content[0])
}

// checkBytes refuses what no YAML reader should get to see.
func checkBytes(path string, data []byte) *Finding {
	if len(data) > MaxFileSize {
		return &Finding{Code: "file-too-large", Pos: Position{File: path},
			Message: fmt.Sprintf("the recipe file has %d bytes; at most %d (10 MB) are read", len(data), MaxFileSize)}
	}
	bad, code, message := -1, "invalid-utf8", "the file is not valid UTF-8"
	if !utf8.Valid(data) {
		bad = firstInvalid(data)
	}
	if nul := bytes.IndexByte(data, 0); nul >= 0 && (bad < 0 || nul < bad) {
		bad, code, message = nul, "nul-byte", "the file holds a NUL byte"
	}
	if bad < 0 {
		return nil
	}
	before := string(data[:bad])
	line := strings.Count(before, "\n") + 1
	start := strings.LastIndexByte(before, '\n') + 1
	column := utf8.RuneCountInString(before[start:]) + 1
	rest := data[start:]
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	return &Finding{Code: code, Message: message, Line: strings.ToValidUTF8(string(rest), "\uFFFD"),
		Pos: Position{File: path, Line: line, Column: column}}
}

func firstInvalid(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// splitLines cuts text where YAML sees line breaks, so that the lines agree
// with the line numbers of the nodes.
func splitLines(text string) []string {
	if strings.ContainsAny(text, "\r\u0085\u2028\u2029") {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text)
	}
	return strings.Split(text, "\n")
}

// line returns line n, counted from 1; empty when there is none.
func (doc *document) line(n int) string {
	if n < 1 || n > len(doc.lines) {
		return ""
	}
	return doc.lines[n-1]
}

// of returns the document that the node was written in.
func (doc *document) of(node *yaml.Node) *document {
	if owner, ok := doc.owners[node]; ok {
		return owner
	}
	return doc
}

// position is where the node begins.
func (doc *document) position(node *yaml.Node) Position {
	return Position{File: doc.of(node).source.Path, Line: node.Line, Column: node.Column}
}

// finding is an error at the beginning of node.
func (doc *document) finding(node *yaml.Node, code, message string) *Finding {
	return doc.of(node).findingAt(node.Line, node.Column, code, message)
}

// findingAt is an error at a line and column of this very document; a place
// behind the end of the text is moved to the end.
func (doc *document) findingAt(line, column int, code, message string) *Finding {
	line = min(max(line, 1), len(doc.lines))
	text := doc.line(line)
	column = min(max(column, 1), utf8.RuneCountInString(text)+1)
	return &Finding{Code: code, Message: message, Line: text,
		Pos: Position{File: doc.source.Path, Line: line, Column: column}}
}

// kindName names what a node is in the words of the reference.
func kindName(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if isNull(node) {
		return "nothing"
	}
	return "the text " + quoteShort(node.Value)
}

// quoteShort quotes a value for a message and cuts what is long.
func quoteShort(text string) string {
	const limit = 40
	runes := []rune(text)
	if len(runes) > limit {
		text = string(runes[:limit]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
