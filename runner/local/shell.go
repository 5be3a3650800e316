package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"time"

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

// defaultHookTimeout bounds a hook (issue "Control flow").
const defaultHookTimeout = 30 * time.Second

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
		Argv: cmd.argv, Dir: dir, Env: cmd.block.Env, Kill: kill,
		Timeout: timeout(a), IdleTimeout: a.Def.IdleTimeout, Leftover: leftover(a.Def),
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
	argv   []string
	block  *scope.Block
	script string // a private script file, or empty
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
		req.Shell = scope.Bash
		if dialect == shell.POSIX {
			req.Shell = scope.POSIX
		}
	}
	block, err := a.Vars.Scope.Environment(req)
	if err != nil {
		return nil, err
	}
	*warnings = append(*warnings, block.Warnings...)
	p := &prepared{block: block}
	script = block.Prelude + script
	p.argv = append([]string(nil), sh...)
	if len(p.argv) == 0 {
		p.argv = []string{"bash"}
	}
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
	if m.Guard != nil {
		leave, err := m.Guard.Enter()
		if err != nil {
			if recErr := m.refused(a, err); recErr != nil {
				return refuse(step.CauseState, recErr)
			}
			return step.Result{Cause: step.CauseGuard, ExitCode: step.ExitRefused, Error: err.Error()}
		}
		defer leave()
	}
	outs := m.open(a, &spec)
	var unrecorded error
	var own process.Ident
	spec.Started = m.started(a, &own, &unrecorded)
	exit, err := m.Family.Run(ctx, spec)
	out, closeErr := outs.close()
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	if exit.OutputErr != nil {
		closeErr = nil // says the same
	}
	if err := errors.Join(unrecorded, exit.OutputErr, closeErr); err != nil {
		return refuse(step.CauseState, fmt.Errorf("the output of the step could not be kept: %w", err))
	}
	ok := exit.Code == 0 && !exit.TimedOut && !exit.Idle && !exit.Cancelled
	res := m.capture(a, out, ok)
	res.ExitCode, res.Signal = exit.Code, exit.Signal
	if res.Stdout, res.Stderr, err = outs.refs(); err != nil {
		return refuse(step.CauseState, err)
	}
	for _, left := range exit.Survivors {
		res.Warnings = append(res.Warnings, fmt.Sprintf("process %d could not be ended", left.PID))
	}
	stall, err := m.takeStall(a, own)
	if err != nil {
		return refuse(step.CauseState, err)
	}
	if ok {
		if stall != "" {
			res.Warnings = append(res.Warnings, stall)
		}
		return res
	}
	res.OK = false
	res.Cause, res.Error = explain(exit, spec, outs.errTail.String(), outs.outTail.String())
	if stall != "" {
		res.Error = stall + ": " + res.Error
	}
	return res
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

// explain words how a process failed.
func explain(exit process.Exit, spec process.Spec, stderr, stdout string) (step.Cause, string) {
	switch {
	case exit.TimedOut:
		return step.CauseTimeout, fmt.Sprintf("timed out after %s: %s", spec.Timeout,
			commandFailed(exit.Code, exit.Signal, stderr, stdout))
	case exit.Idle:
		return step.CauseIdle, fmt.Sprintf("no output for %s (idle_timeout): %s", spec.IdleTimeout,
			commandFailed(exit.Code, exit.Signal, stderr, stdout))
	case exit.Cancelled:
		return step.CauseCancelled, "cancelled: " + commandFailed(exit.Code, exit.Signal, stderr, stdout)
	}
	return "", commandFailed(exit.Code, exit.Signal, stderr, stdout)
}

// commandFailed is the text that existing callers look for, with the last lines
// of both outputs.
func commandFailed(code int, signal, stderr, stdout string) string {
	how := fmt.Sprintf("exit %d", code)
	if signal != "" {
		how += ", " + signal
	}
	text := fmt.Sprintf("Command failed (%s): %s", how, stderr)
	if stdout != "" {
		text = strings.TrimRight(text, " ") + "\nstdout: " + stdout
	}
	return text
}

