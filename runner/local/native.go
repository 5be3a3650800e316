package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/runner/step"
)

// Native is a function that native steps use. Its standard output goes through
// the same capture as that of a shell step. The error means that it could not
// do its work; a judgement against the caller is an exit code.
type Native func(ctx context.Context, call Call) (NativeResult, error)

// Call is what a native function gets.
type Call struct {
	// Inputs are all variables that the step sees, with large ones loaded, and
	// under steps how the earlier steps of its recipe ended.
	Inputs map[string]any
	// Dir is the step's working directory.
	Dir string
	// Git runs git in a folder and returns its standard output.
	Git func(dir string, args ...string) (string, error)
}

// NativeResult is what a native function printed and its exit code.
type NativeResult struct {
	Stdout   string
	Stderr   string
	ExitCode int
}

func (m *Machine) native(ctx context.Context, a *step.Action) step.Result {
	fn, ok := m.Natives[a.Def.Uses]
	if !ok {
		return refuse(step.CauseStart, fmt.Errorf("there is no native function %q (there are: %s)", a.Def.Uses, m.nativeNames()))
	}
	var warnings []string
	dir, err := m.folder(a, &warnings)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	call, err := m.call(ctx, a, dir)
	if err != nil {
		return refuse(step.CauseState, err)
	}
	if a.Def.Timeout > 0 {
		bounded, cancel := context.WithTimeout(ctx, a.Def.Timeout)
		defer cancel()
		ctx = bounded
	}
	out, err := fn(ctx, call)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return step.Result{Cause: step.CauseTimeout, ExitCode: step.ExitTimeout, Error: fmt.Sprintf("timed out after %s", a.Def.Timeout)}
	}
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	return m.printed(a, out, warnings)
}

// call collects what a native function gets to see.
func (m *Machine) call(ctx context.Context, a *step.Action, dir string) (Call, error) {
	call := Call{Inputs: map[string]any{}, Dir: dir}
	for name, v := range a.Vars.Scope.All() {
		whole, err := m.Store.Whole(v)
		if err != nil {
			return Call{}, err
		}
		call.Inputs[name] = whole
	}
	if _, taken := call.Inputs["steps"]; !taken {
		ends, err := m.Store.Whole(a.Vars.Steps)
		if err != nil {
			return Call{}, err
		}
		call.Inputs["steps"] = ends
	}
	call.Git = func(dir string, args ...string) (string, error) { return m.Git(ctx, dir, args...) }
	return call, nil
}

// printed passes the output of a native function or a stub through the capture
// of every other step.
func (m *Machine) printed(a *step.Action, out NativeResult, warnings []string) step.Result {
	res := m.capture(a, output{text: out.Stdout}, out.ExitCode == 0)
	res.ExitCode = out.ExitCode
	res.Warnings = append(warnings, res.Warnings...)
	if out.ExitCode != 0 {
		res.OK = false
		res.Error = commandFailed(out.ExitCode, "", strings.TrimRight(out.Stderr, "\n"), tail(out.Stdout))
	} else if text := strings.TrimSpace(out.Stderr); text != "" {
		res.Warnings = append(res.Warnings, text)
	}
	if m.Output != nil && out.Stderr != "" {
		m.Output(a.Path, []byte(out.Stderr))
	}
	return res
}

func (m *Machine) nativeNames() string {
	var names []string
	for name := range m.Natives {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// GitError is a git command that did not succeed.
type GitError struct {
	Args   []string
	Code   int
	Stderr string
}

func (e *GitError) Error() string {
	return fmt.Sprintf("git %s (exit %d): %s", strings.Join(e.Args, " "), e.Code, e.Stderr)
}

// Git runs git in a folder and returns its standard output. Neither the user's
// pager nor a prompt can hold it. The error is a [*GitError], or says that git
// could not be started.
func (m *Machine) Git(ctx context.Context, dir string, args ...string) (string, error) {
	return m.FeedGit(ctx, dir, nil, nil, args...)
}
