package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/template"
	"github.com/brickoven/brickoven/recipes/template/shell"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/scope"
	"github.com/brickoven/brickoven/runner/step"
)

// maxArgument is the length of a command in bytes over which it is run from a
// private script file; the kernel refuses single arguments of twice that.
const maxArgument = 64 << 10

func (m *Machine) shell(ctx context.Context, a *step.Action, kill <-chan struct{}) step.Result {
	var warnings []string
	dir, err := m.folder(a, &warnings)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	extra, err := m.authored(a, &warnings)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	cmd, err := m.prepare(a, shellOf(a), a.Def.Command, m.Base, extra, &warnings)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	spec := process.Spec{
		Argv: cmd.argv, Program: cmd.program, Dir: dir, Env: cmd.block.Env, Kill: kill,
		Timeout: timeout(a), IdleTimeout: silence(a), Leftover: leftover(a.Def),
	}
	if a.Def.Stdin != nil {
		text, err := m.render(a, "stdin", a.Def.Stdin, &warnings)
		if err != nil {
			return refuse(step.CauseStart, errors.Join(err, cmd.close()))
		}
		spec.Stdin = strings.NewReader(text)
	}
	res := m.child(ctx, a, spec)
	if err := cmd.close(); err != nil {
		warnings = append(warnings, err.Error())
	}
	res.Warnings = append(warnings, res.Warnings...)
	return res
}

func leftover(st *recipes.Step) process.Leftover {
	if st.Detach {
		return process.Detach
	}
	return process.EndWithRun
}

// timeout is the step's own, else the recipe's default.
func timeout(a *step.Action) recipes.Duration {
	if a.Def.Timeout > 0 {
		return a.Def.Timeout
	}
	return a.Recipe.DefaultStepTimeout
}

func shellOf(a *step.Action) recipes.Shell {
	if len(a.Def.Shell) > 0 {
		return a.Def.Shell
	}
	return a.Recipe.Defaults.Shell
}

// prepared is a command ready to be started, with what it leaves to be cleaned.
type prepared struct {
	argv    []string
	program process.Program // in the place of argv; nil for a shell of the system
	block   *scope.Block
	script  string // a private script file, or empty
}

func (p *prepared) close() error {
	err := p.block.Cleanup()
	if p.script != "" {
		err = errors.Join(err, os.Remove(p.script))
	}
	return err
}

// prepare puts the values in their places of a command and builds the
// environment that they come through.
func (m *Machine) prepare(a *step.Action, sh recipes.Shell, cmd *recipes.Command, base []string, extra map[string]string, warnings *[]string) (*prepared, error) {
	sh = usual(sh, runtime.GOOS)
	req := m.request(a, base, extra)
	script, isShell := cmd.Plain(), false
	dialect, knows := sh.Dialect()
	req.Shell = scope.Other
	if cmd.Script != nil && knows {
		isShell = true
		bound, err := m.bind(a, cmd, warnings)
		if err != nil {
			return nil, err
		}
		script, req.Mentions = bound.Script, cmd.Script.Mentions()
		if req.Extra == nil {
			req.Extra = map[string]string{}
		}
		maps.Copy(req.Extra, bound.Vars)
		req.Shell = loads(sh, dialect)
	}
	block, err := a.Vars.Scope.Environment(req)
	if err != nil {
		return nil, err
	}
	*warnings = append(*warnings, block.Warnings...)
	p := &prepared{block: block}
	script = block.Prelude + script
	if sh.IsBuiltin() {
		return p.interpret(script), nil
	}
	p.argv = append([]string(nil), sh...)
	if isShell && len(script) <= maxArgument {
		p.argv = append(p.argv, "-c", script)
		return p, nil
	}
	if p.script, err = m.scriptFile(script); err != nil {
		return nil, errors.Join(err, block.Cleanup())
	}
	p.argv = append(p.argv, p.script)
	return p, nil
}

func (m *Machine) bind(a *step.Action, cmd *recipes.Command, warnings *[]string) (*shell.Bound, error) {
	var failure error
	bound, err := cmd.Script.Bind(template.Lookup(m.lookup(a.Vars, &failure)))
	switch {
	case failure != nil:
		return nil, failure
	case err != nil:
		return nil, err
	}
	// What a shell inside the command reads must be in the environment, which
	// takes no larger values; a prelude would not reach it.
	for _, name := range bound.Exported {
		if size := len(bound.Vars[name]); size > scope.MaxNamed {
			return nil, fmt.Errorf("the value of %s has %d bytes; a shell inside the command can be given %d at most: "+
				"let it read the file that %s_FILE names", name, size, scope.MaxNamed, name)
		}
	}
	return bound, m.remark(a, "command", bound.Unknown, warnings)
}

