package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// Outcome is what a run of a case gave.
type Outcome struct {
	ExitCode int
	// Report is the run's JSON result; nil where there was none.
	Report map[string]any
	Stderr string
	// File reads a file of the working folder; ok is false where it is not there.
	File func(path string) (text string, ok bool, err error)
	// Prompts are what the scripted agent was asked, call by call.
	Prompts []string
	// TimedOut tells that the case took too long and was ended.
	TimedOut bool
}

// Mismatch is one expectation that does not hold.
type Mismatch struct {
	// What is expected to be different, such as exit_code or variables.x.y.
	What string
	// Want and Got are texts to be compared line by line. Want may describe a
	// value rather than give it.
	Want, Got string
}

// Check compares an outcome with what the case expects, in the order of the
// reference. A run that did not start fails whatever is expected, unless its
// exit code is; and so does an exit code other than 0 that the case says
// nothing about. The error is that of reading a file.
func (c *Case) Check(o Outcome) ([]Mismatch, error) {
	k := checker{outcome: o}
	e := c.Expect
	if o.TimedOut {
		k.add("timeout", "the run ends within "+c.Timeout.String(), "it was ended")
	}
	started := o.Report["run_id"] != nil
	switch {
	case e.ExitCode != nil:
		k.same("exit_code", fmt.Sprint(*e.ExitCode), fmt.Sprint(o.ExitCode))
	case !started:
		k.add("run", "the run starts", value.Text(o.Report["error"]))
	case e.Status == "":
		k.same("exit_code", "0", fmt.Sprint(o.ExitCode))
	}
	if e.Status != "" {
		k.same("status", e.Status, value.Text(o.Report["status"]))
	}
	k.steps(e)
	k.variables(e.Variables)
	if err := k.files(e.Files); err != nil {
		return nil, err
	}
	for _, m := range e.Stderr {
		k.match("stderr", m, o.Stderr, true)
	}
	k.agents(c)
	return k.found, nil
}

type checker struct {
	outcome Outcome
	found   []Mismatch
}

func (k *checker) add(what, want, got string) {
	k.found = append(k.found, Mismatch{what, want, got})
}

func (k *checker) same(what, want, got string) {
	if want != got {
		k.add(what, want, got)
	}
}

func (k *checker) steps(e Expect) {
	for _, want := range e.Steps {
		k.same("steps."+want.Step, want.Status, k.status(want.Step))
	}
	for _, id := range e.MustNotRun {
		if got := k.status(id); got != NotRun && got != "skipped" {
			k.add("must_not_run."+id, NotRun+" or skipped", got)
		}
	}
}

// status is how the steps of a path ended, each different word once.
func (k *checker) status(path string) string {
	var words []string
	var look func(rows any)
	look = func(rows any) {
		list, _ := rows.([]any)
		for _, row := range list {
			m, _ := row.(map[string]any)
			if own := WithoutIndexes(value.Text(m["path"])); own == path || strings.HasSuffix(own, "/"+path) {
				if word := value.Text(m["status"]); !slices.Contains(words, word) {
					words = append(words, word)
				}
			}
			look(m["steps"])
		}
	}
	look(k.outcome.Report["step_results"])
	look(k.outcome.Report["finally"])
	if len(words) == 0 {
		return NotRun
	}
	return strings.Join(words, " and ")
}

var index = pattern.Pattern{Source: `\[\d+\]`}

// WithoutIndexes leaves the elements of foreach and the rounds of loops out of a
// step's path, so that it is the same for all of them.
func WithoutIndexes(path string) string { return index.Get().ReplaceAllString(path, "") }

func (k *checker) variables(list []Expectation) {
	context, _ := k.outcome.Report["context"].(map[string]any)
	for _, e := range list {
		parts, _ := value.SplitPath(e.Path)
		got, found := value.At(context, parts)
		for _, m := range e.Matchers {
			k.match("variables."+e.Path, m, got, found && got != nil)
		}
	}
}

func (k *checker) files(list []Expectation) error {
	for _, e := range list {
		text, ok, err := k.outcome.File(e.Path)
		if err != nil {
			return err
		}
		for _, m := range e.Matchers {
			k.match("files."+e.Path, m, text, ok)
		}
	}
	return nil
}

func (k *checker) agents(c *Case) {
	calls := len(k.outcome.Prompts)
	if want := c.Expect.AgentCalls; want != nil {
		k.same("agent_calls", fmt.Sprint(*want), fmt.Sprint(calls))
	}
	for i, prompt := range k.outcome.Prompts {
		n := i
		if c.Every {
			n = 0
		}
		if n >= len(c.Agents) {
			k.add("agents", fmt.Sprintf("%d calls", len(c.Agents)), fmt.Sprintf("%d calls", calls))
			return
		}
		for _, m := range c.Agents[n].Prompt {
			k.match(fmt.Sprintf("agents.%d.prompt", i), m, prompt, true)
		}
	}
}
