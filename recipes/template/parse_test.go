package template_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes/template"
	"github.com/google/go-cmp/cmp"
)

// foreign are sources that are no templates of ours: an error with a place, and
// in lenient mode text that stays as it is written.
func foreign() []struct {
	source, message string
	line, column    int
} {
	return []struct {
		source, message string
		line, column    int
	}{
		{"a\n  é{{#if x}}", "'#' is unexpected", 2, 6},
		{"{{/if}}", "'/' is unexpected", 1, 3},
		{"{{> partial}}", "'>' is unexpected", 1, 3},
		{"{{! note }}", "'!' is unexpected", 1, 3},
		{"{{{x}}}", "more than two opening braces", 1, 1},
		{"{{{{raw}}}}", "more than two opening braces", 1, 1},
		{"{{ x", "not closed", 1, 1},
		{"a {{ b {{", "not closed", 1, 3},
		{"{{}}", "empty placeholder", 1, 3},
		{"{{ x y }}", `no function "x"`, 1, 4},
		{"{{ uper x }}", `no function "uper"`, 1, 4},
		{"{{ x | uper }}", `no function "uper"`, 1, 8},
		{"{{ env \"HOME\" }}", `no function "env"`, 1, 4},
		{"{{ x.y z }}", "cannot take arguments", 1, 4},
		{"{{ upper x x }}", "upper takes 1 arguments, not 2", 1, 4},
		{"{{ x | }}", "a value is missing", 1, 8},
		{"{{ (x }}", "this ( is not closed", 1, 4},
		{"{{ x) }}", "')' is unexpected", 1, 5},
		{"{{ x.0. }}", "a name is missing after the dot", 1, 7},
		{"{{ x[y] }}", "is not a path", 1, 5},
		{"{{ \"a }}", "quote is not closed", 1, 4},
		{"{{ 'a\\q' }}", "escape", 1, 4},
		{"{{ 007 }}", "not a number", 1, 4},
		{"{{ .Names }}", "a dot has a meaning inside", 1, 4},
		{"{{ $x }}", "$x is not declared", 1, 4},
		{"{{ $ }}", "$ is not declared", 1, 4},
		{"{{ $a-b := 1 }}", "letters, digits and _", 1, 4},
		{"{{ $a = 1 }}", "not declared", 1, 4},
		{"{{ if x }}", "if has no end", 1, 1},
		{"{{ if x }}{{ else with x }}{{ end }}", "else with has no", 1, 11},
		{"{{ if x }}{{ else }}{{ else }}{{ end }}", "else has no", 1, 21},
		{"{{ end }}", "end has no", 1, 1},
		{"{{ else }}", "else has no", 1, 1},
		{"{{ break }}", "outside of range", 1, 1},
		{"{{ with x }}{{ else }}{{ . }}{{ end }}", "a dot has a meaning", 1, 26},
		{"{{ if x }}{{ $a := 1 }}{{ end }}{{ $a }}", "$a is not declared", 1, 36},
		{"{{ end.x }}", "action word", 1, 4},
		{"{{ upper end }}", "action word", 1, 10},
		{"{{ define \"a\" }}", "named templates are not supported", 1, 4},
		{"{{ template \"a\" }}", "named templates are not supported", 1, 4},
		{"{{ block }}", "action word", 1, 4},
		{"{{ if }}", "a value is missing", 1, 7},
		{"{{/* a */ x }}", "a comment must fill", 1, 3},
		{"{{ _var $ 0 }}", `no function "_var"`, 1, 4},
		{"{{ x|default('main') }}", "'(' is unexpected", 1, 13},
	}
}

