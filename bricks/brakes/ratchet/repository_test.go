package ratchet_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/bricks/brakes/ratchet"
)

// world is a real repository with what a round may do to it.
type world struct {
	t    *testing.T
	top  string
	repo *ratchet.Repository
}

func gitEnv(more ...string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C",
		"GIT_AUTHOR_NAME=me", "GIT_AUTHOR_EMAIL=me@example.com", "GIT_COMMITTER_NAME=me", "GIT_COMMITTER_EMAIL=me@example.com",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always",
	}
	return append(env, more...)
}

func runGit(dir string, c ratchet.Command) (string, error) {
	cmd := exec.Command("git", c.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, gitEnv(c.Env...), strings.NewReader(c.Input)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("git %s: %w: %s", strings.Join(c.Args, " "), err, errOut.String())
	}
	return string(out), nil
}

// newWorld makes a repository without a commit.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, top: t.TempDir()}
	w.git("init", "--quiet", "--initial-branch=main")
	w.repo = &ratchet.Repository{
		Git:     func(c ratchet.Command) (string, error) { return runGit(w.top, c) },
		Top:     w.top,
		Scratch: filepath.Join(t.TempDir(), "index"),
		Name:    "loop-1",
	}
	return w
}

// newProject makes one with a.txt and dir/b.txt committed, and .env ignored.
func newProject(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.write("a.txt", "a\n")
	w.write("dir/b.txt", "b\n")
	w.write(".gitignore", ".env\nbuild/\n")
	w.git("add", "--all")
	w.git("commit", "--quiet", "-m", "first")
	w.write(".env", "secret\n")
	return w
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	out, err := runGit(w.top, ratchet.Command{Args: args})
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.top, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) remove(name string) {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Join(w.top, name)); err != nil {
		w.t.Fatal(err)
	}
}

// files reads the whole work tree; folders of repositories are left out.
func (w *world) files() map[string]string {
	w.t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(w.top, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Name() == ".git" {
			if d != nil && d.IsDir() {
				return filepath.SkipDir
			}
			return err
		}
		if d.IsDir() {
			return nil
		}
		name, err := filepath.Rel(w.top, path)
		if err != nil {
			return err
		}
		if d.Type()&os.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			found[name] = "-> " + target
			return err
		}
		data, err := os.ReadFile(path)
		found[name] = string(data)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

func (w *world) snapshot() ratchet.Snapshot {
	w.t.Helper()
	s, err := w.repo.Snapshot(w.repo.Accepted(), "accepted")
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) restore(accepted ratchet.Snapshot, end *ratchet.Snapshot) ratchet.Restored {
	w.t.Helper()
	done, err := w.repo.Restore(accepted, end)
	if err != nil {
		w.t.Fatal(err)
	}
	return done
}

func (w *world) want(files map[string]string) {
	w.t.Helper()
	if diff := cmp.Diff(files, w.files()); diff != "" {
		w.t.Error(diff)
	}
}

// rescued reads a file of a rescue commit.
func (w *world) rescued(done ratchet.Restored, name string) string {
	w.t.Helper()
	return w.git("show", done.RescueRef+":"+name)
}

func TestASnapshotHoldsTheWholeTreeAndTouchesNothing(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	w.write("a.txt", "staged\n")
	w.git("add", "a.txt")
	w.write("a.txt", "unstaged\n")
	w.write("new file.txt", "new\n")
	w.write("build/out", "ignored\n")
	w.remove("dir/b.txt")
	files, status, head := w.files(), w.git("status", "--porcelain"), w.git("rev-parse", "HEAD")
	index, err := os.ReadFile(filepath.Join(w.top, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	s := w.snapshot()
	after, err := os.ReadFile(filepath.Join(w.top, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(index, after) {
		t.Error("the user's index was written")
	}
	w.want(files)
	if w.git("status", "--porcelain") != status || w.git("rev-parse", "HEAD") != head {
		t.Error("the status or HEAD changed")
	}
	if got := w.git("ls-tree", "-r", "--name-only", s.Commit); got != ".gitignore\na.txt\nnew file.txt" {
		t.Errorf("the snapshot holds %q", got)
	}
	if got := w.git("show", s.Commit+":a.txt"); got != "unstaged" {
		t.Errorf("a.txt is %q", got)
	}
	if got := w.git("show", s.Index+":a.txt"); got != "staged" {
		t.Errorf("a.txt of the index is %q", got)
	}
	if s.Head != head || s.Branch != "refs/heads/main" || w.git("rev-parse", s.Commit+"^") != head {
		t.Errorf("got %+v", s)
	}
	loaded, err := w.repo.Load(w.repo.Accepted())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, loaded); diff != "" {
		t.Error(diff)
	}
}

func TestOnlySnapshotsAreLoaded(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	for _, ref := range []string{"HEAD", "refs/brickoven/loop-1/accepted", "--output=x", "nothing"} {
		if _, err := w.repo.Load(ref); !errors.Is(err, ratchet.ErrNoSnapshot) {
			t.Errorf("%s: got %v", ref, err)
		}
	}
}

func TestTheNameOfALoopCannotLeaveItsRefs(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	for _, name := range []string{"", "../heads", "a/b", "-x", "a b", "a..b"} {
		w.repo.Name = name
		if _, err := w.repo.Snapshot("", "x"); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
}

func TestChangedNamesBothSidesOfARename(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	from := w.snapshot()
	w.git("mv", "a.txt", "z.txt")
	w.write("dir/b.txt", "other\n")
	to, err := w.repo.Snapshot("", "to")
	if err != nil {
		t.Fatal(err)
	}
	changed, err := w.repo.Changed(from, to)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a.txt", "dir/b.txt", "z.txt"}, changed); diff != "" {
		t.Error(diff)
	}
}

func TestAWorktreeOfARepositoryHasItsOwnIndex(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	linked := &world{t: t, top: filepath.Join(t.TempDir(), "linked")}
	w.git("worktree", "add", "--quiet", "-b", "side", linked.top)
	linked.repo = &ratchet.Repository{
		Git: func(c ratchet.Command) (string, error) { return runGit(linked.top, c) },
		Top: linked.top, Scratch: filepath.Join(t.TempDir(), "index"), Name: "side",
	}
	before := linked.files()
	accepted := linked.snapshot()
	linked.write("a.txt", "round\n")
	linked.git("commit", "--quiet", "-am", "round")
	linked.restore(accepted, nil)
	linked.want(before)
	if w.git("rev-parse", "side") != w.git("rev-parse", "main") {
		t.Error("the branch of the worktree did not go back")
	}
}

func TestAReferenceIsCheckedOutBesideTheTree(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	w.git("tag", "v1")
	w.write("a.txt", "later\n")
	w.git("commit", "--quiet", "-am", "later")
	status := w.git("status", "--porcelain")
	dir := filepath.Join(t.TempDir(), "reference")
	commit, remove, err := w.repo.CheckOut("v1", dir)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(data) != "a\n" {
		t.Errorf("a.txt is %q, %v", data, err)
	}
	if commit != w.git("rev-parse", "v1^{commit}") || w.git("status", "--porcelain") != status {
		t.Errorf("got %s", commit)
	}
	if err := os.WriteFile(filepath.Join(dir, "left"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) || strings.Contains(w.git("worktree", "list"), dir) {
		t.Error("the work tree is left")
	}
	for _, revision := range []string{"", "nothing", "--detach", "^HEAD", "HEAD..v1"} {
		if _, _, err := w.repo.CheckOut(revision, dir); !errors.Is(err, ratchet.ErrNoCommit) {
			t.Errorf("%q: got %v", revision, err)
		}
	}
}
