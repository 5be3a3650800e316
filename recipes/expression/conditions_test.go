package expression_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/recipes/expression"
	"github.com/brickoven/brickoven/recipes/value"
)

// conditionRow is one line of testdata/conditions.tsv.
type conditionRow struct {
	line                         int
	condition, want, python, why string
}

func conditionRows(tb testing.TB) []conditionRow {
	tb.Helper()
	text, err := os.ReadFile("testdata/conditions.tsv")
	if err != nil {
		tb.Fatal(err)
	}
	var rows []conditionRow
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 4 {
			tb.Fatalf("line %d has %d cells, not 4", i+1, len(cells))
		}
		rows = append(rows, conditionRow{i + 1, cells[0], cells[1], cells[2], cells[3]})
	}
	return rows
}

func conditionContext(tb testing.TB) expression.Lookup {
	tb.Helper()
	text, err := os.ReadFile("testdata/context.json")
	if err != nil {
		tb.Fatal(err)
	}
	v, err := value.Parse(string(text))
	if err != nil {
		tb.Fatal(err)
	}
	return lookupIn(v.(map[string]any))
}

func lookupIn(variables map[string]any) expression.Lookup {
	return func(name string) (any, bool) {
		v, found := variables[name]
		return v, found
	}
}

// outcome is the value as JSON, or "error: " and the message.
func outcome(condition string, lookup expression.Lookup, opts expression.Options) string {
	p, err := expression.Compile(condition, opts)
	if err == nil {
		var v any
		if v, _, err = p.Eval(lookup); err == nil {
			return value.JSON(v)
		}
	}
	var failed *expression.Error
	if !errors.As(err, &failed) {
		return "not an *Error: " + err.Error()
	}
	return "error: " + failed.Message
}

func agrees(got, want string) bool {
	if message, isError := strings.CutPrefix(want, "error"); isError {
		return strings.HasPrefix(got, "error: ") && strings.Contains(got, strings.TrimPrefix(message, ": "))
	}
	return got == want
}

func TestConditionTable(t *testing.T) {
	t.Parallel()
	lookup := conditionContext(t)
	rows := conditionRows(t)
	if len(rows) < 150 {
		t.Fatalf("the table has %d rows, fewer than 150", len(rows))
	}
	opts := expression.Options{Names: []string{"my-step", "five"}}
	for _, row := range rows {
		if got := outcome(row.condition, lookup, opts); !agrees(got, row.want) {
			t.Errorf("line %d: %s\n got %s\nwant %s", row.line, row.condition, got, row.want)
		}
	}
}

func TestConditionTableExplainsEveryDifferenceFromPython(t *testing.T) {
	t.Parallel()
	for _, row := range conditionRows(t) {
		switch {
		case row.python == "-":
		case sameAsPython(row.want, row.python):
			if row.why != "" {
				t.Errorf("line %d: %s is the same in Python; the reason %q is idle", row.line, row.condition, row.why)
			}
		case row.why == "":
			t.Errorf("line %d: %s is %s here and %s in Python, without a reason", row.line, row.condition, row.want, row.python)
		}
	}
}

// sameAsPython compares as JSON documents, where 5 and 5.0 differ and 1.10 and
// 1.1 do not.
func sameAsPython(ours, python string) bool {
	if strings.HasPrefix(ours, "error") || strings.HasPrefix(python, "error") {
		return strings.HasPrefix(ours, "error") && strings.HasPrefix(python, "error")
	}
	a, errA := value.Parse(ours)
	b, errB := value.Parse(python)
	if errA != nil || errB != nil {
		return false
	}
	return cmp.Equal(a, b, cmp.Comparer(func(x, y value.Number) bool {
		return strings.Contains(x.String(), ".") == strings.Contains(y.String(), ".") && value.Equal(x, y)
	}))
}
