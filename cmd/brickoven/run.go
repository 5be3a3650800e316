package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/brickoven/brickoven/bricks/session/folder"
	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/scope"
	"github.com/brickoven/brickoven/runner/state"
	"github.com/spf13/cobra"
)

// runOptions are the flags of brickoven run.
type runOptions struct {
	place
	ciOptions
	vars         variables
	dryRun       bool
	validateOnly bool
	explain      bool
	progress     bool
	includeTags  []string
	excludeTags  []string
	auditDir     string
	agent        string
	format       string
	stateDir     string
	maxParallel  int
	stubs        []string
	stubFile     string
	durable      bool
	maskEnv      []string
	record       string
	replay       string
}

func newRunCommand(a *app) *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use: "run NAME|FILE", Short: "Run a recipe",
		Long: `Run a recipe by its name or from a file. The final report goes to standard
output, progress and errors to standard error.
` + exitStatus(),
		Args: oneArg("name a recipe to run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := a.runRecipe(cmd.Context(), o, args[0])
			a.annotateFaults(o, err)
			return err
		},
	}
	cmd.ValidArgsFunction = a.completeRecipes(&o.place)
	flags := cmd.Flags()
	o.place.flags(flags)
	o.vars.flags(flags)
	flags.BoolVar(&o.dryRun, "dry-run", false, "run nothing; every step is skipped")
	flags.BoolVar(&o.validateOnly, "validate-only", false, "check the document and stop")
	flags.BoolVar(&o.explain, "explain", false, "say what the recipe would do and stop")
	flags.BoolVar(&o.progress, "progress", false, "show steps on standard error as they start and end")
	flags.StringSliceVar(&o.includeTags, "include-tags", nil, "of the steps with when_tags, run those with one of these (a,b)")
	flags.StringSliceVar(&o.excludeTags, "exclude-tags", nil, "skip steps with one of these when_tags (a,b)")
	flags.StringVar(&o.auditDir, "audit-dir", "", "write an audit log of the steps into this folder")
	flags.StringVar(&o.agent, "agent", "", "the agent CLI, as a command line; its standard input is the prompt")
	flags.StringVar(&o.agent, "agent-binary", "", "the same as --agent")
	flags.Bool("no-auto-stage", true, "accepted for existing scripts; nothing is staged unless a step says auto_stage: true")
	flags.StringVar(&o.stateDir, "state-dir", "", "keep the state of runs in this folder")
	flags.IntVar(&o.maxParallel, "max-parallel", 0, "at most this many shell, agent and native steps at once in the whole run")
	flags.StringArrayVar(&o.stubs, "stub", nil, "let STEP_ID=text, or STEP_ID=@file, stand in for a step's work (repeatable)")
	flags.StringVar(&o.stubFile, "stub-file", "", "stubs from a YAML file")
	flags.StringArrayVar(&o.maskEnv, "mask-env", nil, "mask the value of this environment variable wherever it would be printed or kept (repeatable)")
	flags.StringVar(&o.record, "record", "", "keep the answers of agents in this folder, for --replay")
	flags.StringVar(&o.replay, "replay", "", "play the answers of agents back from this folder")
	flags.BoolVar(&o.durable, "durable", false, "make every record of the journal survive a power cut (one fsync each)")
	o.ciOptions.flags(a, flags)
	formatFlag(cmd, &o.format)
	return cmd
}

func (a *app) runRecipe(ctx context.Context, o *runOptions, arg string) error {
	if err := checkFormat(o.format); err != nil {
		return err
	}
	vars, err := a.readVariables(&o.vars)
	if err != nil {
		return &failure{exit.Usage, err}
	}
	if o.validateOnly {
		return a.validateOnly(o, arg)
	}
	tree, err := a.resolve(&o.place, arg, vars)
	if err != nil {
		return err
	}
	return a.runTree(ctx, o, tree, vars)
}

// runTree checks a resolved tree, and explains or runs it.
func (a *app) runTree(ctx context.Context, o *runOptions, tree *recipes.Tree, vars []recipes.Variable) error {
	if faults := append(tree.Check(names(vars)), a.checkParts(tree, o.workDir)...).Errors(); len(faults) > 0 {
		return &failure{exit.Invalid, faults}
	}
	if o.explain && o.format == "json" {
		a.printJSON(map[string]any{"success": true, "recipe_name": tree.Root.Name, "explanation": explain(tree)})
		return nil
	}
	if o.explain {
		return a.print(explain(tree))
	}
	warnings, _ := tree.Silence(tree.Warnings, false)
	for _, w := range warnings {
		fmt.Fprintf(a.err, "Warning: %v\n", w)
	}
	return a.start(ctx, o, tree, vars)
}

// checkParts checks what belongs to the parts of the program that recipes only
// name: functions, agents, and what a loop is held by.
func (a *app) checkParts(tree *recipes.Tree, workDir string) recipes.Findings {
	return slices.Concat(
		tree.Functions(functionNames), tree.CheckAgents(a.agentCheck(workDir)),
		tree.CheckLoops(checkWorkflows), tree.CheckBrakes(checkBrakes), tree.CheckContracts(a.checkContract(workDir)),
	)
}

