package pattern_test

import (
	"sync"
	"testing"

	"github.com/brickoven/brickoven/recipes/value/pattern"
)

func TestPatternIsCompiledOnceAndAtItsFirstUse(t *testing.T) {
	t.Parallel()
	number := pattern.Pattern{Source: `^\d+$`}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if first := number.Get(); !first.MatchString("12") || first.MatchString("x") || number.Get() != first {
				t.Error("the pattern is not what was given")
			}
		})
	}
	wg.Wait()
}

func TestInvalidPatternPanicsWhereverItIsUsed(t *testing.T) {
	t.Parallel()
	broken := pattern.Pattern{Source: `(`}
	for range 2 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			broken.Get()
		}()
	}
}
