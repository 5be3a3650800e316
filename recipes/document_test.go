package recipes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestForeignKeysAreLetThroughOneByOne(t *testing.T) {
	t.Parallel()
	text := []byte("name: x\nbudget: 5\nsteps:\n  - {id: a, command: echo, if: x, until: y}\n")
	r, err := Parse("r", text, LoadOptions{AllowForeign: []string{"budget", "if", "until"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"foreign-key", "foreign-key", "foreign-key"}, Findings(r.Warnings).Codes()); diff != "" {
		t.Error(diff)
	}
	_, err = Parse("r", text, LoadOptions{AllowForeign: []string{"if"}})
	if diff := cmp.Diff([]string{"foreign-key", "foreign-key"}, codes(err)); diff != "" {
		t.Error(diff)
	}
}

func TestEveryForeignKeyIsRefusedAndNamesOurSpelling(t *testing.T) {
	t.Parallel()
	for key, entry := range foreignKeys() {
		for _, in := range entry.scopes {
			text := map[string]string{
				"recipe": "name: x\n%s: [1]\nsteps:\n  - {id: a, command: echo}\n",
				"step":   "name: x\nsteps:\n  - {id: a, command: echo, %s: [1]}\n",
				"retry":  "name: x\nsteps:\n  - {id: a, command: echo, retry: {%s: [1]}}\n",
			}[in]
			_, err := Parse("r", []byte(fmt.Sprintf(text, key)), LoadOptions{})
			found, _ := errors.AsType[Findings](err)
			if len(found.Errors()) != 1 || found.Errors()[0].Code != "foreign-key" || found.Errors()[0].Hint == "" {
				t.Errorf("%s in a %s: %v", key, in, err)
			}
		}
		if slices.Contains(recipeScope().known, key) && slices.Contains(entry.scopes, "recipe") || slices.Contains(stepScope().known, key) && slices.Contains(entry.scopes, "step") {
			t.Errorf("%s is a key of our own", key)
		}
	}
}

func TestStrictMakesUnknownKeysFaults(t *testing.T) {
	t.Parallel()
	text := []byte("name: x\nsteps:\n  - {id: a, command: echo, ouput: b}\n")
	if _, err := Parse("r", text, LoadOptions{}); err != nil {
		t.Error(err)
	}
	_, err := Parse("r", text, LoadOptions{Strict: true})
	if diff := cmp.Diff([]string{"unknown-key"}, codes(err)); diff != "" {
		t.Error(diff)
	}
}

func TestLimitsOfADocument(t *testing.T) {
	t.Parallel()
	bomb := "name: x\ncontext:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 12; i++ {
		bomb += fmt.Sprintf("  a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	merges := "name: x\ncontext:\n  m0: &m0 {k0: 0}\n"
	for i := 1; i < 3000; i++ {
		merges += fmt.Sprintf("  m%d: &m%d {<<: *m%d, k%d: 0}\n", i, i, i-1, i)
	}
	for name, test := range map[string]struct {
		text string
		code string
		line int
	}{
		"too large":     {"name: x\n#" + strings.Repeat("x", MaxFileSize), "file-too-large", 0},
		"NUL":           {"name: x\nauthor: a\x00b\n", "nul-byte", 2},
		"not UTF-8":     {"name: x\n\nauthor: \xff\n", "invalid-utf8", 3},
		"UTF-16":        {"\xff\xfen\x00", "invalid-utf8", 1},
		"control bytes": {"name: x\nauthor: \x1b[1m\n", "control-character", 2},
		"alias bomb":    {bomb + "steps: [{id: a, command: echo}]\n", "alias-bomb", 1},
		"merge bomb":    {merges + "steps: [{id: a, command: echo}]\n", "alias-bomb", 1},
	} {
		_, err := Parse("r", []byte(test.text), LoadOptions{})
		found, _ := errors.AsType[Findings](err)
		if len(found) != 1 || found[0].Code != test.code || found[0].Pos.Line != test.line {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Parse("r", []byte("\ufeffname: x\r\nsteps:\r\n  - id: a\r\n    command: |\r\n      echo\r\n"), LoadOptions{}); err != nil {
		t.Errorf("a byte order mark and CRLF: %v", err)
	}
}

func TestLoadReadsAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.yaml")
	write(t, path, tiny)
	r, err := Load(path, LoadOptions{})
	if err != nil || r.Source.Path != path || r.Source.Dir != filepath.Dir(path) || r.Source.Text != tiny || r.Document() != tiny {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := Load(path+".none", LoadOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
}

func TestConditionsKnowHyphenatedNames(t *testing.T) {
	t.Parallel()
	text := "name: x\ncontext: {my-flag: 1}\nsteps:\n  - {id: make-it, command: echo, output: the-log}\n  - {id: b, command: echo, condition: \"my-flag and the-log and steps.make-it.status == 'completed' and from-caller\"}\n"
	r, err := Parse("r", []byte(text), LoadOptions{Names: []string{"from-caller"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"from-caller", "my-flag", "steps", "the-log"}
	if diff := cmp.Diff(want, r.Steps[1].Condition.Names()); diff != "" {
		t.Error(diff)
	}
}

func TestShellDialects(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, "bash": true, "sh": true, "builtin": true, "/bin/bash -e": true, "/usr/bin/env bash": true, "dash": true,
		"python3": false, "/usr/bin/env python3": false, "node": false, "pwsh": false,
	} {
		if _, got := Shell(strings.Fields(text)).Dialect(); got != want {
			t.Errorf("%q is a shell: %v, want %v", text, got, want)
		}
	}
	if !(Shell{"builtin"}).IsBuiltin() || (Shell{"bash"}).IsBuiltin() {
		t.Error("only builtin is built in")
	}
	if got := (&Command{Source: `f"\{{x}}"`}).Plain(); got != `f"{{x}}"` {
		t.Errorf("Plain() = %s", got)
	}
}

func TestAForeignKeyLetThroughDoesNotReplaceTheSteps(t *testing.T) {
	t.Parallel()
	_, err := Parse("r", []byte("name: x\nstages: [1]\n"), LoadOptions{AllowForeign: []string{"stages"}})
	if diff := cmp.Diff([]string{"missing-steps"}, codes(err)); diff != "" {
		t.Error(diff)
	}
}

func TestNothingIsTheSameAsNotWritten(t *testing.T) {
	t.Parallel()
	s := step(t, "command: x, timeout: , parse_json: null, parallel_group: ~, when_tags: , depends_on: null, retry: , max_env_value_bytes: , env: , output: ")
	if s.Timeout != 0 || s.ParseJSON || s.ParallelGroup != "" || s.WhenTags != nil || s.DependsOn != nil || s.Retry.Attempts != 1 || s.Output != "" || s.Env != nil {
		t.Errorf("%+v", s)
	}
	for _, keys := range []string{"command: ", "command: ''", "prompt: null", "recipe: ' '"} {
		_, err := Parse("r", []byte("name: x\nsteps:\n  - {id: a, "+keys+"}\n"), LoadOptions{})
		if list := codes(err); len(list) != 1 || !strings.HasPrefix(list[0], "missing-") {
			t.Errorf("{%s}: %v", keys, err)
		}
	}
}
