package ratchet

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoCommit is a reference that names no commit of the repository.
var ErrNoCommit = errors.New("names no commit")

// CheckOut checks a commit out into a work tree of its own, so that the loop's
// check can be run there; dir must not exist yet. Submodules are not filled,
// and no hook runs. remove takes the work tree away with everything that the
// check left in it; a nil error comes with a remove to call.
func (r *Repository) CheckOut(revision, dir string) (commit string, remove func() error, err error) {
	// What git could read as an option or a range never gets to it.
	if revision == "" || revision[0] == '-' || revision[0] == '^' || strings.Contains(revision, "..") {
		return "", nil, fmt.Errorf("reference %q %w", revision, ErrNoCommit)
	}
	commit, err = r.run("rev-parse", "--verify", "--quiet", revision+"^{commit}")
	if err != nil {
		return "", nil, fmt.Errorf("reference %q %w", revision, ErrNoCommit)
	}
	if _, err := r.run("-c", "core.hooksPath=/dev/null", "worktree", "add", "--detach", dir, commit); err != nil {
		return "", nil, fmt.Errorf("reference %s: %w", revision, err)
	}
	remove = func() error {
		_, err := r.run("worktree", "remove", "--force", "--force", dir)
		return err
	}
	return commit, remove, nil
}
