package document_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/bricks/ledger"
	"github.com/brickoven/brickoven/schema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, ok := schema.Get(name)
	if !ok {
		t.Fatalf("there is no schema %s", name)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// decoded reads YAML the way an editor hands it to a validator.
func decoded(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(plain(v))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			v[key] = plain(item)
		}
	case []any:
		for i, item := range v {
			v[i] = plain(item)
		}
	case time.Time:
		return v.Format(time.DateOnly)
	}
	return v
}

// documents yields the YAML files of the repository with one ending that are
// meant to be sound.
func documents(t *testing.T, ending string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name == "testdata" || strings.HasPrefix(name, ".") && name != ".." {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ending) {
			return nil
		}
		text, err := os.ReadFile(path)
		found[path] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestEveryRecipeOfTheRepositoryFitsItsSchema(t *testing.T) {
	t.Parallel()
	recipe := compile(t, "recipe")
	n := 0
	for path, text := range documents(t, ".yaml") {
		doc, ok := decoded(t, text).(map[string]any)
		if !ok || doc["steps"] == nil && doc["extends"] == nil {
			continue
		}
		n++
		if err := recipe.Validate(doc); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if n < 3 {
		t.Errorf("only %d recipes were found", n)
	}
}

func TestEveryContractTestOfTheRepositoryFitsItsSchema(t *testing.T) {
	t.Parallel()
	test := compile(t, "test")
	for path, text := range documents(t, ".test.yaml") {
		if err := test.Validate(decoded(t, text)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestWhatTheRecipeSchemaRefuses(t *testing.T) {
	t.Parallel()
	recipe := compile(t, "recipe")
	for name, text := range map[string]string{
		"a recipe without a name":        "steps: [{id: a, command: b}]",
		"a recipe without steps":         "name: a",
		"an empty list of steps":         "name: a\nsteps: []",
		"a step without an id":           "name: a\nsteps: [{command: b}]",
		"an unknown key":                 "name: a\nsteps: [{id: a, comand: b}]",
		"an unknown type":                "name: a\nsteps: [{id: a, type: shell, command: b}]",
		"an agent step without prompt":   "name: a\nsteps: [{id: a, type: agent}]",
		"a time span that is none":       "name: a\nsteps: [{id: a, command: b, timeout: soon}]",
		"a flag that is none":            "name: a\nsteps: [{id: a, command: b, parse_json: maybe}]",
		"an exit code out of range":      "name: a\nsteps: [{id: a, command: b, retry: {on_exit: [256]}}]",
		"an unknown key of a retry":      "name: a\nsteps: [{id: a, command: b, retry: {max: 3}}]",
		"an unknown rule":                "name: a\ncontext_validation: {a: positive}\nsteps: [{id: a, command: b}]",
		"an input that has another key":  "name: a\ninputs: {x: {kind: string}}\nsteps: [{id: a, command: b}]",
		"an unknown format of a report":  "name: a\noutput: {format: html}\nsteps: [{id: a, command: b}]",
		"a step of finally without id":   "name: a\nsteps: [{id: a, command: b}]\nfinally: [{command: c}]",
		"an interrupt mode that is none": "name: a\nsteps: [{id: a, command: b, on_interrupt: retry}]",
	} {
		if recipe.Validate(decoded(t, []byte(text))) == nil {
			t.Errorf("%s is accepted:\n%s", name, text)
		}
	}
}

func TestWhatTheRecipeSchemaTakes(t *testing.T) {
	t.Parallel()
	recipe := compile(t, "recipe")
	for name, text := range map[string]string{
		"a child of a parent":   "name: a\nextends: b",
		"extension keys":        "name: a\nx-note: 1\nsteps: [{id: a, command: b, x-y: 2}]",
		"numbers as texts":      "name: a\nversion: 1.0\nsteps: [{id: 1, command: b}]",
		"spans of every kind":   "name: a\nsteps: [{id: a, command: b, timeout: 90, idle_timeout: 1h30m, retry: {attempts: 2, delay: 1.5, max_delay: 1d}}]",
		"quoted flags":          "name: a\nsteps: [{id: a, command: b, parse_json: 'true'}]",
		"empty mappings":        "name: a\ncontext:\nenv:\nhooks:\nsteps: [{id: a, command: b}]",
		"lists and single ones": "name: a\ntags: x\nsteps: [{id: a, command: b, depends_on: c, when_tags: [d]}, {id: c, recipe: e, outputs: [f]}]",
		"inputs as a list":      "name: a\ninputs: [x, {name: y, type: choice, options: [p, q]}]\nsteps: [{id: a, command: b}]",
		"short inputs":          "name: a\ninputs: {x: string, y: the text}\nsteps: [{id: a, command: b}]",
		"retry as a number":     "name: a\nsteps: [{id: a, command: b, retry: 3}]",
	} {
		if err := recipe.Validate(decoded(t, []byte(text))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLedgerDocumentsFitTheirSchemas(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "ledger", "contract.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := compile(t, "contract").Validate(decoded(t, text)); err != nil {
		t.Error(err)
	}
	contract, err := ledger.ReadContract(text, ledger.JSON, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range ledgers(t, contract) {
		if err := compile(t, "ledger").Validate(decoded(t, data)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
