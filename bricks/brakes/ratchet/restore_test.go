package ratchet_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/bricks/brakes/ratchet"
)

func TestARevertPutsTheWholeTreeBack(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	// The user's own uncommitted work, from before the loop.
	w.write("a.txt", "user's edit\n")
	w.write("notes.txt", "user's notes\n")
	w.write("dir/plan.txt", "plan\n")
	w.git("add", "dir/plan.txt")
	before, status := w.files(), w.git("status", "--porcelain")
	accepted := w.snapshot()

	w.write("a.txt", "round\n")
	w.remove("dir")
	w.write("dir", "a file now\n")
	w.write("deep/new/file.txt", "round\n")
	w.write("notes.txt", "round\n")
	w.git("add", "--all")
	done := w.restore(accepted, nil)

	w.want(before)
	if got := w.git("status", "--porcelain"); got != status {
		t.Errorf("the status is\n%s\nwant\n%s", got, status)
	}
	if _, err := os.Lstat(filepath.Join(w.top, "deep")); !errors.Is(err, os.ErrNotExist) {
		t.Error("an empty folder is left")
	}
	if w.rescued(done, "a.txt") != "round" || w.rescued(done, "deep/new/file.txt") != "round" {
		t.Error("the rescue commit lacks the round's work")
	}
	if len(done.Kept)+len(done.Submodules)+len(done.Undone) > 0 || done.HeadKept != "" {
		t.Errorf("got %+v", done)
	}
}

func TestAFileThatSomebodyEditedSinceTheRoundEndedStays(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	accepted := w.snapshot()
	w.write("a.txt", "round\n")
	w.write("dir/b.txt", "round\n")
	w.write("new.txt", "round\n")
	end, err := w.repo.Snapshot("", "end of the round")
	if err != nil {
		t.Fatal(err)
	}
	// While the judge and the check ran.
	w.write("dir/b.txt", "user\n")
	w.write("user.txt", "user\n")
	done := w.restore(accepted, &end)
	w.want(map[string]string{".env": "secret\n", ".gitignore": ".env\nbuild/\n", "a.txt": "a\n", "dir/b.txt": "user\n", "user.txt": "user\n"})
	if diff := cmp.Diff([]string{"dir/b.txt", "user.txt"}, done.Kept); diff != "" {
		t.Error(diff)
	}
}

func TestAFileThatTheUserEditedDuringTheRoundIsInTheRescueCommit(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	accepted := w.snapshot()
	w.write("a.txt", "user, while the agent ran\n")
	w.write("mine.txt", "user's new file\n")
	w.write("dir/b.txt", "round\n")
	done := w.restore(accepted, nil)
	if w.rescued(done, "a.txt") != "user, while the agent ran" || w.rescued(done, "mine.txt") != "user's new file" {
		t.Error("the user's edit is lost")
	}
	w.git("restore", "--source="+done.RescueRef, "--", "mine.txt")
	if w.files()["mine.txt"] != "user's new file\n" {
		t.Error("the file does not come back the way it is documented")
	}
}

func TestTheBranchGoesBackOverTheRoundsCommits(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	accepted := w.snapshot()
	w.write("a.txt", "round\n")
	w.git("commit", "--quiet", "-am", "round's commit")
	bad := w.git("rev-parse", "HEAD")
	done := w.restore(accepted, nil)
	if got := w.git("rev-parse", "main"); got != accepted.Head {
		t.Errorf("main is at %s, want %s", got, accepted.Head)
	}
	if !slices.Equal(done.Undone, []string{bad}) || w.git("rev-parse", done.RescueRef+"^") != bad {
		t.Errorf("the commit is not kept: %+v", done)
	}
	if got := w.git("status", "--porcelain"); got != "" {
		t.Errorf("the status is %q", got)
	}
}

func TestCommitsThatARemoteHasStay(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	remote := t.TempDir()
	w.git("init", "--quiet", "--bare", remote)
	w.git("remote", "add", "origin", remote)
	accepted := w.snapshot()
	w.write("a.txt", "round\n")
	w.git("commit", "--quiet", "-am", "pushed")
	w.git("push", "--quiet", "origin", "main")
	pushed := w.git("rev-parse", "HEAD")
	done := w.restore(accepted, nil)
	if w.git("rev-parse", "HEAD") != pushed || done.HeadKept == "" || len(done.Undone) > 0 {
		t.Errorf("got %+v", done)
	}
	if w.files()["a.txt"] != "a\n" {
		t.Error("the tree did not go back")
	}
}

func TestAnotherBranchIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	accepted := w.snapshot()
	w.git("switch", "--quiet", "--create", "other")
	w.write("a.txt", "round\n")
	w.git("commit", "--quiet", "-am", "on other")
	head := w.git("rev-parse", "HEAD")
	done := w.restore(accepted, nil)
	if w.git("rev-parse", "other") != head || w.git("symbolic-ref", "HEAD") != "refs/heads/other" || done.HeadKept == "" {
		t.Errorf("got %+v", done)
	}
	w = newProject(t)
	accepted = w.snapshot()
	w.git("commit", "--quiet", "--amend", "-m", "rewritten")
	if done := w.restore(accepted, nil); done.HeadKept != "the branch was rewritten" {
		t.Errorf("got %+v", done)
	}
}

func TestARepositoryWithoutACommitIsRestoredToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("draft.txt", "user\n")
	accepted := w.snapshot()
	w.write("draft.txt", "round\n")
	w.write("x.txt", "round\n")
	w.git("add", "--all")
	w.git("commit", "--quiet", "-m", "the very first")
	done := w.restore(accepted, nil)
	w.want(map[string]string{"draft.txt": "user\n"})
	if _, err := runGit(w.top, ratchet.Command{Args: []string{"rev-parse", "--verify", "--quiet", "HEAD"}}); err == nil {
		t.Error("the branch is still born")
	}
	if len(done.Undone) != 1 || w.rescued(done, "x.txt") != "round" {
		t.Errorf("got %+v", done)
	}
}

func TestSubmodulesAndNestedRepositoriesAreNotTouched(t *testing.T) {
	t.Parallel()
	library := newWorld(t)
	library.write("lib.c", "lib\n")
	library.git("add", "--all")
	library.git("commit", "--quiet", "-m", "lib")
	w := newProject(t)
	w.git("submodule", "--quiet", "add", library.top, "sub")
	w.git("commit", "--quiet", "-m", "with a submodule")
	w.git("init", "--quiet", "nested") // a repository without a commit
	w.write("nested/n.txt", "nested\n")
	accepted := w.snapshot()
	if diff := cmp.Diff([]string{"nested/"}, accepted.Nested); diff != "" {
		t.Error(diff)
	}

	sub := &world{t: t, top: filepath.Join(w.top, "sub")}
	sub.write("lib.c", "round\n")
	sub.git("commit", "--quiet", "-am", "inside")
	sub.write("dirty.txt", "uncommitted inside\n")
	w.git("add", "sub")
	w.write("nested/n.txt", "changed\n")
	w.write("a.txt", "round\n")
	head := sub.git("rev-parse", "HEAD")
	done := w.restore(accepted, nil)
	if diff := cmp.Diff([]string{"sub"}, done.Submodules); diff != "" {
		t.Error(diff)
	}
	files := w.files()
	if files["sub/lib.c"] != "round\n" || files["sub/dirty.txt"] != "uncommitted inside\n" || files["nested/n.txt"] != "changed\n" || files["a.txt"] != "a\n" {
		t.Errorf("got %v", files)
	}
	if sub.git("rev-parse", "HEAD") != head {
		t.Error("the submodule's HEAD moved")
	}
}

