package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brickoven/brickoven/bricks/doomloop"
	"github.com/brickoven/brickoven/bricks/score"
)

// The exit codes of score (issue: loop score).
const (
	scoreUnhealthy = 1
	scoreMalformed = 2
	scoreNothing   = 4
)

// scoring is one call of the score command.
type scoring struct {
	app *app
	// runs reads runs and sessions; nil means that only files can be scored.
	runs score.RunReader

	threshold   string
	maxWasted   int
	name        string
	save        string
	format      string
	junit       string
	plot        string
	guardEvents string
	newest      bool
	doomLoops   string
	// thresholds are what doomLoops gives for the steps, and for the tool calls
	// of an agent.
	thresholds, toolThresholds doomloop.Config
}

// newScoreCommand returns the score command over the runs of a project.
func newScoreCommand(a *app) *cobra.Command {
	runs := &scoreRuns{app: a}
	cmd := newScoreCommandFor(a, runs)
	runs.flags(cmd.Flags())
	return cmd
}

// newScoreCommandFor returns the score command; runs may be nil.
func newScoreCommandFor(a *app, runs score.RunReader) *cobra.Command {
	s := &scoring{app: a, runs: runs}
	cmd := &cobra.Command{
		Use:   "score [RUN | FILE | -]",
		Short: "Tell whether a finished loop was healthy",
		Long: `Tell from the record of a finished loop, without any model call, whether it
converged, what it wasted and whether a doom-loop guard fired.

The record is a run or session of this project, by a beginning of its id, or
JSON with score_history, threshold, mode, success and total_duration_seconds in a
file or on standard input. The scores of a run are those that its evaluation-loop
recorded, or the last object with score_history that one of its steps printed;
its guard events are the ends that brakes made, and its steps are looked through
for doom loops.

Exit codes: 0 healthy, 1 unhealthy, 2 malformed input or usage, 4 nothing to
examine.`,
		Example: `  brickoven score 20260102-030405
  brickoven score --newest --plot score.svg
  brickoven score loop.json
  brickoven score loop.json --max-wasted 1 --guard-events guards.json
  brickoven score loop.json --output-format json --junit score.xml --plot score.svg`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		// A flag error must be one JSON document too when JSON is asked for, and
		// only whoever parses the flags sees all of them.
		DisableFlagParsing: true,
		RunE:               s.parseAndRun,
	}
	s.define(cmd.Flags())
	return cmd
}

func (s *scoring) define(flags *pflag.FlagSet) {
	flags.StringVar(&s.threshold, "threshold", "", "score threshold; 0 counts (default: the loop's own, else 8.0)")
	flags.IntVar(&s.maxWasted, "max-wasted", 0, "wasted rounds that are tolerated")
	flags.StringVar(&s.name, "name", "", "name of this evaluation (default: the loop's own)")
	flags.StringVar(&s.save, "save", "", "write the result as JSON to this path; {name} and {id} are filled in")
	flags.StringVar(&s.format, "output-format", "text", "text or json")
	flags.StringVar(&s.junit, "junit", "", "write the result as a JUnit report to this file")
	flags.StringVar(&s.plot, "plot", "", "draw the scores as SVG into this file")
	flags.BoolVar(&s.newest, "newest", false, "score the newest run")
	flags.StringVar(&s.doomLoops, "doom-loops", "on", "look through a run's steps: on, off, or thresholds as in brakes.doom_loop, such as cycle_repeats=3,no_progress=20")
	flags.StringVar(&s.guardEvents, "guard-events", "", "read guard events, JSON or JSON lines, from this file; - is standard input")
}

// parseAndRun also sees to it that exactly one document stands on stdout when
// JSON is asked for, whatever goes wrong.
func (s *scoring) parseAndRun(cmd *cobra.Command, args []string) error {
	cmd.SetOut(s.app.out)
	flags := cmd.Flags()
	if err := flags.Parse(args); err != nil {
		s.format = formatAskedFor(args)
		return s.fail(err)
	}
	if help, err := flags.GetBool("help"); err == nil && help {
		return cmd.Help()
	}
	// The context is unset where the command is executed without one.
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	return s.run(ctx, flags)
}

// formatAskedFor finds the output format in arguments that do not parse.
func formatAskedFor(args []string) string {
	format := "text"
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if text, ok := strings.CutPrefix(arg, "--output-format="); ok {
			format = text
		}
		if arg == "--output-format" && i+1 < len(args) {
			format = args[i+1]
		}
	}
	return format
}

func (s *scoring) run(ctx context.Context, flags *pflag.FlagSet) error {
	if err := s.checkUsage(flags); err != nil {
		return s.fail(err)
	}
	var err error
	if s.thresholds, err = doomloop.ParseFlag(s.doomLoops, doomloop.Default()); err == nil {
		s.toolThresholds, err = doomloop.ParseFlag(s.doomLoops, doomloop.DefaultTools())
	}
	if err != nil {
		return s.fail(fmt.Errorf("--doom-loops: %w", err))
	}
	in, err := s.readInput(ctx, flags.Arg(0))
	if err != nil {
		return s.fail(err)
	}
	options := score.Options{MaxWasted: s.maxWasted, Name: s.name, ID: in.id}
	if flags.Changed("threshold") {
		if options.Threshold, err = score.ParseThreshold(s.threshold); err != nil {
			return s.fail(fmt.Errorf("--threshold: %w", err))
		}
	}
	result, err := score.Evaluate(in.Loop, in.GuardEvents, in.findings, options)
	if err != nil {
		return s.fail(err)
	}
	result.Warnings = append(result.Warnings, in.notices...)
	if err := s.writeFiles(result, in); err != nil {
		return s.fail(err)
	}
	return s.print(result)
}

func (s *scoring) checkUsage(flags *pflag.FlagSet) error {
	switch {
	case s.format != "text" && s.format != "json":
		return fmt.Errorf("--output-format is %q; expected text or json", s.format)
	case flags.NArg() > 1:
		return fmt.Errorf("expected one run or file, got %d", flags.NArg())
	case s.newest && flags.NArg() > 0:
		return fmt.Errorf("--newest is the newest run, but %s is named too", flags.Arg(0))
	case s.maxWasted < 0:
		return fmt.Errorf("--max-wasted is %d; expected 0 or more", s.maxWasted)
	case s.guardEvents == "-" && (flags.NArg() == 0 && !s.newest || flags.Arg(0) == "-"):
		return fmt.Errorf("the loop and --guard-events cannot both come from standard input")
	}
	for _, name := range []string{"save", "junit", "plot", "guard-events"} {
		if flag := flags.Lookup(name); flag.Changed && flag.Value.String() == "" {
			return fmt.Errorf("--%s needs a path", name)
		}
	}
	return nil
}