// tail is the end of a text as an error message shows it.
func tail(text string) string {
	t := process.NewTail()
	if _, err := io.WriteString(t, text); err != nil {
		return ""
	}
	return t.String()
}

// output is what a step printed.
type output struct {
	text      string
	truncated bool
	place     *process.Place // where it lies already; nil: nowhere yet
}

// capture makes text and value of what a step printed. JSON is looked for only
// where the step succeeded.
func (m *Machine) capture(a *step.Action, out output, ok bool) step.Result {
	res := step.Result{OK: ok, Truncated: out.truncated}
	clean, changed := value.Clean(out.text)
	if changed {
		res.Warnings = append(res.Warnings, "the output holds NUL bytes or is not UTF-8; its variable has it cleaned, the log as it was")
	}
	text, v := value.Capture(clean)
	if ok && a.Def.ParseJSON {
		answer, err := m.answer(a, text)
		if err != nil {
			res.OK, res.Cause, res.Error = false, step.CauseJSON, err.Error()
		} else {
			v, text = answer, value.JSON(answer)
			out.place = nil
		}
	}
	if changed || out.truncated {
		out.place = nil
	}
	var err error
	if res.Text, err = m.keepText(a, text, out); err != nil {
		return refuse(step.CauseState, err)
	}
	res.Value = v
	if ref, large := res.Text.(value.Ref); large {
		_, isText := v.(string)
		ref.JSON = !isText
		res.Value = ref
	}
	return res
}

// keepText gives the text itself, or a reference to where it lies in the spool
// already.
func (m *Machine) keepText(a *step.Action, text string, out output) (any, error) {
	if len(text) <= value.MaxInline {
		return text, nil
	}
	if out.place == nil {
		return m.Store.put(a.ID, text, false)
	}
	lead := strings.Index(out.text[:min(len(out.text), len(out.text)-len(text)+1)], text[:1])
	place := *out.place
	place.Offset += int64(max(lead, 0))
	place.Length = int64(len(text))
	return value.Ref{Hash: Digest(text), Size: place.Length, Place: place.String()}, nil
}

func (m *Machine) hookTimeout() time.Duration {
	return cmp.Or(m.HookTimeout, defaultHookTimeout)
}

func (m *Machine) hook(ctx context.Context, a *step.Action, kill <-chan struct{}) step.Result {
	var warnings []string
	env := append([]string(nil), m.Base...)
	for _, name := range []string{"BRICKOVEN_STEP_ID", "BRICKOVEN_STEP_STATUS", "BRICKOVEN_STEP_ERROR"} {
		env = append(env, name+"="+clip(a.HookEnv[name], scope.MaxNamed))
	}
	cmd, err := m.prepare(a, a.Recipe.Defaults.Shell, a.Hook, env, nil, &warnings)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	res := m.child(ctx, a, process.Spec{
		Argv: cmd.argv, Dir: m.WorkDir, Env: cmd.block.Env, Kill: kill,
		Timeout: m.hookTimeout(), Leftover: process.EndWithRun,
	})
	if err := cmd.close(); err != nil {
		warnings = append(warnings, err.Error())
	}
	res.Warnings = append(warnings, res.Warnings...)
	return res
}

// clip cuts a text to a number of bytes without NUL, as an environment takes it.
func clip(text string, limit int) string {
	text = strings.ReplaceAll(text, "\x00", "")
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}

// stage runs git add -A after an agent's work.
func (m *Machine) stage(ctx context.Context, a *step.Action, _ <-chan struct{}) step.Result {
	var warnings []string
	dir, err := m.folder(a, &warnings)
	if err == nil {
		_, err = m.Git(ctx, dir, "add", "-A")
	}
	if err != nil {
		return refuse("", err)
	}
	return step.Result{OK: true, Warnings: warnings}
}
