package expression_test

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/recipes/expression"
	"github.com/brickoven/brickoven/recipes/value"
)

// matrixOperators are the columns of testdata/matrix.tsv behind the two values.
var matrixOperators = []string{"==", "!=", "<", "<=", ">", ">=", "in", "not in"}

// TestEveryOperatorOnEveryPairOfKinds reads testdata/matrix.tsv: true, false or
// error for each operator between the values of a line, and whether the left
// one is true.
func TestEveryOperatorOnEveryPairOfKinds(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/matrix.tsv")
	if err != nil {
		t.Fatal(err)
	}
	pairs := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(cells) != 3+len(matrixOperators) {
			continue
		}
		pairs++
		lookup := lookupIn(map[string]any{"a": parseValue(t, cells[0]), "b": parseValue(t, cells[1])})
		if got := outcome("bool(a)", lookup, expression.Options{}); got != cells[2] {
			t.Errorf("the truth of %s is %s, want %s", cells[0], got, cells[2])
		}
		for i, operator := range matrixOperators {
			got, _, _ := strings.Cut(outcome("a "+operator+" b", lookup, expression.Options{}), ":")
			if got != cells[3+i] {
				t.Errorf("%s %s %s is %s, want %s", cells[0], operator, cells[1], got, cells[3+i])
			}
		}
	}
	if pairs != 15*15 {
		t.Errorf("the matrix has %d pairs, want %d", pairs, 15*15)
	}
}

func parseValue(tb testing.TB, text string) any {
	tb.Helper()
	v, err := value.Parse(text)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return v
}

// anyValue draws values of every kind, near each other on purpose.
func anyValue() *rapid.Generator[any] {
	scalars := []any{nil, true, false, "", "a", "true", "False", "5", "5.0", "05", " 5", "null", value.Number("5"), value.Number("5.0"),
		value.Number("-0"), value.Number("0"), value.Number("1e2"), "100", value.Number("12345678901234567"), "12345678901234567"}
	scalar := rapid.SampledFrom(scalars)
	return rapid.OneOf(scalar, scalar,
		rapid.Map(rapid.SliceOfN(scalar, 0, 2), func(items []any) any { return items }),
		rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b"}), scalar, 0, 2), func(m map[string]any) any { return m }))
}

func TestEqualityIsReflexiveAndSymmetric(t *testing.T) {
	t.Parallel()
	equal, swapped, unequal := mustCompile(t, "a == b"), mustCompile(t, "b == a"), mustCompile(t, "a != b")
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyValue().Draw(t, "a"), anyValue().Draw(t, "b")
		lookup := lookupIn(map[string]any{"a": a, "b": b})
		there, _, err1 := equal.Test(lookup)
		back, _, err2 := swapped.Test(lookup)
		not, _, err3 := unequal.Test(lookup)
		if err1 != nil || err2 != nil || err3 != nil || there != back || there == not || there != value.Equal(a, b) {
			t.Fatalf("%v and %v: %v, swapped %v, unequal %v", a, b, there, back, not)
		}
		if same, _, _ := equal.Test(lookupIn(map[string]any{"a": a, "b": a})); !same {
			t.Fatalf("%v does not equal itself", a)
		}
	})
}

func TestOrderFollowsTheValuesPackage(t *testing.T) {
	t.Parallel()
	operators := map[string]func(order int) bool{
		"<": func(o int) bool { return o < 0 }, "<=": func(o int) bool { return o <= 0 },
		">": func(o int) bool { return o > 0 }, ">=": func(o int) bool { return o >= 0 },
	}
	for operator, holds := range operators {
		p := mustCompile(t, "a "+operator+" b")
		rapid.Check(t, func(t *rapid.T) {
			a, b := anyValue().Draw(t, "a"), anyValue().Draw(t, "b")
			order, ok := value.Compare(a, b)
			got, _, err := p.Test(lookupIn(map[string]any{"a": a, "b": b}))
			if want := ok && holds(order); got != want || err != nil {
				t.Fatalf("%v %s %v is %v, want %v (%v)", a, operator, b, got, want, err)
			}
		})
	}
}

func TestWholeNumbersAreComputedExactly(t *testing.T) {
	t.Parallel()
	sum := mustCompile(t, "a + b - b == a and a * b == b * a and (b == 0 or a % b + int((a - a % b) / b) * b == a)")
	number := rapid.Map(rapid.Int64(), func(n int64) any { return value.From(n) })
	rapid.Check(t, func(t *rapid.T) {
		lookup := lookupIn(map[string]any{"a": number.Draw(t, "a"), "b": number.Draw(t, "b")})
		if ok, _, err := sum.Test(lookup); !ok || err != nil {
			t.Fatal(ok, err)
		}
	})
}

func TestAQuotedTextIsReadBackAsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "{{", `\x7b\x7b`).Replace(text)
		p, err := expression.Compile("x == '"+quoted+"' or '"+quoted+"'", expression.Options{})
		if strings.Contains(text, "{{") && strings.Contains(text, "}}") {
			return // a template; the condition table has those
		}
		if err != nil {
			t.Fatal(err)
		}
		if ok, _, err := p.Test(lookupIn(map[string]any{"x": text})); !ok || err != nil {
			t.Fatalf("%q is not read back: %v", text, err)
		}
	})
}

func TestDataIsNeverReadAsSource(t *testing.T) {
	t.Parallel()
	p := mustCompile(t, "'{{x}}' == x and 'a{{x}}b' == 'a' + x + 'b' and x in '{{x}}'")
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"' or '1' == '1", "{{y}}", `\`, `'"`, "__0", "a}}b"})).Draw(t, "x")
		lookup := lookupIn(map[string]any{"x": x, "y": "secret"})
		if ok, _, err := p.Test(lookup); !ok || err != nil {
			t.Fatalf("%q: %v, %v", x, ok, err)
		}
	})
}
