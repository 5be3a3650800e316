// Package template renders the {{ }} placeholders of prompts, paths, contexts
// and reports. Shell commands have a package of their own, shell, below this
// one, because there data must never become source.
//
// {{ name }} and {{ name.path.0 }} look a value up; anything richer is a Go
// template pipeline with an allow-list of sprig functions on the same names
// (DESIGN section 3). What a template cannot do: read the environment, the
// clock, the network or randomness, declare named templates, or write more
// than [MaxRendered] bytes.
package template

import (
	"slices"
	gotemplate "text/template"
)

// Lookup finds a variable by its root name. A [value.Ref] must not be returned:
// the caller resolves large values first (see [Template.Names]).
type Lookup func(name string) (v any, found bool)

// Options tell Parse how to read the source.
type Options struct {
	// Lenient keeps braces that are no template of ours as they stand, with a
	// warning, as prompts in the wild need it.
	Lenient bool
	// Known lists the names that a variable can have, for the nearest one to an
	// unknown name. It is called while rendering, from several goroutines, and
	// only when a name was not found. nil gives no hints for root names; a
	// caller that knows the names only later uses [Nearest].
	Known func() []string
}

// Template is a parsed text. It is immutable and safe for concurrent use.
type Template struct {
	source   string
	known    func() []string
	warnings []string
	literal  bool
	control  bool
	// single tells that the source is exactly one {{path}}, which is refs[0].
	single bool
	refs   []ref
	names  []string
	paths  []string
	needed []string
	// segments are the whole template unless program is set.
	segments []segment
	program  *gotemplate.Template
	// generated is the source of program, origins lead back from it.
	generated string
	origins   []origin
}

// segment is literal text, or the path refs[ref] where ref is not negative.
type segment struct {
	text string
	ref  int
}

// Unknown is a name or path that a rendering looked for in vain. It rendered as
// empty; strict recipes make it an error.
type Unknown struct {
	Path    string
	Nearest string // the nearest known name; empty when none is near or no names were given
}

// Parse reads source once. The error is an [*Error].
func Parse(source string, opts Options) (*Template, error) {
	d := &draft{source: source, lenient: opts.Lenient}
	t, err := d.template()
	if err != nil {
		return nil, err
	}
	t.known = opts.Known
	return t, nil
}

// Source is the text the template was parsed from.
func (t *Template) Source() string { return t.source }

// Warnings are remarks of Parse, such as foreign braces kept as they stand.
func (t *Template) Warnings() []string { return slices.Clone(t.warnings) }

// Names lists the root names that the template may look up, sorted, each once.
func (t *Template) Names() []string { return slices.Clone(t.names) }

// Paths lists the dotted paths that the template reads, sorted, each once. A
// key that is no name is written in brackets: a['b c'].
func (t *Template) Paths() []string { return slices.Clone(t.paths) }

// Required lists the paths whose absence Render reports: all of Paths but those
// that the template has a default for, as in {{ default "main" branch }}.
func (t *Template) Required() []string { return slices.Clone(t.needed) }

// Literal reports whether the template has no placeholder, so that Render gives
// the same text for every lookup.
func (t *Template) Literal() bool { return t.literal }

// Path is the path of a template that is exactly one {{path}}, in its plain
// form without white space; ok is false for every other template.
func (t *Template) Path() (path string, ok bool) {
	if !t.single {
		return "", false
	}
	return t.refs[0].path, true
}

// HasControl reports whether the template uses if, range, with or a variable
// of its own, which shell commands do not allow.
func (t *Template) HasControl() bool { return t.control }

// Value is Render, but a source that is exactly one {{path}} gives the value
// itself, so that a map stays a map. An unknown path gives the empty text.
func (t *Template) Value(lookup Lookup) (v any, unknown []Unknown, err error) {
	if !t.single {
		text, unknown, err := t.Render(lookup)
		return text, unknown, err
	}
	f := newFrame(t, lookup)
	v, found := f.find(&t.refs[0])
	if !found {
		return "", f.unknown, nil
	}
	return shallow(v), f.unknown, nil
}
