// Package template renders the {{ }} placeholders of prompts, paths, contexts
// and reports. Shell commands have a package of their own, shell, below this
// one, because there data must never become source.
package template

// Lookup finds a variable by its root name. A [value.Ref] must not be returned:
// the caller resolves large values first (see [Template.Names]).
type Lookup func(name string) (v any, found bool)

// Options tell Parse how to read the source.
type Options struct {
	// Lenient keeps braces that are no template of ours as they stand, with a
	// warning, as prompts in the wild need it.
	Lenient bool
}

// Template is a parsed text. It is immutable and safe for concurrent use.
type Template struct{ source string }

// Unknown is a name or path that a rendering looked for in vain. It rendered as
// empty; strict recipes make it an error.
type Unknown struct {
	Path    string
	Nearest string // the nearest known name; empty when none is near or no names were given
}

// Parse reads source once. The error is an [*Error].
func Parse(source string, opts Options) (*Template, error) { return &Template{source}, nil }

// Source is the text the template was parsed from.
func (t *Template) Source() string { return t.source }

// Warnings are remarks of Parse, such as foreign braces kept as they stand.
func (t *Template) Warnings() []string { return nil }

// Names lists the root names that the template may look up, sorted, each once.
func (t *Template) Names() []string { return nil }

// Paths lists the dotted paths that the template reads, sorted, each once.
func (t *Template) Paths() []string { return nil }

// Literal reports whether the template has no placeholder, so that Render gives
// the same text for every lookup.
func (t *Template) Literal() bool { return true }

// Render returns the text. Values are opaque: braces that came from a value are
// never rendered again. The error is an [*Error].
func (t *Template) Render(lookup Lookup) (text string, unknown []Unknown, err error) {
	return "", nil, nil
}

// Value is Render, but a source that is exactly one {{path}} gives the value
// itself, so that a map stays a map.
func (t *Template) Value(lookup Lookup) (v any, unknown []Unknown, err error) { return nil, nil, nil }

// Path is the path of a template that is exactly one {{path}}, as it is
// written without white space; ok is false for every other template.
func (t *Template) Path() (path string, ok bool) { return "", false }

// HasControl reports whether the template uses if, range, with or a variable
// of its own, which shell commands do not allow.
func (t *Template) HasControl() bool { return false }
