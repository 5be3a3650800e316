package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/runner/step"
)

// Sessions keeps the sessions of loops. It is safe for concurrent use.
type Sessions interface {
	// Do carries out a Session action.
	Do(ctx context.Context, a *step.Action) step.Result
	// Within gives the context of an action inside of loops, which ends early
	// when one of them is told to stop at once. The error means that a loop that
	// goes on in this process cannot be held. Release is called after the action.
	Within(ctx context.Context, a *step.Action) (bounded context.Context, release func(), err error)
}

// ErrNoSessions tells that a loop was run where nothing keeps its session.
var ErrNoSessions = errors.New("loops have no place for their sessions here")

func (m *Machine) session(ctx context.Context, a *step.Action) step.Result {
	if m.Sessions == nil {
		return refuse(step.CauseStart, ErrNoSessions)
	}
	return m.Sessions.Do(ctx, a)
}

func (m *Machine) within(ctx context.Context, a *step.Action) (bounded context.Context, release func(), err error) {
	if m.Sessions == nil || len(a.Loops) == 0 {
		return ctx, func() {}, nil
	}
	return m.Sessions.Within(ctx, a)
}

// snapshot makes a commit of each work tree as it is now, untracked files
// included, without a trace in the user's index or tree. Ignored files are left
// out; the commits are kept from collection by a ref that no branch shows.
func (m *Machine) snapshot(ctx context.Context, a *step.Action) step.Result {
	commits := make([]string, len(a.Dirs))
	for i, dir := range a.Dirs {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(m.WorkDir, dir)
		}
		if _, err := m.Git(ctx, dir, "rev-parse", "--show-toplevel"); err != nil {
			if ctx.Err() != nil {
				return refuse(step.CauseCancelled, context.Cause(ctx))
			}
			continue // outside of git
		}
		commit, err := m.commitTree(ctx, dir)
		if err != nil {
			return refuse(step.CauseState, fmt.Errorf("the snapshot of %s: %w", dir, err))
		}
		commits[i] = commit
	}
	text := strings.Join(commits, "\n")
	return step.Result{OK: true, Value: text, Text: text}
}

// snapshotRef is where the newest snapshot of a repository's work tree lies.
const snapshotRef = "refs/brickoven/snapshot"

func (m *Machine) commitTree(ctx context.Context, dir string) (commit string, err error) {
	scratch, err := os.MkdirTemp(m.Store.Dir, "index-*")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	env := []string{
		"GIT_INDEX_FILE=" + filepath.Join(scratch, "index"),
		"GIT_AUTHOR_NAME=brickoven snapshot", "GIT_AUTHOR_EMAIL=" + m.SnapshotEmail,
		"GIT_COMMITTER_NAME=brickoven snapshot", "GIT_COMMITTER_EMAIL=" + m.SnapshotEmail,
	}
	git := func(args ...string) (string, error) {
		out, err := m.gitWith(ctx, dir, env, args...)
		return strings.TrimSpace(out), err
	}
	top, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	dir = top
	index := []string{"read-tree", "--empty"}
	head, headErr := git("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if headErr == nil {
		index = []string{"read-tree", head}
	}
	if _, err := git(index...); err != nil {
		return "", err
	}
	if _, err := git("add", "--all", "--", "."); err != nil {
		return "", err
	}
	tree, err := git("write-tree")
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", "--no-gpg-sign", "-m", "brickoven snapshot", tree}
	if headErr == nil {
		args = append(args, "-p", head)
	}
	if commit, err = git(args...); err != nil {
		return "", err
	}
	_, err = git("update-ref", snapshotRef, commit)
	return commit, err
}

// gitWith is Git with more environment.
func (m *Machine) gitWith(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	return m.FeedGit(ctx, dir, env, nil, args...)
}

// overlay is an environment with each variable once; those of over win.
func overlay(base, over []string) []string {
	name := func(entry string) string { return entry[:strings.IndexByte(entry, '=')+1] }
	env := slices.DeleteFunc(slices.Clone(base), func(entry string) bool {
		return slices.ContainsFunc(over, func(other string) bool { return name(entry) == name(other) })
	})
	return append(env, over...)
}
