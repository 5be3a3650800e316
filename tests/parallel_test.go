//go:build linux

package tests

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// A hundred steps that print two hundred lines each, all at the same time: every
// step has its own lines, whole and in order.
func TestAHundredParallelStepsKeepTheirLinesApart(t *testing.T) {
	t.Parallel()
	const steps, lines = 100, 200
	p := newPlace(t)
	p.env = append(p.env, "BRICKOVEN_MAX_WIDTH=200")
	var recipe strings.Builder
	recipe.WriteString("name: wide\nsteps:\n")
	for i := range steps {
		fmt.Fprintf(&recipe, "  - {id: s%d, parallel_group: g, output: v%d, command: 'for n in $(seq %d); do echo \"step %d line $n\"; echo noise >&2; done'}\n",
			i, i, lines, i)
	}
	p.write("wide.yaml", recipe.String())
	cmd := p.command("run", "wide", "--output-format", "json", "--progress")
	out, err := cmd.Output()
	if err != nil {
		var text []byte
		if exit, ok := err.(*exec.ExitError); ok {
			text = exit.Stderr
		}
		t.Fatalf("%v\n%.2000s", err, text)
	}
	var result struct {
		StepResults []struct {
			StepID string `json:"step_id"`
			Output string
		} `json:"step_results"`
		Context map[string]any
	}
	if err := json.Unmarshal(out, &result); err != nil {
		t.Fatal(err)
	}
	if len(result.StepResults) != steps {
		t.Fatalf("%d steps in the result, want %d", len(result.StepResults), steps)
	}
	for i, got := range result.StepResults {
		var want strings.Builder
		for n := range lines {
			fmt.Fprintf(&want, "step %d line %d\n", i, n+1)
		}
		text := strings.TrimSuffix(want.String(), "\n")
		if got.StepID != fmt.Sprintf("s%d", i) || strings.TrimSpace(got.Output) != text {
			t.Errorf("step %d is %s with output %.80q…", i, got.StepID, got.Output)
		}
		if result.Context[fmt.Sprintf("v%d", i)] != text {
			t.Errorf("the variable of step %d is not what it printed", i)
		}
	}
}
