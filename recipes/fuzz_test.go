package recipes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParse: no text makes Parse panic or hang, and every finding has a place
// inside it.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/faults/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		input, _, _ := strings.Cut(string(text), divider)
		f.Add(input)
	}
	f.Add(tiny)
	f.Add("name: x\ncontext: &c {a: &a [*a], <<: [*c]}\n")
	f.Fuzz(func(t *testing.T, text string) { insideFile(t, text) })
}

// FuzzLocate: any offset of any scalar has a place.
func FuzzLocate(f *testing.F) {
	f.Add("a: |2\n   b\n", 3)
	f.Add("a: \"b\\\n  c\\x41\"\n", 2)
	f.Fuzz(func(t *testing.T, text string, offset int) {
		doc, err := readDocument(Source{Path: "f"}, []byte(text))
		if err != nil {
			return
		}
		for _, node := range doc.root.Content {
			if node.Value == "" {
				continue
			}
			pos := doc.spot(node).finding(offset, "c", "m").Pos
			if pos.Line < 1 || pos.Line > len(doc.lines) {
				t.Errorf("%v lies outside of %q", pos, text)
			}
		}
	})
}
