package pattern_test

import (
	"testing"

	"github.com/brickoven/brickoven/recipes/value/pattern"
)

func TestLazyPatternIsCompiledOnceAndAtItsFirstUse(t *testing.T) {
	t.Parallel()
	number := pattern.Lazy(`^\d+$`)
	first := number()
	if !first.MatchString("12") || first.MatchString("x") || number() != first {
		t.Error("the pattern is not what was given")
	}
}

func TestInvalidPatternPanicsWhereItIsUsed(t *testing.T) {
	t.Parallel()
	broken := pattern.Lazy(`(`)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	broken()
}
