// Package local carries out the actions of a run on this machine, and drives
// the run by feeding the results back.
package local

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/template"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/guard"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/mask"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/scope"
	"github.com/brickoven/brickoven/runner/step"
)

// Machine is the [Executor] of this machine. It is safe for concurrent use
// once it is set up; its fields must not change while a run goes on.
type Machine struct {
	// WorkDir is the run's working directory, absolute.
	WorkDir string
	// Base is the environment of steps before variables are added, through
	// [scope.FilterBase].
	Base []string
	// Family starts the processes; nil works with process groups alone.
	Family *process.Family
	// Store keeps outputs and large values.
	Store *Store
	// Journal is told of processes and refusals; nil keeps nothing.
	Journal *journal.Writer
	// Mask takes secrets out of what is kept and shown; nil has none.
	Mask *mask.Masker
	// Natives are the functions that native steps use, by name.
	Natives map[string]Native
	// Agents says which agent CLI answers.
	Agents Agents
	// Stubs stand in for steps; nil has none.
	Stubs *Stubs
	// Guard counts children in, or refuses them; nil refuses none.
	Guard *guard.Guard
	// Sessions keeps the sessions of loops; nil keeps none, so that no loop runs.
	Sessions Sessions
	// Ledgers keeps the work ledgers of loops with a contract; nil refuses them.
	Ledgers Ledgers
	// Trees looks at the work trees of loops with brakes; nil cannot.
	Trees Trees
	// HookTimeout bounds each hook; zero stands for 30 seconds.
	HookTimeout time.Duration
	// Strict makes unknown names errors in every recipe.
	Strict bool
	// Output, if set, is told what a step prints, while it prints it.
	Output func(path string, piece []byte)

	// compiled caches the environment entries of recipes and steps.
	schemas sync.Map
}

// Do carries out one action.
func (m *Machine) Do(ctx context.Context, a *step.Action, kill <-chan struct{}) step.Result {
	begun := time.Now()
	bounded, release, err := m.within(ctx, a)
	if err != nil {
		return refuse(step.CauseHeld, err)
	}
	defer release()
	if ctx.Err() == nil && bounded.Err() != nil {
		return refuse(step.CauseInterrupted, context.Cause(bounded))
	}
	res := m.do(bounded, a, kill)
	res.Duration = time.Since(begun)
	return res
}

func (m *Machine) do(ctx context.Context, a *step.Action, kill <-chan struct{}) step.Result {
	switch a.Kind {
	case step.Shell, step.Native, step.Agent:
		if stub := m.Stubs.take(a); stub != nil {
			return m.stubbed(ctx, a, stub, kill)
		}
	}
	switch a.Kind {
	case step.Shell:
		return m.shell(ctx, a, kill)
	case step.Agent:
		return m.agent(ctx, a, kill)
	case step.Native:
		return m.native(ctx, a)
	case step.Hook:
		return m.hook(ctx, a, kill)
	case step.Stage:
		return m.stage(ctx, a, kill)
	case step.Sleep:
		return m.sleep(ctx, a)
	case step.Wait:
		return m.wait(ctx, a)
	case step.Query:
		return m.query(a)
	case step.Check:
		return m.check(a)
	case step.Session:
		return m.session(ctx, a)
	case step.Trees:
		return m.trees(ctx, a)
	case step.Ledger:
		return m.ledger(ctx, a)
	}
	return refuse(step.CauseStart, fmt.Errorf("this executor cannot do %q", a.Kind))
}

// refuse is the result of an action that did not happen.
func refuse(cause step.Cause, err error) step.Result {
	return step.Result{Cause: cause, ExitCode: -1, Error: err.Error()}
}

// sleep waits, and says so beforehand to those who watch the run.
func (m *Machine) sleep(ctx context.Context, a *step.Action) step.Result {
	if err := m.waiting(a, a.Delay); err != nil {
		return refuse(step.CauseState, err)
	}
	timer := time.NewTimer(a.Delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return step.Result{OK: true}
	case <-ctx.Done():
		return refuse(step.CauseCancelled, context.Cause(ctx))
	}
}

// lookup reads variables for templates; what is too large to carry is loaded.
// The first failure to load is kept in err.
func (m *Machine) lookup(view *step.View, failure *error) step.Lookup {
	return func(name string) (any, bool) {
		v, found := view.Lookup(name)
		if !found {
			return nil, false
		}
		whole, err := m.Store.Whole(v)
		if err != nil && *failure == nil {
			*failure = err
		}
		return whole, true
	}
}

