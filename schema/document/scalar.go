package document

import "github.com/invopop/jsonschema"

// Text is a text; numbers and booleans are taken as they are written.
type Text string

// JSONSchema is what the loader takes for a text.
func (Text) JSONSchema() *jsonschema.Schema { return types("string", "number", "boolean") }

// Texts is a list of texts, or a single one.
type Texts []string

// JSONSchema is what the loader takes for a list of texts.
func (Texts) JSONSchema() *jsonschema.Schema {
	return either(types("string", "number", "boolean", "null"), list(types("string", "number", "boolean")))
}

// Template is a text with {{ }} placeholders.
type Template string

// JSONSchema is what the loader takes for a template.
func (Template) JSONSchema() *jsonschema.Schema { return types("string", "number", "boolean", "null") }

// Templates is a list of templates, or a single one.
type Templates []string

// JSONSchema is what the loader takes for a list of templates.
func (Templates) JSONSchema() *jsonschema.Schema { return Texts{}.JSONSchema() }

// Flag is true or false.
type Flag bool

// JSONSchema allows quoted booleans, as recipes in the wild write them.
func (Flag) JSONSchema() *jsonschema.Schema {
	quoted := &jsonschema.Schema{Enum: []any{"true", "True", "TRUE", "false", "False", "FALSE"}}
	return either(types("boolean", "null"), quoted)
}

// Count is a whole number of 0 or more.
type Count int

// JSONSchema is what the loader takes for a count.
func (Count) JSONSchema() *jsonschema.Schema {
	return either(&jsonschema.Schema{Type: "integer", Minimum: "0"}, &jsonschema.Schema{Type: "string", Pattern: "^[0-9]+$"}, null())
}

// Factor is a number of 1 or more, or the word exponential, which is 2.
type Factor float64

// JSONSchema is what the loader takes for a factor.
func (Factor) JSONSchema() *jsonschema.Schema {
	return either(&jsonschema.Schema{Type: "number", Minimum: "1"}, &jsonschema.Schema{Type: "string", Pattern: `^([0-9]+(\.[0-9]+)?|exponential)$`})
}

// Duration is a time span: seconds (90, 1.5) or a text such as 90s, 10m, 1h30m
// or 1d.
type Duration string

// JSONSchema is what the loader takes for a time span.
func (Duration) JSONSchema() *jsonschema.Schema {
	text := &jsonschema.Schema{Type: "string", Pattern: `^\s*([0-9]+d)?( *[0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h)?)*\s*$`}
	return either(&jsonschema.Schema{Type: "number", Minimum: "0"}, text, null())
}

// Value is any value.
type Value struct{}

// JSONSchema allows everything.
func (Value) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{} }

// Values is a mapping from names to values.
type Values map[string]any

// JSONSchema is what the loader takes for a mapping.
func (Values) JSONSchema() *jsonschema.Schema { return types("object", "null") }

// Environment is a mapping from names of environment variables to templates.
type Environment map[string]string

// JSONSchema is what the loader takes for an environment.
func (Environment) JSONSchema() *jsonschema.Schema {
	s := types("object", "null")
	s.AdditionalProperties = types("string", "number", "boolean", "null")
	return s
}

// types is the schema of a value that is of one of several JSON types.
func types(names ...string) *jsonschema.Schema {
	return &jsonschema.Schema{Extras: map[string]any{"type": names}}
}

func null() *jsonschema.Schema { return &jsonschema.Schema{Type: "null"} }

func list(items *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: items}
}

func either(of ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{AnyOf: of} }

// orNull lets an empty key stand for what is left out.
func orNull(s *jsonschema.Schema) *jsonschema.Schema { return either(s, null()) }
