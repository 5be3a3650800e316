// Package state knows where runs, sessions and ledgers keep what they write
// (DESIGN section 9): outside the project, where an agent that tidies the
// repository does not reach, in a folder of its own for each project.
package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The modes of everything that runs write; it is private to the user.
const (
	FolderMode os.FileMode = 0o700
	FileMode   os.FileMode = 0o600
)

// ErrNoHome is returned by [Resolve] when nothing says where the state belongs.
var ErrNoHome = errors.New("there is no place for the state: set --state-dir, BRICKOVEN_STATE_DIR, XDG_STATE_HOME or HOME")

// Options decide where the state lies.
type Options struct {
	// Flag is the value of --state-dir; empty when it is not given.
	Flag string
	// Getenv looks a name up in the environment; absent is empty.
	Getenv func(name string) string
	// Dir is the folder that the command stands in, absolute.
	Dir string
}

// Resolve returns the state folder of the project that opts.Dir belongs to, as
// an absolute path. The first of these decides: --state-dir and
// BRICKOVEN_STATE_DIR, which name the folder itself and are relative to
// opts.Dir; XDG_STATE_HOME, which counts only when it is absolute, as its
// standard says, and HOME (LOCALAPPDATA on Windows), below which the project has
// a folder named by [ProjectID]. Nothing is made; see [Prepare].
func Resolve(opts Options) (dir string, err error) {
	for _, named := range []string{opts.Flag, opts.Getenv("BRICKOVEN_STATE_DIR")} {
		if named == "" {
			continue
		}
		if filepath.IsAbs(named) {
			return filepath.Clean(named), nil
		}
		return filepath.Join(opts.Dir, named), nil
	}
	base := stateHome(opts.Getenv)
	if base == "" {
		return "", ErrNoHome
	}
	id, err := ProjectID(opts.Dir)
	if err != nil {
		return "", err
	}
	return filepath.Join(base, "brickoven", id), nil
}

func stateHome(getenv func(string) string) string {
	if xdg := getenv("XDG_STATE_HOME"); filepath.IsAbs(xdg) {
		return xdg
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state")
	}
	if local := getenv("LOCALAPPDATA"); filepath.IsAbs(local) {
		return local
	}
	return ""
}

// ProjectID names the project that a folder belongs to: the base name of its
// repository's top folder (the folder itself outside of a repository), as far
// as it is letters, digits, dots, hyphens and underscores, and 12 hex digits of
// the SHA-256 of that folder's real path. So a folder has one id whatever links
// lead to it, and two projects of one name do not meet.
func ProjectID(dir string) (string, error) {
	top, err := Project(dir)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(top))
	return readable(filepath.Base(top)) + "-" + hex.EncodeToString(sum[:])[:12], nil
}

// Project is the real path of the top folder of the repository that dir lies
// in, or of dir itself when it lies in none. A linked worktree and a submodule
// are projects of their own.
func Project(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("the folder of the project: %w", err)
	}
	real, err = filepath.Abs(real)
	if err != nil {
		return "", fmt.Errorf("the folder of the project: %w", err)
	}
	for top := real; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			return top, nil
		}
		if top == filepath.Dir(top) {
			return real, nil
		}
	}
}

// maxName keeps an id far below what file systems allow for one name.
const maxName = 40

func readable(name string) string {
	kept := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return -1
	}, name)
	kept = strings.TrimLeft(kept, ".-")
	if len(kept) > maxName {
		kept = kept[:maxName]
	}
	if kept == "" {
		return "project"
	}
	return kept
}

// Locations are the folders inside a state folder.
type Locations struct {
	// Dir is the state folder, as [Resolve] returns it.
	Dir string
}

// Runs holds a folder for each run.
func (l Locations) Runs() string { return filepath.Join(l.Dir, "runs") }

// Sessions holds the agents' sessions.
func (l Locations) Sessions() string { return filepath.Join(l.Dir, "sessions") }

// Ledgers holds a file for each work ledger.
func (l Locations) Ledgers() string { return filepath.Join(l.Dir, "ledgers") }

// Trees holds the locks of the working trees that loops work in.
func (l Locations) Trees() string { return filepath.Join(l.Dir, "trees") }

// Debt holds what is still to be understood, a file for each repository.
func (l Locations) Debt() string { return filepath.Join(l.Dir, "debt") }

// Claim makes the state folder, and keeps what runs write in it out of git with
// a .gitignore of its own, should it lie in a repository: else each round of a
// loop would count the journal as its work, and an agent's "git add -A" would
// commit it. A .gitignore that is there stays as it is, and the top folder of a
// repository gets none.
func (l Locations) Claim() error {
	if err := Prepare(l.Dir); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(l.Dir, ".git")); err == nil {
		return nil
	}
	const ignore = ".gitignore"
	file, err := os.OpenFile(filepath.Join(l.Dir, ignore), os.O_WRONLY|os.O_CREATE|os.O_EXCL, FileMode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the state folder: %w", err)
	}
	text := "# What brickoven keeps of runs here is not part of the project.\n/" + ignore + "\n"
	for _, room := range []string{l.Debt(), l.Ledgers(), l.Runs(), l.Sessions(), l.Trees()} {
		text += "/" + filepath.Base(room) + "/\n"
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("the state folder: %w", err)
	}
	return nil
}

// Prepare makes a folder of the state with all its parents, private to the
// user. A folder that is there keeps its mode.
func Prepare(dir string) error {
	if err := os.MkdirAll(dir, FolderMode); err != nil {
		return fmt.Errorf("the state folder: %w", err)
	}
	return nil
}
