package evidence_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/bricks/evidence"
)

// scratch is a real repository, and a world that counts git's processes.
type scratch struct {
	t     *testing.T
	dir   string
	count int
}

func newScratch(t *testing.T, name string) *scratch {
	t.Helper()
	s := &scratch{t: t, dir: filepath.Join(t.TempDir(), name)}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.git("init", "-q", "-b", "main", ".")
	return s
}

func run(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, errOut.String())
	}
	return out.String(), nil
}

func (s *scratch) git(args ...string) string {
	s.t.Helper()
	out, err := run(s.dir, args...)
	if err != nil {
		s.t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(out)
}

func (s *scratch) write(name, text string) {
	s.t.Helper()
	full := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// commit commits everything and returns the commit's id.
func (s *scratch) commit() string {
	s.t.Helper()
	s.git("add", "-A")
	s.git("commit", "-q", "--allow-empty", "-m", "work")
	return s.git("rev-parse", "HEAD")
}

// snapshot commits the whole tree to a private ref as brickoven does, without
// touching the index or HEAD.
func (s *scratch) snapshot() string {
	s.t.Helper()
	index := filepath.Join(s.t.TempDir(), "index")
	step := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = s.dir
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+index, "GIT_AUTHOR_NAME=b", "GIT_AUTHOR_EMAIL=b@example.com",
			"GIT_COMMITTER_NAME=brickoven snapshot", "GIT_COMMITTER_EMAIL="+evidence.SnapshotEmail)
		out, err := cmd.Output()
		if err != nil {
			s.t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	step("read-tree", "HEAD")
	step("add", "-A")
	return step("commit-tree", "-p", "HEAD", "-m", "snapshot", step("write-tree"))
}

func (s *scratch) world() evidence.World {
	at := func(dir string) string {
		if filepath.IsAbs(dir) {
			return dir
		}
		return filepath.Join(s.dir, dir)
	}
	return evidence.World{
		Git: func(dir string, args ...string) (string, error) {
			if !strings.HasPrefix(args[len(args)-1], ":(top,literal)") {
				s.count++
			}
			return run(at(dir), args...)
		},
		Files: func(dir string) fs.FS { return os.DirFS(at(dir)) },
	}
}

// measure collects with at most four git processes a repository, beside those
// that compare an untracked file.
func (s *scratch) measure(in evidence.Inputs) evidence.Evidence {
	s.t.Helper()
	s.count = 0
	e := evidence.Collect(in, s.world())
	if repositories := max(1, len(strings.Fields(in.RepoPath))); s.count > 4*repositories {
		s.t.Errorf("%d git processes, want at most 4", s.count)
	}
	return e
}

type want struct{ commits, lines, files, untracked int }

func check(t *testing.T, e evidence.Evidence, w want) {
	t.Helper()
	got := want{e.CommitsSinceBaseline, e.DiffLines, e.FilesChanged, e.UntrackedFiles}
	if got != w || !bool(e.GitObserved) {
		t.Errorf("observed %v, got %+v, want %+v; notices %q", e.GitObserved, got, w, e.Notices)
	}
}

func warned(e evidence.Evidence) bool {
	return strings.Contains(strings.Join(e.Notices, "\n"), "WARNING")
}

func lines(n int) string { return strings.Repeat("a line of text that is long enough\n", n) }

func TestGitCountsCommittedStagedAndUnstagedChanges(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "repo")
	s.write("a", "1\n2\n3\n")
	s.write("b", "1\n")
	base := s.commit()
	check(t, s.measure(evidence.Inputs{BaselineRef: base}), want{})

	s.write("committed", "1\n2\n")
	s.commit()
	s.write("staged", "1\n2\n3\n4\n")
	s.git("add", "staged")
	s.write("a", "1\n2\n3\nunstaged\n")
	s.write("left over", "not ours\n")
	e := s.measure(evidence.Inputs{BaselineRef: base})
	check(t, e, want{commits: 1, lines: 2 + 4 + 1, files: 3, untracked: 1})
	if e.DiffStat != "3 files changed, 7 insertions(+), 0 deletions(-)" {
		t.Errorf("diff_stat %q", e.DiffStat)
	}
	if warned(e) {
		t.Errorf("notices %q, want none", e.Notices)
	}
}

func TestGitIsRenameAwareAndCountsBinaryFilesAsOne(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "repo")
	s.write("old name", lines(40))
	s.write("image", "\x00\x01\x02")
	base := s.commit()
	s.git("mv", "old name", "new name")
	check(t, s.measure(evidence.Inputs{BaselineRef: base}), want{files: 1})
	s.write("new name", lines(40)+"one more\n")
	s.write("image", "\x00\x01\x02\x03\n\n\n\n")
	check(t, s.measure(evidence.Inputs{BaselineRef: base}), want{lines: 1 + 1, files: 2})
}

