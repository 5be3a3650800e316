package recipes

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the expected texts of testdata anew")

const divider = "----------\n"

// TestFaultTexts reads every document of testdata/faults and compares all that
// is said about it, faults and warnings, with what stands below the divider.
func TestFaultTexts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/faults/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			input, want, found := strings.Cut(string(text), divider)
			if !found && !*update {
				t.Fatal("no divider")
			}
			got := said(Parse("recipe.yaml", []byte(input), LoadOptions{}))
			if *update {
				if err := os.WriteFile(file, []byte(input+divider+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// said is everything that reading a document said about it.
func said(r *Recipe, err error) string {
	var b strings.Builder
	if err != nil {
		b.WriteString("error:\n" + err.Error() + "\n")
	}
	if r != nil && len(r.Warnings) > 0 {
		b.WriteString("warning:\n" + Findings(r.Warnings).Error() + "\n")
	}
	return b.String()
}
