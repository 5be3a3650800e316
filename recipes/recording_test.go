package recipes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestARestoredTreeIsTheOneThatWasRecordedWhateverBecameOfTheFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := map[string]string{
		"root.yaml": "name: root\nextends: base\nsteps:\n" +
			"  - {id: call, recipe: child}\n  - {id: gone, recipe: nowhere, condition: \"false\"}\n" +
			"  - {id: typed, command: \"true\", parse_json: true, output_schema: s.json}\n",
		"base.yaml":  "name: base\ncontext: {x: 1}\nsteps:\n  - {id: first, command: \"echo {{x}}\"}\n",
		"child.yaml": "name: child\nsteps:\n  - {id: leaf, command: \"true\", output: o}\n",
		"s.json":     `{"type":"object"}`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	resolver := NewResolver(Search{})
	tree, err := resolver.Resolve(filepath.Join(dir, "root.yaml"), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if changed := tree.Recording.Changed(resolver.ReadRecorded); len(changed) != 0 {
		t.Errorf("nothing has changed, but %v is listed", changed)
	}
	data, err := json.Marshal(tree.Recording)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "child.yaml"), []byte("name: other\nsteps: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "s.json")); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "child.yaml"), filepath.Join(dir, "s.json")}
	if diff := cmp.Diff(want, tree.Recording.Changed(resolver.ReadRecorded)); diff != "" {
		t.Errorf("changed files:\n%s", diff)
	}
	var rec Recording
	if err := json.Unmarshal(data, &rec); err != nil {
		t.Fatal(err)
	}
	again, err := Restore(&rec, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(outline(tree), outline(again)); diff != "" {
		t.Errorf("the restored tree differs:\n%s", diff)
	}
}

func outline(t *Tree) (lines []string) {
	for _, r := range t.All {
		lines = append(lines, r.Name, r.Document())
		for _, s := range r.allSteps() {
			line := s.ID + " " + s.Pos.String()
			if s.Child != nil {
				line += " calls " + s.Child.Name
			}
			if s.Missing != nil {
				line += " lacks its recipe"
			}
			if s.OutputSchema != nil {
				line += " has a schema"
			}
			lines = append(lines, line)
		}
	}
	return lines
}
