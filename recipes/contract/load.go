package contract

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"gopkg.in/yaml.v3"
)

// Parse reads a file with contract tests. Values follow the rules of a recipe's
// context: what is quoted stays text. The error is [recipes.Findings] with
// every fault of the file.
func Parse(path string, data []byte) (*File, error) {
	vars, err := recipes.ParseContext(path, data)
	if err != nil {
		return nil, err
	}
	doc := make(map[string]any, len(vars))
	for _, v := range vars {
		doc[v.Name] = v.Value
	}
	l := &loader{path: path, lines: strings.Split(string(data), "\n")}
	if err := yaml.Unmarshal(data, &l.root); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	file := l.file(doc)
	if len(l.found) == 0 {
		return file, nil
	}
	slices.SortStableFunc(l.found, func(a, b *recipes.Finding) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return nil, l.found
}

// loader turns the values of a document into a file and notes every fault. The
// nodes of the same document tell the places.
type loader struct {
	path  string
	lines []string
	root  yaml.Node
	found recipes.Findings
}

// place is a path from the top of the document; list indexes are decimal.
type place []string

func (p place) to(parts ...string) place { return append(slices.Clip(p), parts...) }

func (p place) index(i int) place { return p.to(strconv.Itoa(i)) }

// position follows a place as far as the nodes go.
func (l *loader) position(at place) recipes.Position {
	node := &l.root
	pos := recipes.Position{File: l.path, Line: 1, Column: 1}
	for _, part := range append(place{"0"}, at...) {
		key, next := child(node, part)
		if next == nil {
			break
		}
		node = next
		if key == nil {
			key = next
		}
		pos.Line, pos.Column = key.Line, key.Column
	}
	return pos
}

func child(node *yaml.Node, part string) (key, item *yaml.Node) {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == part {
				return node.Content[i], node.Content[i+1]
			}
		}
		return nil, nil
	}
	if i, err := strconv.Atoi(part); err == nil && i < len(node.Content) {
		return nil, node.Content[i]
	}
	return nil, nil
}

func (l *loader) fail(at place, code, message, hint string) {
	pos := l.position(at)
	found := &recipes.Finding{Code: code, Message: message, Hint: hint, Pos: pos}
	if pos.Line <= len(l.lines) {
		found.Line = strings.TrimSuffix(l.lines[pos.Line-1], "\r")
	}
	l.found = append(l.found, found)
}

// mapping reads a mapping with the keys of known; nothing is an empty one. Keys
// that begin with x- are left alone.
func (l *loader) mapping(at place, v any, known map[string]func(at place, v any)) {
	for _, key := range l.keys(at, v) {
		read, ok := known[key]
		switch {
		case ok:
			read(at.to(key), v.(map[string]any)[key])
		case !strings.HasPrefix(key, "x-"):
			l.fail(at.to(key), "unknown-key", fmt.Sprintf("unknown key %q", key),
				"there are "+strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
}

// keys are the sorted keys of a mapping; anything else is a fault and has none.
func (l *loader) keys(at place, v any) []string {
	if v == nil {
		return nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		l.wrong(at, "a mapping", v)
		return nil
	}
	return slices.Sorted(maps.Keys(m))
}

func (l *loader) wrong(at place, want string, v any) {
	name := "the file"
	if len(at) > 0 {
		name = at[len(at)-1]
	}
	l.fail(at, "wrong-type", fmt.Sprintf("%s must be %s, not a %s", name, want, value.Kind(v)), "")
}

func (l *loader) list(at place, v any) []any {
	list, ok := v.([]any)
	if !ok && v != nil {
		l.wrong(at, "a list", v)
	}
	return list
}

func (l *loader) text(at place, v any) string {
	if v != nil && !value.IsScalar(v) {
		l.wrong(at, "a text", v)
		return ""
	}
	return value.Text(v)
}

// texts reads a list of texts, or one text as a list of one.
func (l *loader) texts(at place, v any) []string {
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		return []string{l.text(at, v)}
	}
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = l.text(at.index(i), item)
	}
	return texts
}

func (l *loader) number(at place, v any, most int) int {
	n, err := strconv.Atoi(value.Text(v))
	if err != nil || n < 0 || n > most {
		l.fail(at, "wrong-value", fmt.Sprintf("%s must be a whole number from 0 to %d", at[len(at)-1], most), "")
	}
	return n
}

func (l *loader) values(at place, v any) map[string]any {
	m := map[string]any{}
	for _, key := range l.keys(at, v) {
		m[key] = v.(map[string]any)[key]
	}
	return m
}
