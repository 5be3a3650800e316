package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/guard"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
	"github.com/spf13/cobra"
)

// runOptions are the flags of brickoven run.
type runOptions struct {
	place
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
			return a.runRecipe(cmd.Context(), o, args[0])
		},
	}
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
	tree, err := a.resolve(&o.place, arg, names(vars))
	if err != nil {
		return err
	}
	if faults := tree.Check(names(vars)).Errors(); len(faults) > 0 {
		return &failure{exit.Invalid, faults}
	}
	if o.explain {
		return a.print(explain(tree))
	}
	for _, w := range tree.Warnings {
		fmt.Fprintf(a.err, "Warning: %v\n", w)
	}
	return a.start(ctx, o, tree, vars)
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
	session, err := a.openRun(o, tree)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := session.close(); closeErr != nil && err == nil {
			err = &failure{exit.Failed, closeErr}
		}
	}()
	run := runner.New(tree, runner.Options{
		Vars: session.keep(vars), IncludeTags: o.includeTags, ExcludeTags: o.excludeTags,
		DryRun: o.dryRun, MaxParallel: o.maxParallel, Stubbed: session.machine.Stubs.Has,
	})
	if !o.dryRun {
		if faults := tree.Root.CheckInputs(run.Vars().Flatten(), session.machine.Probe()).Errors(); len(faults) > 0 {
			return &failure{exit.Usage, faults}
		}
	}
	signals, release := a.signals()
	defer release()
	driver := &local.Driver{Executor: session.machine, Observe: session.observe, Now: time.Now}
	outcome, err := driver.Run(ctx, run, signals)
	if err != nil {
		return &failure{exit.Failed, err}
	}
	session.progress.done()
	if err := a.reportRun(o, tree, session, outcome); err != nil {
		return err
	}
	if code := exitCode(outcome); code != exit.Success {
		return &failure{Code: code}
	}
	return nil
}

// session is what a run on this machine needs around it.
type session struct {
	id       string
	machine  *local.Machine
	progress *progress
	audit    *audit
	faults   []error
}

func (a *app) openRun(o *runOptions, tree *recipes.Tree) (*session, error) {
	id, dir, err := a.runFolder(o)
	if err != nil {
		return nil, &failure{exit.Usage, err}
	}
	store, err := local.OpenStore(dir)
	if err != nil {
		return nil, &failure{exit.Failed, err}
	}
	stubs, err := a.readStubs(o, tree)
	if err != nil {
		return nil, &failure{exit.Usage, errors.Join(err, store.Close())}
	}
	machine, err := a.machine(o, tree, id, store, stubs)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	s := &session{id: id, machine: machine, progress: a.newProgress(o)}
	if o.auditDir != "" {
		if s.audit, err = openAudit(o.auditDir, tree.Root.Name, time.Now()); err != nil {
			return nil, &failure{exit.Usage, errors.Join(err, store.Close())}
		}
	}
	return s, nil
}

// endGrace is what background children get between TERM and KILL at the end of
// a run.
const endGrace = 2 * time.Second

func (s *session) close() error {
	_, err := s.machine.Family.End(endGrace)
	err = errors.Join(err, s.machine.Store.Close())
	if s.audit != nil {
		err = errors.Join(err, s.audit.close())
	}
	return errors.Join(append(s.faults, err)...)
}

// keep stores the values from the command line that are too large to carry.
func (s *session) keep(vars []recipes.Variable) []recipes.Variable {
	kept := make([]recipes.Variable, len(vars))
	for i, v := range vars {
		kept[i] = v
		stored, err := s.machine.Store.Keep("context."+v.Name, v.Value)
		if err != nil {
			s.faults = append(s.faults, err)
			continue
		}
		kept[i].Value = stored
	}
	return kept
}

func (s *session) observe(n step.Note) {
	s.progress.note(n)
	if s.audit == nil {
		return
	}
	if err := s.audit.note(n); err != nil {
		s.faults = append(s.faults, err)
	}
}

// machine sets up the executor.
func (a *app) machine(o *runOptions, tree *recipes.Tree, id string, store *local.Store, stubs *local.Stubs) (*local.Machine, error) {
	work, err := filepath.Abs(o.workDir)
	if err != nil {
		return nil, &failure{exit.Usage, err}
	}
	agent, err := a.agentCommand(o, work)
	if err != nil {
		return nil, &failure{exit.Usage, err}
	}
	watch := guard.New(a.getenv)
	if err := watch.Nesting(); err != nil {
		return nil, &failure{exit.Refused, err}
	}
	family, err := process.Adopt()
	if err != nil {
		return nil, &failure{exit.Failed, err}
	}
	return &local.Machine{
		WorkDir: work, Base: append(a.baseEnvironment(id, store.Dir), watch.Environment()...), Family: family, Store: store,
		Natives: natives(), Stubs: stubs, Guard: watch, Strict: o.strict,
		Agents: local.Agents{Command: agent, Persona: a.personas(tree, work), Builtin: builtinAgents()},
	}, nil
}

func exitCode(o *runner.Outcome) int {
	switch {
	case o.Refused:
		return exit.Refused
	case o.Signal != 0:
		return exit.Signal(o.Signal)
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
