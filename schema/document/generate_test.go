package document_test

import (
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/schema/document"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the schemas")

// sources are the packages whose doc comments describe the documents.
var sources = map[string]string{
	"schema/document": ".",
	"bricks/ledger":   "../../bricks/ledger",
	"runner/journal":  "../../runner/journal",
	"runner/process":  "../../runner/process",
}

// TestSchemasAreThoseOfTheTypes fails when a committed schema drifts; go test
// ./schema/document -update writes them.
func TestSchemasAreThoseOfTheTypes(t *testing.T) {
	t.Parallel()
	for _, name := range document.Names() {
		want, err := document.Generate(name, sources)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("..", name+".schema.json")
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not what the types say; run go test ./schema/document -update\n%s", path, diff)
		}
	}
}

// TestThePageOfTheKeysIsThatOfTheSchemas does the same for docs/keys.md.
func TestThePageOfTheKeysIsThatOfTheSchemas(t *testing.T) {
	t.Parallel()
	schemas := map[string][]byte{}
	for _, name := range document.Names() {
		text, err := document.Generate(name, sources)
		if err != nil {
			t.Fatal(err)
		}
		schemas[name] = text
	}
	want, err := document.Reference(schemas)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "docs", "keys.md")
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is not what the types say; run go test ./schema/document -update\n%s", path, diff)
	}
}

// TestEveryKeyThatPeopleWriteIsExplained keeps editors from showing a bare key.
func TestEveryKeyThatPeopleWriteIsExplained(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "keys.md"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(page), "\n") {
		if strings.HasSuffix(line, "|  |") || strings.HasSuffix(line, "| Required. |") || strings.HasSuffix(line, "| Required |") {
			t.Errorf("docs/keys.md does not explain %s", line)
		}
	}
}

var brakeKeys = regexp.MustCompile(`(?s)var brakeKeys = \[\]string\{(.*?)\}`)

// TestTheSchemaKnowsTheBrakes compares the keys of brakes with those that are
// read.
func TestTheSchemaKnowsTheBrakes(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.Join("..", "..", "bricks", "brakes", "config.go"))
	if err != nil {
		t.Fatal(err)
	}
	m := brakeKeys.FindSubmatch(source)
	if m == nil {
		t.Fatal("bricks/brakes/config.go has no list of keys")
	}
	var want []string
	for word := range strings.FieldsFuncSeq(string(m[1]), func(r rune) bool { return strings.ContainsRune("\", \n\t", r) }) {
		want = append(want, word)
	}
	slices.Sort(want)
	text, err := document.Generate("recipe", sources)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	var brakes struct {
		Properties map[string]any `json:"properties"`
	}
	if err := errors.Join(json.Unmarshal(text, &schema), json.Unmarshal(schema.Defs["Brakes"], &brakes)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(brakes.Properties))); diff != "" {
		t.Errorf("brakes (-) and schema (+) differ; see schema/document/loop.go\n%s", diff)
	}
}
