package recipes

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// large is a recipe of n steps of all kinds.
func large(n int) string {
	var b strings.Builder
	b.WriteString("name: large\ncontext: {branch: main, my-flag: \"true\"}\nsteps:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - id: step-%d\n    command: |\n      echo \"{{branch}}\" {{out_%d}}\n      if true; then echo '{{my-flag}}'; fi\n", i, max(i-1, 0))
		fmt.Fprintf(&b, "    condition: branch == 'main' and steps.step-%d.status != 'failed'\n    output: out_%d\n    timeout: 10m\n", max(i-1, 0), i)
	}
	return b.String()
}

// BenchmarkLoad reads, resolves and checks recipes of two sizes; the time per
// step should not depend on the size.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		dir := b.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "large.yaml"), []byte(large(n)), 0o644); err != nil {
			b.Fatal(err)
		}
		resolver := NewResolver(Search{WorkDir: dir})
		b.Run(fmt.Sprint("parse-", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Load(filepath.Join(dir, "large.yaml"), LoadOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprint("validate-", n), func(b *testing.B) {
			for b.Loop() {
				tree, err := resolver.Resolve("large", LoadOptions{})
				if err != nil {
					b.Fatal(err)
				}
				tree.Check(nil)
			}
		})
	}
}

func BenchmarkList(b *testing.B) {
	dir := b.TempDir()
	for i := range 1_000 {
		text := fmt.Sprintf("name: recipe-%d\ndescription: |\n  What it does\n%s", i, strings.TrimPrefix(large(20), "name: large\n"))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("recipe-%d.yaml", i)), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	resolver := NewResolver(Search{WorkDir: dir})
	for b.Loop() {
		if list, err := resolver.List(); err != nil || len(list) != 1_000 {
			b.Fatal(len(list), err)
		}
	}
}
