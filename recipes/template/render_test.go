package template_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes/template"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/google/go-cmp/cmp"
)

func vars(t testing.TB) template.Lookup {
	t.Helper()
	v, err := value.Parse(`{
		"x": "val", "braces": "{{ x }} \\{{ {{if", "n": 5, "zero": 0, "price": 1.10, "id": 12345678901234567, "yes": true,
		"no": false, "null_value": null, "empty": "", "my-branch": "Feature", "title": "a title", "range_": "r",
		"items": ["A", 2, {"k": "v", "a-b": [1, "<&>"]}], "numbers": [3, 1, 2], "m": {"z": 1.0, "b": null, "a-c": "deep", "0": "digit"}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	table := v.(map[string]any)
	return func(name string) (any, bool) { v, ok := table[name]; return v, ok }
}

func TestRender(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, source, want string }{
		{"text", "just { text } }}", "just { text } }}"},
		{"a name, with and without space", "{{x}}{{ x }}{{\tx\n}}", "valvalval"},
		{"paths", "{{ items.0 }} {{ items[1] }} {{ items.2.k }} {{ items[2]['k'] }} {{ m.0 }}", "A 2 v v digit"},
		{"hyphens", "{{ my-branch }} {{ m.a-c }} {{ items.2.a-b.1 }}", "Feature deep <&>"},
		{"numbers as written", "{{ id }} {{ price }} {{ m.z }}", "12345678901234567 1.10 1.0"},
		{"lists and maps as compact JSON", "{{ items }} {{ m }}", `["A",2,{"a-b":[1,"<&>"],"k":"v"}] {"0":"digit","a-c":"deep","b":null,"z":1.0}`},
		{"null is empty", "[{{ null_value }}{{ m.b }}]", "[]"},
		{"the escape", `\{{ x }} \{{\{{ {\{{{{x}}`, "{{ x }} {{{{ {{{val"},
		{"a brace before a placeholder in a pipeline", `{"a":{{ x | quote }}}`, `{"a":"val"}`},
		{"values are opaque", "{{ braces }}|{{ braces | upper }}", "{{ x }} \\{{ {{if|{{ X }} \\{{ {{IF"},
		{"a pipeline on a hyphen", "{{ my-branch | upper }}", "FEATURE"},
		{"a pipeline on an index", "{{ items.0 | lower }}", "a"},
		{"a default", `{{ default "main" branch }}{{ branch | default "main" }}{{ coalesce branch x }}`, "mainmainval"},
		{"a missing path is empty in a pipeline", "[{{ nothing.at.all | upper }}{{ first nothing }}{{ join \",\" nothing }}]", "[]"},
		{"if", "{{ if yes }}a{{ end }}{{ if no }}b{{ else if n }}c{{ else }}d{{ end }}", "ac"},
		{"truth is that of conditions", "{{ if zero }}a{{ else }}b{{ end }}{{ with zero }}a{{ else }}b{{ end }}{{ if empty }}a{{ else }}b{{ end }}{{ not zero }}", "bbbtrue"},
		{"range", "{{ range items }}[{{ . }}]{{ end }}{{ range $i, $e := numbers }}{{ $i }}{{ $e }} {{ end }}", `[A][2][{"a-b":[1,"<&>"],"k":"v"}]03 11 22 `},
		{"range over a map goes by key", "{{ range $k, $v := m }}{{ $k }}={{ $v }};{{ end }}", "0=digit;a-c=deep;b=;z=1.0;"},
		{"range over nothing and over a number", "{{ range nothing }}a{{ else }}none{{ end }}{{ range n }}{{ . }}{{ end }}", "none01234"},
		{"break and continue", "{{ range numbers }}{{ if eq . 1 }}{{ continue }}{{ end }}{{ if eq . 2 }}{{ break }}{{ end }}{{ . }}{{ end }}", "3"},
		{"paths from the dot and from a variable", "{{ range items }}{{ .k }}{{ .a-b.0 }}{{ end }}{{ $i := items }}{{ $i.2.a-b[1] }}", "v1<&>"},
		{"recipe names inside of range", "{{ range numbers }}{{ x }}{{ end }}", "valvalval"},
		{"paths from a group", `{{ (index items 2).a-b.1 }}{{ (last items)["k"] }}`, "<&>v"},
		{"assignment", "{{ $a := 1 }}{{ range numbers }}{{ $a = add $a . }}{{ end }}{{ $a }}", "7"},
		{"trim markers", "a  {{- x -}}  b {{ x -}} c{{range numbers -}} {{.}} {{- end}}", "avalb valc312"},
		{"a comment", "a{{/* }} {{ x */}}b", "ab"},
		{"three kinds of quotes", "{{ \"a\\n\" }}{{ `b}}` }}{{ 'c\"}}\\'' | upper }}", "a\nb}}C\"}}'"},
		{"a variable beats a function without an argument", "{{ title }}|{{ upper title }}|{{ title x }}|{{ title | title }}", "a title|A TITLE|Val|A Title"},
		{"a constructor where there is no variable", "{{ list | toJson }}{{ default dict nothing }}", "[]{}"},
		{"exact arithmetic", "{{ add n 1 }} {{ add price 0.2 }} {{ mul id 10 }} {{ sub 1 n }} {{ div n 2 }} {{ mod n 3 }} {{ divf 1 4 }} {{ max n price 7 }} {{ round 2.345 2 }} {{ add \"2\" nothing }}", "6 1.3 123456789012345670 -4 2 2 0.25 7 2.35 2"},
		{"literal numbers in functions", `{{ printf "%s %d %5.2f %v %q" price n price items.1 x }} {{ default 1.50 nothing }} {{ list id 1.10 }}`, `1.10 5  1.10 2 "val" 1.50 [12345678901234567,1.10]`},
		{"comparisons are those of conditions", `{{ eq n "5" }}{{ eq n 5.0 }}{{ lt n 10 }}{{ ne n nothing }}{{ and yes n }}{{ or zero x }}`, "truetruetruetrue5val"},
		{"keys and values in order", "{{ keys m }}{{ values m }}", `["0","a-c","b","z"]["digit","deep",null,1.0]`},
		{"JSON", `{{ toJson items.2 }}{{ (fromJson "{\"a\":1.10}").a }}`, `{"a-b":[1,"<&>"],"k":"v"}1.10`},
		{"characters stay whole", `{{ trunc 2 "héé" }}{{ substr 1 2 "hé" }}{{ slice "éa" 0 1 }}{{ len "é" }}`, "hééé1"},
		{"percent and stars in a format", `{{ printf "**%s** 2024 100%%" x }}`, "**val** 2024 100%"},
		{"nested groups", `{{ upper (default (lower my-branch) nothing) }}`, "FEATURE"},
		{"lines inside of a placeholder", "{{ x\n  | upper\n}}", "VAL"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, lenient := range []bool{false, true} {
				tpl, err := template.Parse(tc.source, template.Options{Lenient: lenient})
				if err != nil {
					t.Fatal(err)
				}
				got, _, err := tpl.Render(vars(t))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("lenient %v (-want +got):\n%s", lenient, diff)
				}
				if len(tpl.Warnings()) > 0 {
					t.Errorf("warnings: %v", tpl.Warnings())
				}
			}
		})
	}
}

func TestValueOfOnePathIsTheValue(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		source string
		want   any
	}{
		{"{{ m.z }}", value.Number("1.0")},
		{"{{numbers}}", []any{value.Number("3"), value.Number("1"), value.Number("2")}},
		{"{{ null_value }}", nil},
		{"{{ nothing }}", ""},
		{"{{ numbers }} ", "[3,1,2] "},
		{"{{ numbers | first }}", "3"},
		{"{{- numbers }}", "[3,1,2]"},
		{"text", "text"},
	} {
		tpl, err := template.Parse(tc.source, template.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := tpl.Value(vars(t))
		if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", tc.source, err, diff)
		}
	}
}

func TestUnknownNamesTheNearest(t *testing.T) {
	t.Parallel()
	known := func() []string { return []string{"m", "my-branch", "items", "title"} }
	for _, tc := range []struct {
		source string
		want   []template.Unknown
	}{
		{"{{ my_brnch }}", []template.Unknown{{Path: "my_brnch", Nearest: "my-branch"}}},
		{"{{ item.0 }}{{ item.0 }}", []template.Unknown{{Path: "item.0", Nearest: "items.0"}}},
		{"{{ m.a_c }}", []template.Unknown{{Path: "m.a_c", Nearest: "m.a-c"}}},
		{"{{ items.9 }}", []template.Unknown{{Path: "items.9"}}},
		{"{{ whatever | upper }}", []template.Unknown{{Path: "whatever"}}},
		{"{{ if flag }}{{ end }}", []template.Unknown{{Path: "flag"}}},
		{"{{ list }}", []template.Unknown{{Path: "list"}}},
		{`{{ flag | default "" }}{{ coalesce flag x }}{{ empty flag }}{{ m.b }}`, nil},
	} {
		tpl, err := template.Parse(tc.source, template.Options{Known: known})
		if err != nil {
			t.Fatal(err)
		}
		_, unknown, err := tpl.Render(vars(t))
		if diff := cmp.Diff(tc.want, unknown); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", tc.source, err, diff)
		}
	}
}

func TestTemplateDescribesItself(t *testing.T) {
	t.Parallel()
	tpl, err := template.Parse(`{{ b.c }}{{ a | upper }}{{ default "x" z }}{{ b['k l'].0 }}{{ if a }}{{ end }}`, template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{"names": tpl.Names(), "paths": tpl.Paths(), "required": tpl.Required(), "literal": tpl.Literal(), "control": tpl.HasControl()}
	want := map[string]any{
		"names": []string{"a", "b", "z"}, "paths": []string{"a", "b.c", "b['k l'].0", "z"},
		"required": []string{"a", "b.c", "b['k l'].0"}, "literal": false, "control": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for source, want := range map[string]string{"{{ a.b[0] }}": "a.b.0", "{{a}} ": "", "{{ a | upper }}": "", "a": "", "{{- a }}": "", `{{ "a" }}`: ""} {
		tpl, err := template.Parse(source, template.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if path, ok := tpl.Path(); path != want || ok != (want != "") {
			t.Errorf("Path of %q is %q, %v", source, path, ok)
		}
		if tpl.HasControl() || tpl.Literal() != (source == "a") || tpl.Source() != source {
			t.Errorf("%q: control %v, literal %v", source, tpl.HasControl(), tpl.Literal())
		}
	}
}

func TestRenderFailsAtItsPlaceholder(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		source, message string
		line, column    int
	}{
		{"ä\n é {{ div 1 zero }}", "div: division by zero", 2, 4},
		{"{{ x }}\n{{ upper x }} {{ add x 1 }}", `add: a number is wanted, not "val"`, 2, 15},
		{"{{ range x }}{{ end }}", "range needs a list or a map, not a string", 1, 1},
		{"{{ first x }}", "first: a list is wanted, not a string", 1, 1},
		{"{{ regexMatch \"(\" x }}", "regexMatch: error parsing regexp", 1, 1},
		{"{{ dig 1 2 3 }}", "dig: it does not work on these arguments", 1, 1},
		{"{{ repeat 70000000 x }}", "repeat: the result would be longer than", 1, 1},
		{"{{ $a := x }}{{ range 40 }}{{ $a = print $a $a }}{{ end }}", "print: the result is longer than", 1, 28},
		{"{{ $a := list x }}{{ range 60 }}{{ $a = list $a $a }}{{ end }}", "list: the result", 1, 33},
		{"{{ $a := x }}{{ range 2000 }}{{ $a = list $a }}{{ end }}", "nested more than", 1, 30},
		{"{{ range 1000000 }}{{ range 1000000 }}{{ end }}{{ end }}", "range goes around more than", 1, 20},
		{"{{ range until 100000 }}{{ repeat 1000 x }}{{ end }}", "would be longer", 0, 0},
		{`{{ printf "%1000000d" n }}`, "widths over 999", 1, 1},
		{`{{ indent 70000000 x }}`, "indent: the result", 1, 1},
		{`{{ replace "" (repeat 100000 x) (repeat 100000 x) }}`, "replace: the result", 1, 1},
		{`{{ regexReplaceAll "." (repeat 100000 x) (repeat 1000 x) }}`, "longer than", 1, 1},
	} {
		tpl, err := template.Parse(tc.source, template.Options{})
		if err != nil {
			t.Fatalf("%s: %v", tc.source, err)
		}
		_, _, err = tpl.Render(vars(t))
		var failed *template.Error
		if !errors.As(err, &failed) || !strings.Contains(failed.Message, tc.message) || failed.Line != tc.line || failed.Column != tc.column {
			t.Errorf("%s: %v", tc.source, err)
		}
	}
}
