package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/step"
)

// result is the JSON form of a finished run. The first five fields are those of
// recipe-runner-rs.
type result struct {
	RecipeName  string           `json:"recipe_name"`
	Success     bool             `json:"success"`
	StepResults []stepResult     `json:"step_results"`
	Context     map[string]any   `json:"context"`
	Duration    float64          `json:"duration"`
	RunID       string           `json:"run_id"`
	Status      runner.RunStatus `json:"status"`
	Reason      string           `json:"reason"`
	FailedStep  string           `json:"failed_step"`
	ExitCode    int              `json:"exit_code"`
	Finally     []stepResult     `json:"finally"`
	UnusedStubs []string         `json:"unused_stubs"`
	// Usage is null where no agent was called.
	Usage *step.Usage `json:"usage"`
}

type stepResult struct {
	StepID    string         `json:"step_id"`
	Status    step.Status    `json:"status"`
	Output    string         `json:"output"`
	Error     string         `json:"error"`
	Duration  float64        `json:"duration"`
	Path      string         `json:"path"`
	ExitCode  int            `json:"exit_code"`
	Signal    string         `json:"signal,omitempty"`
	Cause     step.Cause     `json:"cause,omitempty"`
	Tolerated bool           `json:"tolerated,omitempty"`
	Truncated bool           `json:"truncated,omitempty"`
	Attempts  int            `json:"attempts,omitempty"`
	Outputs   map[string]any `json:"outputs,omitempty"`
	Loop      map[string]any `json:"loop,omitempty"`
	Failed    []any          `json:"failed,omitempty"`
	Usage     *step.Usage    `json:"usage,omitempty"`
	Agent     *agentResult   `json:"agent,omitempty"`
	Steps     []stepResult   `json:"steps,omitempty"`
}

// reportRun prints the end of a run: for machines one document, for people the
// recipe's own report, or a summary.
func (a *app) reportRun(o *runOptions, tree *recipes.Tree, s *activeRun, out *runner.Outcome) error {
	unused := s.machine.Stubs.Unused()
	for _, name := range unused {
		fmt.Fprintf(a.err, "Warning: stub %s was never used; its step was not reached\n", name)
	}
	res, err := newResult(s, out)
	if err != nil {
		return &failure{exit.Failed, err}
	}
	res.UnusedStubs = append([]string{}, unused...)
	defer s.ci.close()
	if err := s.ci.end(res); err != nil {
		return &failure{exit.Failed, err}
	}
	if o.format == "json" {
		a.printJSON(res)
		return nil
	}
	if report := tree.Root.Output; report != nil {
		if err := printReport(a.out, report, res); err != nil {
			return &failure{exit.Failed, err}
		}
	} else {
		fmt.Fprint(a.out, summarise(res))
	}
	if !res.Success {
		a.explainFailure(res)
	}
	return nil
}

func newResult(s *activeRun, out *runner.Outcome) (*result, error) {
	res := &result{
		RecipeName: out.Recipe, Success: out.Success(), Duration: out.Duration.Seconds(), RunID: s.id,
		Status: out.Status, Reason: s.machine.Mask.Text(out.Reason), FailedStep: out.FailedStep, ExitCode: exitCode(out), Context: map[string]any{}, Usage: out.Usage,
	}
	var err error
	if res.StepResults, err = stepResults(s, out.Steps); err != nil {
		return nil, err
	}
	if res.Finally, err = stepResults(s, out.Finally); err != nil {
		return nil, err
	}
	for name, v := range out.Vars.Flatten() {
		whole, err := s.machine.Store.Whole(v)
		if err != nil {
			return nil, err
		}
		res.Context[name] = s.machine.Mask.Value(whole)
	}
	return res, nil
}

