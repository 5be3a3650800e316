package diff

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// repository is a scratch repository that the property test changes at random.
type repository struct {
	dir string
	env []string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	r := &repository{dir: dir, env: append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")}
	return r
}

type fataler interface{ Fatalf(string, ...any) }

func (r *repository) git(t fataler, args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// oddNames hold what diffs have to quote, and what looks like their own text.
var oddNames = []string{
	"plain.go", "my file.txt", "tab\there", "quo\"te", "back\\slash", "äöü.md", "new\nline", "b/x", "a b/a b", "x b/x", " => ", "{a => b}",
	"deep/er/file", "-dash", "sub => dir/f", "trailing ", "raw\xff\xfe", "diff --git a", "+++ b", "dir with space/and\ttab",
}

// bodies hold lines that look like headers once a sign stands in front.
var bodies = []string{"", "a\n", "a\nb\nc\n", "-- note\n++ other.go\n", "@@ -1 +1 @@\n", "no newline", "x\r\ny\r\n", "bin\x00ary", "diff --git a/y b/y\n",
	strings.Repeat("same\n", 30), strings.Repeat("same\n", 29) + "end\n"}

func (r *repository) write(t *rapid.T, name, body string) {
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return
	}
	if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
		return
	}
}

// scramble makes random changes to the work tree.
func (r *repository) scramble(t *rapid.T) {
	for range rapid.IntRange(1, 6).Draw(t, "changes") {
		name := rapid.SampledFrom(oddNames).Draw(t, "name")
		path := filepath.Join(r.dir, name)
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0, 1:
			r.write(t, name, rapid.SampledFrom(bodies).Draw(t, "body"))
		case 2:
			_ = os.Remove(path)
		case 3:
			to := filepath.Join(r.dir, rapid.SampledFrom(oddNames).Draw(t, "to"))
			if os.MkdirAll(filepath.Dir(to), 0o755) == nil {
				_ = os.Rename(path, to)
			}
		case 4:
			_ = os.Chmod(path, 0o755)
		}
	}
}

func TestParseAgreesWithGitOnRandomChanges(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.git(t, "init", "-q")
	rapid.Check(t, func(t *rapid.T) {
		r.git(t, "add", "-A")
		r.git(t, "commit", "-q", "--allow-empty", "-m", "diff --git a/m b/m")
		r.scramble(t)
		r.git(t, "add", "-A")
		options := rapid.SampledFrom([][]string{
			{"-M"}, {"--no-renames"}, {"-C", "--find-copies-harder"}, {"--binary", "-M"}, {"--no-prefix", "-M"}, {"-U0", "-M"},
			{"--src-prefix=old/", "--dst-prefix=new/", "-M"}, {"-c", "--function-context"}, {"--stat", "-p", "-M"}, {"-M", "--summary", "-p"},
		}).Draw(t, "options")
		text := r.git(t, append([]string{"diff", "--cached"}, options...)...)
		want, sources := names(r.git(t, append([]string{"diff", "--cached", "--name-status", "-z"}, without(options)...)...))
		patch := Parse(text)
		if diff := cmp.Diff(want, patch.Paths()); diff != "" {
			t.Fatalf("git diff %v\n%s\n%s", options, diff, text)
		}
		if faults := patch.Faults(); len(faults) > 0 {
			t.Fatalf("git diff %v: %v\n%s", options, faults, text)
		}
		for _, file := range patch.Files {
			if file.From != sources[file.Path] {
				t.Fatalf("%q came from %q, git says %q", file.Path, file.From, sources[file.Path])
			}
		}
	})
}

// without drops the options that would print more than names.
func without(options []string) []string {
	return slices.DeleteFunc(slices.Clone(options), func(o string) bool {
		return slices.Contains([]string{"--stat", "-p", "--summary", "--binary", "-U0", "-c", "--function-context"}, o)
	})
}

// names reads git diff --name-status -z: the sorted destinations, and where
// renames and copies came from.
func names(out string) (paths []string, sources map[string]string) {
	paths, sources = []string{}, map[string]string{}
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		if c := fields[i][0]; c == 'R' || c == 'C' {
			sources[fields[i+2]] = fields[i+1]
			i++
		}
		paths = append(paths, fields[i+1])
	}
	slices.Sort(paths)
	return paths, sources
}
