package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/state"
)

// repository is a repository with one commit, and what works on it.
func repositoryFor(t *testing.T) (*loopTrees, string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &local.Machine{WorkDir: top, Base: append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")}
	runDir := filepath.Join(t.TempDir(), "runs", "r1")
	trees := &loopTrees{opened: map[string]bool{}, git: m.FeedGit, workDir: top, runDir: runDir, runID: "r1", places: state.Locations{Dir: filepath.Dir(filepath.Dir(runDir))}}
	gitIn(t, trees, top, "init", "-q")
	put(t, top, "a", "one\n")
	gitIn(t, trees, top, "add", ".")
	gitIn(t, trees, top, "commit", "-q", "-m", "first")
	return trees, top
}

func gitIn(t *testing.T, trees *loopTrees, dir string, args ...string) string {
	t.Helper()
	out, err := trees.git(context.Background(), dir, nil, nil, args...)
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(out)
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func captured(t *testing.T, trees *loopTrees, since []runner.Tree) runner.TreeStand {
	t.Helper()
	stand, err := trees.capture(context.Background(), "loop1", []string{"."}, since)
	if err != nil {
		t.Fatal(err)
	}
	return stand
}

// A process that was killed in the middle of git leaves locks, or half an index,
// of the loop's own. They keep no later process from going on.
func TestWhatADeadProcessLeftOfTheIndexIsClearedAway(t *testing.T) {
	t.Parallel()
	trees, top := repositoryFor(t)
	before := captured(t, trees, nil)
	r, err := trees.repository(context.Background(), "loop1", top)
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range []struct{ name, text string }{{r.Scratch + ".lock", ""}, {r.Scratch, "half an index"}} {
		if err := os.WriteFile(left.name, []byte(left.text), 0o600); err != nil {
			t.Fatal(err)
		}
		put(t, top, "b", left.name)
		again := &loopTrees{opened: map[string]bool{}, git: trees.git, workDir: trees.workDir, runDir: trees.runDir, runID: "r1", places: trees.places}
		if stand := captured(t, again, before.Trees); !slices.Equal(stand.Changed, []string{"b"}) {
			t.Errorf("%s: changed %v", left.name, stand.Changed)
		}
	}
}

// The accepted changes are the repository's debt; a round that changed nothing is
// none, and one that is accepted again after a crash counts once.
func TestAcceptedChangesAreCountedOnce(t *testing.T) {
	t.Parallel()
	trees, top := repositoryFor(t)
	ctx := context.Background()
	first := captured(t, trees, nil)
	put(t, top, "a", "two\n")
	second := captured(t, trees, first.Trees)
	load := runner.TreeAcceptance{Trees: second.Trees, Before: first.Trees, Round: 1, Counted: true}
	same := runner.TreeAcceptance{Trees: second.Trees, Before: second.Trees, Round: 2, Counted: true}
	for _, l := range []runner.TreeAcceptance{load, load, same} {
		if err := trees.accept(ctx, "loop1", l); err != nil {
			t.Fatal(err)
		}
	}
	book, err := openDebtBook(trees.places, top)
	if err != nil {
		t.Fatal(err)
	}
	debt, err := book.read()
	if err != nil || len(debt.Changes) != 1 || debt.Changes[0].Commit != second.Trees[0].Commit || debt.Changes[0].Base != first.Trees[0].Commit {
		t.Errorf("the debt is %+v, %v", debt, err)
	}
	if got := gitIn(t, trees, top, "rev-parse", "refs/brickoven/loop1/accepted"); got != second.Trees[0].Commit {
		t.Errorf("accepted is %s", got)
	}
}

// A reference is checked out beside the work tree, and leaves no trace there,
// although a dead process had left half of one.
func TestAReferenceLeavesNoTrace(t *testing.T) {
	t.Parallel()
	trees, top := repositoryFor(t)
	ctx := context.Background()
	if err := os.Mkdir(filepath.Join(top, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(top, "sub"), "c", "here\n")
	gitIn(t, trees, top, "add", ".")
	gitIn(t, trees, top, "commit", "-q", "-m", "second")
	where := runner.TreeReference{Revision: "HEAD", Dir: filepath.Join(top, "sub")}
	for range 2 { // the second time the first one is still there
		v, err := trees.checkOut(ctx, "loop1", where)
		if err != nil {
			t.Fatal(err)
		}
		place := v.(map[string]any)
		if _, err := os.Stat(filepath.Join(place["dir"].(string), "c")); err != nil {
			t.Error(err)
		}
		where.Place = place["place"].(string)
	}
	if err := trees.remove(ctx, where); err != nil {
		t.Fatal(err)
	}
	if list := gitIn(t, trees, top, "worktree", "list"); strings.Count(list, "\n") != 0 {
		t.Errorf("the work trees are %s", list)
	}
	if status := gitIn(t, trees, top, "status", "--short"); status != "" {
		t.Errorf("the work tree has %s", status)
	}
	if _, err := trees.checkOut(ctx, "loop1", runner.TreeReference{Revision: "v9", Dir: top}); err == nil {
		t.Error("a commit that is not there was checked out")
	}
}
