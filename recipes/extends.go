package recipes

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// inherited reads the document of source with its parents merged in, to any
// number of levels. Path holds the documents on the way from the recipe itself.
func (l *loader) inherited(source Source, path []*document) (*document, error) {
	doc, err := l.read(source)
	if err != nil {
		return nil, err
	}
	node := lookup(doc.root, "extends")
	if node == nil || isNull(node) {
		return doc, nil
	}
	if node.Kind != yaml.ScalarNode {
		return nil, Findings{doc.finding(node, "wrong-type", "extends must be the name of one recipe, not "+kindName(node))}
	}
	path = append(path, doc)
	parentSource, err := l.library.follow(node.Value, source)
	if err != nil {
		return nil, Findings{extendsFinding(doc, node, err)}
	}
	for i, child := range path {
		if sameSource(child.source, parentSource) {
			return nil, Findings{doc.finding(node, "extends-cycle", "the recipes extend each other in a circle: "+extendsChain(path[i:]))}
		}
	}
	parent, err := l.inherited(parentSource, path)
	if err != nil {
		return nil, err
	}
	return mergeDocuments(parent, doc), nil
}

func extendsFinding(doc *document, node *yaml.Node, err error) *Finding {
	code := "extends-not-found"
	if _, refused := errors.AsType[*RefusedError](err); refused {
		code = "bad-recipe-name"
	}
	return doc.finding(node, code, "extends: "+err.Error())
}

func extendsChain(path []*document) string {
	var names []string
	for _, doc := range append(path, path[0]) {
		names = append(names, doc.title())
	}
	return strings.Join(names, " → ")
}

// title names a document by its name: or, without one, by its path.
func (doc *document) title() string {
	if node := lookup(doc.root, "name"); node != nil && node.Kind == yaml.ScalarNode && node.Value != "" {
		return node.Value
	}
	return doc.source.Path
}

// How the parts of parent and child become one (issue "Control flow"). All
// other keys are the child's where it has them; the name is never inherited.
var mergeRules = map[string]func(parent, child *yaml.Node) *yaml.Node{
	"context":            mergeMappings,
	"context_validation": mergeMappings,
	"hooks":              mergeMappings,
	"recursion":          mergeMappings,
	"defaults":           mergeMappings,
	"env":                mergeMappings,
	"agents":             mergeMappings,
	"tags":               mergeTexts,
	"secrets":            mergeTexts,
	"inputs":             mergeInputs,
	"steps":              mergeSteps,
	"finally":            mergeSteps,
}

// mergeDocuments returns the child with what it inherits. Neither of the two is
// changed; the result knows which document each node was written in.
func mergeDocuments(parent, child *document) *document {
	merged := &document{source: child.source, lines: child.lines, owners: maps.Clone(parent.owners)}
	if merged.owners == nil {
		merged.owners = map[*yaml.Node]*document{}
	}
	own(parent.root, parent, merged.owners)
	root := *child.root
	root.Content = nil
	for key, val := range entries(child.root) {
		if key.Value == "extends" {
			continue
		}
		inherited := lookup(parent.root, key.Value)
		if rule := mergeRules[key.Value]; rule != nil && inherited != nil && !isNull(inherited) {
			if isNull(val) {
				val = inherited
			} else {
				val = rule(inherited, val)
			}
		}
		root.Content = append(root.Content, key, val)
	}
	for key, val := range entries(parent.root) {
		if key.Value != "name" && key.Value != "extends" && lookup(child.root, key.Value) == nil {
			root.Content = append(root.Content, key, val)
		}
	}
	merged.root = &root
	return merged
}

// own notes that the nodes below node belong to doc, unless they are known to
// belong to one of its own parents.
func own(node *yaml.Node, doc *document, owners map[*yaml.Node]*document) {
	if owners[node] != nil {
		return
	}
	owners[node] = doc
	for _, item := range node.Content {
		own(item, doc, owners)
	}
}

func mergeMappings(parent, child *yaml.Node) *yaml.Node {
	if parent.Kind != yaml.MappingNode || child.Kind != yaml.MappingNode {
		return child
	}
	merged := *child
	merged.Content = nil
	for key, val := range entries(parent) {
		if entry := lookupEntry(child, key.Value); entry != nil {
			merged.Content = append(merged.Content, entry...)
			continue
		}
		merged.Content = append(merged.Content, key, val)
	}
	for key, val := range entries(child) {
		if lookup(parent, key.Value) == nil {
			merged.Content = append(merged.Content, key, val)
		}
	}
	return &merged
}

func lookupEntry(mapping *yaml.Node, key string) []*yaml.Node {
	for k, v := range entries(mapping) {
		if k.Value == key {
			return []*yaml.Node{k, v}
		}
	}
	return nil
}

// mergeTexts is the union, the parent's first; one text is a list of one.
func mergeTexts(parent, child *yaml.Node) *yaml.Node {
	return mergeLists(listed(parent), listed(child), func(item *yaml.Node) string { return item.Value })
}

func listed(node *yaml.Node) *yaml.Node {
	if node.Kind != yaml.ScalarNode {
		return node
	}
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: node.Line, Column: node.Column, Content: []*yaml.Node{node}}
}

func mergeSteps(parent, child *yaml.Node) *yaml.Node { return mergeLists(parent, child, byKey("id")) }

func mergeInputs(parent, child *yaml.Node) *yaml.Node {
	if parent.Kind == yaml.MappingNode && child.Kind == yaml.MappingNode {
		return mergeMappings(parent, child)
	}
	return mergeLists(listedInputs(parent), listedInputs(child), byKey("name"))
}

// listedInputs writes a mapping of inputs as the list of the same inputs, so
// that a parent and a child that chose different forms lose nothing.
func listedInputs(node *yaml.Node) *yaml.Node {
	if node.Kind != yaml.MappingNode {
		return node
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: node.Line, Column: node.Column}
	for key, val := range entries(node) {
		input := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: key.Line, Column: key.Column}
		input.Content = []*yaml.Node{newText("name", key), key}
		switch {
		case val.Kind == yaml.MappingNode:
			input.Content = append(input.Content, val.Content...)
		case slices.Contains(inputTypes, val.Value):
			input.Content = append(input.Content, newText("type", val), val)
		case !isNull(val):
			input.Content = append(input.Content, newText("description", val), val)
		}
		list.Content = append(list.Content, input)
	}
	return list
}

func newText(text string, at *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Line: at.Line, Column: at.Column}
}

func byKey(key string) func(*yaml.Node) string {
	return func(item *yaml.Node) string {
		if item.Kind != yaml.MappingNode {
			return item.Value
		}
		if node := lookup(item, key); node != nil {
			return node.Value
		}
		return ""
	}
}

// mergeLists keeps the parent's items in their places, puts the child's item of
// the same name into the place, and appends the rest. Items without a name are
// never the same.
func mergeLists(parent, child *yaml.Node, name func(*yaml.Node) string) *yaml.Node {
	if parent.Kind != yaml.SequenceNode || child.Kind != yaml.SequenceNode {
		return child
	}
	merged := *child
	merged.Content = append([]*yaml.Node(nil), parent.Content...)
	place := map[string]int{}
	for i, item := range merged.Content {
		if n := name(item); n != "" {
			place[n] = i
		}
	}
	inherited := len(parent.Content)
	for _, item := range child.Content {
		if i, known := place[name(item)]; known && i < inherited {
			merged.Content[i] = item
			delete(place, name(item))
			continue
		}
		merged.Content = append(merged.Content, item)
	}
	return &merged
}
