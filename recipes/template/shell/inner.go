package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// reader is what parses a text as a command.
type reader struct {
	what    string
	dialect Dialect
	process bool // not the shell that runs the command itself
}

func flattenAll(words []*syntax.Word) [][]unit {
	all := make([][]unit, len(words))
	for i, word := range words {
		all[i] = flatten(word)
	}
	return all
}

// inner visits words whose text a shell parses: the reference stays inside the
// text, quoted for the place it has there.
func (w *walker) inner(all [][]unit, words []*syntax.Word, r reader, at spot) {
	for _, word := range words {
		w.runsVariables(word)
	}
	if len(w.marksOf(words)) == 0 {
		w.visitAll(words, at)
		return
	}
	var units []unit
	for i, more := range all {
		if i > 0 {
			units = append(units, unit{char: ' '})
		}
		units = append(units, more...)
	}
	if !w.inSight(units, r) {
		if w.c.err == nil {
			w.visitAll(words, at)
		}
		return
	}
	source := unitText(units, w.c.text.spare)
	marks := w.c.text.marksIn(source)
	sub := &compiler{text: w.c.text, dialect: r.dialect}
	tree, err := sub.parse(source)
	if err != nil {
		w.c.fail(marks[0], "the text that "+r.what+" runs does not parse: "+w.c.readable(err.Error()), "check its quotes")
		return
	}
	inside := &walker{c: w.c, source: source, facts: collectFacts(tree), outer: w.outerLayers(units, at), exported: w.exported || r.process, nested: true}
	if !r.process {
		inside.facts = w.facts.with(inside.facts)
	}
	inside.visit(tree, spot{})
	for _, u := range units {
		if u.node != nil {
			w.visit(u.node, spot{quote: u.quote, backquotes: at.backquotes})
		}
	}
}

// outerLayers is the quoting that each marker of units has around it.
func (w *walker) outerLayers(units []unit, at spot) map[rune][]layer {
	out := map[rune][]layer{}
	for _, u := range units {
		if u.node != nil || w.c.text.byChar[u.char] == nil {
			continue
		}
		layers := []layer{layerOf(u.quote)}
		for range at.backquotes {
			layers = append(layers, backquotes)
		}
		out[u.char] = append(layers, w.outer[u.char]...)
	}
	return out
}

// inSight reports whether all markers stand in text that can be read before
// the command runs. What cannot is refused, or noted when the step allows it.
func (w *walker) inSight(units []unit, r reader) bool {
	visible := w.c.text.marksIn(unitText(units, w.c.text.spare))
	for _, u := range units {
		if u.node == nil {
			continue
		}
		for _, m := range w.marksIn(u.node) {
			w.c.refuseReparse(m, "is printed into the source that "+r.what+" runs", passHint)
			visible = nil
		}
	}
	whole := strings.TrimSpace(unitText(units, w.c.text.spare))
	for _, m := range visible {
		whole = strings.ReplaceAll(whole, string(m.char), "")
	}
	if strings.TrimSpace(whole) == "" && len(visible) > 0 {
		for _, m := range visible {
			w.c.refuseReparse(m, "is all that "+r.what+" runs: the value would be source", passHint)
		}
		return false
	}
	return len(visible) > 0
}

// with joins what two texts that one shell runs say.
func (f *facts) with(other *facts) *facts {
	joined := newFacts()
	for _, from := range []*facts{f, other} {
		merge(joined.associative, from.associative)
		merge(joined.arrays, from.arrays)
		merge(joined.integers, from.integers)
		merge(joined.references, from.references)
		merge(joined.functions, from.functions)
		merge(joined.readers, from.readers)
	}
	return joined
}

func merge(into, from map[string]bool) {
	for k, v := range from {
		into[k] = into[k] || v
	}
}
