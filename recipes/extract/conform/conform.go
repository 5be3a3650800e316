// Package conform tells whether a value conforms to a JSON Schema, and which
// places of it do not.
//
// It knows the keywords of draft 2020-12, and those of drafts 2019-09, 7 and 6
// where $schema names one of them. format, content and the other annotations
// assert nothing, as the drafts since 2019 have it. A schema refers to its own
// parts only; nothing is loaded. Patterns are Go's regular expressions.
//
// The package exists because the library for this compiles the meta-schemas of
// all drafts whenever a program starts that holds it. The tests compare the two.
package conform

import (
	"fmt"
	"strings"
)

// Schema is a compiled schema. It is immutable and safe for concurrent use.
type Schema struct{ root *node }

// Fault is one place of a value that does not conform.
type Fault struct {
	// Path is a JSON pointer (RFC 6901) into the value; empty for the whole.
	Path    string
	Message string
}

// Error tells that a schema is none.
type Error struct {
	// Path is a JSON pointer into the schema; empty for the whole.
	Path    string
	Message string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return fmt.Sprintf("at %s: %s", e.Path, e.Message)
}

// Check lists the places of a value that do not conform, in the order of the
// schema's keywords; none for a value that does. Of keywords that apply other
// schemas the innermost faults are told.
func (s *Schema) Check(v any) []Fault {
	r := s.root.apply(place{value: v}, nil)
	return r.faults
}

// place is a value with its path.
type place struct {
	value any
	path  *step
	depth int // of schemas that led here
}

// step is one step of a path, so that paths are only written out for faults.
type step struct {
	above *step
	name  string
}

func (p place) below(name string, v any) place { return place{v, &step{p.path, name}, p.depth} }

func (p place) fault(format string, args ...any) []Fault {
	return []Fault{{p.path.pointer(), fmt.Sprintf(format, args...)}}
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

func (s *step) pointer() string {
	if s == nil {
		return ""
	}
	return s.above.pointer() + "/" + escape.Replace(s.name)
}