// render renders one field of a step.
func (m *Machine) render(a *step.Action, field string, tmpl *template.Template, warnings *[]string) (string, error) {
	if tmpl == nil {
		return "", nil
	}
	var failure error
	text, unknown, err := tmpl.Render(template.Lookup(m.lookup(a.Vars, &failure)))
	switch {
	case failure != nil:
		return "", failure
	case err != nil:
		return "", fmt.Errorf("%s: %w", field, err)
	}
	return text, m.remark(a, field, unknown, warnings)
}

// remark words the names that a rendering looked for in vain, each with the
// nearest variable there is; in strict recipes it is an error.
func (m *Machine) remark(a *step.Action, field string, unknown []template.Unknown, warnings *[]string) error {
	for i, u := range unknown {
		if u.Nearest == "" {
			unknown[i].Nearest = template.Nearest(u.Path, a.Vars.Scope.Names())
		}
	}
	remarks, err := recipes.Unknowns(field, unknown, m.strict(a))
	*warnings = append(*warnings, remarks...)
	return err
}

func (m *Machine) strict(a *step.Action) bool { return m.Strict || a.Recipe.Strict }

// folder is where a step works: its working_dir, relative to the run's.
func (m *Machine) folder(a *step.Action, warnings *[]string) (string, error) {
	if a.Dir != "" {
		return a.Dir, nil
	}
	dir, err := m.render(a, "working_dir", a.Def.WorkingDir, warnings)
	if err != nil {
		return "", err
	}
	if dir == "" {
		return m.WorkDir, nil
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(m.WorkDir, dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", &FolderError{Path: dir, Err: err}
	}
	return dir, nil
}

// FolderError tells that a step's working directory is missing or no folder.
type FolderError struct {
	Path string
	Err  error // nil where the path is there but is no folder
}

func (e *FolderError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("working directory %s is not a folder", e.Path)
	}
	return fmt.Sprintf("working directory %s does not exist", e.Path)
}

// Unwrap gives the cause.
func (e *FolderError) Unwrap() error { return e.Err }

// query answers a question over large values.
func (m *Machine) query(a *step.Action) step.Result {
	var failure error
	v, warnings, err := a.Question.Answer(m.lookup(a.Vars, &failure))
	if failure != nil {
		return refuse(step.CauseState, failure)
	}
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	if !a.Question.Inline() {
		if v, err = m.Store.Keep(a.ID, v); err != nil {
			return refuse(step.CauseState, err)
		}
	}
	return step.Result{OK: true, Value: v, Warnings: warnings}
}

// check tests the inputs of a called recipe.
func (m *Machine) check(a *step.Action) step.Result {
	vars := a.Vars.Scope.Flatten()
	for name, v := range vars {
		whole, err := m.Store.Whole(v)
		if err != nil {
			return refuse(step.CauseState, err)
		}
		vars[name] = whole
	}
	if faults := a.Callee.CheckInputs(vars, m.Probe()); len(faults.Errors()) > 0 {
		return refuse(step.CauseStart, faults.Errors())
	}
	return step.Result{OK: true}
}

// Probe looks at this machine for the checks of inputs; relative paths start at
// the working directory.
func (m *Machine) Probe() recipes.Probe {
	place := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(m.WorkDir, path)
	}
	return recipes.Probe{
		Exists: func(path string) bool {
			_, err := os.Stat(place(path))
			return err == nil
		},
		IsGitRepo: func(path string) bool {
			_, err := m.Git(context.Background(), place(path), "rev-parse", "--git-dir")
			return err == nil
		},
	}
}

// authored renders what recipe and step add with env:. It wins over the aliases
// of variables, because somebody wrote it for this environment.
func (m *Machine) authored(a *step.Action, warnings *[]string) (map[string]string, error) {
	env := maps.Clone(a.Env)
	if env == nil {
		env = map[string]string{}
	}
	for _, entries := range [][]recipes.EnvEntry{a.Recipe.Env, a.Def.Env} {
		for _, entry := range entries {
			text, err := m.render(a, "env."+entry.Name, entry.Value, warnings)
			if err != nil {
				return nil, err
			}
			env[entry.Name] = text
		}
	}
	return env, nil
}

// Request for the environment of a step, with the limits of step and recipe.
func (m *Machine) request(a *step.Action, base []string, extra map[string]string) scope.Request {
	return scope.Request{
		Base: base, Extra: extra, MaxValue: a.Def.MaxEnvValueBytes, MaxTotal: a.Recipe.MaxEnvBytes,
		Spills: m.Store.Spills, Load: m.Store.Load,
	}
}

// Text is the text of a value, loaded where it is a reference.
func (m *Machine) Text(v any) (string, error) {
	if ref, large := v.(value.Ref); large {
		return m.Store.Load(ref)
	}
	return value.Text(v), nil
}