// validateOnly checks the document itself, not what it calls.
func (a *app) validateOnly(o *runOptions, arg string) error {
	resolver, err := a.resolver(&o.place)
	if err != nil {
		return err
	}
	source, err := resolver.FindRoot(arg)
	if err != nil {
		return a.loadFailure(err)
	}
	text, err := resolver.Read(source)
	if err != nil {
		return a.loadFailure(err)
	}
	recipe, err := recipes.Parse(source.Path, text, recipes.LoadOptions{Strict: o.strict, AllowForeign: o.foreign})
	if err != nil {
		return a.loadFailure(err)
	}
	if o.format == "json" {
		a.printJSON(map[string]any{
			"success": true, "recipe_name": recipe.Name, "steps": len(recipe.Steps), "warnings": texts(recipe.Warnings),
		})
		return nil
	}
	a.verdict(recipe, recipe.Warnings)
	return nil
}

func texts(found []*recipes.Finding) []string {
	list := []string{}
	for _, f := range found {
		list = append(list, f.Error())
	}
	return list
}

// start runs a resolved tree to its end and reports it.
func (a *app) start(ctx context.Context, o *runOptions, tree *recipes.Tree, vars []recipes.Variable) (err error) {
	set, err := a.settings(o, tree)
	if err != nil {
		return &failure{exit.Usage, err}
	}
	defer func() { err = hide(set.masker, err) }()
	if err := a.checkInputs(set, tree, vars); err != nil {
		return err
	}
	s, err := a.openRun(o, set, tree)
	if err != nil {
		return err
	}
	defer s.closeInto(&err)
	vars, err = s.keep(vars)
	if err != nil {
		return &failure{exit.Failed, err}
	}
	at := time.Now().UTC().Round(0)
	if err := s.begin(set, tree, vars, at); err != nil {
		return &failure{exit.Failed, err}
	}
	run := runner.New(tree, set.options(vars, s.machine.Stubs))
	a.describe(s, set, tree, at, run.Vars())
	return a.finish(ctx, o, tree, s, func(d *local.Driver, signals <-chan local.Signal) (*runner.Outcome, error) {
		return d.Resume(ctx, run, run.Start(at), signals)
	})
}

// checkInputs tests the inputs of the recipe itself before anything is made.
func (a *app) checkInputs(set *settings, tree *recipes.Tree, vars []recipes.Variable) error {
	if set.DryRun {
		return nil
	}
	start := runner.New(tree, runner.Options{Vars: vars}).Vars().Flatten()
	looker := &local.Machine{WorkDir: set.WorkDir, Base: scope.FilterBase(a.environ)}
	if faults := tree.Root.CheckInputs(start, looker.Probe()).Errors(); len(faults) > 0 {
		return &failure{exit.Usage, faults}
	}
	return nil
}

// finish drives a run to its end, records that, and reports it.
func (a *app) finish(ctx context.Context, o *runOptions, tree *recipes.Tree, s *activeRun,
	drive func(*local.Driver, <-chan local.Signal) (*runner.Outcome, error),
) error {
	signals, usual, release := a.signals()
	defer release()
	defer s.recordPanic()
	driver := &local.Driver{
		Executor: s.machine, Record: &local.Journal{Writer: s.machine.Journal, Mask: s.machine.Mask}, Observe: s.observe, Now: time.Now, Known: s.known, Attempt: s.attempt,
		Skipped: s.machine.Stubs.Skip, Used: s.used,
	}
	outcome, err := drive(driver, signals)
	if err != nil {
		return &failure{exit.Failed, errors.Join(fmt.Errorf("run %s stopped, and can be resumed: %w", s.id, err), s.lost(err))}
	}
	if err := s.end(string(outcome.Status), outcome.Reason, exitCode(outcome)); err != nil {
		return &failure{exit.Failed, err}
	}
	a.describeEnd(s, outcome)
	if err := retain(s.machine.Store.Dir); err != nil {
		fmt.Fprintf(a.err, "Warning: old runs could not be removed: %v\n", err)
	}
	s.progress.done()
	s.endFamily()
	usual()
	if err := a.reportRun(o, tree, s, outcome); err != nil {
		return err
	}
	if code := exitCode(outcome); code != exit.Success {
		return &failure{Code: code}
	}
	return nil
}

// retain removes old runs and sessions beside the folder of a run.
func retain(runDir string) error {
	runs := filepath.Dir(runDir)
	sessions := folder.Store{Dir: state.Locations{Dir: filepath.Dir(runs)}.Sessions()}
	return errors.Join(journal.Retain(runs), sessions.Retain())
}

func exitCode(o *runner.Outcome) int {
	switch {
	case o.Refused:
		return exit.Refused
	case o.Signal != 0:
		return exit.Signal(o.Signal)
	case o.Held:
		return exit.Held
	case o.Halted != 0:
		return o.Halted
	case !o.Success():
		return exit.Failed
	}
	return exit.Success
}

// self is the path of this program; empty where the system does not tell.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}
