package mask

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/recipes/value"
)

func lookup(secrets map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		secret, ok := secrets[name]
		return secret, ok
	}
}

func TestASealedValueNamesTheSecretAndComesBack(t *testing.T) {
	t.Parallel()
	secrets := map[string]string{"TOKEN": "hunter2", "PIN": "1234", "MY/}#KEY": "another one"}
	m, _ := New(secrets)
	ref := value.Ref{Hash: "1234", Size: 1234}
	for _, test := range []struct {
		in, sealed any
		names      string
	}{
		{"Bearer hunter2!", "Bearer {$secret:TOKEN/raw}!", "TOKEN"},
		{"aHVudGVyMg==", "{$secret:TOKEN/base64.0.padded}", "TOKEN"},
		{"plain", "plain", ""},
		{nil, nil, ""},
		{true, true, ""},
		{ref, ref, ""},
		{value.Number("91234.50"), "{$secret:#number}9{$secret:PIN/raw}.50", "PIN"},
		{value.Number("1.10"), value.Number("1.10"), ""},
		{"{$secret:TOKEN/raw}", "{$secret:}TOKEN/raw}", ""},
		{"{$secret:#number}5", "{$secret:}#number}5", ""},
		{[]any{"another one", map[string]any{"hunter2": "1234"}}, []any{"{$secret:MY%2F%7D%23KEY/raw}", map[string]any{"{$secret:TOKEN/raw}": "{$secret:PIN/raw}"}}, "MY/}#KEY PIN TOKEN"},
	} {
		sealed, names := m.Seal(test.in)
		if diff := cmp.Diff(test.sealed, sealed); diff != "" || strings.Join(names, " ") != test.names {
			t.Errorf("%v used %v: %s", test.in, names, diff)
		}
		back, err := Unseal(sealed, lookup(secrets))
		if diff := cmp.Diff(test.in, back); diff != "" || err != nil {
			t.Errorf("%v came back with %v: %s", test.in, err, diff)
		}
	}
}

func TestOverlappingSecretsAreSealedWithoutARest(t *testing.T) {
	t.Parallel()
	secrets := map[string]string{"A": "abcdef", "B": "defghi"}
	m, _ := New(secrets)
	sealed, names := m.Seal("xabcdefghix")
	if sealed != "x{$secret:A/raw}{$secret:B/raw+3}x" || !slices.Equal(names, []string{"A", "B"}) {
		t.Errorf("sealed %v with %v", sealed, names)
	}
	if back, err := Unseal(sealed, lookup(secrets)); err != nil || back != "xabcdefghix" {
		t.Errorf("came back as %v (%v)", back, err)
	}
}

func TestUnsealNamesTheSecretThatIsMissing(t *testing.T) {
	t.Parallel()
	m := masker(t, "hunter2")
	sealed, _ := m.Seal(map[string]any{"a": []any{"hunter2"}})
	_, err := Unseal(sealed, lookup(nil))
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Name != "S0" || !strings.Contains(err.Error(), "S0") {
		t.Errorf("error %v", err)
	}
}

func TestASecretIsReadAgainWithTheValueThatItHasNow(t *testing.T) {
	t.Parallel()
	m := masker(t, "two\nlines", `quo"te`)
	changed := map[string]string{"S0": "single", "S1": "plain"}
	back, err := Unseal("{$secret:S1/json} {$secret:S0/raw}", lookup(changed))
	if err != nil || back != "plain single" {
		t.Errorf("%v, %v", back, err)
	}
	sealed, _ := m.Seal("only lines")
	_, err = Unseal(sealed, lookup(changed))
	var marker *MarkerError
	if !errors.As(err, &marker) || marker.Marker != "{$secret:S0/line.2/raw}" {
		t.Errorf("a line that is gone: %v", err)
	}
}

func TestUnsealRefusesWhatSealDoesNotWrite(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"{$secret:S0", "{$secret:S0}", "{$secret:S0/what}", "{$secret:%zz/raw}", "{$secret:S0/raw+x}", "{$secret:S0/raw+99}", "{$secret:S0/raw+-1}",
	} {
		var marker *MarkerError
		for _, v := range []any{text, []any{text}, map[string]any{text: "v"}, map[string]any{"k": text}} {
			if _, err := Unseal(v, lookup(map[string]string{"S0": "hunter2"})); !errors.As(err, &marker) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v: %v", v, err)
			}
		}
	}
}

func TestShowHidesTheNamesOfSealedSecrets(t *testing.T) {
	t.Parallel()
	m := masker(t, "hunter2", "1234")
	in := map[string]any{"a": []any{"x hunter2 {$secret:", value.Number("12345"), value.Number("5"), nil}}
	sealed, _ := m.Seal(in)
	want := map[string]any{"a": []any{"x *** {$secret:", "***5", value.Number("5"), nil}}
	if diff := cmp.Diff(want, Show(sealed)); diff != "" {
		t.Error(diff)
	}
	if got := Show("not sealed {$secret:"); got != "not sealed {$secret:" {
		t.Errorf("%q", got)
	}
}

func TestEveryValueIsSealedAndComesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		named := secrets().Draw(t, "secrets")
		m, _ := New(named)
		if rapid.IntRange(0, 9).Draw(t, "none") == 0 {
			m = nil
		}
		s, key := "", ""
		if m != nil {
			s, key = text(t, m), text(t, m)
		}
		in := []any{s, map[string]any{key: s}, value.Number(rapid.StringMatching(`[1-9][0-9]{0,8}`).Draw(t, "number"))}
		sealed, names := m.Seal(in)
		rest := stripMarkers(value.Text(sealed.([]any)[0]))
		if m != nil && m.Text(rest) != rest {
			t.Fatalf("a secret is left in %q", rest)
		}
		back, err := Unseal(sealed, lookup(named))
		if diff := cmp.Diff(any(in), back); diff != "" || err != nil {
			t.Fatalf("%v: %s", err, diff)
		}
		known := slices.Collect(maps.Keys(named))
		for _, name := range names {
			if !slices.Contains(known, name) {
				t.Fatalf("a secret %q was named", name)
			}
		}
	})
}

// stripMarkers leaves what stands between the references, with something
// between them that belongs to no secret.
func stripMarkers(s string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(s, opening)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		out.WriteString("\x00|\x00")
		_, s, _ = strings.Cut(rest, closing)
	}
}
