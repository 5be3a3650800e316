package folder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Held is the error for something that another process or loop holds.
type Held struct {
	// What is held, in words.
	What string
	// Holder is what the holder said about itself; empty when it has not yet.
	Holder string
}

// Error names what is held and by whom.
func (e *Held) Error() string {
	if e.Holder == "" {
		return e.What + " is held by another loop"
	}
	return e.What + " is held by " + e.Holder
}

// Hold is an exclusive lock on a file, held until Release or the end of the
// process.
type Hold struct{ lock *flock.Flock }

// A look at a lock takes it for an instant, so one attempt is not enough to know
// that another loop holds it.
const (
	holdAttempts = 20
	retryEvery   = 5 * time.Millisecond
)

// by is the ending of the file beside a lock that says who holds it. It is a
// file of its own because some systems let nobody read a locked one.
const by = ".by"

// Take holds the file at path, which is made private to the user, and leaves
// word of the holder beside it. what names the thing in the error, which is a [*Held]
// when another loop, of this process or of another, holds it.
func Take(ctx context.Context, path, what, holder string) (*Hold, error) {
	if err := os.MkdirAll(filepath.Dir(path), folderMode); err != nil {
		return nil, fmt.Errorf("holding %s: %w", what, err)
	}
	lock := flock.New(path, flock.SetPermissions(fileMode))
	soon, cancel := context.WithTimeout(ctx, holdAttempts*retryEvery)
	defer cancel()
	taken, err := lock.TryLockContext(soon, retryEvery)
	switch {
	case ctx.Err() != nil:
		return nil, errors.Join(fmt.Errorf("holding %s: %w", what, ctx.Err()), lock.Close())
	case err != nil && !errors.Is(err, context.DeadlineExceeded):
		return nil, errors.Join(fmt.Errorf("holding %s: %w", what, err), lock.Close())
	case !taken:
		who, readErr := said(path)
		return nil, errors.Join(&Held{What: what, Holder: who}, readErr, lock.Close())
	}
	if err := os.WriteFile(path+by, []byte(holder+"\n"), fileMode); err != nil {
		return nil, errors.Join(fmt.Errorf("holding %s: %w", what, err), lock.Close())
	}
	return &Hold{lock: lock}, nil
}

// Release lets go. The files stay and mean nothing.
func (h *Hold) Release() error { return h.lock.Close() }

// holder tells who holds the file at path; held is false when nobody does.
func holder(path string) (who string, held bool, err error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return "", false, nil
	}
	lock := flock.New(path, flock.SetPermissions(fileMode))
	free, err := lock.TryRLock()
	if err != nil {
		return "", false, err
	}
	if free {
		return "", false, lock.Close()
	}
	who, err = said(path)
	return who, true, errors.Join(err, lock.Close())
}

// said is what the holder left beside the lock; empty when it has not yet.
func said(path string) (string, error) {
	text, err := os.ReadFile(path + by)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}
