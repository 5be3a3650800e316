package value_test

import (
	"math"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// values generates values of every kind.
func values() *rapid.Generator[any] {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,3})?([eE][-+]?[0-9]{1,2})?`)
	scalar := rapid.OneOf(
		rapid.Just(any(nil)), rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(number, func(s string) any { return value.Number(s) }),
		rapid.Map(number, func(s string) any { return s }), rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.SampledFrom([]any{"true", "True", "false", "", "0", "[]", "{}"}),
	)
	return rapid.OneOf(scalar,
		rapid.Map(rapid.SliceOfN(scalar, 0, 4), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(rapid.String(), scalar, 0, 4), func(m map[string]any) any { return m }))
}

func TestTruth(t *testing.T) {
	t.Parallel()
	for _, v := range []any{nil, false, "", value.Number("0"), value.Number("-0.00"), value.Number("0e9999"), value.Number("0." + strings.Repeat("0", 500)), []any{}, map[string]any{}} {
		if value.Truth(v) {
			t.Errorf("%#v is true", v)
		}
	}
	for _, v := range []any{true, "false", "0", " ", value.Number("0.1"), value.Number("-1"), value.Number("1e9999"), []any{nil}, map[string]any{"": nil}, value.Ref{}} {
		if !value.Truth(v) {
			t.Errorf("%#v is false", v)
		}
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	n := func(s string) value.Number { return value.Number(s) }
	for _, tc := range []struct {
		a, b any
		want bool
	}{
		{nil, nil, true}, {nil, "", false}, {nil, false, false}, {nil, n("0"), false}, {nil, "null", false}, {nil, []any{}, false},
		{n("5"), "5", true}, {n("5"), n("5.0"), true}, {"5", "5.0", true}, {n("5e0"), " 5 ", true}, {n("5"), "5x", false},
		{n("12345678901234567"), n("12345678901234568"), false}, {n("0.1"), "1e-1", true}, {"007", n("7"), true},
		{n("1e9999"), "1e9999", true}, {n("1e9999"), n("1e9998"), false},
		{true, "true", true}, {true, "True", true}, {true, "TRUE", false}, {true, n("1"), false}, {false, "False", true}, {false, "", false}, {true, true, true}, {true, false, false},
		{"a", "a", true}, {"a", "A", false},
		{[]any{n("1"), "a"}, []any{"1.0", "a"}, true}, {[]any{n("1")}, []any{n("1"), nil}, false}, {[]any{nil}, []any{false}, false},
		{map[string]any{"a": n("1")}, map[string]any{"a": "1"}, true}, {map[string]any{"a": nil}, map[string]any{"b": nil}, false},
		{map[string]any{}, []any{}, false}, {[]any{n("1")}, "[1]", true}, {[]any{}, true, false},
	} {
		if got := value.Equal(tc.a, tc.b); got != tc.want {
			t.Errorf("Equal(%#v, %#v) = %v", tc.a, tc.b, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := values().Draw(t, "a"), values().Draw(t, "b")
		if !value.Equal(a, a) || value.Equal(a, b) != value.Equal(b, a) {
			t.Fatalf("Equal is not reflexive and symmetric on %#v, %#v", a, b)
		}
	})
}

func TestCompare(t *testing.T) {
	t.Parallel()
	n := func(s string) value.Number { return value.Number(s) }
	for _, tc := range []struct {
		a, b  any
		order int
		ok    bool
	}{
		{n("10"), n("9"), 1, true}, {"10", "9", 1, true}, {n("10"), "9a", -1, true}, {"a", "b", -1, true}, {n("1.0"), "1", 0, true},
		{n("-5"), n("-6"), 1, true}, {true, "true", 0, true}, {n("12345678901234567"), n("12345678901234568"), -1, true},
		{nil, n("1"), 0, false}, {[]any{}, []any{}, 0, false}, {"a", map[string]any{}, 0, false}, {value.Ref{}, "a", 0, false},
	} {
		if order, ok := value.Compare(tc.a, tc.b); order != tc.order || ok != tc.ok {
			t.Errorf("Compare(%#v, %#v) = %d, %v", tc.a, tc.b, order, ok)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := values().Draw(t, "a"), values().Draw(t, "b")
		order, ok := value.Compare(a, b)
		back, okBack := value.Compare(b, a)
		if order != -back || ok != okBack {
			t.Fatalf("Compare(%#v, %#v) = %d, and %d the other way around", a, b, order, back)
		}
		_, boolean := a.(bool)
		if _, other := b.(bool); ok && !boolean && !other && (order == 0) != value.Equal(a, b) {
			t.Fatalf("Compare(%#v, %#v) = %d disagrees with Equal", a, b, order)
		}
	})
}

func TestRational(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"5": "5/1", " 1.50\n": "3/2", "+2": "2/1", "007": "7/1", "-1e-2": "-1/100", "1E+2": "100/1"} {
		if n, ok := value.Rational(text); !ok || n.String() != want {
			t.Errorf("%q is %v, %v", text, n, ok)
		}
	}
	for _, v := range []any{"", " ", "x", "1/2", "0x10", "1_000", "--1", "1e", "1e5000", "1e999999999", ".5", "5.", "1 2", "Inf", "NaN", strings.Repeat("9", 500), nil, true, []any{}} {
		if n, ok := value.Rational(v); ok {
			t.Errorf("%#v is %v", v, n)
		}
	}
}

func TestTextAndJSON(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		v          any
		text, json string
	}{
		{nil, "", "null"},
		{true, "true", "true"},
		{false, "false", "false"},
		{value.Number("1.10"), "1.10", "1.10"},
		{"a\"<&>\n", "a\"<&>\n", `"a\"<&>\n"`},
		{[]any{value.Number("1E5"), nil, "é"}, `[1E5,null,"é"]`, `[1E5,null,"é"]`},
		{map[string]any{"b": []any{}, "a": "<"}, `{"a":"<","b":[]}`, `{"a":"<","b":[]}`},
		{math.Inf(1), `"+Inf"`, `"+Inf"`},
	} {
		if text, json := value.Text(tc.v), value.JSON(tc.v); text != tc.text || json != tc.json {
			t.Errorf("%#v: text %s, JSON %s", tc.v, text, json)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := values().Draw(t, "v")
		back, err := value.Parse(value.JSON(v))
		if diff := cmp.Diff(v, back); diff != "" || err != nil {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
	})
}

func TestFrom(t *testing.T) {
	t.Parallel()
	type pair struct {
		A int    `json:"a"`
		B string `json:"b"`
	}
	ref := value.Ref{Hash: "h", Size: 1}
	for _, tc := range []struct{ in, want any }{
		{nil, nil}, {"a", "a"}, {5, value.Number("5")}, {int64(math.MaxInt64), value.Number("9223372036854775807")},
		{uint64(math.MaxUint64), value.Number("18446744073709551615")}, {1.5, value.Number("1.5")}, {value.Number("1.10"), value.Number("1.10")},
		{[]string{"a", "<b>"}, []any{"a", "<b>"}}, {map[string]int{"a": 1}, map[string]any{"a": value.Number("1")}},
		{[]any{1, []int{2}}, []any{value.Number("1"), []any{value.Number("2")}}}, {map[string]any{"a": true}, map[string]any{"a": true}},
		{pair{1, "x"}, map[string]any{"a": value.Number("1"), "b": "x"}}, {ref, ref},
		{math.NaN(), "NaN"}, {[]any{math.Inf(-1)}, []any{"-Inf"}},
	} {
		if diff := cmp.Diff(tc.want, value.From(tc.in)); diff != "" {
			t.Errorf("%#v (-want +got):\n%s", tc.in, diff)
		}
	}
	if _, isText := value.From(make(chan int)).(string); !isText {
		t.Error("a channel is not given as its text")
	}
}

func TestKindAndIsScalar(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		v      any
		kind   string
		scalar bool
	}{
		{nil, "null", false}, {true, "bool", true}, {value.Number("1"), "number", true}, {"", "string", true},
		{[]any{}, "list", false}, {map[string]any{}, "map", false}, {value.Ref{}, "reference", false}, {5, "unknown", false},
	} {
		if kind, scalar := value.Kind(tc.v), value.IsScalar(tc.v); kind != tc.kind || scalar != tc.scalar {
			t.Errorf("%#v is %s, scalar %v", tc.v, kind, scalar)
		}
	}
}
