package ratchet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Restored says what a restore did. Nothing is lost: Rescue holds the work tree
// as it was found, and `git restore --source=RESCUE -- PATH` brings a path back.
type Restored struct {
	Rescue    Snapshot `json:"rescue"`
	RescueRef string   `json:"rescue_ref"`
	// Paths were put back to the accepted state.
	Paths []string `json:"paths"`
	// Kept were left as they are: somebody changed them after the round had
	// ended, or something lies there that no snapshot holds.
	Kept []string `json:"kept,omitempty"`
	// Submodules point elsewhere than in the accepted state. They are never
	// touched.
	Submodules []string `json:"submodules,omitempty"`
	// Undone are the commits that the branch was taken back over, newest first.
	Undone []string `json:"undone,omitempty"`
	// HeadKept says why HEAD was left where it is, although there are commits.
	HeadKept string `json:"head_kept,omitempty"`
}

// OperationError is a merge or alike that somebody has begun and not ended. A
// restore in the middle of it would destroy what was resolved so far.
type OperationError struct{ Operation string }

func (e *OperationError) Error() string {
	return "a " + e.Operation + " is under way; end or abort it first"
}

// IncompleteError lists the paths that are not in the accepted state although
// they were to be put back. The rescue commit holds what was there.
type IncompleteError struct {
	RescueRef string
	Paths     []string
}

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("%d paths could not be put back (%s); what was there is in %s", len(e.Paths), strings.Join(e.Paths, ", "), e.RescueRef)
}

// Restore puts the work tree, the index and the branch back to an accepted
// snapshot. end is the snapshot that was taken when the round had ended; what
// changed since is not the round's and stays. Without one (nil) everything that
// differs from the accepted state is taken for the round's.
//
// First the whole work tree is committed to a private rescue ref. Nothing on
// the disk is overwritten or removed that this commit does not hold, so ignored
// files, submodules and nested repositories stay as they are. The branch is
// taken back over the round's commits only if it is still the same branch, they
// are on top of the accepted HEAD, and no remote has them.
//
// A restore that was cut short can be repeated.
func (r *Repository) Restore(accepted Snapshot, end *Snapshot) (Restored, error) {
	if err := r.quiet(); err != nil {
		return Restored{}, err
	}
	rescue, err := r.Snapshot("", "before going back to "+accepted.Commit)
	if err != nil {
		return Restored{}, err
	}
	done := Restored{Rescue: rescue, RescueRef: "refs/brickoven/" + r.Name + "/rescue/" + rescue.Commit}
	if _, err := r.run("update-ref", done.RescueRef, rescue.Commit); err != nil {
		return Restored{}, err
	}
	if err := r.restoreFiles(accepted, end, &done); err != nil {
		return done, fmt.Errorf("going back to %s: %w", accepted.Commit, err)
	}
	if err := r.restoreIndex(accepted, done); err != nil {
		return done, fmt.Errorf("going back to the index of %s: %w", accepted.Commit, err)
	}
	if err := r.restoreHead(accepted, &done); err != nil {
		return done, fmt.Errorf("going back to %s: %w", accepted.Head, err)
	}
	err = r.verify(accepted, &done)
	return done, err
}

