package scope_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/runner/scope"
)

// BenchmarkStep stores 1 KiB and builds an environment, as a step does. The
// time of the last hundred steps is to be the same for each number of steps
// once the budget is used up.
func BenchmarkStep(b *testing.B) {
	for _, steps := range []int{100, 200, 400, 800, 1600} {
		b.Run(fmt.Sprint(steps), func(b *testing.B) {
			store := scope.NewSpills(filepath.Join(b.TempDir(), "spill"), false)
			s := scope.New()
			step := func(i int) {
				s.Set(fmt.Sprintf("variable_%d", i), strings.Repeat("v", 1024))
				block, err := s.Environment(scope.Request{Spills: store, Base: []string{"PATH=/bin"}})
				if err != nil {
					b.Fatal(err)
				}
				if err := block.Cleanup(); err != nil {
					b.Fatal(err)
				}
			}
			for i := range steps {
				step(i)
			}
			for i := 0; b.Loop(); i++ {
				step(steps - 1 - i%100)
			}
		})
	}
}
