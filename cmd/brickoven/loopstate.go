package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/state"
)

// apart refuses to begin a loop in a work tree of which git sees the state of
// its own run: each round would count what is recorded of it as its work, and
// what takes a round back would take its record back. The state folder's own
// .gitignore prevents that, unless it is not ours.
func (l *loopSessions) apart(ctx context.Context, dir string) error {
	tree := repositoryRoot(dir)
	if tree == "" {
		return nil
	}
	tree, err := filepath.EvalSymlinks(tree)
	if err != nil {
		return err
	}
	root, err := filepath.EvalSymlinks(filepath.Dir(filepath.Dir(l.runDir)))
	if err != nil {
		return err
	}
	separator := string(filepath.Separator)
	if !strings.HasPrefix(root+separator, strings.TrimSuffix(tree, separator)+separator) {
		return nil
	}
	for _, room := range []string{state.Locations{Dir: root}.Runs(), state.Locations{Dir: root}.Sessions()} {
		// Where git cannot answer, it sees nothing of the state either.
		_, err := l.git(ctx, tree, nil, nil, "check-ignore", "-q", "--", filepath.Join(room, "any"))
		var refused *local.GitError
		if errors.As(err, &refused) && refused.Code == 1 {
			return fmt.Errorf("the state folder %s lies in the loop's work tree %s and git does not ignore %s, so the loop would take its own record for work: "+
				"choose a folder outside (--state-dir, BRICKOVEN_STATE_DIR), or write /runs/, /sessions/, /ledgers/, /trees/ and /debt/ into %s",
				root, tree, room, filepath.Join(root, ".gitignore"))
		}
	}
	return nil
}
