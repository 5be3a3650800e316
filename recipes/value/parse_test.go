package value_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseReadsOneDocumentLiterally(t *testing.T) {
	t.Parallel()
	got, err := value.Parse(" {\"id\":12345678901234567,\"v\":1.10,\"n\":1000000,\"e\":1E400} \n")
	want := map[string]any{
		"id": value.Number("12345678901234567"), "v": value.Number("1.10"), "n": value.Number("1000000"), "e": value.Number("1E400"),
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, text := range []string{"{} {}", "{} x", "1 2", "[]]", "null,"} {
		if _, err := value.Parse(text); !errors.Is(err, value.ErrNotOneDocument) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", " ", "{", "007", "nul", "'a'", "[1,]", "NaN"} {
		if v, err := value.Parse(text); err == nil {
			t.Errorf("%q is %v", text, v)
		}
	}
}

func TestCapture(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		stdout, text string
		want         any
	}{
		{"hello\n", "hello", "hello"},
		{"  hello \r\n\n", "hello", "hello"},
		{"  a\n  b\n", "  a\n  b", "  a\n  b"},
		{"", "", ""},
		{"\n\t\n", "", ""},
		{"5\n", "5", value.Number("5")},
		{" -0.50 ", "-0.50", value.Number("-0.50")},
		{"\n5\n", "\n5", value.Number("5")},
		{"1e5", "1e5", "1e5"},
		{"1234e56", "1234e56", "1234e56"},
		{"007", "007", "007"},
		{"1.", "1.", "1."},
		{"1 2", "1 2", "1 2"},
		{"1\n2", "1\n2", "1\n2"},
		{"true\n", "true", true},
		{"\n false", "\n false", false},
		{"null", "null", nil},
		{"True", "True", "True"},
		{"nullable", "nullable", "nullable"},
		{`"a b"`, `"a b"`, "a b"},
		{"{\"a\": 1e5}\n", `{"a": 1e5}`, map[string]any{"a": value.Number("1e5")}},
		{"[1,\n2]\n", "[1,\n2]", []any{value.Number("1"), value.Number("2")}},
		{`{"a":1} x`, `{"a":1} x`, `{"a":1} x`},
		{`{"a":1}{"b":2}`, `{"a":1}{"b":2}`, `{"a":1}{"b":2}`},
		{"{{ x }}", "{{ x }}", "{{ x }}"},
	} {
		text, v := value.Capture(tc.stdout)
		if diff := cmp.Diff(tc.want, v); diff != "" || text != tc.text {
			t.Errorf("%q: text %q (-want +got):\n%s", tc.stdout, text, diff)
		}
	}
}

func TestAuthoredKeepsWhatYAMLWouldRetype(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		"true": true, "True": true, "false": false, "False": false, "TRUE": "TRUE", "yes": "yes", "on": "on",
		"null": nil, "~": nil, "": nil, "Null": "Null", "5": value.Number("5"), "-1.10": value.Number("-1.10"), "0": value.Number("0"),
		"0474915": "0474915", "0755": "0755", "1_000": "1_000", "1e3": "1e3", "0x1F": "0x1F", "2024-01-01": "2024-01-01",
		"12:30:45": "12:30:45", ".inf": ".inf", ".5": ".5", "+5": "+5", " 5": " 5", `{"a":1}`: `{"a":1}`,
	} {
		if diff := cmp.Diff(want, value.Authored(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestAssignedIsExactlyJSONOrText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		"True": true, "False": false, "true": true, "5": value.Number("5"), "1.10": value.Number("1.10"), "1e5": "1e5", "007": "007",
		"null": "null", "null ": "null ", " null": " null", `"a"`: `"a"`, ` "a"`: ` "a"`, "": "", "a=b": "a=b",
		`{"a":1}`: map[string]any{"a": value.Number("1")}, "[]": []any{}, "[1": "[1", "{x}": "{x}",
	} {
		if diff := cmp.Diff(want, value.Assigned(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestIsPlainDecimal(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "-0", "12", "-12", "1.10", "0.0", "12345678901234567890123"} {
		if !value.IsPlainDecimal(text) {
			t.Errorf("%q is none", text)
		}
	}
	for _, text := range []string{"", "-", "00", "007", "-01", "1e5", "+1", ".5", "1.", "1.2.3", "--1", " 1", "1 ", "0x1", "1_0", "١"} {
		if value.IsPlainDecimal(text) {
			t.Errorf("%q is one", text)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[-+]?[0-9]{0,3}(\.[0-9]{0,2})?([eE]1)?`).Draw(t, "text")
		valid := json.Valid([]byte(text)) && !strings.ContainsAny(text, "eE")
		if got := value.IsPlainDecimal(text); got != valid {
			t.Fatalf("IsPlainDecimal(%q) = %v", text, got)
		}
	})
}

func TestClean(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text, want string
		changed    bool
	}{
		{"", "", false},
		{"aé\uFFFD", "aé\uFFFD", false},
		{"a\x00b\x00", "ab", true},
		{"a\xffb", "a\uFFFDb", true},
		{"\xff\xfe", "\uFFFD\uFFFD", true},
		{"\xe2\x82\x00x", "\uFFFD\uFFFDx", true},
	} {
		if got, changed := value.Clean(tc.text); got != tc.want || changed != tc.changed {
			t.Errorf("%q: %q, %v", tc.text, got, changed)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		clean, changed := value.Clean(text)
		if again, more := value.Clean(clean); more || again != clean || !utf8.ValidString(clean) || strings.Contains(clean, "\x00") || changed != (clean != text) {
			t.Fatalf("%q: %q, %v", text, clean, changed)
		}
	})
}

func FuzzCapture(f *testing.F) {
	for _, seed := range []string{"", " 5\n", "\n5", "{\"a\":1.10}\n", "\"x\"", "nul", "1e5", "[1,\n2] x", "\xff\x00", "  a\n b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stdout string) {
		text, v := value.Capture(stdout)
		if !strings.Contains(stdout, text) {
			t.Fatalf("%q gives the text %q", stdout, text)
		}
		if again, same := value.Capture(text); again != text || !cmp.Equal(v, same) {
			t.Fatalf("%q is not stable: %q", stdout, again)
		}
		if s, isText := v.(string); isText && s == text {
			return
		}
		document, err := value.Parse(text)
		if err != nil || !cmp.Equal(document, v) {
			t.Fatalf("%q is no document but gives %#v: %v", text, v, err)
		}
		if n, isNumber := v.(value.Number); isNumber && !value.IsPlainDecimal(n.String()) {
			t.Fatalf("%q is the number %s", text, n)
		}
	})
}
