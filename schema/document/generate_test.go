package document_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/brickoven/brickoven/schema/document"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the schemas")

// sources are the packages whose doc comments describe the documents.
var sources = map[string]string{
	"schema/document": ".",
	"bricks/ledger":   "../../bricks/ledger",
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
