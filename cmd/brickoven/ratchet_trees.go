package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/brickoven/brickoven/bricks/brakes/comprehension"
	"github.com/brickoven/brickoven/bricks/brakes/ratchet"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/state"
	"github.com/brickoven/brickoven/runner/step"
)

// loopTrees captures the work trees of the loops of one run, and puts them back.
type loopTrees struct {
	git     func(ctx context.Context, dir string, env []string, stdin io.Reader, args ...string) (string, error)
	workDir string
	runDir  string
	runID   string
	places  state.Locations

	mu     sync.Mutex
	opened map[string]bool // the indexes that this process has looked at
}

func newLoopTrees(m *local.Machine, runID string) *loopTrees {
	return &loopTrees{
		opened: map[string]bool{}, git: m.FeedGit, workDir: m.WorkDir, runDir: m.Store.Dir, runID: runID,
		places: state.Locations{Dir: filepath.Dir(filepath.Dir(m.Store.Dir))},
	}
}

// Do carries out a Trees action.
func (t *loopTrees) Do(ctx context.Context, a *step.Action) step.Result {
	v, err := t.do(ctx, a)
	switch {
	case err == nil:
		return step.Result{OK: true, Value: value.From(v)}
	case ctx.Err() != nil:
		return step.Result{Cause: step.CauseCancelled, ExitCode: -1, Error: context.Cause(ctx).Error()}
	}
	return step.Result{Cause: step.CauseState, ExitCode: -1, Error: err.Error()}
}

func (t *loopTrees) do(ctx context.Context, a *step.Action) (any, error) {
	call := a.Tree
	switch call.Op {
	case step.TreeCapture:
		return t.capture(ctx, call.Loop, a.Dirs, call.Load.([]runner.Tree))
	case step.TreeAccept:
		return nil, t.accept(ctx, call.Loop, call.Load.(runner.TreeAcceptance))
	case step.TreeRestore:
		return t.restore(ctx, call.Loop, call.Load.(runner.TreeReturn))
	case step.TreeCheckOut:
		return t.checkOut(ctx, call.Loop, call.Load.(runner.TreeReference))
	case step.TreeRemove:
		return nil, t.remove(ctx, call.Load.(runner.TreeReference))
	case step.TreeUnread:
		return t.unread(ctx, a.Dirs)
	}
	return nil, fmt.Errorf("the work trees know no %q", call.Op)
}

// topOf is the repository of a folder; empty outside of git.
func (t *loopTrees) topOf(ctx context.Context, dir string) (string, error) {
	if info, err := os.Stat(t.place(dir)); err != nil || !info.IsDir() {
		return "", nil
	}
	out, err := t.git(ctx, t.place(dir), nil, nil, "rev-parse", "--show-toplevel")
	var refused *local.GitError
	if errors.As(err, &refused) {
		return "", nil
	}
	return strings.TrimRight(out, "\r\n"), err
}

// tops are the repositories of folders, each once.
func (t *loopTrees) tops(ctx context.Context, dirs []string) ([]string, error) {
	var tops []string
	for _, dir := range dirs {
		top, err := t.topOf(ctx, dir)
		if err != nil {
			return nil, err
		}
		if top != "" && !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	return tops, nil
}

func (t *loopTrees) place(dir string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(t.workDir, dir)
}

// repository is a work tree with the private refs and the index of a loop.
func (t *loopTrees) repository(ctx context.Context, loop, top string) (*ratchet.Repository, error) {
	own := filepath.Join(t.runDir, "trees", loop)
	if err := state.Prepare(own); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(top))
	r := &ratchet.Repository{
		Top: top, Name: loop, Scratch: filepath.Join(own, "index-"+hex.EncodeToString(sum[:6])),
		Git: func(c ratchet.Command) (string, error) {
			return t.git(ctx, top, c.Env, strings.NewReader(c.Input), c.Args...)
		},
	}
	return r, t.mend(r)
}

// mend clears away what a process that died left of a loop's own index: locks,
// and the index itself where git cannot read it.
func (t *loopTrees) mend(r *ratchet.Repository) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.opened[r.Scratch] {
		return nil
	}
	t.opened[r.Scratch] = true
	locks, err := filepath.Glob(r.Scratch + "*.lock")
	if err != nil {
		return err
	}
	for _, lock := range locks {
		if err := os.Remove(lock); err != nil {
			return err
		}
	}
	_, err = r.Git(ratchet.Command{Args: []string{"ls-files", "--unmerged"}, Env: []string{"GIT_INDEX_FILE=" + r.Scratch}})
	var refused *local.GitError
	if !errors.As(err, &refused) {
		return err
	}
	if err := os.Remove(r.Scratch); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (t *loopTrees) capture(ctx context.Context, loop string, dirs []string, since []runner.Tree) (runner.TreeStand, error) {
	stand := runner.TreeStand{Trees: []runner.Tree{}, Changed: []string{}, Bases: []string{}}
	for _, dir := range dirs {
		top, err := t.topOf(ctx, dir)
		if err != nil {
			return stand, err
		}
		if known := treeOf(stand.Trees, top); known != nil || top == "" {
			commit := ""
			if known != nil {
				commit = known.Commit
			}
			stand.Bases = append(stand.Bases, commit)
			continue
		}
		r, err := t.repository(ctx, loop, top)
		if err != nil {
			return stand, err
		}
		now, err := r.Snapshot(snapshotRef, "brickoven: a loop's work tree")
		if err != nil {
			return stand, err
		}
		stand.Trees = append(stand.Trees, runner.Tree{Top: top, Snapshot: now})
		stand.Bases = append(stand.Bases, now.Commit)
		if before := treeOf(since, top); before != nil {
			changed, err := r.Changed(before.Snapshot, now)
			if err != nil {
				return stand, err
			}
			stand.Changed = append(stand.Changed, changed...)
		}
	}
	return stand, nil
}