func TestOddPathsAreCountedRight(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "-a repo\twith odd name")
	base := s.commit()
	for _, name := range []string{"with space", "-dash", "ü", "tab\there", "new\nline", "=>", "? q"} {
		s.write(name, "1\n")
	}
	s.git("add", "-A")
	check(t, s.measure(evidence.Inputs{BaselineRef: base, RepoPath: s.dir}), want{lines: 7, files: 7})
	parent := &scratch{t: t, dir: filepath.Dir(s.dir)}
	check(t, evidence.Collect(evidence.Inputs{BaselineRef: base, RepoPath: filepath.Base(s.dir)}, parent.world()), want{lines: 7, files: 7})
}

func TestUnresolvableBaselineFallsBackWithAWarning(t *testing.T) {
	t.Parallel()
	for _, baseline := range []string{"", "no-such-ref", "--output=x", "-p", "^HEAD", "HEAD..HEAD", "HEAD:a", "a b", "HEAD^{tree}", "$(touch x)"} {
		s := newScratch(t, "repo")
		s.write("a", "1\n")
		s.commit()
		s.commit()
		s.write("a", "1\n2\n")
		s.write("b", "1\n")
		s.git("add", "b")
		e := s.measure(evidence.Inputs{BaselineRef: baseline})
		check(t, e, want{lines: 2, files: 2})
		if !warned(e) {
			t.Errorf("baseline %q: notices %q, want a WARNING", baseline, e.Notices)
		}
		for _, made := range []string{"x", "x^{commit}"} {
			if _, err := os.Stat(filepath.Join(s.dir, made)); err == nil {
				t.Errorf("baseline %q made the file %s", baseline, made)
			}
		}
	}
}

func TestNotARepositoryIsUnobserved(t *testing.T) {
	t.Parallel()
	s := &scratch{t: t, dir: t.TempDir()}
	for _, dir := range []string{s.dir, filepath.Join(s.dir, "missing")} {
		e := s.measure(evidence.Inputs{RepoPath: dir, BaselineRef: "HEAD"})
		if bool(e.GitObserved) || e.DiffLines != 0 || !strings.HasPrefix(e.Notices[0], "[skip] not a git repo") {
			t.Errorf("observed %v, notices %q", e.GitObserved, e.Notices)
		}
	}
}

func TestRepositoryWithoutACommit(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		s := newScratch(t, "repo")
		s.git("init", "-q", "--object-format="+format, "other")
		s.dir = filepath.Join(s.dir, "other")
		s.write("staged", "1\n2\n")
		s.git("add", "staged")
		s.write("unknown", "1\n")
		check(t, s.measure(evidence.Inputs{BaselineRef: "HEAD"}), want{lines: 2, files: 1, untracked: 1})
	}
}

