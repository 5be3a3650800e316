package recipes

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheSchemaKnowsTheKeysOfTheLoader compares the keys of each mapping of the
// committed schema with those that the loader reads.
func TestTheSchemaKnowsTheKeysOfTheLoader(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "schema", "recipe.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	type mapping struct {
		Properties map[string]any `json:"properties"`
		Defs       map[string]any `json:"$defs"`
	}
	var root mapping
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	known := func(name string) []string {
		if name == "Recipe" {
			return slices.Sorted(maps.Keys(root.Properties))
		}
		def, _ := root.Defs[name].(map[string]any)
		properties, _ := def["properties"].(map[string]any)
		return slices.Sorted(maps.Keys(properties))
	}
	for name, in := range map[string]scope{
		"Recipe": recipeScope(), "Step": stepScope(), "Retry": retryScope, "Hooks": hooksScope, "Recursion": recursionScope,
		"Defaults": defaultsScope, "Report": outputScope, "Input": inputScope,
	} {
		if diff := cmp.Diff(in.known, known(name)); diff != "" {
			t.Errorf("%s: loader (-) and schema (+) differ; see schema/document\n%s", name, diff)
		}
	}
}
