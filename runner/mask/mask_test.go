package mask

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/recipes/value"
)

func masker(t testing.TB, secrets ...string) *Masker {
	t.Helper()
	named := map[string]string{}
	for i, secret := range secrets {
		named[fmt.Sprintf("S%d", i)] = secret
	}
	m, warnings := New(named)
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	return m
}

const awkward = "p ä\"ss/w+\\rd=<&>~!*'😀"

func TestEveryFormOfASecretIsMasked(t *testing.T) {
	t.Parallel()
	m := masker(t, awkward)
	quoted, err := json.Marshal(awkward)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := json.Marshal(string(quoted))
	if err != nil {
		t.Fatal(err)
	}
	for name, form := range map[string]string{
		"raw":                awkward,
		"base64":             base64.StdEncoding.EncodeToString([]byte(awkward)),
		"base64 unpadded":    base64.RawStdEncoding.EncodeToString([]byte(awkward)),
		"base64url":          base64.URLEncoding.EncodeToString([]byte(awkward)),
		"base64url unpadded": base64.RawURLEncoding.EncodeToString([]byte(awkward)),
		"hex":                hex.EncodeToString([]byte(awkward)),
		"upper hex":          strings.ToUpper(hex.EncodeToString([]byte(awkward))),
		"Go query":           url.QueryEscape(awkward),
		"Go path":            url.PathEscape(awkward),
		"with %20":           strings.ReplaceAll(url.QueryEscape(awkward), "+", "%20"),
		"lower-case escapes": "p+%c3%a4%22ss%2fw%2b%5crd%3d%3c%26%3e~%21%2a%27%f0%9f%98%80",
		"encodeURIComponent": "p%20%C3%A4%22ss%2Fw%2B%5Crd%3D%3C%26%3E~!*'%F0%9F%98%80",
		"encodeURI":          "p%20%C3%A4%22ss/w+%5Crd=%3C&%3E~!*'%F0%9F%98%80",
		"Python quote":       "p%20%C3%A4%22ss/w%2B%5Crd%3D%3C%26%3E~%21%2A%27%F0%9F%98%80",
		"HTML form":          "p+%C3%A4%22ss%2Fw%2B%5Crd%3D%3C%26%3E%7E%21*%27%F0%9F%98%80",
		"JSON by Go":         string(quoted[1 : len(quoted)-1]),
		"JSON":               `p ä\"ss/w+\\rd=<&>~!*'😀`,
		"JSON by PHP":        `p ä\"ss\/w+\\rd=<&>~!*'😀`,
		"JSON by Python":     `p \u00e4\"ss/w+\\rd=<&>~!*'\ud83d\ude00`,
		"JSON in JSON":       `p ä\\\"ss/w+\\\\rd=<&>~!*'😀`,
	} {
		if got := m.Text("a " + form + " b"); got != "a *** b" {
			t.Errorf("%s %q left %q", name, form, got)
		}
	}
	if len(twice) == 0 || strings.Contains(m.Text(string(quoted)), "ss") {
		t.Error("a JSON string shows the secret")
	}
}

func TestControlCharactersAreMaskedAsJSONWritesThem(t *testing.T) {
	t.Parallel()
	secret := "a\tb\nc\rd\be\ff\x01\x7f"
	if got := masker(t, secret).Text(`a\tb\nc\rd\be\ff\u0001` + "\x7f"); got != "***" {
		t.Errorf("left %q", got)
	}
}

// TestBase64IsFoundAtEveryAlignment puts the secret at each place of a longer
// text that is encoded as a whole.
func TestBase64IsFoundAtEveryAlignment(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"pass", "sesam", "hunter2", "0123456789abcdef", "??>>~~\xff"} {
		m := masker(t, secret)
		for before := range 6 {
			for after := range 6 {
				text := []byte(strings.Repeat("b", before) + secret + strings.Repeat("a", after))
				for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
					encoded := encoding.EncodeToString(text)
					// All but the characters that mix the secret with its neighbours.
					first, last := (8*before+5)/6, (8*(before+len(secret)))/6
					got := m.Text(encoded)
					if strings.Contains(got, encoded[first:last]) || !strings.Contains(got, Replacement) {
						t.Fatalf("%q with %d before and %d after left %q of %q", secret, before, after, got, encoded)
					}
					// At most one mixed character of the secret stays on each side.
					rest := strings.Replace(got, Replacement, "", 1)
					if limit := len(encoded) - (last - first); len(rest) > limit {
						t.Fatalf("%q left %q of %q", secret, got, encoded)
					}
				}
			}
		}
	}
}

