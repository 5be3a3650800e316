package tests

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/schema"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// fits validates a JSON document against one of the program's own schemas.
func fits(t *testing.T, name string, document []byte) error {
	t.Helper()
	text, ok := schema.Get(name)
	if !ok {
		t.Fatalf("there is no schema %s", name)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, parsed); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}

const allKinds = `name: everything
context: {items: [1, 2], who: world}
steps:
  - {id: plain, command: 'echo "hello {{who}}"', output: greeting}
  - {id: skipped, command: echo, condition: 1 == 2}
  - {id: each, foreach: "{{items}}", command: 'test {{item}} = 1', collect: results, continue_on_error: true}
  - {id: judge, recipe: loop-health-evaluator, continue_on_error: true}
  - {id: large, command: 'head -c 200000 /dev/zero | tr "\0" x', output: large}
  - {id: fails, command: 'echo bad >&2; exit 3', retry: {attempts: 2, delay: 0}}
finally:
  - {id: end, command: echo end}
`

// TestWhatARunWritesFitsItsSchemas runs a recipe that reaches every kind of
// record and looks at its result and at each line of its journal.
func TestWhatARunWritesFitsItsSchemas(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if err := os.WriteFile(filepath.Join(d.dir, "everything.yaml"), []byte(allKinds), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"failed":    {"run", "everything.yaml"},
		"dry":       {"run", "everything.yaml", "--dry-run"},
		"not there": {"run", "nothing"},
		"bad flag":  {"run", "everything.yaml", "--no-such-flag"},
	} {
		out, errOut, _ := d.run(t, d.dir, binary, append(args, "--output-format", "json")...)
		if err := fits(t, "result", []byte(out)); err != nil {
			t.Errorf("%s: %v\n%s%s", name, err, out, errOut)
		}
	}
	lines := 0
	err := filepath.WalkDir(filepath.Join(d.dir, "home", "state"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "journal.jsonl" {
			return err
		}
		for line := range strings.Lines(readText(t, path)) {
			lines++
			if err := fits(t, "journal", []byte(line)); err != nil {
				t.Errorf("%v\n%s", err, line)
			}
		}
		return nil
	})
	if err != nil || lines < 20 {
		t.Errorf("%d lines of journals were found: %v", lines, err)
	}
}

// TestTheContractTestsOfTheBricksPass runs the contract tests of the repository.
func TestTheContractTestsOfTheBricksPass(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	out, errOut, code := d.run(t, "..", binary, "test", "bricks")
	if code != 0 || !strings.Contains(out, " 0 failed") {
		t.Errorf("exit %d\n%s%s", code, out, errOut)
	}
}
