package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes/extract"
)

// BenchmarkFind reads 200 MB of prose with JSON in it; the bound is 150 MB/s
// with memory within twice the input.
func BenchmarkFind(b *testing.B) {
	unit := "The round went on, it's fine; see { above.\n" +
		`Draft: {"loop_verdict":"CONTINUE","moved":["a {brace} in a text","b"],"n":{"x":1.5e3,"y":[true,null]}}` + "\n" +
		strings.Repeat("Prose without any answer in it, \"quoted\" now and then. ", 4) + "\n"
	text := strings.Repeat(unit, 200_000_000/len(unit))
	for _, field := range []string{"", "loop_verdict", "absent"} {
		b.Run(fmt.Sprintf("field=%q", field), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				extract.Find(text, extract.Options{RequireField: field})
			}
		})
	}
}