func TestWrappedBase64IsMasked(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("correct horse battery staple; ", 9)
	m := masker(t, secret)
	encoded := base64.StdEncoding.EncodeToString([]byte(secret))
	for _, columns := range []int{64, 76} {
		var wrapped []string
		for rest := encoded; rest != ""; {
			n := min(columns, len(rest))
			wrapped = append(wrapped, rest[:n])
			rest = rest[n:]
		}
		if got := strings.Trim(m.Text(strings.Join(wrapped, "\n")), "*\n"); got != "" {
			t.Errorf("%d columns left %q", columns, got)
		}
	}
}

func TestEachLineOfASecretIsASecret(t *testing.T) {
	t.Parallel()
	m := masker(t, "first line\r\nabc\nlast line\n")
	for text, want := range map[string]string{
		"  first line":              "  ***",
		"x last line y":             "x *** y",
		"abc":                       "abc",
		"first line\r\nabc\nlast l": "***\r\nabc\nlast l",
		base64.StdEncoding.EncodeToString([]byte("last line")): "***",
	} {
		if got := m.Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestShortValuesAreRefusedWithAWarning(t *testing.T) {
	t.Parallel()
	m, warnings := New(map[string]string{"PIN": "123", "EMPTY": "", "UMLAUTS": "äöü", "OK": "äöüß"})
	var names []string
	for _, w := range warnings {
		names = append(names, w.Name)
		if !strings.Contains(w.String(), "the secret "+w.Name+" is not masked") || strings.Contains(w.String(), "123") {
			t.Errorf("warning %q", w)
		}
	}
	if !slices.Equal(names, []string{"EMPTY", "PIN", "UMLAUTS"}) {
		t.Errorf("warnings for %v", names)
	}
	if got := m.Text("123 äöü äöüß"); got != "123 äöü ***" {
		t.Errorf("left %q", got)
	}
}

func TestWithoutSecretsNothingChanges(t *testing.T) {
	t.Parallel()
	none, _ := New(nil)
	v := map[string]any{"a": []any{"b", value.Number("1.10")}}
	for _, m := range []*Masker{nil, none} {
		var out strings.Builder
		w := m.Writer(&out)
		if _, err := w.Write([]byte("text ***")); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		if m.Text("text") != "text" || out.String() != "text ***" || !cmp.Equal(m.Value(v), any(v)) {
			t.Error("something changed")
		}
	}
}

func TestOverlappingSecretsAreReplacedTogether(t *testing.T) {
	t.Parallel()
	m := masker(t, "abcdef", "defghi", "cdefg", "efgh")
	for text, want := range map[string]string{
		"xabcdefghix": "x***x", "abcdef": "***", "abcdefdefghi": "******", "efghi": "***i", "abcde": "abcde",
	} {
		if got := m.Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestValuesAreMaskedDeeply(t *testing.T) {
	t.Parallel()
	m := masker(t, "hunter2", "123456")
	ref := value.Ref{Hash: "123456", Place: "p"}
	in := map[string]any{
		"list":    []any{"say hunter2", nil, true, value.Number("91234567"), value.Number("12")},
		"hunter2": "key", "s3cr3t hunter2": map[string]any{"deep": "hunter2"}, "***": "taken", "ref": ref,
	}
	want := map[string]any{
		"list": []any{"say ***", nil, true, "9***7", value.Number("12")},
		"***":  "taken", "***#2": "key", "s3cr3t ***": map[string]any{"deep": "***"}, "ref": ref,
	}
	if diff := cmp.Diff(want, m.Value(in)); diff != "" {
		t.Error(diff)
	}
	if in["hunter2"] != "key" {
		t.Error("the value that was handed in changed")
	}
}

// secrets generates secrets that overlap and repeat themselves.
func secrets() *rapid.Generator[map[string]string] {
	secret := rapid.OneOf(
		rapid.StringMatching(`[ab]{4,9}`), rapid.StringMatching(`[abc \n"/+]{4,12}`),
		rapid.StringN(4, 20, 60), rapid.SampledFrom([]string{awkward, "{$secret:", "1234", "aaaa"}),
	)
	return rapid.MapOfN(rapid.StringMatching(`[A-Z/}#+%]{1,4}`), secret, 1, 4)
}

// text generates text with secrets, their forms and parts of them in it.
func text(t *rapid.T, m *Masker) string {
	piece := rapid.OneOf(rapid.StringMatching(`[abc{$ \n"]{0,6}`), rapid.String(), rapid.SampledFrom([]string{opening, literal, number, "***"}))
	if len(m.forms) > 0 {
		form := rapid.Map(rapid.SampledFrom(m.forms), func(f form) string { return f.text })
		part := rapid.Custom(func(t *rapid.T) string {
			whole := form.Draw(t, "form")
			return whole[rapid.IntRange(0, len(whole)).Draw(t, "from"):]
		})
		start := rapid.Custom(func(t *rapid.T) string {
			whole := form.Draw(t, "form")
			return whole[:rapid.IntRange(0, len(whole)).Draw(t, "to")]
		})
		piece = rapid.OneOf(piece, form, part, start)
	}
	return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "text"), "")
}

// slowly masks by looking for every form at every place.
func slowly(m *Masker, s string) string {
	covered := make([]bool, len(s)+1)
	joined := make([]bool, len(s)+1) // the place continues the one before
	for _, f := range m.forms {
		for i := 0; i+len(f.text) <= len(s); i++ {
			if s[i:i+len(f.text)] != f.text {
				continue
			}
			for j := i; j < i+len(f.text); j++ {
				joined[j] = joined[j] || j > i
				covered[j] = true
			}
		}
	}
	var out strings.Builder
	for i := range len(s) {
		switch {
		case !covered[i]:
			out.WriteByte(s[i])
		case !joined[i]:
			out.WriteString(Replacement)
		}
	}
	return out.String()
}

func TestTextMasksWhatASlowSearchMasks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, _ := New(secrets().Draw(t, "secrets"))
		s := text(t, m)
		if got, want := m.Text(s), slowly(m, s); got != want {
			t.Fatalf("%q became %q, want %q", s, got, want)
		}
	})
}