func TestIgnoredFilesAreNeverOverwrittenOrRemoved(t *testing.T) {
	t.Parallel()
	t.Run("in place of a folder's file", func(t *testing.T) {
		t.Parallel()
		w := newProject(t)
		accepted := w.snapshot()
		w.remove("a.txt")
		w.write("a.txt/.env", "ignored inside a.txt\n")
		w.write("a.txt/more", "round\n")
		done := w.restore(accepted, nil)
		if got := w.files()["a.txt/.env"]; got != "ignored inside a.txt\n" {
			t.Errorf("the ignored file is %q", got)
		}
		if diff := cmp.Diff([]string{"a.txt"}, done.Kept); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("captured before and ignored by the round", func(t *testing.T) {
		t.Parallel()
		w := newProject(t)
		w.write("data.txt", "user\n")
		accepted := w.snapshot()
		w.write(".gitignore", ".env\nbuild/\ndata.txt\n")
		w.write("data.txt", "round\n")
		done := w.restore(accepted, nil)
		if w.files()["data.txt"] != "user\n" || w.rescued(done, "data.txt") != "round" {
			t.Errorf("data.txt is %q", w.files()["data.txt"])
		}
	})
	t.Run("made and ignored by the round", func(t *testing.T) {
		t.Parallel()
		w := newProject(t)
		accepted := w.snapshot()
		w.write(".gitignore", ".env\nbuild/\ncache.bin\n")
		w.write("cache.bin", "who knows\n")
		done := w.restore(accepted, nil)
		if w.files()["cache.bin"] != "who knows\n" || !slices.Equal(done.Kept, []string{"cache.bin"}) {
			t.Errorf("got %+v", done)
		}
	})
	t.Run("tracked although ignored", func(t *testing.T) {
		t.Parallel()
		w := newProject(t)
		w.write("build/kept", "user\n")
		w.git("add", "--force", "build/kept")
		accepted := w.snapshot()
		w.write("build/kept", "round\n")
		w.restore(accepted, nil)
		if got := w.files()["build/kept"]; got != "user\n" {
			t.Errorf("build/kept is %q", got)
		}
	})
}

func TestFilesThatGitWasToldToLookAwayFromAreCaptured(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--assume-unchanged", "--skip-worktree"} {
		w := newProject(t)
		w.git("update-index", flag, "a.txt")
		w.write("a.txt", "user's local setting\n")
		accepted := w.snapshot()
		w.write("a.txt", "round\n")
		done := w.restore(accepted, nil)
		if got := w.files()["a.txt"]; got != "user's local setting\n" || w.rescued(done, "a.txt") != "round" {
			t.Errorf("%s: a.txt is %q", flag, got)
		}
	}
}

func TestLinksModesAndOddNamesComeBack(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.MkdirAll(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "b.txt"), []byte("not ours\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.write("-dash", "1\n")
	w.write("sp ace/ü\ttab", "2\n")
	w.write(":(glob)x*", "3\n")
	if err := os.Symlink("a.txt", filepath.Join(w.top, "link")); err != nil {
		t.Skip(err)
	}
	if err := os.Chmod(filepath.Join(w.top, "a.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := w.files()
	accepted := w.snapshot()
	for _, name := range []string{"-dash", "sp ace", ":(glob)x*", "link", "dir"} {
		w.remove(name)
	}
	w.write("link", "a file\n")
	w.write("added\nline", "x\n")
	if err := os.Chmod(filepath.Join(w.top, "a.txt"), 0o644); err != nil {
		t.Fatal(err)
	}
	// A folder that became a link must not lead the restore out of the tree.
	if err := os.Symlink(outside, filepath.Join(w.top, "dir")); err != nil {
		t.Fatal(err)
	}
	w.restore(accepted, nil)
	w.want(before)
	if info, err := os.Stat(filepath.Join(w.top, "a.txt")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("the mode of a.txt is %v, %v", info.Mode(), err)
	}
	if data, err := os.ReadFile(filepath.Join(outside, "b.txt")); err != nil || string(data) != "not ours\n" {
		t.Errorf("the file outside is %q, %v", data, err)
	}
}

func TestARestoreInTheMiddleOfAMergeIsRefused(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	accepted := w.snapshot()
	w.git("switch", "--quiet", "--create", "other")
	w.write("a.txt", "theirs\n")
	w.git("commit", "--quiet", "-am", "theirs")
	w.git("switch", "--quiet", "main")
	w.write("a.txt", "ours\n")
	w.git("commit", "--quiet", "-am", "ours")
	if _, err := runGit(w.top, ratchet.Command{Args: []string{"merge", "other"}}); err == nil {
		t.Fatal("the merge has no conflict")
	}
	files := w.files()
	_, err := w.repo.Restore(accepted, nil)
	var op *ratchet.OperationError
	if !errors.As(err, &op) || op.Operation != "merge" {
		t.Fatalf("got %v", err)
	}
	w.want(files)
	// A snapshot is possible, and has no index.
	if s, err := w.repo.Snapshot("", "x"); err != nil || s.Index != "" {
		t.Errorf("got %+v and %v", s, err)
	}
}

func TestARestoreCanBeRepeated(t *testing.T) {
	t.Parallel()
	w := newProject(t)
	before := w.files()
	accepted := w.snapshot()
	w.write("a.txt", "round\n")
	w.write("x.txt", "round\n")
	w.restore(accepted, nil)
	again := w.restore(accepted, nil)
	w.want(before)
	if len(again.Paths) > 0 {
		t.Errorf("the second time it put back %v", again.Paths)
	}
}
