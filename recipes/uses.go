package recipes

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// uses are the words in the texts of a tree, looked through once, so that
// asking for each variable whether somebody reads it stays linear.
type uses struct {
	words map[string]use
	// exported are the names that follow RECIPE_VAR_, sorted.
	exported []string
}

// use is the first text that holds a word, and whether there are others.
type use struct {
	node *yaml.Node
	more bool
}

const exportedPrefix = "RECIPE_VAR_"

func (t *Tree) uses() *uses {
	u := &uses{words: map[string]use{}}
	for _, r := range t.All {
		if r.doc != nil {
			u.add(r.doc.root)
		}
	}
	slices.Sort(u.exported)
	return u
}

// add looks through the values below a node. Keys of mappings only say what a
// value is for.
func (u *uses) add(node *yaml.Node) {
	if node.Kind != yaml.ScalarNode {
		for i, item := range node.Content {
			if node.Kind != yaml.MappingNode || i%2 == 1 {
				u.add(item)
			}
		}
		return
	}
	for word := range strings.FieldsFuncSeq(node.Value, betweenWords) {
		first, known := u.words[word]
		switch {
		case !known:
			u.words[word] = use{node: node}
		case first.node != node && !first.more:
			u.words[word] = use{first.node, true}
		}
	}
	for text := node.Value; ; {
		_, rest, found := strings.Cut(text, exportedPrefix)
		if !found {
			return
		}
		u.exported = append(u.exported, rest[:wordEnd(rest)])
		text = rest
	}
}

// betweenWords tells what is no part of a name.
func betweenWords(r rune) bool {
	if r < utf8.RuneSelf {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// wordEnd is where the name that a text begins with ends, as the environment has
// names: without hyphens.
func wordEnd(text string) int {
	end := strings.IndexFunc(text, func(r rune) bool { return r == '-' || betweenWords(r) })
	if end < 0 {
		return len(text)
	}
	return end
}

// reads tells whether a name stands in any text but the one that defines it, in
// one of the forms in which a step reads a variable.
func (u *uses) reads(name string, definition *yaml.Node) bool {
	exported := environmentName(name)
	for _, form := range []string{name, strings.ToUpper(exported)} {
		if at, known := u.words[form]; known && (at.more || at.node != definition) {
			return true
		}
	}
	// What follows RECIPE_VAR_ may go on with the keys of a map.
	i, _ := slices.BinarySearch(u.exported, exported)
	return i < len(u.exported) && strings.HasPrefix(u.exported[i], exported)
}
