package ratchet

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// capture brings our own index up to the work tree and writes it as a tree.
func (r *Repository) capture() (tree string, nested []string, err error) {
	if err := r.prepareScratch(); err != nil {
		return "", nil, err
	}
	if err := r.addIgnored(); err != nil {
		return "", nil, err
	}
	untracked, err := r.Git(Command{Args: []string{"ls-files", "--others", "--exclude-standard", "-z"}})
	if err != nil {
		return "", nil, err
	}
	add := []string{"add", "--all", "--", "."}
	for _, name := range split(untracked) {
		if strings.HasSuffix(name, "/") {
			nested = append(nested, name)
			add = append(add, ":(exclude,literal)"+strings.TrimSuffix(name, "/"))
		}
	}
	if _, err := r.scratch("", add...); err != nil {
		return "", nil, err
	}
	tree, err = r.scratch("", "write-tree")
	return strings.TrimSpace(tree), nested, err
}

// prepareScratch begins with a copy of the user's index, which spares git from
// reading files that it knows.
func (r *Repository) prepareScratch() error {
	if _, err := os.Lstat(r.Scratch); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	found, err := r.copyIndex(r.Scratch)
	if err != nil {
		return err
	}
	if !found {
		_, err := r.scratch("", "read-tree", "--empty")
		return err
	}
	return r.clearFlags()
}

// clearFlags makes our index see the files that the user told git to look away
// from, where they exist.
func (r *Repository) clearFlags() error {
	listing, err := r.scratch("", "ls-files", "-v", "-z")
	if err != nil {
		return err
	}
	var hidden strings.Builder
	for _, line := range split(listing) {
		tag, name, ok := strings.Cut(line, " ")
		if !ok || tag != "S" && tag == strings.ToUpper(tag) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(r.Top, name)); err == nil {
			hidden.WriteString(name + "\x00")
		}
	}
	for _, flag := range []string{"--no-assume-unchanged", "--no-skip-worktree"} {
		if hidden.Len() == 0 {
			break
		}
		if _, err := r.scratch(hidden.String(), "update-index", flag, "-z", "--stdin"); err != nil {
			return err
		}
	}
	return nil
}

// addIgnored adds the files that git tracks although they are ignored; git add
// passes over them.
func (r *Repository) addIgnored() error {
	listing, err := r.Git(Command{Args: []string{"ls-files", "--cached", "--ignored", "--exclude-standard", "-z"}})
	if err != nil {
		return err
	}
	var names strings.Builder
	for _, name := range split(listing) {
		info, err := os.Lstat(filepath.Join(r.Top, name))
		if err == nil && (info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0) {
			names.WriteString(name + "\x00")
		}
	}
	if names.Len() == 0 {
		return nil
	}
	_, err = r.scratch(names.String(), "update-index", "--add", "-z", "--stdin")
	return err
}

// copyIndex copies the user's index; without one there is nothing to copy.
func (r *Repository) copyIndex(to string) (found bool, err error) {
	name, err := r.run("rev-parse", "--git-path", "index")
	if err != nil {
		return false, err
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.Top, name)
	}
	from, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer from.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return false, err
	}
	_, err = io.Copy(out, from)
	return true, errors.Join(err, out.Close())
}

// indexTree writes the user's index as a tree, from a copy, because git would
// rewrite the original.
func (r *Repository) indexTree() (string, error) {
	index := r.Scratch + ".user"
	found, err := r.copyIndex(index)
	if err != nil || !found {
		return "", err
	}
	unmerged, err := r.withIndex(index, "", "ls-files", "--unmerged", "-z")
	if err != nil || unmerged != "" {
		return "", err
	}
	tree, err := r.withIndex(index, "", "write-tree")
	return strings.TrimSpace(tree), err
}

// split cuts a NUL-terminated list.
func split(list string) []string {
	list = strings.TrimSuffix(list, "\x00")
	if list == "" {
		return nil
	}
	return strings.Split(list, "\x00")
}
