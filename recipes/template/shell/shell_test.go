package shell_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes/template"
	"github.com/brickoven/brickoven/recipes/template/shell"
)

// row is a line of the tables in testdata.
type row struct {
	Name    string `json:"name"`
	Command string `json:"command"`
	Value   string `json:"value"`
	Want    string `json:"want"`
	Refused bool   `json:"refused"`
	Fixed   bool   `json:"fixed"`
	Shell   string `json:"shell"` // bash when empty
}

func rows(t testing.TB, file string) []row {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var all []row
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return all
}

func variables(x string) template.Lookup {
	all := map[string]any{
		"x": x, "n": x,
		"m": map[string]any{"key-a": x, "deep": map[string]any{"y": x}},
		"l": []any{"zero", x},
	}
	return func(name string) (any, bool) { v, ok := all[name]; return v, ok }
}

// run executes a script and reports what it printed and whether the value ran.
func run(t testing.TB, program string, b *shell.Bound) (out string, ran bool) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(program, "-c", b.Script)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}
	for name, text := range b.Vars {
		cmd.Env = append(cmd.Env, name+"="+text)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	_, missing := os.Lstat(filepath.Join(dir, "PWN"))
	if stderr.Len() > 0 {
		t.Logf("stderr: %.300s", stderr.String())
	}
	return string(stdout), missing == nil
}

func dialectOf(program string) shell.Dialect {
	if program == "sh" {
		return shell.POSIX
	}
	return shell.Bash
}

func bind(command, program, x string) (*shell.Bound, error) {
	c, err := shell.Compile(command, dialectOf(program), false)
	if err != nil {
		return nil, err
	}
	return c.Bind(variables(x))
}

func checkRow(t *testing.T, r row, x, want string) {
	t.Helper()
	program := r.Shell
	if program == "" {
		program = "bash"
	}
	b, err := bind(r.Command, program, x)
	if r.Refused {
		if err == nil {
			t.Fatalf("%q was not refused: %s", r.Command, b.Script)
		}
		if typed := new(shell.Error); !errors.As(err, &typed) || typed.Line == 0 || typed.Message == "" {
			t.Fatalf("the refusal %#v has no position", err)
		}
		return
	}
	if err != nil {
		t.Fatalf("%q: %v", r.Command, err)
	}
	out, ran := run(t, program, b)
	if ran {
		t.Fatalf("the value ran: %s", b.Script)
	}
	if out != want {
		t.Fatalf("script %s\ngave %q\nwant %q", b.Script, out, want)
	}
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
			// In comparisons with the variable itself both sides are the value.
			checkRow(t, r, r.Value, r.Want)
		})
	}
}