func TestTextWithoutASecretIsLeftAlone(t *testing.T) {
	t.Parallel()
	m := masker(t, "hunter2", awkward)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[a-g ]{0,80}`).Draw(t, "text")
		if got := m.Text(s); got != s {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add("hunter2", "say hunter2 and aHVudGVyMg==")
	f.Add("aaaa", "aaaaaaab")
	f.Add("a\nlong\nsecret", `a\nlong\nsecret`)
	f.Fuzz(func(t *testing.T, secret, s string) {
		if len(secret) > 200 || len(s) > 2000 {
			return
		}
		m, _ := New(map[string]string{"S": secret})
		masked := m.Text(s)
		if want := slowly(m, s); masked != want {
			t.Fatalf("%q became %q, want %q", s, masked, want)
		}
		var out strings.Builder
		w := m.Writer(&out)
		for _, c := range []byte(s) {
			if _, err := w.Write([]byte{c}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil || out.String() != masked {
			t.Fatalf("byte by byte %q, want %q", out.String(), masked)
		}
		sealed, _ := m.Seal(s)
		back, err := Unseal(sealed, func(string) (string, bool) { return secret, true })
		if err != nil || back != s {
			t.Fatalf("%q sealed as %q came back as %q (%v)", s, sealed, back, err)
		}
	})
}

func TestALargeSecretIsMaskedInItsCommonForms(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("some\"line of it\n", manyForms/16+1)
	m := masker(t, secret)
	quoted, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{secret, base64.URLEncoding.EncodeToString([]byte(secret)), string(quoted[1 : len(quoted)-1])} {
		if got := m.Text(form); got != Replacement {
			t.Errorf("%d bytes became %d", len(form), len(got))
		}
	}
}
