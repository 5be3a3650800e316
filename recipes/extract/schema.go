package extract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/extract/conform"
	"github.com/brickoven/brickoven/recipes/value"
)

// Schema is a compiled JSON Schema: the output_schema of a step. It is
// immutable and safe for concurrent use.
type Schema struct{ compiled *conform.Schema }

// SchemaError is a value that does not match a schema.
type SchemaError struct {
	// Faults are sorted by path; there is at least one.
	Faults []SchemaFault
}

// SchemaFault is one place of a value that does not match.
type SchemaFault struct {
	// Path is a JSON pointer into the value; empty for the value as a whole.
	Path    string
	Message string
}

func (e *SchemaError) Error() string {
	texts := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		place := f.Path
		if place == "" {
			place = "the whole value"
		}
		texts[i] = "at " + place + ": " + f.Message
	}
	return "the output does not match output_schema: " + strings.Join(texts, "; ")
}

// CompileSchema reads a JSON Schema, given as a value (a map, or a bool). The
// draft is 2020-12 unless $schema names one from 6 on. A $ref leads into the
// schema itself; nothing is loaded from anywhere.
func CompileSchema(v any) (*Schema, error) {
	compiled, err := conform.Compile(value.From(v))
	if err != nil {
		return nil, fmt.Errorf("output_schema is not a valid JSON Schema: %w", err)
	}
	return &Schema{compiled}, nil
}

// Check tells whether a value matches. The error is a [*SchemaError].
func (s *Schema) Check(v any) error {
	found := s.compiled.Check(value.From(v))
	if len(found) == 0 {
		return nil
	}
	e := &SchemaError{Faults: make([]SchemaFault, len(found))}
	for i, f := range found {
		e.Faults[i] = SchemaFault(f)
	}
	slices.SortStableFunc(e.Faults, func(a, b SchemaFault) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Message, b.Message))
	})
	e.Faults = slices.Compact(e.Faults)
	return e
}
