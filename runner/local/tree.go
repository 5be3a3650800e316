package local

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
)

// Trees captures the work trees of loops with brakes, and puts them back. It is
// safe for concurrent use.
type Trees interface {
	// Do carries out a Trees action.
	Do(ctx context.Context, a *step.Action) step.Result
}

// ErrNoTrees tells that a loop with brakes was run where nothing keeps its work
// tree.
var ErrNoTrees = errors.New("the brakes of loops cannot look at work trees here")

func (m *Machine) trees(ctx context.Context, a *step.Action) step.Result {
	if m.Trees == nil {
		return refuse(step.CauseStart, ErrNoTrees)
	}
	return m.Trees.Do(ctx, a)
}

// FeedGit is [Machine.Git] with more environment, as NAME=value, and a standard
// input. The output is as git printed it.
func (m *Machine) FeedGit(ctx context.Context, dir string, env []string, stdin io.Reader, args ...string) (string, error) {
	var out strings.Builder
	errTail := process.NewTail()
	exit, err := m.Family.Run(ctx, process.Spec{
		Argv: append([]string{"git"}, args...), Dir: dir, Stdin: stdin,
		Env:    overlay(m.Base, append([]string{"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0"}, env...)),
		Stdout: &out, Stderr: errTail,
	})
	switch {
	case err != nil:
		return "", err
	case exit.Cancelled:
		return "", errors.New("git was cancelled")
	case exit.Code != 0:
		return out.String(), &GitError{Args: args, Code: exit.Code, Stderr: errTail.String()}
	}
	return out.String(), nil
}
