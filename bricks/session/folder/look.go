package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/brickoven/brickoven/bricks/session"
)

// View is a session as a bystander sees it, without holding it.
type View struct {
	ID   string
	Dir  string
	Meta session.Meta
	Goal string
	// State is nil for a session that has not written one yet.
	State *session.State
	// Control is what the control file says; a stop by a person is taken as
	// such here.
	Control  session.Reading
	Requests []session.Request
	// Held tells that an engine runs the session, and Holder which.
	Held   bool
	Holder string
}

// Look reads a session; the error is fs.ErrNotExist when there is none, and an
// [*session.Invalid] when one of its files is broken.
func (s Store) Look(id string) (View, error) {
	dir, err := s.dir(id)
	if err != nil {
		return View{}, err
	}
	v := View{ID: id, Dir: dir}
	read := func(name string) []byte {
		data, readErr := os.ReadFile(filepath.Join(dir, name))
		if readErr != nil && (name == session.MetaFile || !errors.Is(readErr, fs.ErrNotExist)) {
			err = errors.Join(err, fmt.Errorf("session %s: %w", id, readErr))
		}
		return data
	}
	meta, goal, state := read(session.MetaFile), read(session.GoalFile), read(session.StateFile)
	if err != nil {
		return View{}, err
	}
	v.Goal = string(goal)
	if v.Meta, err = session.ParseMeta(meta); err != nil {
		return View{}, fmt.Errorf("session %s: %w", id, err)
	}
	if state != nil {
		parsed, err := session.ParseState(state)
		if err != nil {
			return View{}, fmt.Errorf("session %s: %w", id, err)
		}
		v.State = &parsed
	}
	v.Control = session.ReadControl(readFile(filepath.Join(dir, session.ControlFile)), true)
	if v.Requests, err = s.readRequests(id); err != nil {
		return View{}, err
	}
	v.Holder, v.Held, err = holder(s.private(id, engineLock))
	if err != nil {
		return View{}, fmt.Errorf("session %s: %w", id, err)
	}
	return v, nil
}
