package recipes

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// spot is a scalar of a document, for findings about places inside its value.
// The zero spot is nowhere.
type spot struct {
	doc  *document
	node *yaml.Node
}

func (doc *document) spot(node *yaml.Node) spot { return spot{doc.of(node), node} }

// finding is an error at a byte offset of the scalar's value.
func (s spot) finding(offset int, code, message string) *Finding {
	if s.doc == nil {
		return &Finding{Code: code, Message: message}
	}
	line, column := s.locate(offset)
	return s.doc.findingAt(line, column, code, message)
}

// offset turns a line and column of the value, both counted from 1, into a byte
// offset; columns count characters. Unknown places are the beginning.
func (s spot) offset(line, column int) int {
	if s.node == nil || line < 1 {
		return 0
	}
	rest, offset := s.node.Value, 0
	for ; line > 1; line-- {
		i := strings.IndexByte(rest, '\n')
		if i < 0 {
			break
		}
		rest, offset = rest[i+1:], offset+i+1
	}
	for ; column > 1 && rest != ""; column-- {
		_, size := utf8.DecodeRuneInString(rest)
		rest, offset = rest[size:], offset+size
	}
	return offset
}

// locate turns a byte offset of the value into a line and column of the file.
func (s spot) locate(offset int) (line, column int) {
	offset = min(max(offset, 0), len(s.node.Value))
	if s.node.Style&yaml.LiteralStyle != 0 {
		return s.locateLiteral(offset)
	}
	r := s.reader()
	return r.follow(s.node, offset)
}

// locateLiteral uses that a block after | keeps its lines: line n of the value
// is the nth below the indicator, moved in by the indentation.
func (s spot) locateLiteral(offset int) (line, column int) {
	before := s.node.Value[:offset]
	row := strings.Count(before, "\n")
	start := strings.LastIndexByte(before, '\n') + 1
	text, _, _ := strings.Cut(s.node.Value[start:], "\n")
	line = s.indicatorLine() + 1 + row
	source := s.doc.line(line)
	indent := 0
	if text != "" && strings.HasSuffix(source, text) {
		indent = utf8.RuneCountInString(source[:len(source)-len(text)])
	}
	return line, indent + utf8.RuneCountInString(before[start:]) + 1
}

// indicatorLine is the line of the block's |, which a tag or an anchor may move
// below the beginning of the node.
func (s spot) indicatorLine() int { return s.reader().line }

// reader stands at the first character of the scalar, behind its properties.
func (s spot) reader() *sourceReader {
	r := &sourceReader{lines: s.doc.lines, line: s.node.Line, column: s.node.Column - 1, indent: -1}
	r.skipProperties(s.node)
	return r
}

// sourceReader walks the source of a scalar beside its value.
type sourceReader struct {
	lines  []string
	line   int // from 1
	column int // in characters, from 0
	// indent is how many spaces a line loses; -1 for all of them.
	indent int
}

func (r *sourceReader) rest() string {
	if r.line < 1 || r.line > len(r.lines) {
		return ""
	}
	text := r.lines[r.line-1]
	for range r.column {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	return text
}

func (r *sourceReader) skip(text string) { r.column += utf8.RuneCountInString(text) }

// skipProperties moves over an anchor and a tag to the scalar itself.
func (r *sourceReader) skipProperties(node *yaml.Node) {
	for {
		rest := r.rest()
		trimmed := strings.TrimLeft(rest, " \t")
		r.skip(rest[:len(rest)-len(trimmed)])
		switch {
		case trimmed == "" && r.line < len(r.lines) && node.Value != "":
			r.line, r.column = r.line+1, 0
		case strings.HasPrefix(trimmed, "!") || strings.HasPrefix(trimmed, "&"):
			property, _, _ := strings.Cut(trimmed, " ")
			r.skip(property)
		default:
			return
		}
	}
}

// follow walks value and source side by side up to offset. Folded line breaks
// are white space in the value; escapes are one character of it.
func (r *sourceReader) follow(node *yaml.Node, offset int) (line, column int) {
	switch {
	case node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		r.column++
	case node.Style&yaml.FoldedStyle != 0:
		r.enterBlock(node)
	}
	value := node.Value
	rest := r.rest()
	for i := 0; i < offset; {
		c, size := utf8.DecodeRuneInString(value[i:])
		i += size
		rest = r.step(node, c, rest)
	}
	return r.line, r.column + 1
}

// enterBlock moves to the first line of a folded block and finds out by how
// much the block is moved in.
func (r *sourceReader) enterBlock(node *yaml.Node) {
	text := strings.TrimLeft(node.Value, "\n")
	own := len(text) - len(strings.TrimLeft(text, " "))
	for n := r.line; n < len(r.lines); n++ {
		if line := r.lines[n]; strings.TrimSpace(line) != "" {
			r.indent = max(len(line)-len(strings.TrimLeft(line, " "))-own, 0)
			break
		}
	}
	r.nextLine()
}

// nextLine moves to the text of the next line and returns it.
func (r *sourceReader) nextLine() string {
	r.line, r.column = r.line+1, 0
	rest := r.rest()
	indent := len(rest) - len(strings.TrimLeft(rest, " \t"))
	if r.indent >= 0 {
		indent = min(indent, r.indent)
	}
	r.column = indent
	return rest[indent:]
}

// step moves over the source of one character of the value and returns what
// remains of the line.
func (r *sourceReader) step(node *yaml.Node, c rune, rest string) string {
	blank := c == ' ' || c == '\n'
	for {
		if rest == "" || rest == `\` && node.Style&yaml.DoubleQuotedStyle != 0 {
			if r.line >= len(r.lines) {
				return ""
			}
			joined := rest != ""
			rest = r.nextLine()
			if blank && !joined {
				return rest
			}
			continue
		}
		length := sourceLength(node, rest)
		source, _ := utf8.DecodeRuneInString(rest)
		r.column += utf8.RuneCountInString(rest[:length])
		rest = rest[length:]
		if length > utf8.RuneLen(source) || source == c || source != ' ' && source != '\t' {
			return rest
		}
	}
}

// sourceLength is how many bytes of source make up the next character.
func sourceLength(node *yaml.Node, rest string) int {
	_, size := utf8.DecodeRuneInString(rest)
	switch {
	case node.Style&yaml.SingleQuotedStyle != 0 && strings.HasPrefix(rest, "''"):
		return 2
	case node.Style&yaml.DoubleQuotedStyle != 0 && rest[0] == '\\' && len(rest) > 1:
		return min(escapeLength(rest[1]), len(rest))
	}
	return size
}

// escapeLength is the length of an escape, the backslash included.
func escapeLength(kind byte) int {
	switch kind {
	case 'x':
		return 4
	case 'u':
		return 6
	case 'U':
		return 10
	}
	return 2
}
