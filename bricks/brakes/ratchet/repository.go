package ratchet

import (
	"errors"
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/bricks/evidence"
	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// Command is one call of git.
type Command struct {
	Args []string
	// Env has further variables as NAME=value.
	Env []string
	// Input is the standard input.
	Input string
}

// Git runs git in the top folder of a work tree and returns its standard
// output as it is. An exit code other than 0 is an error that holds what git
// said.
type Git func(Command) (stdout string, err error)

// Repository is one work tree of a git repository. Its methods start git only
// through Git, and must not run at the same time for one Scratch.
type Repository struct {
	Git Git
	// Top is the absolute path of the work tree's top folder.
	Top string
	// Scratch is the absolute path of an index of our own, outside of the work
	// tree, in a folder that exists. It is made on first use; keeping it between
	// snapshots saves reading every file again, and remembers the files that
	// were captured before and are ignored since.
	Scratch string
	// Name is that of the loop; its private refs are refs/brickoven/Name/….
	Name string
}

var validName = pattern.Pattern{Source: `^[A-Za-z0-9][A-Za-z0-9_-]*$`}

// Accepted is the ref of the last accepted state.
func (r *Repository) Accepted() string { return "refs/brickoven/" + r.Name + "/accepted" }

// Snapshot is a commit of the whole work tree: every file that git does not
// ignore, untracked ones included. Its first parent is the HEAD of that moment,
// if there was one, and its last the state of the user's index.
type Snapshot struct {
	Commit string `json:"commit"`
	Tree   string `json:"tree"`
	Head   string `json:"head,omitempty"`   // empty before the first commit
	Branch string `json:"branch,omitempty"` // refs/heads/…; empty for a detached HEAD
	// Index is the tree of the user's index; empty if it held a conflict.
	Index string `json:"index,omitempty"`
	// Nested are the folders that are repositories of their own and no
	// submodules; they are not captured.
	Nested []string `json:"nested,omitempty"`
}

func (r *Repository) run(args ...string) (string, error) {
	out, err := r.Git(Command{Args: args})
	return strings.TrimSpace(out), err
}

// scratch runs git on our own index.
func (r *Repository) scratch(input string, args ...string) (string, error) {
	return r.withIndex(r.Scratch, input, args...)
}

func (r *Repository) withIndex(index, input string, args ...string) (string, error) {
	quiet := []string{"-c", "core.fsmonitor=false", "-c", "core.safecrlf=false", "-c", "advice.addEmbeddedRepo=false"}
	return r.Git(Command{Args: append(quiet, args...), Env: []string{"GIT_INDEX_FILE=" + index}, Input: input})
}

// Snapshot captures the work tree and names the commit with a ref, which keeps
// git from pruning it. The user's index, branches and files are not touched.
// An empty ref names nothing.
func (r *Repository) Snapshot(ref, message string) (Snapshot, error) {
	var s Snapshot
	var err error
	fail := func(err error) (Snapshot, error) {
		return Snapshot{}, fmt.Errorf("snapshot of %s: %w", r.Top, err)
	}
	if !validName.Get().MatchString(r.Name) {
		return fail(fmt.Errorf("%q is no name for a ref", r.Name))
	}
	if s.Tree, s.Nested, err = r.capture(); err != nil {
		return fail(err)
	}
	s.Head, s.Branch = r.head()
	if s.Index, err = r.indexTree(); err != nil {
		return fail(err)
	}
	if err := r.commit(&s, message); err != nil {
		return fail(err)
	}
	if ref != "" {
		if _, err := r.run("update-ref", "-m", "brickoven: "+message, ref, s.Commit); err != nil {
			return fail(err)
		}
	}
	return s, nil
}

// head reads where HEAD is. Both commands fail for good reasons: before the
// first commit and on a detached HEAD.
func (r *Repository) head() (commit, branch string) {
	if id, err := r.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err == nil {
		commit = id
	}
	if name, err := r.run("symbolic-ref", "--quiet", "HEAD"); err == nil {
		branch = name
	}
	return commit, branch
}

// The lines of a snapshot's message from which it can be read again.
const (
	headLine   = "Brickoven-Head: "
	branchLine = "Brickoven-Branch: "
	indexLine  = "Brickoven-Index: "
)

func (r *Repository) commit(s *Snapshot, message string) error {
	var parents []string
	if s.Head != "" {
		parents = append(parents, "-p", s.Head)
	}
	if s.Index != "" {
		index, err := r.commitTree(s.Index, "index: "+message, parents...)
		if err != nil {
			return err
		}
		parents = append(parents, "-p", index)
	}
	text := message + "\n\n" + headLine + s.Head + "\n" + branchLine + s.Branch + "\n" + indexLine + s.Index + "\n"
	id, err := r.commitTree(s.Tree, text, parents...)
	s.Commit = id
	return err
}

func (r *Repository) commitTree(tree, message string, parents ...string) (string, error) {
	const name = "brickoven snapshot"
	out, err := r.Git(Command{
		Args: append([]string{"commit-tree", tree}, parents...),
		Env: []string{
			"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + evidence.SnapshotEmail,
			"GIT_COMMITTER_NAME=" + name, "GIT_COMMITTER_EMAIL=" + evidence.SnapshotEmail,
		},
		Input: message,
	})
	return strings.TrimSpace(out), err
}

// ErrNoSnapshot is a ref or commit that is no snapshot.
var ErrNoSnapshot = errors.New("no snapshot")

// Load reads a snapshot again from its ref or commit. [ErrNoSnapshot] tells
// that there is none.
func (r *Repository) Load(ref string) (Snapshot, error) {
	if strings.HasPrefix(ref, "-") {
		return Snapshot{}, fmt.Errorf("%q: %w", ref, ErrNoSnapshot)
	}
	out, err := r.run("show", "-s", "--no-show-signature", "--no-color", "--format=%H%n%T%n%ce%n%B", ref+"^{commit}", "--")
	if err != nil {
		return Snapshot{}, fmt.Errorf("%s: %w (%w)", ref, ErrNoSnapshot, err)
	}
	lines := strings.Split(out, "\n")
	const head = 3 // commit, tree and committer come before the message
	if len(lines) <= head || lines[2] != evidence.SnapshotEmail {
		return Snapshot{}, fmt.Errorf("%s: %w", ref, ErrNoSnapshot)
	}
	s := Snapshot{Commit: lines[0], Tree: lines[1]}
	for _, line := range lines[head:] {
		for prefix, field := range map[string]*string{headLine: &s.Head, branchLine: &s.Branch, indexLine: &s.Index} {
			if text, ok := strings.CutPrefix(line+" ", prefix); ok {
				*field = strings.TrimSpace(text)
			}
		}
	}
	return s, nil
}

// Changed lists the paths that differ between two snapshots, sorted; a rename
// is both its names.
func (r *Repository) Changed(from, to Snapshot) ([]string, error) {
	out, err := r.Git(Command{Args: []string{"diff-tree", "-r", "-z", "--no-renames", "--name-only", from.Tree, to.Tree}})
	return split(out), err
}
