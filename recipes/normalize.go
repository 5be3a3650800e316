package recipes

import (
	"fmt"
	"math"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxExpanded bounds how many nodes aliases and merge keys may make out of a
// document that is at most a tenth of that itself.
const maxExpanded = 500_000

// normalize replaces aliases by what they stand for, applies merge keys, and
// finds what the reader lets through: repeated keys, keys that are no text,
// aliases that contain themselves or grow without measure.
func (doc *document) normalize() Findings {
	m := measure{doc: doc, sizes: map[*yaml.Node]int{}, onPath: map[*yaml.Node]bool{}}
	size := m.size(doc.root)
	if m.loop != nil {
		return Findings{doc.finding(m.loop, "alias-cycle", "the anchor *"+m.loop.Value+" contains itself")}
	}
	if size > maxExpanded && size/10 > len(m.sizes) {
		return Findings{doc.finding(doc.root, "alias-bomb",
			fmt.Sprintf("the aliases of this document expand to %s nodes; at most %d are allowed", countText(size), maxExpanded))}
	}
	n := normalizer{doc: doc, done: map[*yaml.Node]bool{}}
	doc.root = n.node(doc.root)
	return n.found
}

func countText(n int) string {
	if n == math.MaxInt {
		return "countless"
	}
	return fmt.Sprint(n)
}

// measure counts the nodes of the expanded document without expanding it.
type measure struct {
	doc    *document
	sizes  map[*yaml.Node]int
	onPath map[*yaml.Node]bool
	loop   *yaml.Node
}

func (m *measure) size(node *yaml.Node) int {
	if size, known := m.sizes[node]; known {
		return size
	}
	if node.Kind == yaml.ScalarNode {
		m.sizes[node] = 1
		return 1
	}
	if m.onPath[node] {
		return 1
	}
	m.onPath[node] = true
	total := 1
	if node.Kind == yaml.AliasNode {
		if m.onPath[node.Alias] && m.loop == nil {
			m.loop = node
		}
		total = m.size(node.Alias)
	}
	for _, item := range node.Content {
		size := m.size(item)
		if total > math.MaxInt-size {
			total = math.MaxInt
			break
		}
		total += size
	}
	delete(m.onPath, node)
	m.sizes[node] = total
	return total
}

// normalizer rewrites every node once; nodes that aliases share stay shared.
type normalizer struct {
	doc   *document
	done  map[*yaml.Node]bool
	found Findings
}

func (n *normalizer) node(node *yaml.Node) *yaml.Node {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if n.done[node] {
		return node
	}
	n.done[node] = true
	node.Anchor = ""
	switch node.Kind {
	case yaml.ScalarNode:
		if strings.IndexByte(node.Value, 0) >= 0 {
			n.report(node, "nul-byte", "the value holds a NUL character, which no variable can carry", "")
		}
	case yaml.SequenceNode:
		for i, item := range node.Content {
			node.Content[i] = n.node(item)
		}
	case yaml.MappingNode:
		n.mapping(node)
	}
	return node
}

func (n *normalizer) mapping(node *yaml.Node) {
	if isBareTemplate(node) {
		n.report(node, "unquoted-template", "a value that starts with {{ is YAML's own syntax", quoteHint)
		return
	}
	first := map[string]*yaml.Node{}
	var merges []*yaml.Node
	var content []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, val := n.node(node.Content[i]), n.node(node.Content[i+1])
		if key.Kind != yaml.ScalarNode {
			n.report(key, "key-not-text", "a key must be a text, not "+kindName(key), "")
			continue
		}
		if previous, repeated := first[key.Value]; repeated {
			n.repeated(key, previous)
			continue
		}
		first[key.Value] = key
		if isMergeKey(key) {
			merges = append(merges, val)
			continue
		}
		content = append(content, key, val)
	}
	for _, source := range merges {
		content = n.merge(content, source, first)
	}
	node.Content = content
}

func (n *normalizer) repeated(key, previous *yaml.Node) {
	hint := "remove one of them"
	if isMergeKey(key) {
		hint = "merge several mappings with a list: <<: [*a, *b]"
	}
	n.report(key, "duplicate-key",
		fmt.Sprintf("the key %s is already set in line %d", quoteShort(key.Value), previous.Line), hint)
}

// merge appends the entries of source that are not set yet; in a list the
// earlier mapping wins.
func (n *normalizer) merge(content []*yaml.Node, source *yaml.Node, set map[string]*yaml.Node) []*yaml.Node {
	switch source.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(source.Content); i += 2 {
			key := source.Content[i]
			if _, known := set[key.Value]; !known {
				set[key.Value] = key
				content = append(content, key, source.Content[i+1])
			}
		}
	case yaml.SequenceNode:
		for _, item := range source.Content {
			if item.Kind != yaml.MappingNode {
				n.report(item, "bad-merge", "a merge key takes mappings, not "+kindName(item), "")
				continue
			}
			content = n.merge(content, item, set)
		}
	default:
		n.report(source, "bad-merge", "a merge key takes a mapping or a list of mappings, not "+kindName(source), "")
	}
	return content
}

func (n *normalizer) report(node *yaml.Node, code, message, hint string) {
	found := n.doc.finding(node, code, message)
	found.Hint = hint
	n.found = append(n.found, found)
}

func isMergeKey(key *yaml.Node) bool {
	return key.Value == "<<" && (key.Style == 0 || key.Tag == "!!merge") && key.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0
}

// isBareTemplate recognises {{x}}, which YAML reads as a flow mapping whose
// only key is a flow mapping.
func isBareTemplate(node *yaml.Node) bool {
	return node.Style&yaml.FlowStyle != 0 && len(node.Content) == 2 &&
		node.Content[0].Kind == yaml.MappingNode && node.Content[0].Style&yaml.FlowStyle != 0
}
