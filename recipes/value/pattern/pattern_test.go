package pattern_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

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

func TestFindAllGivesWhatThePatternFinds(t *testing.T) {
	t.Parallel()
	word := pattern.Pattern{Source: `(\w+)=(\d*)`, Needs: []string{"#", "="}}
	for _, test := range []struct {
		text string
		want [][]int
	}{
		{"a=1 b=", [][]int{{0, 3, 0, 1, 2, 3}, {4, 6, 4, 5, 6, 6}}},
		{"nothing", nil},
		{"# nothing", nil},
		{"", nil},
	} {
		if diff := cmp.Diff(test.want, word.FindAll(test.text)); diff != "" {
			t.Errorf("%q: %s", test.text, diff)
		}
	}
}

// What a pattern needs is looked for before anything else, so a text without it
// does not even find out that the source is invalid.
func TestATextWithoutWhatMatchesNeedIsNotSearched(t *testing.T) {
	t.Parallel()
	broken := pattern.Pattern{Source: `(`, Needs: []string{"x"}}
	if found := broken.FindAll("abc"); found != nil {
		t.Errorf("found %v", found)
	}
	defer func() {
		if recover() == nil {
			t.Error("a text with it is not searched")
		}
	}()
	broken.FindAll("xyz")
}
