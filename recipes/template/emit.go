package template

import (
	"slices"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// ref is one path that a template reads.
type ref struct {
	path  string
	parts []string
	// optional tells that its absence is expected: default, coalesce and empty
	// are there for it.
	optional bool
	// fallback is called when there is no variable of the name; nil for none.
	fallback *function
}

// piece is a part of the source with what it was read as; action is nil for
// literal text.
type piece struct {
	part   Part
	action *action
}

// writer turns pieces into the source of a Go template, where every name is a
// call of _var and every output passes through _text.
type writer struct {
	out  strings.Builder
	refs []ref
	// places has the index in refs of every path, apart for optional ones.
	places [2]map[string]int
	used   map[string]*function
	// origins maps offsets of out to offsets of the authored source.
	origins []origin
}

type origin struct{ generated, authored int }

func (w *writer) pieces(source string, pieces []piece) {
	var text strings.Builder
	for _, p := range pieces {
		if p.action == nil {
			text.WriteString(p.part.text(source))
			continue
		}
		w.text(text.String())
		text.Reset()
		w.origins = append(w.origins, origin{w.out.Len(), p.part.Start})
		w.action(p.action)
	}
	w.text(text.String())
}

// text is what a part stands for as literal text.
func (p Part) text(source string) string {
	if p.Literal {
		return p.Text
	}
	return source[p.Start:p.End]
}

// text writes literal text. Braces that would open an action, or that would
// touch the braces of one, become an action that prints them.
func (w *writer) text(text string) {
	for text != "" {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			break
		}
		rest := strings.TrimLeft(text[i:], "{")
		run := text[i : len(text)-len(rest)]
		w.out.WriteString(text[:i])
		if len(run) == 1 && rest != "" {
			w.out.WriteString(run)
		} else {
			w.out.WriteString(`{{"` + run + `"}}`)
		}
		text = rest
	}
	w.out.WriteString(text)
}

func (w *writer) action(a *action) {
	left, right := "{{", "}}"
	if a.trimLeft {
		left = "{{- "
	}
	if a.trimRight {
		right = " -}}"
	}
	switch a.keyword {
	case "comment":
		w.out.WriteString(left + "/**/" + right)
		return
	case "range":
		w.out.WriteString(left)
		w.body(a)
		w.out.WriteString("}}{{_tick $" + right)
		return
	}
	w.out.WriteString(left)
	w.body(a)
	w.out.WriteString(right)
}

func (w *writer) body(a *action) {
	w.out.WriteString(a.keyword)
	if a.pipe == nil {
		return
	}
	for i, v := range a.variables {
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.out.WriteString(" " + v.text)
	}
	switch {
	case a.declares:
		w.out.WriteString(" := ")
	case len(a.variables) > 0:
		w.out.WriteString(" = ")
	}
	w.out.WriteString(" " + a.filter() + " (")
	w.pipeline(a.pipe)
	w.out.WriteByte(')')
}

// filter is the function that fits the result of a pipeline to its use: truth
// is ours and not Go's, and output is the text of a value.
func (a *action) filter() string {
	switch a.keyword {
	case "range":
		return "_items"
	case "if", "else if", "with", "else with":
		return "_kept"
	}
	if len(a.variables) > 0 {
		return "_value"
	}
	return "_text"
}

func (w *writer) pipeline(p *pipeline) {
	for i, c := range p.commands {
		if i > 0 {
			w.out.WriteString(" | ")
		}
		optional := c.function != nil && c.function.optional
		if c.function == nil && i+1 < len(p.commands) {
			optional = p.commands[i+1].function.optional
		}
		if c.function != nil {
			w.used[c.function.name] = c.function
			w.out.WriteString(c.function.name)
		}
		for _, o := range c.operands {
			w.out.WriteByte(' ')
			w.operand(o, optional)
		}
	}
}

func (w *writer) operand(o operand, optional bool) {
	switch o.kind {
	case constant:
		w.out.WriteString(o.text)
		return
	case name:
		w.out.WriteString("(_var $ " + strconv.Itoa(w.ref(o.path, optional)) + ")")
		return
	}
	if len(o.path) > 0 {
		w.out.WriteString("(_at")
		defer func() {
			for _, part := range o.path {
				w.out.WriteString(" " + strconv.Quote(part))
			}
			w.out.WriteByte(')')
		}()
		w.out.WriteByte(' ')
	}
	switch o.kind {
	case local:
		w.out.WriteString(o.text)
	case dot:
		w.out.WriteByte('.')
	case group:
		w.out.WriteByte('(')
		w.pipeline(o.pipe)
		w.out.WriteByte(')')
	}
}

// ref is the index of the path among the paths of the template.
func (w *writer) ref(parts []string, optional bool) int {
	path, kind := joinPath(parts), 0
	if optional {
		kind = 1
	}
	if i, known := w.places[kind][path]; known {
		return i
	}
	r := ref{path: path, parts: parts, optional: optional}
	if len(parts) == 1 && isConstructor(parts[0]) {
		r.fallback = functions()[parts[0]]
	}
	w.places[kind][path] = len(w.refs)
	w.refs = append(w.refs, r)
	return len(w.refs) - 1
}

// isConstructor names the functions that mean something without an argument:
// an empty list or map, where there is no variable of that name.
func isConstructor(name string) bool { return name == "list" || name == "tuple" || name == "dict" }

// joinPath writes a path with dots; a key that is no name is in brackets.
func joinPath(parts []string) string {
	var b strings.Builder
	for i, part := range parts {
		switch {
		case i == 0:
			b.WriteString(part)
		case value.IsName("x" + part):
			b.WriteString("." + part)
		case strings.Contains(part, "'"):
			b.WriteString(`["` + part + `"]`)
		default:
			b.WriteString("['" + part + "']")
		}
	}
	return b.String()
}

func sortedUnique(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}
