package folder

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/brickoven/brickoven/bricks/session"
)

// Session is a session that this process holds; only the engine has one. It is
// not safe for concurrent use, except for [Session.Await].
type Session struct {
	store Store
	id    string
	dir   string
	hold  *Hold
	// left is how the engine left the files.
	left session.Manifest
	// accepted are the files that the last observation found and allowed.
	accepted session.Manifest
	// requests are all requests that the last observation found.
	requests []session.Request
}

// ID is the name of the session.
func (x *Session) ID() string { return x.id }

// Dir is the session's folder, absolute if the store's is.
func (x *Session) Dir() string { return x.dir }

// Close lets go of the session. Its files stay.
func (x *Session) Close() error { return x.hold.Release() }

// Environment is what a step of an iteration finds its files with. iteration is
// the name of the iteration's folder, as [session.IterationName] gives it.
func (x *Session) Environment(iteration string) map[string]string {
	return map[string]string{
		"BRICKOVEN_SESSION_DIR":   x.dir,
		"BRICKOVEN_CONTROL_FILE":  filepath.Join(x.dir, session.ControlFile),
		"BRICKOVEN_ITERATION_DIR": filepath.Join(x.dir, session.IterationsDir, iteration),
	}
}

// State reads state.json as the engine left it. The error is fs.ErrNotExist for
// a session that died before its first state was written.
func (x *Session) State() (session.State, error) {
	data, err := os.ReadFile(filepath.Join(x.dir, session.StateFile))
	if err != nil {
		return session.State{}, fmt.Errorf("session %s: %w", x.id, err)
	}
	return session.ParseState(data)
}

// first writes the files that a session begins with.
func (x *Session) first(ctx context.Context, o Opening, key []byte) error {
	if err := x.store.writeSeal(x.id, seal{Key: hex.EncodeToString(key)}); err != nil {
		return err
	}
	meta := o.Meta
	meta.SessionID, meta.CreatedAt, meta.GoalHash = x.id, o.At, session.GoalHash(o.Goal)
	metaText, err := meta.Encode()
	if err != nil {
		return err
	}
	control, err := session.NewControl().Encode()
	if err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(x.dir, session.RequestsDir), folderMode); err != nil {
		return fmt.Errorf("a new session: %w", err)
	}
	return x.store.locked(ctx, x.id, func() error {
		return x.commit(batch{Files: map[string][]byte{
			session.MetaFile: metaText, session.GoalFile: []byte(o.Goal), session.ControlFile: control,
			session.UpdatesFile: session.Updates(nil),
		}})
	})
}

// Record is what the engine writes at a boundary.
type Record struct {
	State  session.State
	Events []session.Event
	// Iteration is the name of the iteration's folder, which is made; empty
	// between iterations.
	Iteration string
	// Prompt begins an iteration, Result ends it; nil writes neither.
	Prompt *string
	Result *session.Result
	// Control is what the judge writes; nil when it writes nothing. A file that
	// says stop by now is left as it is.
	Control *session.Control
	// Rejected keeps the control file, or Control, as control.rejected.json and
	// puts a running one in its place.
	Rejected bool
	// Invalid keeps the control file beside itself as control.invalid.json.
	Invalid bool
}

// Write writes a record as a whole: after a crash it is either not there or
// completed by the next [Store.Open]. Later observations compare with it.
func (x *Session) Write(ctx context.Context, r Record) error {
	return x.store.locked(ctx, x.id, func() error {
		b, err := x.batch(r)
		if err != nil {
			return err
		}
		if r.Iteration != "" {
			if err := x.clear(path.Join(session.IterationsDir, r.Iteration, session.PromptFile)); err != nil {
				return fmt.Errorf("session %s: %w", x.id, err)
			}
		}
		return x.commit(b)
	})
}

// batch collects the files of a record.
func (x *Session) batch(r Record) (batch, error) {
	b := batch{Files: map[string][]byte{}}
	add := func(name string, data []byte, err error) error {
		b.Files[name] = data
		return err
	}
	state, err := r.State.Encode()
	err = errors.Join(add(session.StateFile, state, err), x.controlFiles(r, add))
	if r.Prompt != nil {
		err = errors.Join(err, add(path.Join(session.IterationsDir, r.Iteration, session.PromptFile), []byte(*r.Prompt), nil))
	}
	if r.Result != nil {
		text, encodeErr := r.Result.Encode()
		err = errors.Join(err, add(path.Join(session.IterationsDir, r.Iteration, session.ResultFile), text, encodeErr))
	}
	for _, e := range r.Events {
		line, lineErr := e.Encode()
		b.Events = append(b.Events, line...)
		err = errors.Join(err, lineErr)
	}
	var seen []session.Request
	for _, request := range x.requests {
		if request.Number <= r.State.Requests {
			seen = append(seen, request)
		}
	}
	if len(seen) > 0 {
		err = errors.Join(err, add(session.UpdatesFile, session.Updates(seen), nil))
	}
	return b, err
}

// controlFiles adds what becomes of the control file.
func (x *Session) controlFiles(r Record, add func(string, []byte, error) error) error {
	now := readFile(filepath.Join(x.dir, session.ControlFile))
	claim := now.Data
	running := false
	if c, err := session.ParseControl(now.Data); err == nil {
		running = c.State == session.Running
	}
	var judged []byte
	if r.Control != nil {
		text, err := r.Control.Encode()
		if err != nil {
			return err
		}
		judged = text
		if running {
			claim = judged
		}
	}
	switch {
	case r.Rejected && r.Control == nil && running:
		// The record is written again after a crash: the claim is kept already.
		return nil
	case r.Rejected:
		text, err := session.Control{State: session.Running, Reason: "goal_met was not accepted: the check is red"}.Encode()
		return errors.Join(add(session.RejectedFile, claim, nil), add(session.ControlFile, text, err))
	case r.Invalid && now.Present && now.Irregular == "":
		return add(session.InvalidFile, now.Data, nil)
	case judged != nil:
		return add(session.ControlFile, claim, nil)
	}
	return nil
}

// maxRead bounds what a file of an agent may make the engine read.
const maxRead = 1 << 20

// readFile reads a file that an agent may have put there: only a plain one, and
// not one without end.
func readFile(name string) session.File {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return session.File{}
	case err != nil:
		return session.File{Present: true, Irregular: "can not be read: " + err.Error()}
	case !info.Mode().IsRegular():
		return session.File{Present: true, Irregular: "is not a plain file"}
	case info.Size() > maxRead:
		return session.File{Present: true, Irregular: fmt.Sprintf("is larger than %d bytes", maxRead)}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return session.File{Present: true, Irregular: "can not be read: " + err.Error()}
	}
	return session.File{Present: true, Data: data}
}