func TestParseErrorsSayWhereAndHow(t *testing.T) {
	t.Parallel()
	for _, tc := range foreign() {
		_, err := template.Parse(tc.source, template.Options{})
		var failed *template.Error
		if !errors.As(err, &failed) {
			t.Errorf("%s: no error", tc.source)
			continue
		}
		if !strings.Contains(failed.Message, tc.message) || failed.Line != tc.line || failed.Column != tc.column {
			t.Errorf("%s: %v, want %q at %d:%d", tc.source, err, tc.message, tc.line, tc.column)
		}
		if !strings.Contains(failed.Hint, `\{{`) || failed.Source != tc.source {
			t.Errorf("%s: the hint is %q", tc.source, failed.Hint)
		}
	}
}

func TestParseErrorNamesTheNearestFunction(t *testing.T) {
	t.Parallel()
	_, err := template.Parse("{{ x | uper }}", template.Options{})
	if err == nil || !strings.Contains(err.Error(), "did you mean upper?") {
		t.Error(err)
	}
}

func TestLenientKeepsForeignBraces(t *testing.T) {
	t.Parallel()
	for _, tc := range foreign() {
		tpl, err := template.Parse(tc.source+"|{{ x | upper }}", template.Options{Lenient: true})
		if err != nil {
			t.Errorf("%s: %v", tc.source, err)
			continue
		}
		got, _, err := tpl.Render(vars(t))
		if err != nil {
			t.Errorf("%s: %v", tc.source, err)
			continue
		}
		// What is well-formed inside of foreign braces may still render.
		if len(tpl.Warnings()) == 0 || !strings.HasSuffix(got, "|VAL") {
			t.Errorf("%s: got %q with %v", tc.source, got, tpl.Warnings())
		}
		if !strings.Contains(tc.source, "end }}") && !strings.HasPrefix(got, tc.source) {
			t.Errorf("%s is changed to %q", tc.source, got)
		}
	}
}

func TestLenientMixesForeignAndOwn(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ source, want string }{
		{"{{#each items}}\n- {{this}}\n{{/each}} {{ x }}", "{{#each items}}\n- \n{{/each}} val"},
		{"{{#if x}}a{{else}}b{{/if}}{{ if x }}c{{ end }}", "{{#if x}}a{{else}}b{{/if}}c"},
		{"{{ if x }}a{{ x }}{{ else }}b", "{{ if x }}aval{{ else }}b"},
		{"{{ range .items }}a{{ .b }}{{ x }}{{ end }}", "{{ range .items }}a{{ .b }}val{{ end }}"},
		{"use {{ and }} and {{ { }} {{ x }}", "use  and {{ { }} val"},
		{"it's {{ it's }} \"{{ x }}\"", "it's {{ it's }} \"val\""},
	} {
		tpl, err := template.Parse(tc.source, template.Options{Lenient: true})
		if err != nil {
			t.Errorf("%s: %v", tc.source, err)
			continue
		}
		got, _, err := tpl.Render(vars(t))
		if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", tc.source, err, diff)
		}
	}
}

func TestWarningsSayWhere(t *testing.T) {
	t.Parallel()
	tpl, err := template.Parse("{{ end }}\né {{#a}} {{ x }}\n\n{{{y}}}", template.Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	for _, w := range tpl.Warnings() {
		place, _, _ := strings.Cut(w, ": ")
		places = append(places, place)
	}
	if diff := cmp.Diff([]string{"line 1, column 1", "line 2, column 5", "line 4, column 1"}, places); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestScanCoversTheSource(t *testing.T) {
	t.Parallel()
	source := "a \\{{ {{ x \"}}\" }}b{{y}}"
	got, err := template.Scan(source)
	want := []template.Part{
		{Start: 0, End: 2, Literal: true, Text: "a "},
		{Start: 2, End: 5, Literal: true, Text: "{{"},
		{Start: 5, End: 6, Literal: true, Text: " "},
		{Start: 6, End: 18, Inner: " x \"}}\" "},
		{Start: 18, End: 19, Literal: true, Text: "b"},
		{Start: 19, End: 24, Inner: "y"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	var failed *template.Error
	if _, err := template.Scan("x\n{{ y"); !errors.As(err, &failed) || failed.Offset != 2 || failed.Line != 2 {
		t.Error(err)
	}
}
