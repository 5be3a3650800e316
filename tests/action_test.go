package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestTheActionRunsItsCommandAsData runs the script of action.yml the way a job
// does. The inputs stand in its environment and are no part of its source.
func TestTheActionRunsItsCommandAsData(t *testing.T) {
	t.Parallel()
	var action struct {
		Inputs map[string]any
		Runs   struct {
			Steps []struct {
				Name string
				Run  string
				Env  map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(readText(t, "../action.yml")), &action); err != nil {
		t.Fatal(err)
	}
	last := action.Runs.Steps[len(action.Runs.Steps)-1]
	for _, st := range action.Runs.Steps {
		if strings.Contains(st.Run, "${{") {
			t.Errorf("the step %q mixes an expression into its script", st.Name)
		}
	}
	for name, expression := range last.Env {
		if input := strings.TrimSuffix(strings.TrimPrefix(expression, "${{ inputs."), " }}"); action.Inputs[input] == nil {
			t.Errorf("%s is %s, which is no input", name, expression)
		}
	}
	d := newDesk(t)
	tool := filepath.Join(d.dir, "brickoven")
	if err := os.MkdirAll(tool, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, filepath.Join(tool, "brickoven")); err != nil {
		t.Skip(err)
	}
	run := func(command, output string) (string, int) {
		desk := *d
		desk.env = append(desk.env[:len(desk.env):len(desk.env)], "RUNNER_TEMP="+d.dir, "BRICKOVEN_COMMAND="+command, "BRICKOVEN_OUTPUT="+output)
		out, _, code := desk.run(t, d.dir, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", last.Run)
		return out, code
	}
	if out, code := run("init", ""); code != 0 || !strings.Contains(out, "written") {
		t.Errorf("init: exit %d\n%s", code, out)
	}
	if out, code := run("validate --output-format sarif", "out.sarif"); code != 0 || out != "" {
		t.Errorf("validate: exit %d\n%s", code, out)
	}
	if text := readText(t, filepath.Join(d.dir, "out.sarif")); !strings.Contains(text, `"version": "2.1.0"`) {
		t.Errorf("the output file holds %s", text)
	}
	if _, code := run("run nothing; touch pwned", ""); code == 0 {
		t.Error("a command that is none succeeds")
	}
	if _, err := os.Stat(filepath.Join(d.dir, "pwned")); err == nil {
		t.Error("the command was read as source")
	}
}
