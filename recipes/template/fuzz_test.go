package template_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes/template"
	"pgregory.net/rapid"
)

// sources make texts full of braces, quotes and action words.
func sources() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{
		"{", "}", "{{", "}}", `\`, `\{{`, "{{ x }}", "{{x", "x", " ", "\n", "|", "upper", ".", "[0]", "items", "'", `"`, "`", "-",
		"{{ if x }}", "{{ end }}", "{{ else }}", "{{ range items }}", "{{ . }}", "{{- ", " -}}", "$a", ":=", "(", ")", "1.5", "é", "\xff", "/*", "*/",
	}), 0, 16), func(parts []string) string { return strings.Join(parts, "") })
}

func TestEscapedTextComesOutAsItIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := sources().Draw(t, "text")
		source := strings.ReplaceAll(text, "{{", `\{{`)
		for _, tail := range []string{"", "{{ empty | upper }}"} {
			if tail != "" && strings.HasSuffix(source, "{") || strings.HasSuffix(source, `\`) {
				continue
			}
			tpl, err := template.Parse(source+tail, template.Options{})
			if err != nil {
				t.Fatalf("%q: %v", source+tail, err)
			}
			if got, _, err := tpl.Render(func(string) (any, bool) { return "", true }); got != text || err != nil {
				t.Fatalf("%q gives %q, %v", source+tail, got, err)
			}
			if tpl.Literal() != (tail == "") {
				t.Fatalf("%q: Literal is %v", source+tail, tpl.Literal())
			}
		}
	})
}

func TestValuesAreOpaque(t *testing.T) {
	t.Parallel()
	shapes := []string{"a%sb", "{{ if yes }}%s{{ end }}", "{{ range one }}%s{{ end }}", "{%s}", `\{{%s}}`}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(sources(), rapid.String()).Draw(t, "value")
		shape := rapid.SampledFrom(shapes).Draw(t, "shape")
		placeholder := rapid.SampledFrom([]string{" {{ v }}", " {{ v | toString }}", ` {{ print "" v }}`, " {{ one.0 }}"}).Draw(t, "placeholder")
		lookup := func(name string) (any, bool) {
			switch name {
			case "v":
				return v, true
			case "one":
				return []any{v}, true
			case "yes":
				return true, true
			}
			t.Fatalf("the value was looked into: %q", name)
			return nil, false
		}
		with, err := template.Parse(fmt.Sprintf(shape, placeholder), template.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, unknown, err := with.Render(lookup)
		around, _ := template.Parse(fmt.Sprintf(shape, " \x00"), template.Options{})
		frame, _, _ := around.Render(lookup)
		if want := strings.Replace(frame, "\x00", v, 1); got != want || err != nil || unknown != nil {
			t.Fatalf("got %q, want %q: %v %v", got, want, err, unknown)
		}
	})
}

func TestLenientAlwaysParses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { lenient(t, sources().Draw(t, "source")) })
}

type failer interface {
	Fatalf(format string, args ...any)
}

// lenient checks what holds for every source.
func lenient(t failer, source string) {
	tpl, err := template.Parse(source, template.Options{Lenient: true})
	if err != nil {
		t.Fatalf("%q: %v", source, err)
	}
	strict, err := template.Parse(source, template.Options{})
	if (err == nil) != (len(tpl.Warnings()) == 0) {
		t.Fatalf("%q: the error is %v, the warnings are %q", source, err, tpl.Warnings())
	}
	lookup := func(name string) (any, bool) { return []any{"{{ y }}", nil}, name != "u" }
	got, _, renderErr := tpl.Render(lookup)
	if strict != nil {
		again, _, err := strict.Render(lookup)
		if got != again || (err == nil) != (renderErr == nil) {
			t.Fatalf("%q: lenient gives %q, strict %q", source, got, again)
		}
	}
	parts, scanErr := template.Scan(source)
	if err == nil && scanErr != nil {
		t.Fatalf("%q parses but does not scan: %v", source, scanErr)
	}
	at := 0
	for _, p := range parts {
		if p.Start != at || p.End <= at {
			t.Fatalf("%q: the parts leave a gap at %d", source, at)
		}
		at = p.End
	}
	if scanErr == nil && at != len(source) {
		t.Fatalf("%q: the parts end at %d", source, at)
	}
}

func FuzzParse(f *testing.F) {
	for _, tc := range foreign() {
		f.Add(tc.source)
	}
	f.Add(`{{ range $i, $e := items }}{{ $i }}{{ default 'x' $e.a[0] | upper }}{{ else }}\{{{{ end }}`)
	f.Fuzz(func(t *testing.T, source string) { lenient(t, source) })
}

func FuzzRender(f *testing.F) {
	f.Add("{{ v }}", "{{ x }}")
	f.Add("{{ range v }}{{ . | quote }}{{ end }}", "a")
	f.Add(`{{ regexReplaceAll "(.)" v "$1$1" | repeat 3 | trunc 5 }}`, "é\xff")
	f.Fuzz(func(t *testing.T, source, v string) {
		tpl, err := template.Parse(source, template.Options{})
		if err != nil {
			return
		}
		lookup := func(string) (any, bool) { return v, true }
		got, _, err := tpl.Render(lookup)
		again, _, errAgain := tpl.Render(lookup)
		if got != again || (err == nil) != (errAgain == nil) || len(got) > template.MaxRendered {
			t.Fatalf("%q gives %q, then %q", source, got, again)
		}
	})
}
