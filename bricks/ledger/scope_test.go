package ledger

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/bricks/ledger/diff"
)

func TestTheShapesOfAScope(t *testing.T) {
	t.Parallel()
	const header = "commit 1234567890123456789012345678901234567890 (HEAD)\nMerge: 1 2\nAuthor: A <a@b>\nDate:   today\n\n    subject | 3\n    other.go | 5 ++\n\nNotes:\n    a note\n\n"
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"stat", header + " a.go          |  3 +--\n b/img.png | Bin 0 -> 12 bytes\n 2 files changed\n", []string{"a.go", "b/img.png"}},
		{"only stat lines count when there are any", " a.go | 3 +--\nb.go\n", []string{"a.go"}},
		{"name-only", header + "a.go\nAuthor: me\n", []string{"a.go", "Author: me"}},
		{"name-status", "M\ta.go\nR100\told\tnew\nC75\tfrom\tto\nD\tgone\n", []string{"a.go", "new", "to", "gone"}},
		{"numstat", "1\t2\ta.go\n-\t-\timg.png\n", []string{"a.go", "img.png"}},
		{"raw", ":100644 100644 1234567 89abcde M\ta.go\n:100644 100644 1 2 R100\told\tnew\n", []string{"a.go", "new"}},
		{"quoted", " \"\\303\\244.txt\" | 1 +\n", []string{"ä.txt"}},
		{"a path with a bar", " a | b.go | 1 +\n", []string{"a | b.go"}},
		{"carriage returns", "a.go\r\nb.go\r\n", []string{"a.go", "b.go"}},
		{"a conflict", " a.go | Unmerged\n", []string{"a.go"}},
		{"summary lines", " a.go | 0\n create mode 100644 a.go\n rename x => y (100%)\n", []string{"a.go"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, d := range parseScope(test.text) {
				got = append(got, d.paths[0])
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheReadingsOfARename(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a => b": "b", "d/{a => b}/f": "d/b/f", "{a => b}/f": "b/f", "d/{ => n}/f": "d/n/f", "d/{o => }/f": "d/f", "{ => n}/f": "n/f", "{o => }/f": "f",
		".../{a => b}/f": "x/b/f", "...a => b}/f": "x/b/f", ".../o => b}/f": "x/b/f", "...ong.txt": "x/long.txt", "...w}/f": "x/new/f", `"a" => "b\tc"`: "b\tc", "...o => }/f": "x/f",
		"{a => b}": "{a => b}",
	} {
		if _, left := resolveAll([]declared{readName(text)}, map[string]bool{want: true, "unrelated": true}); len(left) > 0 {
			t.Errorf("%s is not read as %s: %+v", text, want, readName(text))
		}
	}
}

// git abbreviates one name so far that it ends another one, too; the other line
// tells which is which.
func TestAnAbbreviatedNameIsWhatOtherLinesLeave(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{"deep/er/and/even/that/file.go": true, "deep/er/other/even/that/file.go": true}
	long, short := readName(".../and/even/that/file.go"), readName(".../even/that/file.go")
	for _, lines := range [][]declared{{long, short}, {short, long}} {
		if named, left := resolveAll(lines, covered); len(left) > 0 || len(named) != 2 {
			t.Errorf("named %v, left %v", named, left)
		}
	}
	if _, left := resolveAll([]declared{short}, covered); len(left) != 1 {
		t.Error("a name that can mean two files was taken for one of them")
	}
	if _, left := resolveAll([]declared{long, short}, map[string]bool{"deep/er/and/even/that/file.go": true}); len(left) != 1 {
		t.Error("two lines were taken for one file")
	}
}

// scratch is a repository with one commit of random changes on top.
type scratch struct {
	dir string
	env []string
}

func (s scratch) git(t fataler, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

var scopeNames = []string{
	"plain.go", "my file.txt", "tab\there", "quo\"te", "äöü.md", "a | b", "deep/er/and/even/deeper/than/that/file.go", "deep/er/other/even/deeper/than/that/file.go",
	"a/very/long/path/that/does/not/fit/into/eighty/columns/and/is/cut/off/by/git/show/stat/one.txt", "another_very_long_file_name_without_any_folder_that_git_has_to_cut_off_in_its_middle_part.txt",
	"trailing ", "=> x", "b}c/d{e/f", "x/y", "dir with space/file",
}

func (s scratch) scramble(t *rapid.T) {
	for range rapid.IntRange(1, 5).Draw(t, "changes") {
		path := filepath.Join(s.dir, rapid.SampledFrom(scopeNames).Draw(t, "name"))
		to := filepath.Join(s.dir, rapid.SampledFrom(scopeNames).Draw(t, "to"))
		if os.MkdirAll(filepath.Dir(path), 0o755) != nil || os.MkdirAll(filepath.Dir(to), 0o755) != nil {
			continue
		}
		body := strings.Repeat(rapid.StringMatching(`[a-d]{3}\n`).Draw(t, "line"), rapid.IntRange(0, 20).Draw(t, "lines"))
		var err error
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0, 1:
			err = os.WriteFile(path, []byte(body), 0o600)
		case 2:
			err = os.Remove(path)
		default:
			err = os.Rename(path, to)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("%v", err)
		}
	}
}

func TestEveryShapeOfScopeIsCoveredByTheWholeDiffAndByNoPartOfIt(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	s := scratch{dir: dir, env: append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")}
	s.git(t, "init", "-q")
	s.git(t, "commit", "-q", "--allow-empty", "-m", "first")
	rapid.Check(t, func(t *rapid.T) {
		s.scramble(t)
		s.git(t, "add", "-A")
		s.git(t, "commit", "-q", "--allow-empty", "-m", "plain.go | 3 +++\n\nother.go\n")
		text := s.git(t, "show", "-M", "HEAD")
		patch := diff.Parse(text)
		if len(patch.Files) == 0 {
			return
		}
		sections := strings.Split(text, "\ndiff --git ")
		shape := rapid.SampledFrom(scopeShapes).Draw(t, "shape")
		scope := s.git(t, shape...)
		p, err := Assemble(Exhibits{Diff: []byte(text), Verification: []byte("v"), Scope: []byte(scope)})
		if err != nil || p.Scope.Provenance != Verified || len(p.Scope.UndeclaredPaths) > 0 {
			t.Fatalf("git %v: %v, %+v\n%s\n%s", shape, err, p.Scope, scope, text)
		}
		lost := rapid.IntRange(1, len(sections)-1).Draw(t, "lost section")
		part := strings.Join(append(append([]string{}, sections[:lost]...), sections[lost+1:]...), "\ndiff --git ")
		if _, err := Assemble(Exhibits{Diff: []byte(part), Verification: []byte("v"), Scope: []byte(scope)}); err == nil {
			t.Fatalf("git %v: a diff without section %d passes\n%s\n%s", shape, lost, scope, part)
		}
	})
}

var scopeShapes = [][]string{
	{"show", "-M", "--stat"}, {"show", "-M", "--name-only"}, {"show", "-M", "--name-status"}, {"diff", "-M", "--stat", "HEAD~1"},
	{"show", "--no-renames", "--name-only"}, {"show", "-M", "--numstat"}, {"show", "-M", "--raw"}, {"show", "-M", "--stat", "--summary"},
	{"diff", "-M", "--stat=60", "HEAD~1"},
}

func FuzzScope(f *testing.F) {
	f.Add([]byte(oneFile), []byte(" {a => b}/c | 3\n...x} | 2\n"))
	f.Fuzz(func(t *testing.T, text, scope []byte) {
		p, err := Assemble(Exhibits{Diff: text, Verification: []byte("v"), Scope: scope})
		if err == nil && scope != nil && p.Scope.Provenance != Verified && len(bytes.TrimSpace(scope)) > 0 {
			t.Errorf("a declared scope is %s", p.Scope.Provenance)
		}
	})
}
