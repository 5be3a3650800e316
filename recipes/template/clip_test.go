package template_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes/template"
	"pgregory.net/rapid"
)

func render(t interface{ Fatal(...any) }, source string, vars map[string]any) string {
	tmpl, err := template.Parse(source, template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := tmpl.Render(func(name string) (any, bool) {
		v, ok := vars[name]
		return v, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestClipKeepsHeadAndTailAndSaysWhatItCut(t *testing.T) {
	t.Parallel()
	got := render(t, "{{ clip 6 x }}", map[string]any{"x": "abcdefghij"})
	if want := "abc\n[… 4 of 10 bytes cut here …]\nhij"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := render(t, "{{ clip 10 x }}", map[string]any{"x": "abcdefghij"}); got != "abcdefghij" {
		t.Errorf("a text that fits became %q", got)
	}
}

func TestClipNeverCutsACharacterAndStaysInItsBound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		n := rapid.IntRange(0, 40).Draw(t, "n")
		got := render(t, fmt.Sprintf("{{ clip %d x }}", n), map[string]any{"x": text})
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		if len(text) <= n {
			if got != text {
				t.Fatalf("%q became %q", text, got)
			}
			return
		}
		head, rest, _ := strings.Cut(got, "\n[… ")
		_, tail, _ := strings.Cut(rest, " …]\n")
		if len(head)+len(tail) > n || !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) {
			t.Fatalf("clip %d of %q kept %q and %q", n, text, head, tail)
		}
	})
}
