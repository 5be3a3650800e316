package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/brickoven/brickoven/runner/process"
)

// Owner is who holds a run.
type Owner struct {
	Process process.Ident `json:"process"`
	Host    string        `json:"host,omitempty"`
	Command string        `json:"command,omitempty"` // for people
	Since   time.Time     `json:"since,omitzero"`
}

// String names the owner for people.
func (o Owner) String() string {
	if o.Process.PID == 0 {
		return "a process that did not say who it is"
	}
	text := fmt.Sprintf("process %d", o.Process.PID)
	if o.Host != "" {
		text += " on " + o.Host
	}
	if o.Command != "" {
		text += " (" + o.Command + ")"
	}
	return text
}

// HeldError tells that another process holds the run.
type HeldError struct {
	RunID  string
	Holder Owner // zero where it did not say
}

func (e *HeldError) Error() string { return fmt.Sprintf("run %s is held by %s", e.RunID, e.Holder) }

// Lock is the ownership of a run. The system takes it back when its process
// dies, so there is no stale lock, and age never ends a live one.
type Lock struct {
	path  string
	flock *flock.Flock
}

const (
	// infoOffset leaves the first byte of the file alone: Windows locks that
	// byte, and nobody else could read it.
	infoOffset = 1
	maxInfo    = 64 << 10

	// A lock of an owner that does not live is about to be free: its process is
	// just ending, or somebody only looks whether the run is held.
	patience = 100
	pause    = 2 * time.Millisecond
)

// Acquire makes the caller the owner of the run in dir, which must exist. It
// does not wait for a living owner: the error is a [*HeldError] then. Any other
// error is a [*StorageError]; it unwraps to [fs.ErrNotExist] where the folder is
// gone or goes in this moment.
func Acquire(dir string, owner Owner) (*Lock, error) {
	path := filepath.Join(dir, LockFile)
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	for tries := 0; ; tries++ {
		ok, err := lock.TryLock()
		if err != nil {
			return nil, storage("lock", path, err)
		}
		if ok {
			break
		}
		holder, known := readOwner(path)
		if tries == patience || known && lives(holder, owner.Host) {
			return nil, &HeldError{RunID: filepath.Base(dir), Holder: holder}
		}
		time.Sleep(pause)
	}
	l := &Lock{path: path, flock: lock}
	if err := l.claim(owner); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return l, nil
}

// claim makes sure that the locked file is still the one at the path, because a
// run may be removed between the opening and the locking, and writes the owner
// into it.
func (l *Lock) claim(owner Owner) error {
	locked, err := l.flock.Stat()
	if err != nil {
		return storage("lock", l.path, err)
	}
	there, err := os.Stat(l.path)
	if err != nil {
		return storage("lock", l.path, err)
	}
	if !os.SameFile(locked, there) {
		return storage("lock", l.path, fs.ErrNotExist)
	}
	info, err := json.Marshal(owner)
	if err != nil {
		return storage("write", l.path, err)
	}
	return l.write(append(info, '\n'))
}

func (l *Lock) write(info []byte) error {
	f, err := os.OpenFile(l.path, os.O_WRONLY, 0)
	if err != nil {
		return storage("write", l.path, err)
	}
	err = f.Truncate(infoOffset)
	if err == nil && len(info) > 0 {
		_, err = f.WriteAt(info, infoOffset)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return storage("write", l.path, err)
	}
	return nil
}

// Release gives the run back. The lock file stays: removing it would let two
// processes lock two files of one name.
func (l *Lock) Release() error {
	err := l.write(nil)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // the run was removed by its owner
	}
	if unlockErr := l.flock.Unlock(); unlockErr != nil && err == nil {
		err = storage("unlock", l.path, unlockErr)
	}
	return err
}

// Holder tells whether a living process holds the run in dir, and which. It
// writes nothing and works in a read-only folder. holder is zero where the
// process did not say.
func Holder(dir string) (holder Owner, held bool, err error) {
	path := filepath.Join(dir, LockFile)
	probe := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := probe.TryRLock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Owner{}, false, nil
	case err != nil:
		return Owner{}, false, storage("lock", path, err)
	case free:
		if err := probe.Unlock(); err != nil {
			return Owner{}, false, storage("unlock", path, err)
		}
		return Owner{}, false, nil
	}
	holder, _ = readOwner(path)
	return holder, true, nil
}

// readOwner reads who wrote itself into the lock file last. ok is false where
// nobody did, or is just about to.
func readOwner(path string) (owner Owner, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return Owner{}, false
	}
	defer func() { _ = f.Close() }()
	info, err := io.ReadAll(io.NewSectionReader(f, infoOffset, maxInfo))
	if err != nil || json.Unmarshal(info, &owner) != nil {
		return Owner{}, false
	}
	return owner, owner.Process.PID != 0
}

// lives reports whether waiting for an owner is in vain: it runs, or it is on
// another machine and cannot be looked at.
func lives(owner Owner, host string) bool {
	return owner.Host != "" && owner.Host != host || process.Alive(owner.Process)
}