func TestDetachedHeadAndWorktree(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "repo")
	s.write("a", "1\n")
	base := s.commit()
	s.git("checkout", "-q", "--detach")
	s.write("a", "1\n2\n")
	aside := s.commit()
	check(t, s.measure(evidence.Inputs{BaselineRef: base}), want{commits: 1, lines: 1, files: 1})

	tree := filepath.Join(s.dir, "..", "tree")
	s.git("worktree", "add", "-q", "-b", "side", tree, base)
	w := &scratch{t: t, dir: tree}
	w.write("b", "1\n")
	w.commit()
	check(t, w.measure(evidence.Inputs{BaselineRef: base}), want{commits: 1, lines: 1, files: 1})
	check(t, w.measure(evidence.Inputs{BaselineRef: aside}), want{commits: 1, lines: 2, files: 2})
}

func TestSubmoduleChangesCountAndItsUntrackedFilesDoNot(t *testing.T) {
	t.Parallel()
	inner := newScratch(t, "inner")
	inner.write("f", "1\n")
	inner.commit()
	s := newScratch(t, "repo")
	s.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "sub")
	base := s.commit()
	s.write("sub/stray", "1\n")
	check(t, s.measure(evidence.Inputs{BaselineRef: base}), want{})
	s.write("sub/f", "2\n")
	check(t, s.measure(evidence.Inputs{BaselineRef: base}), want{lines: 1, files: 1})
	check(t, s.measure(evidence.Inputs{RepoPath: "sub", BaselineRef: "HEAD"}), want{lines: 2, files: 1, untracked: 1})
}

func TestUntrackedFilesCountInDiffLinesAgainstASnapshotOnly(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "repo")
	s.write("tracked", "1\n")
	head := s.commit()
	s.write("left from before", lines(30))
	s.write("dir/changed later", "1\n2\n3\n")
	snapshot := s.snapshot()
	check(t, s.measure(evidence.Inputs{BaselineRef: snapshot}), want{untracked: 2})

	s.write("new", "1\n2")
	s.write("binary", "\x00\n\n\n")
	s.write("dir/changed later", "1\n2\n3\n4\n")
	s.write("tracked", "1\n2\n")
	check(t, s.measure(evidence.Inputs{BaselineRef: head}), want{lines: 1, files: 1, untracked: 4})
	inFolder := evidence.Inputs{BaselineRef: snapshot, RepoPath: "dir"}
	for _, in := range []evidence.Inputs{{BaselineRef: snapshot}, inFolder} {
		check(t, s.measure(in), want{lines: 1 + 2 + 1 + 1, files: 4, untracked: 4})
	}

	s.git("add", "new")
	s.git("commit", "-q", "-m", "keep it")
	if err := os.Remove(filepath.Join(s.dir, "left from before")); err != nil {
		t.Fatal(err)
	}
	check(t, s.measure(evidence.Inputs{BaselineRef: snapshot}), want{commits: 1, lines: 1 + 2 + 1 + 1 + 30, files: 5, untracked: 2})
}

func TestChangedUntrackedFilesAreComparedLineByLine(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "repo")
	s.write("tracked", "1\n")
	s.commit()
	s.write("-notes *[x] é\"", lines(500))
	s.write("dir/log", "1\n2\n3\n")
	s.write("becomes binary", "1\n2\n")
	s.write("stays", "1\r\n")
	if err := os.Symlink("one", filepath.Join(s.dir, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	snapshot := s.snapshot()
	s.write("-notes *[x] é\"", lines(501))
	s.write("dir/log", "0\n2\n3")
	s.write("becomes binary", "1\n\x00")
	if err := errors.Join(os.Remove(filepath.Join(s.dir, "link")), os.Symlink("two", filepath.Join(s.dir, "link"))); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"", "dir"} {
		check(t, s.measure(evidence.Inputs{BaselineRef: snapshot, RepoPath: folder}), want{lines: 1 + (2 + 2) + 1 + 2, files: 4, untracked: 5})
	}

	// Whole folders of them are not compared one by one.
	for i := range 40 {
		s.write(fmt.Sprint("many/", i), "1\n2\n")
	}
	snapshot = s.snapshot()
	for i := range 40 {
		s.write(fmt.Sprint("many/", i), "1\n2\n3\n")
	}
	check(t, s.measure(evidence.Inputs{BaselineRef: snapshot}), want{lines: 32*1 + 8*(2+3), files: 40, untracked: 45})

	// A line end that git takes for the same is no change.
	s.git("config", "core.autocrlf", "true")
	s.git("config", "diff.relative", "true")
	s.write("windows", "1\r\n2\r\n")
	snapshot = s.snapshot()
	check(t, s.measure(evidence.Inputs{BaselineRef: snapshot, RepoPath: "dir"}), want{untracked: 46})
	s.write("windows", "1\r\n2\r\n3\r\n")
	check(t, s.measure(evidence.Inputs{BaselineRef: snapshot, RepoPath: "dir"}), want{lines: 1, files: 1, untracked: 46})
}

