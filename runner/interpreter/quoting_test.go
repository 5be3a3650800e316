package interpreter_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/recipes/template/shell"
	"github.com/brickoven/brickoven/runner/interpreter"
	"github.com/brickoven/brickoven/runner/process"
)

// row is a line of the tables of recipes/template/shell.
type row struct {
	Name    string `json:"name"`
	Command string `json:"command"`
	Value   string `json:"value"`
	Want    string `json:"want"`
	Refused bool   `json:"refused"`
	Shell   string `json:"shell"`
}

func rows(t *testing.T, file string) []row {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "recipes", "template", "shell", "testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var all []row
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(r row) bool { return r.Shell != "" && r.Shell != "bash" })
}

func lookup(x string) func(string) (any, bool) {
	all := map[string]any{
		"x": x, "n": x,
		"m": map[string]any{"key-a": x, "deep": map[string]any{"y": x}},
		"l": []any{"zero", x},
	}
	return func(name string) (any, bool) { v, ok := all[name]; return v, ok }
}

// check runs a row; refused tells that nothing ran.
func check(t *testing.T, r row, x, want string) (refused bool) {
	t.Helper()
	compiled, err := shell.Compile(r.Command, shell.Builtin, false)
	var bound *shell.Bound
	if err == nil {
		bound, err = compiled.Bind(lookup(x))
	}
	if err != nil {
		if typed := new(shell.Error); !errors.As(err, &typed) || typed.Line == 0 {
			t.Fatalf("the refusal %#v has no position", err)
		}
		if typed := new(shell.Error); !r.Refused && errors.As(err, &typed) && !typed.Unsupported {
			t.Fatalf("%q: %v", r.Command, err)
		}
		return true
	}
	if r.Refused {
		t.Fatalf("%q was not refused: %s", r.Command, bound.Script)
	}
	dir := t.TempDir()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}
	for name, text := range bound.Vars {
		env = append(env, name+"="+text)
	}
	var out, errOut bytes.Buffer
	exit, err := process.Run(context.Background(), process.Spec{
		Program: interpreter.Program(bound.Script, nil), Dir: dir, Env: env, Stdout: &out, Stderr: &errOut, Timeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "PWN")); err == nil {
		t.Fatalf("the value ran: %s", bound.Script)
	}
	if exit.Code == 2 && out.Len() == 0 && strings.HasPrefix(errOut.String(), "builtin: line ") {
		return true
	}
	if out.String() != want {
		t.Fatalf("script %s\ngave %q\nwant %q\n%s", bound.Script, out.String(), want, errOut.String())
	}
	return false
}

func TestQuotingTableHolds(t *testing.T) {
	t.Parallel()
	all := rows(t, "quoting.json")
	if len(all) != 52 {
		t.Fatalf("%d rows", len(all))
	}
	for _, r := range all {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			check(t, r, r.Value, r.Want)
		})
	}
}

func TestPlacesTakeOnlyWhatTheyCanHold(t *testing.T) {
	t.Parallel()
	for _, r := range rows(t, "places.json") {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			check(t, r, r.Value, r.Want)
		})
	}
}

// awkward holds what breaks careless quoting, each on a line.
var awkward = strings.Join([]string{
	"  a  b\t c ", `it's "quoted" ''"" $'x'`, `\ \\ \n \\\ a\`, "* ? [a-z]* {a,b} ~ !(x) @(a|b) &",
	"$(touch PWN) `touch PWN` ${RECIPE_VAR_x} $HOME $((1)) <(touch PWN)", "; touch PWN & touch PWN | touch PWN > PWN #",
	"'; touch PWN; '\"; touch PWN; \"`touch PWN`) ; touch PWN } ]] )) EOF", "EOF", "EOF_1", "A", "-v x[$(touch PWN)]",
	"\t\ttabs\n\tmore", "a[$(touch PWN)]", "{{x}} {{ y }} }} {{", "naïve – 日本語 🙂 \u0301 \U00100000 \uE000",
	"\x01\x7f\x1b[31m\r", "%s %d %n %%", "", "", "",
}, "\n")

func TestEveryContextGivesTheValueByteForByte(t *testing.T) {
	t.Parallel()
	for _, r := range rows(t, "contexts.json") {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			check(t, r, awkward, strings.ReplaceAll(r.Want, "@X@", awkward))
		})
	}
}