// scriptFile keeps a script where only this user can read it.
func (m *Machine) scriptFile(script string) (string, error) {
	file, err := os.CreateTemp(m.Store.Dir, "script-*")
	if err != nil {
		return "", fmt.Errorf("the script of the step: %w", err)
	}
	_, err = io.WriteString(file, script)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("the script of the step: %w", err), os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// child runs the process of a step and keeps its output.
func (m *Machine) child(ctx context.Context, a *step.Action, spec process.Spec) step.Result {
	kid, refusal := m.supervise(ctx, a, spec)
	if refusal != nil {
		return *refusal
	}
	exit := kid.exit
	ok := exit.Code == 0 && !exit.TimedOut && !exit.Idle && !exit.Cancelled
	res := m.capture(a, kid.out, ok)
	kid.tell(&res)
	if ok {
		if kid.stall != "" {
			res.Warnings = append(res.Warnings, kid.stall)
		}
		return res
	}
	res.OK = false
	res.Cause, res.Error = explain(exit, spec, kid.outs.errTail.String(), kid.outs.outTail.String())
	fate(a, &res)
	if kid.stall != "" {
		res.Error = kid.stall + ": " + res.Error
	}
	return res
}

// ended is a child that has ended, with its outputs kept.
type ended struct {
	exit           process.Exit
	outs           *outputs
	out            output
	stdout, stderr *value.Ref
	stall          string // what the watchdog said of it; empty: nothing
}

// tell puts into a result what every child has.
func (e *ended) tell(res *step.Result) {
	res.ExitCode, res.Signal = e.exit.Code, e.exit.Signal
	res.Stdout, res.Stderr = e.stdout, e.stderr
	for _, left := range e.exit.Survivors {
		res.Warnings = append(res.Warnings, fmt.Sprintf("process %d could not be ended", left.PID))
	}
}

// supervise runs a child, records it and keeps its outputs, which go to the
// writers of the spec as well. A refusal is the result where nothing ran, or
// where the outputs could not be kept.
func (m *Machine) supervise(ctx context.Context, a *step.Action, spec process.Spec) (e *ended, refusal *step.Result) {
	no := func(res step.Result) (*ended, *step.Result) { return nil, &res }
	if m.Guard != nil {
		leave, err := m.Guard.Enter()
		if err != nil {
			if recErr := m.refused(a, err); recErr != nil {
				return no(refuse(step.CauseState, recErr))
			}
			return no(step.Result{Cause: step.CauseGuard, ExitCode: step.ExitRefused, Error: err.Error()})
		}
		defer leave()
	}
	e = &ended{}
	stdout, stderr := spec.Stdout, spec.Stderr
	e.outs = m.open(a, &spec)
	spec.Stdout, spec.Stderr = both(stdout, spec.Stdout), both(stderr, spec.Stderr)
	var unrecorded error
	var own process.Ident
	spec.Started = m.started(a, &own, &unrecorded)
	exit, err := m.Family.Run(ctx, spec)
	out, closeErr := e.outs.close()
	if err != nil {
		return no(refuse(step.CauseStart, err))
	}
	if exit.OutputErr != nil {
		closeErr = nil // says the same
	}
	if err := errors.Join(unrecorded, exit.OutputErr, closeErr); err != nil {
		return no(refuse(step.CauseState, fmt.Errorf("the output of the step could not be kept: %w", err)))
	}
	e.exit, e.out = exit, out
	if e.stdout, e.stderr, err = e.outs.refs(); err == nil {
		e.stall, err = m.takeStall(a, own)
	}
	if err != nil {
		return no(refuse(step.CauseState, err))
	}
	return e, nil
}

func both(first, second io.Writer) io.Writer {
	if first == nil {
		return second
	}
	return io.MultiWriter(first, second)
}

// watch adds the tail, and whoever looks on, to a stream.
func (m *Machine) watch(path string, stream, tail io.Writer) io.Writer {
	if m.Output == nil {
		return io.MultiWriter(stream, tail)
	}
	return io.MultiWriter(stream, tail, onlooker{m.Output, path})
}

type onlooker struct {
	tell func(path string, piece []byte)
	path string
}

func (o onlooker) Write(piece []byte) (int, error) {
	o.tell(o.path, piece)
	return len(piece), nil
}
