// Package document describes the documents of brickoven as Go types, for their
// JSON Schemas alone: what a person may write, before it is decoded. The
// descriptions in the schemas are the doc comments of these types.
package document

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/brickoven/brickoven/bricks/ledger"
	"github.com/invopop/jsonschema"
)

const module = "github.com/brickoven/brickoven"

// kind is a document that has a schema.
type kind struct {
	name  string
	title string
	root  any
	// more are types that the root only refers to by name.
	more []any
	// written documents come from this program: lists, maps and pointers may be
	// null.
	written bool
	// extensible documents may have keys that begin with x-.
	extensible bool
}

var kinds = []kind{
	{name: "recipe", title: "brickoven recipe", root: Recipe{}, more: []any{Input{}, Retry{}, Anomaly{}, DoomLoop{}, Workflow{}}, extensible: true},
	{name: "test", title: "brickoven contract test", root: Test{}, more: []any{Stub{}, Answer{}, Matcher{}}, extensible: true},
	{name: "result", title: "brickoven run result", root: Result{}, written: true},
	{name: "contract", title: "brickoven ledger contract", root: ledger.Contract{}},
	{name: "ledger", title: "brickoven ledger", root: Ledger{}, written: true},
	{name: "control", title: "brickoven session control", root: Control{}},
	{name: "goal_check", title: "brickoven session goal check", root: GoalCheck{}},
	{name: "event", title: "brickoven session event", root: Event{}, written: true},
	{name: "journal", title: "brickoven journal record", root: Journal{}, more: payloadTypes(), written: true},
}

// Names lists the schemas that Generate knows.
func Names() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// Generate prints the schema of a document as indented JSON. sources maps
// import paths below the module to the folders with their Go files, which hold
// the descriptions; a path that is left out gives a schema without them.
func Generate(name string, sources map[string]string) ([]byte, error) {
	for _, k := range kinds {
		if k.name == name {
			return k.generate(sources)
		}
	}
	return nil, fmt.Errorf("there is no schema %q", name)
}

func (k kind) generate(sources map[string]string) ([]byte, error) {
	r := &jsonschema.Reflector{ExpandedStruct: true, Anonymous: true, Mapper: mapped, CommentMap: map[string]string{}}
	if err := readComments(r.CommentMap, sources); err != nil {
		return nil, err
	}
	s := r.Reflect(k.root)
	for _, more := range k.more {
		extra := *r
		extra.ExpandedStruct = false
		for name, def := range extra.Reflect(more).Definitions {
			s.Definitions[name] = def
		}
	}
	s.ID = jsonschema.ID("https://" + module + "/schema/" + k.name + ".schema.json")
	s.Title = k.title
	if k.written {
		allowNull(s, append([]any{k.root}, k.more...))
	}
	if k.extensible {
		allowExtensions(s)
		for _, def := range s.Definitions {
			allowExtensions(def)
		}
	}
	if k.name == "contract" {
		describeContract(s)
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", k.name, err)
	}
	return append(data, '\n'), nil
}

// readComments fills in the doc comments, each as one line.
func readComments(comments map[string]string, sources map[string]string) error {
	for path, folder := range sources {
		own := &jsonschema.Reflector{}
		if err := own.AddGoComments("", folder, jsonschema.WithFullComment()); err != nil {
			return fmt.Errorf("reading the descriptions of %s: %w", path, err)
		}
		for name, text := range own.CommentMap {
			name = name[strings.LastIndexByte(name, '/')+1:]
			name = strings.TrimPrefix(name[strings.IndexByte(name, '.'):], "..")
			comments[module+"/"+path+"."+strings.TrimPrefix(name, ".")] = strings.Join(strings.Fields(text), " ")
		}
	}
	return nil
}

// mapped gives the schemas of types that write themselves as JSON.
func mapped(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[json.Number]():
		return &jsonschema.Schema{Type: "number"}
	case reflect.TypeFor[ledger.Text]():
		return types("string", "null")
	}
	return nil
}

// allowExtensions lets keys that begin with x- through, as the loader does.
func allowExtensions(s *jsonschema.Schema) {
	if s.Properties.Len() > 0 && s.AdditionalProperties == jsonschema.FalseSchema {
		s.PatternProperties = map[string]*jsonschema.Schema{"^x-": {}}
	}
}

// allowNull lets what is nil in Go be null, in the types of the values and in
// every type below them that the schema names. The first one is the root.
func allowNull(root *jsonschema.Schema, values []any) {
	seen := map[reflect.Type]bool{}
	var visit func(t reflect.Type, s *jsonschema.Schema)
	visit = func(t reflect.Type, s *jsonschema.Schema) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || seen[t] {
			return
		}
		seen[t] = true
		if s == nil {
			s = root.Definitions[t.Name()]
		}
		for _, field := range reflect.VisibleFields(t) {
			visit(field.Type, nil)
			switch field.Type.Kind() {
			case reflect.Pointer, reflect.Slice, reflect.Map:
				if s != nil {
					key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
					nullable(s, key)
				}
			}
		}
	}
	for i, v := range values {
		if i == 0 {
			visit(reflect.TypeOf(v), root)
		} else {
			visit(reflect.TypeOf(v), nil)
		}
	}
}
