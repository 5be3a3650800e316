package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/brickoven/brickoven/bricks/durable"
	"github.com/brickoven/brickoven/bricks/session"
)

// Ask files a request for a session, whoever holds it, and returns its number.
// A stop also writes the control file, where that still says running, so that
// the stop is a file one can read. ErrOver is returned for a session that has
// stopped.
func (s Store) Ask(ctx context.Context, id string, r session.Request) (number int, err error) {
	dir, err := s.dir(id)
	if err != nil {
		return 0, err
	}
	if _, err := os.Stat(dir); err != nil {
		return 0, fmt.Errorf("session %s: %w", id, err)
	}
	if _, err := s.readSeal(id); err != nil {
		return 0, err
	}
	err = s.locked(ctx, id, func() error {
		view, err := s.Look(id)
		if err != nil {
			return err
		}
		if view.State != nil && view.State.Stop != nil {
			return fmt.Errorf("session %s: %w: %s", id, ErrOver, view.State.Stop.StopReason)
		}
		number, err = s.file(id, dir, r)
		if err != nil || r.Kind != session.RequestStop {
			return err
		}
		return s.stopControl(id, dir, r.Text)
	})
	return number, err
}

// ErrOver is the error of a request for a session that has stopped.
var ErrOver = errors.New("it has stopped")

// file writes the request, and only then that it was issued: a command that
// dies in between leaves a request that counts, not one that is missed.
func (s Store) file(id, dir string, r session.Request) (number int, err error) {
	issued, err := s.readSeal(id)
	if err != nil {
		return 0, err
	}
	key, err := issued.key()
	if err != nil {
		return 0, fmt.Errorf("session %s: %w", id, err)
	}
	r.Number = issued.Issued + 1
	place := func() string { return filepath.Join(dir, session.RequestsDir, session.RequestName(r.Number)) }
	for {
		if _, err := os.Lstat(place()); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return 0, fmt.Errorf("session %s: %w", id, err)
		}
		r.Number++
	}
	data, err := r.Seal(key)
	if err != nil {
		return 0, err
	}
	if err := durable.Replace(place(), fileMode, s.private(id, ""), data); err != nil {
		return 0, fmt.Errorf("session %s: %w", id, err)
	}
	issued.Issued = r.Number
	return r.Number, s.writeSeal(id, issued)
}

// stopControl writes a person's stop, unless the file says something else than
// running already: the request counts in any case.
func (s Store) stopControl(id, dir, reason string) error {
	place := filepath.Join(dir, session.ControlFile)
	f := readFile(place)
	if c, err := session.ParseControl(f.Data); err != nil || c.State != session.Running {
		return nil
	}
	text, err := session.Control{State: session.Stopped, Reason: reason, StopReason: session.StopRequested}.Encode()
	if err != nil {
		return err
	}
	if err := durable.Replace(place, fileMode, s.private(id, ""), text); err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	return nil
}
