package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"
)

// commandLoop is a loop that a command line describes.
type commandLoop struct {
	exec, check, judge, goal string
}

func newLoopCommand(a *app) *cobra.Command {
	o, l := &runOptions{}, &commandLoop{}
	cmd := &cobra.Command{
		Use: "loop --exec CMD --check CMD", Short: "Repeat a command until a check passes or nothing moves any more",
		Long: `Repeat a command, without any recipe. After each round the check runs and the
judge says whether the loop goes on: a green check ends it well, and a round that
moved nothing ends it as stuck. Both commands are templates: {{loop.round}} is
the number of the round, {{loop.check_output}} what a red check said after a
judge's DONE, {{loop.last_output}} what the last round printed.

--print shows the recipe that this loop is, as a start for one of your own.
` + exitStatus(),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runLoop(cmd.Context(), o, l, o.explain) },
	}
	flags := cmd.Flags()
	o.place.flags(flags)
	flags.StringVar(&l.exec, "exec", "", "the command of a round")
	flags.StringVar(&l.check, "check", "", "the command that exits with 0 when the goal is met")
	flags.StringVar(&l.judge, "judge", "loop-health-evaluator", "the recipe that judges a round, by name or path")
	flags.StringVar(&l.goal, "goal", "", "what the loop is for, in words, for the judge and the session")
	flags.BoolVar(&o.explain, "print", false, "print the recipe of this loop and stop")
	flags.BoolVar(&o.progress, "progress", false, "show steps on standard error as they start and end")
	flags.StringVar(&o.agent, "agent", "", "the agent CLI that judges, as a name or a command line; without one the built-in rules judge")
	flags.StringVar(&o.stateDir, "state-dir", "", "keep the state of runs in this folder")
	flags.StringArrayVar(&o.maskEnv, "mask-env", nil, "mask the value of this environment variable wherever it would be printed or kept (repeatable)")
	flags.BoolVar(&o.durable, "durable", false, "make every record of the journal survive a power cut (one fsync each)")
	formatFlag(cmd, &o.format)
	return cmd
}

func (a *app) runLoop(ctx context.Context, o *runOptions, l *commandLoop, show bool) error {
	if err := checkFormat(o.format); err != nil {
		return err
	}
	if strings.TrimSpace(l.exec) == "" || strings.TrimSpace(l.check) == "" {
		return &failure{exit.Usage, errors.New("a loop needs --exec, what a round does, and --check, what says that the goal is met")}
	}
	if strings.ContainsAny(l.judge, `/\`) {
		// A path on the command line starts where the command is given.
		path, err := filepath.Abs(l.judge)
		if err != nil {
			return &failure{exit.Usage, err}
		}
		l.judge = path
	}
	text, err := l.recipe()
	if err != nil {
		return &failure{exit.Usage, err}
	}
	if show {
		return a.print(string(text))
	}
	resolver, err := a.resolver(&o.place)
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(o.workDir)
	if err != nil {
		return &failure{exit.Usage, err}
	}
	tree, err := resolver.ResolveText("loop", text, dir, recipes.LoadOptions{Strict: o.strict, AllowForeign: o.foreign})
	if err != nil {
		return a.loadFailure(err)
	}
	return a.runTree(ctx, o, tree, nil)
}

// loopDocument is the recipe of a loop from the command line.
type loopDocument struct {
	Name  string     `yaml:"name"`
	Steps []loopStep `yaml:"steps"`
}

type loopStep struct {
	ID          string            `yaml:"id"`
	Type        string            `yaml:"type"`
	Description string            `yaml:"description,omitempty"`
	Steps       []roundStep       `yaml:"steps"`
	Judge       string            `yaml:"judge"`
	Check       string            `yaml:"check"`
	Evidence    map[string]string `yaml:"evidence"`
	Output      string            `yaml:"output"`
}

type roundStep struct {
	ID              string `yaml:"id"`
	Command         string `yaml:"command"`
	Condition       string `yaml:"condition,omitempty"`
	ContinueOnError bool   `yaml:"continue_on_error,omitempty"`
	Output          string `yaml:"output,omitempty"`
}

// recipe writes the loop down. The check runs in each round as well, so that the
// judge sees what it says, and once more as the proof of a judge's DONE.
func (l *commandLoop) recipe() ([]byte, error) {
	text, err := yaml.Marshal(loopDocument{Name: "loop", Steps: []loopStep{{
		ID: "loop", Type: "loop", Description: l.goal, Judge: l.judge, Check: l.check, Output: "loop_result",
		Steps: []roundStep{
			{ID: "round", Command: l.exec, ContinueOnError: true},
			{ID: "check", Command: fmt.Sprintf("(\n%s\n) 2>&1\necho \"check exited with $?\"", l.check), Output: "check_said"},
			{ID: "exit-code", Command: "exit {{steps.round.exit_code}}", Condition: "steps.round.exit_code != 0"},
		},
		Evidence: map[string]string{
			"test_signal": "check_said", "goal_met": "str(check_said).endswith('check exited with 0')",
		},
	}}})
	if err != nil {
		return nil, fmt.Errorf("the recipe of the loop: %w", err)
	}
	return text, nil
}
