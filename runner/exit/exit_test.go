package exit_test

import (
	"slices"
	"testing"

	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/runner/exit"
)

func TestTheCodesAreAscendingAndHaveEveryHaltClass(t *testing.T) {
	t.Parallel()
	var numbers []int
	for _, code := range exit.Codes() {
		numbers = append(numbers, code.Number)
	}
	if !slices.IsSorted(numbers) || len(slices.Compact(slices.Clone(numbers))) != len(numbers) {
		t.Errorf("the codes are not ascending: %v", numbers)
	}
	classes := map[int]bool{}
	for _, row := range halt.Table() {
		classes[row.Class.ExitCode()] = true
		if !slices.Contains(numbers, row.Class.ExitCode()) {
			t.Errorf("%s exits with %d, which is not in the table", row.Reason, row.Class.ExitCode())
		}
	}
	for _, code := range exit.Codes() {
		if code.Number > exit.Held && code.Number <= exit.Internal && !classes[code.Number] {
			t.Errorf("no loop halts with %d", code.Number)
		}
	}
}
