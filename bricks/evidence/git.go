package evidence

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// The ids of the empty tree, which stands for the baseline of a repository
// without a commit, in SHA-1 and SHA-256 repositories.
const (
	emptyTreeSHA1   = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	emptyTreeSHA256 = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
)

// movement is what one or more repositories show against their baselines.
type movement struct {
	commits, files, added, deleted, binary, untracked int
}

func (m *movement) add(other movement) {
	m.commits += other.commits
	m.files += other.files
	m.added += other.added
	m.deleted += other.deleted
	m.binary += other.binary
	m.untracked += other.untracked
}

// lines counts a changed binary file as one line.
func (m movement) lines() int { return m.added + m.deleted + m.binary }

func (m movement) stat() string {
	if m.files == 0 {
		return ""
	}
	text := plural(m.files, "file") + " changed, " + plural(m.added, "insertion") + "(+), " + plural(m.deleted, "deletion") + "(-)"
	if m.binary > 0 {
		text += ", " + plural(m.binary, "binary file")
	}
	return text
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func (e *Evidence) measureRepositories(in Inputs, world World) {
	paths := nonBlankLines(in.RepoPath)
	if len(paths) == 0 {
		paths = []string{"."}
	}
	baselines := strings.Split(strings.TrimSpace(in.BaselineRef), "\n")
	var sum movement
	for i, dir := range paths {
		baseline := baselines[0]
		if len(baselines) > 1 {
			baseline = ""
			if i < len(baselines) {
				baseline = baselines[i]
			}
		}
		r := repository{dir: dir, world: world, notice: e.notice}
		if moved, ok := r.measure(strings.TrimSpace(baseline)); ok {
			e.GitObserved = true
			sum.add(moved)
		}
	}
	e.CommitsSinceBaseline = sum.commits
	e.DiffLines = sum.lines()
	e.DiffStat = sum.stat()
	e.FilesChanged = sum.files
	e.UntrackedFiles = sum.untracked
}

func nonBlankLines(text string) []string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// repository measures one repository with at most four git processes: status,
// show, rev-list and diff; and one more for each untracked file that changed
// since a snapshot.
type repository struct {
	dir    string
	world  World
	notice func(string)
}

func (r repository) git(args ...string) (string, error) {
	return r.world.Git(r.dir, append([]string{"--no-optional-locks"}, args...)...)
}

func (r repository) warn(format string, args ...any) {
	r.notice("WARNING: " + fmt.Sprintf(format, args...))
}

func (r repository) measure(baseline string) (m movement, ok bool) {
	status, err := r.git("status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all",
		"--no-renames", "--ignore-submodules=untracked")
	if err != nil {
		r.notice("[skip] not a git repo: " + r.dir + reason(err))
		return movement{}, false
	}
	born, untracked := readStatus(status)
	m.untracked = len(untracked)

	base := r.resolve(baseline)
	if base.id != "" && born {
		m.commits = r.countCommits(base.id)
	}
	changes, err := r.diff(base.id, born)
	if err != nil {
		r.warn("git diff failed in %s, its changes are not counted%s", r.dir, reason(err))
		return m, true
	}
	if base.snapshot {
		changes = r.withUntracked(changes, untracked)
	}
	for _, change := range changes {
		m.files++
		m.added += change.added
		m.deleted += change.deleted
		if change.binary {
			m.binary++
		}
	}
	return m, true
}

// reason is the first line of an error for a notice; of git's errors only what
// git itself said.
func reason(err error) string {
	text := strings.TrimSpace(err.Error())
	if i := strings.Index(text, "fatal: "); i >= 0 {
		text = text[i:]
	}
	line, _, _ := strings.Cut(text, "\n")
	return " (" + line + ")"
}

// readStatus tells from git status -z whether HEAD is a commit yet, and which
// files git does not know.
func readStatus(status string) (born bool, untracked []string) {
	born = true
	for _, entry := range strings.Split(status, "\x00") {
		if name, ok := strings.CutPrefix(entry, "? "); ok {
			untracked = append(untracked, name)
		} else if entry == "# branch.oid (initial)" {
			born = false
		}
	}
	return born, untracked
}

// base is the commit that a round started from; the zero base means there is
// none to compare with.
type base struct {
	id       string
	snapshot bool
}

func (r repository) resolve(baseline string) base {
	if baseline == "" {
		r.warn("no loop_baseline_ref for %s; only the working tree is measured, commits are not counted", r.dir)
		return base{}
	}
	if b, ok := r.commit(baseline); ok {
		return b
	}
	r.warn("loop_baseline_ref %q cannot be resolved in %s; falling back to the working tree", baseline, r.dir)
	return base{}
}

// commit resolves a revision that names one commit. What git could read as an
// option, an exclusion or a range is refused before git sees it.
func (r repository) commit(revision string) (b base, ok bool) {
	if revision[0] == '-' || revision[0] == '^' || strings.Contains(revision, "..") {
		return base{}, false
	}
	out, err := r.git("show", "-s", "--no-show-signature", "--no-color", "--format=%H%n%ce", revision+"^{commit}", "--")
	if err != nil {
		return base{}, false
	}
	id, email, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if !isObjectID(id) {
		return base{}, false
	}
	return base{id: id, snapshot: strings.TrimSpace(email) == SnapshotEmail}, true
}

func isObjectID(id string) bool {
	return (len(id) == len(emptyTreeSHA1) || len(id) == len(emptyTreeSHA256)) && strings.Trim(id, "0123456789abcdef") == ""
}

func (r repository) countCommits(base string) int {
	out, err := r.git("rev-list", "--count", base+"..HEAD", "--")
	if err != nil {
		r.warn("git rev-list failed in %s, commits are not counted%s", r.dir, reason(err))
		return 0
	}
	count, err := strconv.Atoi(strings.TrimSpace(out))
	if err != nil {
		r.warn("git rev-list in %s gave no number: %q", r.dir, out)
		return 0
	}
	return count
}

// diff compares the working tree, the index included, with a commit: with base,
// else with HEAD, else with the empty tree.
func (r repository) diff(base string, born bool) ([]change, error) {
	if base == "" && born {
		base = "HEAD"
	}
	if base != "" {
		return r.diffWith(base)
	}
	changes, err := r.diffWith(emptyTreeSHA1)
	if err != nil {
		return r.diffWith(emptyTreeSHA256)
	}
	return changes, nil
}

func (r repository) diffWith(tree string) ([]change, error) {
	out, err := r.git("diff", "--raw", "--numstat", "-z", "-M", "--no-abbrev", "--no-relative",
		"--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=untracked", tree, "--")
	if err != nil {
		return nil, err
	}
	return parseChanges(out)
}

// top opens the folder that git's paths are relative to: the nearest one
// upwards with a .git entry.
func (r repository) top() fs.FS {
	const highest = 64
	dir := r.dir
	for range highest {
		if files := r.world.Files(dir); files != nil {
			if _, err := fs.Stat(files, ".git"); err == nil {
				return files
			}
		}
		dir = path.Join(dir, "..")
	}
	return r.world.Files(r.dir)
}