func stepResults(s *activeRun, outcomes []*step.Outcome) ([]stepResult, error) {
	list := []stepResult{}
	for _, o := range outcomes {
		text, err := s.machine.Text(o.Output)
		if err != nil {
			return nil, err
		}
		masked, _ := s.machine.Mask.Value(o.Failures).([]any)
		row := stepResult{
			StepID: o.ID, Status: o.Status, Output: s.machine.Mask.Text(text), Error: s.machine.Mask.Text(o.Error), Duration: o.Duration.Seconds(),
			Path: o.Path, ExitCode: o.ExitCode, Signal: o.Signal, Cause: o.Cause, Tolerated: o.Tolerated,
			Truncated: o.Truncated, Attempts: o.Attempts, Failed: masked, Usage: o.Usage, Agent: newAgentResult(o.Agent),
		}
		if o.Loop != nil {
			row.Loop, _ = s.machine.Mask.Value(o.Loop).(map[string]any)
		}
		if o.Outputs != nil {
			whole, err := s.machine.Store.Whole(o.Outputs)
			if err != nil {
				return nil, err
			}
			row.Outputs, _ = s.machine.Mask.Value(whole).(map[string]any)
		}
		if len(o.Children) > 0 {
			if row.Steps, err = stepResults(s, o.Children); err != nil {
				return nil, err
			}
		}
		list = append(list, row)
	}
	return list, nil
}

// summarise is the report of a recipe that has none of its own.
func summarise(res *result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Recipe '%s': %s (%.1fs)\n", res.RecipeName, strings.ToUpper(string(res.Status)), res.Duration)
	for _, st := range slices.Concat(res.StepResults, res.Finally) {
		fmt.Fprintf(&b, "  [%s] %s (%.1fs)\n", st.Status, st.StepID, st.Duration)
		writeOutput(&b, st)
		if st.Tolerated || st.Status == step.Degraded {
			fmt.Fprintf(&b, "      %s\n", strings.ReplaceAll(printable(st.Error), "\n", "\n      "))
		}
		if text := spent(st.Usage); text != "" && st.Agent != nil {
			fmt.Fprintf(&b, "      (%s)\n", text)
		}
	}
	if text := spent(res.Usage); text != "" {
		fmt.Fprintf(&b, "Usage: %s\n", text)
	}
	return b.String()
}

// maxShown is how many lines of one step's output the summary shows, and
// maxWidth how many bytes of a line.
const (
	maxShown = 20
	maxWidth = 2000
)

func writeOutput(b *strings.Builder, st stepResult) {
	text := strings.TrimSpace(st.Output)
	if st.Loop != nil {
		text = loopReport(st.Loop)
	}
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if i == maxShown {
			fmt.Fprintf(b, "      … %d more lines\n", len(lines)-maxShown)
			return
		}
		if len(line) > maxWidth {
			line = fmt.Sprintf("%s… %d more bytes", strings.ToValidUTF8(line[:maxWidth], ""), len(line)-maxWidth)
		}
		fmt.Fprintf(b, "      %s\n", printable(line))
	}
}

// explainFailure tells people what went wrong, after the summary.
func (a *app) explainFailure(res *result) {
	fmt.Fprintf(a.err, "Error: %s\n", res.Reason)
	for _, st := range slices.Concat(res.StepResults, res.Finally) {
		if st.Status == step.Failed && !st.Tolerated {
			fmt.Fprintf(a.err, "  %s: %s\n", st.Path, strings.ReplaceAll(printable(st.Error), "\n", "\n    "))
		}
	}
}

// printable keeps output from steering the terminal: control characters other
// than tab and line end show as U+FFFD.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, text)
}

// printReport renders the recipe's own report over its variables and run.
func printReport(out io.Writer, report *recipes.Report, res *result) error {
	if report.Template == nil {
		if report.Format == "json" {
			enc := json.NewEncoder(out)
			enc.SetEscapeHTML(false)
			return enc.Encode(res)
		}
		_, err := io.WriteString(out, summarise(res))
		return err
	}
	about := value.From(map[string]any{
		"status": string(res.Status), "reason": res.Reason, "failed_step": res.FailedStep, "id": res.RunID, "success": res.Success,
	})
	steps := map[string]any{}
	for _, st := range slices.Concat(res.StepResults, res.Finally) {
		steps[st.StepID] = value.From(map[string]any{"status": string(st.Status), "output": st.Output, "error": st.Error, "exit_code": st.ExitCode})
	}
	text, _, err := report.Template.Render(func(name string) (any, bool) {
		if v, ok := res.Context[name]; ok {
			return v, true
		}
		switch name {
		case "run":
			return about, true
		case "steps":
			return steps, true
		}
		return nil, false
	})
	if err != nil {
		return fmt.Errorf("output.template: %w", err)
	}
	_, err = fmt.Fprintln(out, strings.TrimRight(text, "\n"))
	return err
}