// snapshotRef is where the newest snapshot of a work tree lies, so that git does
// not prune it while it is needed.
const snapshotRef = "refs/brickoven/snapshot"

func refsOf(loop string) string { return "refs/brickoven/" + loop + "/" }

func treeOf(trees []runner.Tree, top string) *runner.Tree {
	if i := slices.IndexFunc(trees, func(tree runner.Tree) bool { return tree.Top == top }); i >= 0 {
		return &trees[i]
	}
	return nil
}

// accept names the accepted states by refs, and takes their changes into the
// debt.
func (t *loopTrees) accept(ctx context.Context, loop string, load runner.TreeAcceptance) error {
	for _, tree := range load.Trees {
		r, err := t.repository(ctx, loop, tree.Top)
		if err != nil {
			return err
		}
		message := "brickoven: accepted after round " + strconv.Itoa(load.Round)
		if _, err := r.Git(ratchet.Command{Args: []string{"update-ref", "-m", message, r.Accepted(), tree.Commit}}); err != nil {
			return err
		}
		before := treeOf(load.Before, tree.Top)
		if !load.Counted || before == nil || before.Tree == tree.Tree {
			continue
		}
		// The change can be read as long as nobody has signed for it.
		ref := refsOf(loop) + "round/" + strconv.Itoa(load.Round)
		if _, err := r.Git(ratchet.Command{Args: []string{"update-ref", "-m", message, ref, tree.Commit}}); err != nil {
			return err
		}
		book, err := openDebtBook(t.places, tree.Top)
		if err != nil {
			return err
		}
		change := comprehension.Change{Commit: tree.Commit, Base: before.Commit, Head: tree.Head, Run: t.runID}
		if err := book.change(ctx, func(d *comprehension.Debt) (bool, error) { d.Add(change); return true, nil }); err != nil {
			return err
		}
	}
	return nil
}

func (t *loopTrees) restore(ctx context.Context, loop string, load runner.TreeReturn) (any, error) {
	restored := []ratchet.Restored{}
	for _, tree := range load.Accepted {
		r, err := t.repository(ctx, loop, tree.Top)
		if err != nil {
			return nil, err
		}
		var end *ratchet.Snapshot
		if ended := treeOf(load.Ended, tree.Top); ended != nil {
			end = &ended.Snapshot
		}
		done, err := r.Restore(tree.Snapshot, end)
		if err != nil {
			return nil, err
		}
		restored = append(restored, done)
	}
	return map[string]any{"restored": restored}, nil
}

// checkOut gives a commit a work tree of its own, inside of the run's folder.
func (t *loopTrees) checkOut(ctx context.Context, loop string, load runner.TreeReference) (any, error) {
	dir := t.place(load.Dir)
	tops, err := t.tops(ctx, []string{dir})
	if err != nil {
		return nil, err
	}
	if len(tops) == 0 {
		return nil, fmt.Errorf("%s is outside of git, so that there is no commit %s", dir, load.Revision)
	}
	prefix, err := t.git(ctx, dir, nil, nil, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	r, err := t.repository(ctx, loop, tops[0])
	if err != nil {
		return nil, err
	}
	place := filepath.Join(t.runDir, "trees", loop, "reference")
	if err := t.clear(ctx, tops[0], place); err != nil {
		return nil, err
	}
	commit, _, err := r.CheckOut(load.Revision, place)
	if err != nil {
		return nil, err
	}
	return map[string]any{"commit": commit, "dir": filepath.Join(place, strings.TrimRight(prefix, "\r\n")), "place": place}, nil
}

// clear takes a work tree of our own away, one that a process that died left
// half made too.
func (t *loopTrees) clear(ctx context.Context, top, place string) error {
	_, err := t.git(ctx, top, nil, nil, "worktree", "remove", "--force", "--force", place)
	var refused *local.GitError
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	if err := os.RemoveAll(place); err != nil {
		return err
	}
	_, err = t.git(ctx, top, nil, nil, "worktree", "prune")
	return err
}

func (t *loopTrees) remove(ctx context.Context, load runner.TreeReference) error {
	tops, err := t.tops(ctx, []string{load.Dir})
	if err != nil || len(tops) == 0 {
		return err
	}
	return t.clear(ctx, tops[0], load.Place)
}

// unread lists the unread changes of the repositories that a loop works in,
// with the acknowledgements, which so stand in the run's journal.
func (t *loopTrees) unread(ctx context.Context, dirs []string) (any, error) {
	tops, err := t.tops(ctx, dirs)
	if err != nil {
		return nil, err
	}
	unread, acks := []string{}, []comprehension.Ack{}
	for _, top := range tops {
		book, err := openDebtBook(t.places, top)
		if err != nil {
			return nil, err
		}
		err = book.change(ctx, func(d *comprehension.Debt) (bool, error) {
			unread, acks = append(unread, d.Unread()...), append(acks, d.Acks...)
			return false, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return map[string]any{"unread": unread, "acks": acks}, nil
}
