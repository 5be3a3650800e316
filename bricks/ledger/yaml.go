package ledger

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/recipes/value/pattern"
	"gopkg.in/yaml.v3"
)

// readYAML reads exactly one YAML document. Keys that are there twice and
// aliases are refused; plain scalars keep the text they were written with.
func readYAML(data []byte) (*node, error) {
	if at := invalidUTF8(data); at >= 0 {
		return nil, syntaxFault(1+bytes.Count(data[:at], []byte("\n")), 1, "the text is not UTF-8")
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, syntaxFault(1, 1, "the document is empty")
		}
		line, _ := strconv.Atoi(lineOf(err.Error()))
		return nil, syntaxFault(max(line, 1), 1, "not valid YAML: %s", err)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, syntaxFault(max(more.Line, 1), 1, "a contract is one document; a second one follows")
	}
	if len(doc.Content) == 0 {
		return nil, syntaxFault(1, 1, "the document is empty")
	}
	return fromYAML(doc.Content[0], 0)
}

var yamlLine = pattern.Pattern{Source: `line (\d+)`}

// lineOf finds the line in an error of the YAML library, which keeps it in the
// text only.
func lineOf(message string) string {
	if found := yamlLine.Get().FindStringSubmatch(message); found != nil {
		return found[1]
	}
	return "1"
}

func fromYAML(y *yaml.Node, depth int) (*node, error) {
	n := &node{line: y.Line, column: y.Column}
	if depth > maxDepth {
		return nil, syntaxFault(y.Line, y.Column, "the document is nested too deeply")
	}
	switch y.Kind {
	case yaml.SequenceNode:
		n.kind = listNode
		for _, child := range y.Content {
			item, err := fromYAML(child, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
	case yaml.MappingNode:
		return n, yamlFields(n, y, depth)
	case yaml.ScalarNode:
		yamlScalar(n, y)
	default:
		return nil, syntaxFault(y.Line, y.Column, "aliases are not allowed in a contract; write the value out")
	}
	return n, nil
}

func yamlFields(n *node, y *yaml.Node, depth int) error {
	n.kind = mapNode
	seen := map[string]bool{}
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := y.Content[i]
		if key.Kind != yaml.ScalarNode {
			return syntaxFault(key.Line, key.Column, "a key must be a text")
		}
		if seen[key.Value] {
			return syntaxFault(key.Line, key.Column, "the key %q is there twice", key.Value)
		}
		seen[key.Value] = true
		item, err := fromYAML(y.Content[i+1], depth+1)
		if err != nil {
			return err
		}
		n.fields = append(n.fields, nodeField{key.Value, item})
	}
	return nil
}

// yamlScalar follows the rules for authored scalars of DESIGN section 2, with
// JSON's exponents as numbers besides, because a contract's numbers are typed
// by their fields.
func yamlScalar(n *node, y *yaml.Node) {
	n.kind, n.text = textNode, y.Value
	if y.Style != 0 && y.Style != yaml.FlowStyle {
		return
	}
	switch authored := value.Authored(y.Value).(type) {
	case nil:
		n.kind = nullNode
	case bool:
		n.kind, n.text = boolNode, strconv.FormatBool(authored)
	case value.Number:
		n.kind = numberNode
	case string:
		if checkNumber(authored) == "" {
			n.kind = numberNode
		}
	}
}