// quiet refuses while git is in the middle of something.
func (r *Repository) quiet() error {
	for _, op := range []struct{ file, name string }{
		{"MERGE_HEAD", "merge"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"},
		{"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"},
	} {
		name, err := r.run("rev-parse", "--git-path", op.file)
		if err != nil {
			return err
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(r.Top, name)
		}
		if _, err := os.Lstat(name); err == nil {
			return &OperationError{op.name}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// entry is one path that differs between two trees, with both its sides.
type entry struct {
	path             string
	oldMode, newMode string
	oldID            string
}

const (
	absent  = "000000"
	gitlink = "160000"
)

// entries lists what differs between two trees.
func (r *Repository) entries(from, to string) ([]entry, error) {
	out, err := r.Git(Command{Args: []string{"diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", from, to}})
	if err != nil {
		return nil, err
	}
	fields := split(out)
	var list []entry
	for i := 0; i+1 < len(fields); i += 2 {
		info := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		const parts = 5 // two modes, two ids, a status
		if len(info) != parts {
			return nil, fmt.Errorf("git diff-tree: unexpected entry %q", fields[i])
		}
		list = append(list, entry{path: fields[i+1], oldMode: info[0], newMode: info[1], oldID: info[2]})
	}
	return list, nil
}

func (r *Repository) restoreFiles(accepted Snapshot, end *Snapshot, done *Restored) error {
	differ, err := r.entries(accepted.Tree, done.Rescue.Tree)
	if err != nil {
		return err
	}
	since := map[string]bool{}
	if end != nil {
		later, err := r.Changed(*end, done.Rescue)
		if err != nil {
			return err
		}
		for _, name := range later {
			since[name] = true
		}
	}
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return err
	}
	defer root.Close()

	var write []entry
	for _, e := range differ {
		switch {
		case e.oldMode == gitlink || e.newMode == gitlink:
			done.Submodules = append(done.Submodules, e.path)
		case since[e.path]:
			done.Kept = append(done.Kept, e.path)
		case e.oldMode == absent:
			if err := remove(root, e.path); err != nil {
				return err
			}
			done.Paths = append(done.Paths, e.path)
		default:
			write = append(write, e)
		}
	}
	return r.write(root, accepted, write, done)
}

// remove deletes a file, and the folders that are empty without it. The root
// keeps a symbolic link in the path from leading out of the work tree.
func remove(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		// A folder that still holds something ends the walk.
		if root.Remove(dir) != nil {
			break
		}
	}
	return nil
}

// write checks files out of the accepted tree. Where the disk holds something
// at the path, or in place of one of its folders, that the rescue commit does
// not, the path is kept as it is.
func (r *Repository) write(root *os.Root, accepted Snapshot, list []entry, done *Restored) error {
	var names strings.Builder
	for _, e := range list {
		if !free(root, e) {
			done.Kept = append(done.Kept, e.path)
			continue
		}
		names.WriteString(e.path + "\x00")
		done.Paths = append(done.Paths, e.path)
	}
	if names.Len() == 0 {
		return nil
	}
	index := r.Scratch + ".accepted"
	if _, err := r.withIndex(index, "", "read-tree", accepted.Tree); err != nil {
		return err
	}
	_, err := r.withIndex(index, names.String(), "checkout-index", "--force", "-z", "--stdin")
	return err
}

// free tells that writing a path destroys nothing that the rescue commit lacks.
func free(root *os.Root, e entry) bool {
	for dir := path.Dir(e.path); dir != "."; dir = path.Dir(dir) {
		info, err := root.Lstat(dir)
		if err == nil && !info.IsDir() {
			return false
		}
	}
	info, err := root.Lstat(e.path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return e.newMode != absent && !info.IsDir()
}

// restoreIndex takes back what was staged since, path by path, so that the next
// commit does not hold what was rejected.
func (r *Repository) restoreIndex(accepted Snapshot, done Restored) error {
	if accepted.Index == "" || done.Rescue.Index == "" || accepted.Index == done.Rescue.Index {
		return nil
	}
	staged, err := r.entries(accepted.Index, done.Rescue.Index)
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, name := range done.Kept {
		kept[name] = true
	}
	var lines strings.Builder
	for _, e := range staged {
		if !kept[e.path] {
			// Mode 000000 removes the path.
			fmt.Fprintf(&lines, "%s %s\t%s\x00", e.oldMode, e.oldID, e.path)
		}
	}
	_, err = r.Git(Command{Args: []string{"update-index", "-z", "--index-info"}, Input: lines.String()})
	return err
}

func (r *Repository) restoreHead(accepted Snapshot, done *Restored) error {
	now := done.Rescue
	if now.Head == accepted.Head {
		return nil
	}
	if now.Branch != accepted.Branch {
		done.HeadKept = "another branch is checked out"
		return nil
	}
	newer := []string{now.Head}
	if accepted.Head != "" {
		newer = append(newer, "^"+accepted.Head)
		if _, err := r.run("merge-base", "--is-ancestor", accepted.Head, now.Head); err != nil {
			done.HeadKept = "the branch was rewritten"
			return nil
		}
	}
	all, err := r.run(append([]string{"rev-list"}, newer...)...)
	if err != nil {
		return err
	}
	unshared, err := r.run(append(append([]string{"rev-list"}, newer...), "--not", "--remotes")...)
	if err != nil {
		return err
	}
	if all != unshared {
		done.HeadKept = "a remote has the commits"
		return nil
	}
	args := []string{"update-ref", "-m", "brickoven: back to the accepted state", "HEAD", accepted.Head, now.Head}
	if accepted.Head == "" {
		args = []string{"update-ref", "-d", "HEAD", now.Head}
	}
	if _, err := r.run(args...); err != nil {
		return err
	}
	done.Undone = strings.Fields(all)
	return nil
}

// verify captures the work tree again and looks whether it is what it should
// be. A file that appears only now was ignored by rules of the rejected round.
// No snapshot holds it, so it is kept.
func (r *Repository) verify(accepted Snapshot, done *Restored) error {
	tree, _, err := r.capture()
	if err != nil {
		return err
	}
	left, err := r.entries(accepted.Tree, tree)
	if err != nil || len(left) == 0 {
		return err
	}
	sinceRescue, err := r.entries(done.Rescue.Tree, tree)
	if err != nil {
		return err
	}
	excused := map[string]bool{}
	for _, name := range append(slices.Clone(done.Kept), done.Submodules...) {
		excused[name] = true
	}
	appeared := map[string]bool{}
	for _, e := range sinceRescue {
		appeared[e.path] = e.oldMode == absent
	}
	var wrong []string
	for _, e := range left {
		switch {
		case excused[e.path]:
		case e.oldMode == absent && appeared[e.path]:
			done.Kept = append(done.Kept, e.path)
		default:
			wrong = append(wrong, e.path)
		}
	}
	if len(wrong) > 0 {
		return &IncompleteError{done.RescueRef, wrong}
	}
	return nil
}
