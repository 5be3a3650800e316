// Package toolschema makes the JSON Schemas of tools out of their Go types.
//
// It is apart from mcp because the library for this starts a YAML library and
// more whenever a program starts that holds it. A program embeds what Generate
// gives, and a test of it calls Generate again to see that this still holds.
package toolschema

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/brickoven/brickoven/runner/mcp"
	"github.com/invopop/jsonschema"
)

// Generate gives the schemas of the tools, by name, as indented JSON for
// mcp.Server. Pointers may be null.
func Generate(tools []mcp.Tool) ([]byte, error) {
	type schemas struct {
		Input  *jsonschema.Schema `json:"input"`
		Output *jsonschema.Schema `json:"output"`
	}
	all := map[string]schemas{}
	for _, t := range tools {
		all[t.Name] = schemas{reflected(t.Input), reflected(t.Output)}
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}

func reflected(t reflect.Type) *jsonschema.Schema {
	r := &jsonschema.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true}
	s := r.ReflectFromType(t)
	s.Version = "" // the protocol has this one where none is named
	allowNull(t, s)
	return s
}

// allowNull lets the fields of a type, and of those below it, be null where they
// are pointers.
func allowNull(t reflect.Type, s *jsonschema.Schema) {
	switch t.Kind() {
	case reflect.Pointer:
		allowNull(t.Elem(), s)
		s.Extras = map[string]any{"type": []string{"null", s.Type}}
		s.Type = ""
	case reflect.Slice:
		allowNull(t.Elem(), s.Items)
	case reflect.Struct:
		if s.Properties == nil {
			return // a time
		}
		for _, field := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if property, has := s.Properties.Get(name); has {
				allowNull(field.Type, property)
			}
		}
	}
}
