package pattern_test

import (
	"testing"

	"github.com/brickoven/brickoven/recipes/value/pattern"
)

func TestLazyPatternIsCompiledOnceAndAtItsFirstUse(t *testing.T) {
	t.Parallel()
	number := pattern.Lazy(`^\d+$`)
	if !number().MatchString("12") || number().MatchString("x") || number() != number() {
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
