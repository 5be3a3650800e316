package extract

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/brickoven/brickoven/recipes/value"
)

// Schema is a compiled JSON Schema: the output_schema of a step. It is
// immutable and safe for concurrent use.
type Schema struct{ compiled *jsonschema.Schema }

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
// draft is 2020-12 unless $schema says otherwise. Nothing is loaded from
// anywhere: a $ref may lead into the schema itself and to the published
// meta-schemas only.
func CompileSchema(v any) (*Schema, error) {
	const place = "output_schema"
	c := jsonschema.NewCompiler()
	c.UseLoader(offline{})
	if err := c.AddResource(place, value.From(v)); err != nil {
		return nil, fmt.Errorf("output_schema: %w", err)
	}
	compiled, err := c.Compile(place)
	if err != nil {
		return nil, fmt.Errorf("output_schema is not a valid JSON Schema: %w", err)
	}
	return &Schema{compiled}, nil
}

// offline refuses to load a schema, be it from a file or a server.
type offline struct{}

func (offline) Load(url string) (any, error) {
	return nil, fmt.Errorf("a schema cannot refer to another document (%s)", url)
}

// Check tells whether a value matches. The error is a [*SchemaError].
func (s *Schema) Check(v any) error {
	err := s.compiled.Validate(value.From(v))
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return err
	}
	e := &SchemaError{}
	e.collect(failed, message.NewPrinter(language.English))
	slices.SortStableFunc(e.Faults, func(a, b SchemaFault) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Message, b.Message))
	})
	e.Faults = slices.Compact(e.Faults)
	return e
}

// collect takes the innermost causes: they name the place, the outer ones only
// the keyword that led there.
func (e *SchemaError) collect(failed *jsonschema.ValidationError, p *message.Printer) {
	if len(failed.Causes) == 0 {
		e.Faults = append(e.Faults, SchemaFault{pointer(failed.InstanceLocation), failed.ErrorKind.LocalizedString(p)})
	}
	for _, cause := range failed.Causes {
		e.collect(cause, p)
	}
}

// pointer writes a path as RFC 6901 has it.
func pointer(parts []string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var b strings.Builder
	for _, part := range parts {
		b.WriteString("/" + escape.Replace(part))
	}
	return b.String()
}
