package shell_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/recipes/template/shell"
)

func compile(t *testing.T, source string) *shell.Command {
	t.Helper()
	c, err := shell.Compile(source, shell.Bash, false)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestNamesPathsAndSourceAreThoseOfThePlaceholders(t *testing.T) {
	t.Parallel()
	const source = `echo {{m.deep.y}} "{{x}}" {{x}} {{ m.key-a | upper }} # {{n}}`
	c := compile(t, source)
	if c.Source() != source {
		t.Errorf("source %q", c.Source())
	}
	if diff := cmp.Diff([]string{"m", "n", "x"}, c.Names()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"m.deep.y", "m.key-a", "n", "x"}, c.Paths()); diff != "" {
		t.Error(diff)
	}
}

func TestMentionsListsWhatTheTextReads(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][]string{
		`echo ${LOOP_EVIDENCE:-${RECIPE_VAR_loop_evidence:-}}`: {"LOOP_EVIDENCE", "RECIPE_VAR_loop_evidence"},
		`echo $A "${B}" '$C' ${#D} ${!E} ${F[0]}`:              {"A", "B", "C", "D", "E", "F"},
		`bash -c 'echo $A'; (( N > 3 )); [[ -v V ]]`:           {"A", "N", "V"},
		`python3 -c 'os.environ["RECIPE_VAR_x"]'`:              {"RECIPE_VAR_x"},
		`echo $1 $@ $$ {{x}} ${A}{{x}}`:                        {"A"},
		`echo "$A`:                                             {"A"},
	} {
		c, err := shell.Compile(source, shell.Bash, false)
		if c == nil {
			t.Fatalf("%q: %v", source, err)
		}
		if diff := cmp.Diff(want, c.Mentions()); diff != "" {
			t.Errorf("%q: %s", source, diff)
		}
	}
}

func TestVarsHoldWhatTheScriptRefersTo(t *testing.T) {
	t.Parallel()
	c := compile(t, `echo {{x}} {{m.key-a}} {{l.1}} {{ x | upper }} $(( {{n}} )); bash -c 'echo {{m.deep.y}}' # {{l.0}}`)
	b, err := c.Bind(variables("7"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"RECIPE_VAR_x": "7", "RECIPE_VAR_m__key_a": "7", "RECIPE_EXPR_v1": "7", "RECIPE_EXPR_v2": "7", "RECIPE_VAR_m__deep__y": "7",
	}
	if diff := cmp.Diff(want, b.Vars); diff != "" {
		t.Error(diff)
	}
	roots := map[string]string{"RECIPE_VAR_x": "x", "RECIPE_VAR_m__key_a": "m", "RECIPE_EXPR_v1": "l", "RECIPE_VAR_m__deep__y": "m"}
	if diff := cmp.Diff(roots, b.Roots); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"RECIPE_VAR_m__deep__y"}, b.Exported); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(b.Script, "$(( (7) ))") || !strings.HasSuffix(b.Script, "# {{l.0}}") {
		t.Errorf("script %s", b.Script)
	}
}