func TestUntrackedSymlinksAndNestedRepositories(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "repo")
	s.commit()
	if err := os.Symlink("target", filepath.Join(s.dir, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	snapshot := s.snapshot()
	check(t, s.measure(evidence.Inputs{BaselineRef: snapshot}), want{untracked: 1})
	s.git("init", "-q", "nested")
	check(t, s.measure(evidence.Inputs{BaselineRef: snapshot}), want{lines: 1, files: 1, untracked: 2})
}

func TestSeveralRepositoriesAreSummedUp(t *testing.T) {
	t.Parallel()
	one, two := newScratch(t, "one"), newScratch(t, "two")
	one.write("a", "1\n")
	first := one.commit()
	two.write("b", "1\n")
	second := two.commit()
	one.write("a", "2\n")
	two.write("b", "1\n2\n")
	two.commit()
	e := one.measure(evidence.Inputs{RepoPath: one.dir + "\n\n " + two.dir + "\n/missing", BaselineRef: first + "\n" + second})
	check(t, e, want{commits: 1, lines: 3, files: 2})
	if len(e.Notices) != 1 || !strings.HasPrefix(e.Notices[0], "[skip] not a git repo: /missing") {
		t.Errorf("notices %q", e.Notices)
	}
	e = one.measure(evidence.Inputs{RepoPath: one.dir + "\n" + two.dir, BaselineRef: "HEAD"})
	check(t, e, want{lines: 2, files: 1})
}

func TestAuthorsGitSettingsDoNotChangeTheCount(t *testing.T) {
	t.Parallel()
	s := newScratch(t, "repo")
	s.write("dir/a", "1\n")
	s.write("b", "1\n")
	base := s.commit()
	for _, setting := range [][2]string{
		{"diff.external", "false"}, {"diff.relative", "true"}, {"diff.renames", "false"}, {"color.ui", "always"},
		{"log.showSignature", "true"}, {"diff.noprefix", "true"}, {"status.relativePaths", "true"}, {"status.showUntrackedFiles", "no"},
	} {
		s.git("config", setting[0], setting[1])
	}
	s.write("b", "1\n2\n")
	s.write("dir/new", "1\n")
	check(t, s.measure(evidence.Inputs{BaselineRef: base, RepoPath: "dir"}), want{lines: 1, files: 1, untracked: 1})
}

func TestBrokenGitOutputIsAWarningAndNoMovement(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("a", 40)
	world := evidence.World{
		Git: func(_ string, args ...string) (string, error) {
			switch args[1] {
			case "status":
				return "# branch.oid " + id + "\x00", nil
			case "show":
				return id + "\na@example.com\n", nil
			case "rev-list":
				return "many\n", nil
			}
			return ":garbage\x00", errors.Join()
		},
		Files: func(string) fs.FS { return os.DirFS(t.TempDir()) },
	}
	e := evidence.Collect(evidence.Inputs{BaselineRef: "x"}, world)
	check(t, e, want{})
	if len(e.Notices) != 2 || !warned(e) {
		t.Errorf("notices %q, want two warnings", e.Notices)
	}
}
