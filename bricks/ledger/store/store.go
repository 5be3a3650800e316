// Package store keeps ledgers in files: one JSON file a session, replaced
// atomically under a lock, so that concurrent writers take turns and a reader
// or a crash never sees half a ledger.
package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/bricks/durable"
	"github.com/brickoven/brickoven/bricks/ledger"
	"github.com/gofrs/flock"
)

// Store is a folder of ledgers. It has no state of its own; any number of
// stores in any number of processes may use one folder at the same time.
type Store struct {
	// Dir is the folder; it is made, private to the user, when a ledger is
	// written.
	Dir string
}

const (
	fileMode   = 0o600
	folderMode = 0o700
	extension  = ".json"
	// retryEvery is how often a writer asks again for a lock that is taken.
	retryEvery = 5 * time.Millisecond
)

// Path is the file of a session's ledger. The id is checked, because it comes
// from a command line (code [ledger.Unusable]).
func (s Store) Path(session string) (string, error) {
	if err := ledger.CheckSession(session); err != nil {
		return "", err
	}
	return filepath.Join(s.Dir, session+extension), nil
}

// Read reads a session's ledger. A missing one, an unreadable one and one that
// belongs to another session are refused with code [ledger.Unusable]; use
// errors.Is with fs.ErrNotExist to tell the first.
func (s Store) Read(session string) (*ledger.Ledger, error) {
	path, err := s.Path(session)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &ledger.Refusal{Code: ledger.Unusable, Message: "there is no ledger for session " + session + ": " + path, Err: err}
	}
	if err != nil {
		return nil, unusable(err)
	}
	l, err := ledger.Decode(data)
	if err != nil {
		var refusal *ledger.Refusal
		if errors.As(err, &refusal) {
			refusal.Message = strings.TrimSpace(path + ": " + refusal.Message)
		}
		return nil, err
	}
	if l.Session != session {
		return nil, &ledger.Refusal{Code: ledger.Unusable, Message: fmt.Sprintf("%s is the ledger of session %s", path, l.Session)}
	}
	return l, nil
}

// Update changes a session's ledger under its lock: change gets the ledger as
// it is and returns the one to write; an error writes nothing.
func (s Store) Update(ctx context.Context, session string, change func(*ledger.Ledger) (*ledger.Ledger, error)) error {
	return s.locked(ctx, session, func(path string) error {
		previous, err := s.Read(session)
		if err != nil {
			return err
		}
		next, err := change(previous)
		if err != nil || next == previous {
			return err
		}
		return write(path, next)
	})
}

// Open is Update for a ledger that need not be there: change gets nil then.
// With discard it gets nil also over a ledger that is there, readable or not;
// this is the only way to lose one.
func (s Store) Open(ctx context.Context, session string, discard bool, change func(previous *ledger.Ledger) (*ledger.Ledger, error)) error {
	return s.locked(ctx, session, func(path string) error {
		var previous *ledger.Ledger
		if !discard {
			var err error
			previous, err = s.Read(session)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		next, err := change(previous)
		if err != nil {
			return err
		}
		return write(path, next)
	})
}

// Files lists the ledger files of the store, sorted; none when the folder is
// not there.
func (s Store) Files() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unusable(err)
	}
	var files []string
	for _, entry := range entries {
		if !entry.IsDir() && strings.HasSuffix(entry.Name(), extension) {
			files = append(files, filepath.Join(s.Dir, entry.Name()))
		}
	}
	slices.Sort(files)
	return files, nil
}

// locked runs work while no other writer has the session's ledger.
func (s Store) locked(ctx context.Context, session string, work func(path string) error) (err error) {
	path, err := s.Path(session)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.Dir, folderMode); err != nil {
		return unusable(err)
	}
	lock := flock.New(filepath.Join(s.Dir, session+".lock"), flock.SetPermissions(fileMode))
	if _, err := lock.TryLockContext(ctx, retryEvery); err != nil {
		return unusable(fmt.Errorf("waiting for the lock of %s: %w", path, err))
	}
	defer func() {
		if unlockErr := lock.Close(); unlockErr != nil && err == nil {
			err = unusable(unlockErr)
		}
	}()
	return work(path)
}

func write(path string, l *ledger.Ledger) error {
	parts, err := l.Encode()
	if err != nil {
		return err
	}
	if err := durable.Replace(path, fileMode, filepath.Dir(path), parts...); err != nil {
		return unusable(fmt.Errorf("writing %s: %w", path, err))
	}
	return nil
}

func unusable(err error) error {
	return &ledger.Refusal{Code: ledger.Unusable, Message: err.Error(), Err: err}
}