func TestPathsThatShareANameKeepTheirValues(t *testing.T) {
	t.Parallel()
	c := compile(t, `printf '<%s>' {{a-b}} {{a_b}} {{a.b}} {{a__b}}`)
	values := map[string]any{"a-b": "1", "a_b": "2", "a": map[string]any{"b": "3"}, "a__b": "4"}
	b, err := c.Bind(func(name string) (any, bool) { v, ok := values[name]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	if out, _ := run(t, "bash", b); out != "<1><2><3><4>" {
		t.Error(out)
	}
}

func TestPrivateCharactersOfTheAuthorStay(t *testing.T) {
	t.Parallel()
	b, err := compile(t, "printf '%s' '\U00100000\U00100001'{{x}}'\U00100002'").Bind(variables("v"))
	if err != nil {
		t.Fatal(err)
	}
	if out, _ := run(t, "bash", b); out != "\U00100000\U00100001v\U00100002" {
		t.Errorf("%q", out)
	}
}

func TestUnknownPathsAreReportedAndEmpty(t *testing.T) {
	t.Parallel()
	b, err := compile(t, `echo {{nowhere}}`).Bind(variables(""))
	if err != nil || len(b.Unknown) != 1 || b.Unknown[0].Path != "nowhere" || b.Vars["RECIPE_VAR_nowhere"] != "" {
		t.Fatalf("%+v, %v", b, err)
	}
	if _, set := b.Vars["RECIPE_VAR_nowhere"]; !set {
		t.Error("set -u would stop at it")
	}
}

func TestNULIsDropped(t *testing.T) {
	t.Parallel()
	b, err := compile(t, `echo {{x}}`).Bind(variables("a\x00b\xff"))
	if err != nil || b.Vars["RECIPE_VAR_x"] != "ab\uFFFD" {
		t.Fatalf("%+v, %v", b, err)
	}
}

func TestCommandsWithoutPlaceholdersRunAsTheyAre(t *testing.T) {
	t.Parallel()
	const broken = "if [ 1; then (\n"
	c, err := shell.Compile(broken, shell.Bash, false)
	if c == nil || err == nil {
		t.Fatalf("%v, %v", c, err)
	}
	b, err := c.Bind(variables(""))
	if err != nil || b.Script != broken || len(b.Vars) != 0 {
		t.Fatalf("%+v, %v", b, err)
	}
	if b, err := compile(t, "cat <<'EOF'\n$x\nEOF\n# \\{{y}}").Bind(variables("")); err != nil || b.Script != "cat <<'EOF'\n$x\nEOF\n# {{y}}" {
		t.Fatalf("%+v, %v", b, err)
	}
}

func TestErrorsCarryThePlace(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]struct {
		line, column int
		reparse      bool
	}{
		"echo a\n  echo é {{x}} | sh": {2, 10, true},
		"echo {{x}}\nfor\n":           {2, 1, false},
		"echo {{x}} {{y}} \"":         {1, 18, false},
		"a\necho {{if x}}{{end}}":     {2, 6, false},
	} {
		c, err := shell.Compile(source, shell.Bash, false)
		typed := new(shell.Error)
		if c != nil || !errors.As(err, &typed) {
			t.Fatalf("%q: %v, %v", source, c, err)
		}
		if typed.Line != want.line || typed.Column != want.column || typed.Reparse != want.reparse || typed.Hint == "" {
			t.Errorf("%q: %+v", source, typed)
		}
	}
	_, err := compile(t, "a\n(( {{n}} ))").Bind(variables("s3cret" + strings.Repeat("x", 50)))
	typed := new(shell.Error)
	if !errors.As(err, &typed) || typed.Line != 2 || typed.Column != 4 || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%+v", err)
	}
}

func TestReparseIsAllowedOnRequest(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"bash <<EOF\n{{x}}\nEOF\n", "printf '%s' {{x}} | sh", "eval \"{{x}}\"", "bash -c {{x}}", "sh <<< {{x}}", "bash <<'EOF'\n{{x}}\nEOF\n",
		"v={{x}}; eval \"$v\"",
	} {
		c, err := shell.Compile(source, shell.Bash, true)
		if err != nil {
			t.Fatalf("%q: %v", source, err)
		}
		b, err := c.Bind(variables("printf ran"))
		if err != nil {
			t.Fatal(err)
		}
		if out, _ := run(t, "bash", b); out != "ran" {
			t.Errorf("%q as %q gave %q", source, b.Script, out)
		}
		if notes := c.Notes(); len(notes) == 0 || notes[0].Code != shell.ReparseAllowed || notes[0].Line == 0 {
			t.Errorf("%q: notes %+v", source, notes)
		}
	}
}

func TestNotesTellWhatWorksButNotAsMeant(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][]string{
		"python3 <<'EOF'\n{{x}}\nEOF\n":         {shell.InterpreterHeredoc},
		"python3 - a <<EOF\n{{x}}\nEOF\n":       {shell.InterpreterHeredoc},
		"cat f | psql db <<'EOF'\n{{x}}\nEOF\n": {shell.InterpreterHeredoc},
		"echo {{x}} | node":                     {shell.InterpreterHeredoc},
		"python3 f.py <<EOF\n{{x}}\nEOF\n":      nil,
		"python3 -c 'print({{x}})'":             {shell.InterpreterCode},
		"python3 -c 'print(1)' {{x}}":           nil,
		"awk -F: \"/{{x}}/\" f":                 {shell.InterpreterCode},
		"jq --arg x {{x}} .":                    nil,
		"sed -n 's/{{x}}/y/' {{x}}":             {shell.InterpreterCode},
		"printf '{{x}}'":                        {shell.FormatString},
		"printf '%s' {{x}}":                     nil,
		"{{x}} a":                               {shell.CommandName},
		"sudo bash -c 'echo {{x}}'":             {shell.EnvironmentReset},
		"sudo -E bash -c 'echo {{x}}'":          nil,
		"echo {{x}}":                            nil,
	} {
		var codes []string
		for _, n := range compile(t, source).Notes() {
			codes = append(codes, n.Code)
			if n.Line < 1 || n.Column < 1 || n.Message == "" {
				t.Errorf("%q: %+v", source, n)
			}
		}
		if !slices.Equal(codes, want) {
			t.Errorf("%q: notes %v, want %v", source, codes, want)
		}
	}
}
