package value_test

import (
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSplitPath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"a": {"a"}, "_a-b": {"_a-b"}, "a.b.0": {"a", "b", "0"}, "a[0].b": {"a", "0", "b"}, "a['k l'][\"m\"]": {"a", "k l", "m"},
		"a['x]y']": {"a", "x]y"}, "a['']": {"a", ""}, `a["it's"]`: {"a", "it's"}, "a.-b": {"a", "-b"}, "a.0b": {"a", "0b"},
	} {
		got, ok := value.SplitPath(text)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{"", ".", "a.", ".a", "a..b", "0a", "-a", "[0]", "['a']", "a[", "a[]", "a[x]", "a[-1]", "a['x]", "a['x'", "a['x'y]", "a[']", "a]b", "a b", "a.b c", "é", "a[0]b", "a|b"} {
		if parts, ok := value.SplitPath(text); ok {
			t.Errorf("%q is %q", text, parts)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := append([]string{"root"}, rapid.SliceOf(rapid.StringMatching(`[A-Za-z0-9_-]{1,5}`)).Draw(t, "parts")...)
		if got, ok := value.SplitPath(strings.Join(parts, ".")); !ok || !cmp.Equal(got, parts) {
			t.Fatalf("%q is %q, %v", strings.Join(parts, "."), got, ok)
		}
	})
}

func TestAt(t *testing.T) {
	t.Parallel()
	v, err := value.Parse(`{"a":[{"b":null},"x"],"0":"zero","":{"k":1}}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		path  []string
		want  any
		found bool
	}{
		{nil, v, true}, {[]string{"a", "1"}, "x", true}, {[]string{"a", "0", "b"}, nil, true}, {[]string{"0"}, "zero", true}, {[]string{"", "k"}, value.Number("1"), true},
		{[]string{"a", "2"}, nil, false}, {[]string{"a", "-1"}, nil, false}, {[]string{"a", "-0"}, nil, false}, {[]string{"a", "+1"}, nil, false},
		{[]string{"a", "x"}, nil, false}, {[]string{"a", "99999999999999999999"}, nil, false}, {[]string{"b"}, nil, false}, {[]string{"a", "0", "b", "c"}, nil, false}, {[]string{"0", "0"}, nil, false},
	} {
		got, found := value.At(v, tc.path)
		if diff := cmp.Diff(tc.want, got); diff != "" || found != tc.found {
			t.Errorf("%q: found %v (-want +got):\n%s", tc.path, found, diff)
		}
	}
}

func TestIsName(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a", "_", "a-b", "A0", "_0-"} {
		if !value.IsName(text) {
			t.Errorf("%q is no name", text)
		}
	}
	for _, text := range []string{"", "0", "-a", "a.b", "a b", "é", "a\n"} {
		if value.IsName(text) {
			t.Errorf("%q is a name", text)
		}
	}
}
