package folder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/bricks/durable"
	"github.com/brickoven/brickoven/bricks/session"
)

// batch is a set of writes that happens as a whole. It is written down in the
// private folder before the first file of the session changes, so that an engine
// that dies in the middle leaves neither half a boundary nor a difference that
// looks like an agent's.
type batch struct {
	// Files are whole files by their path in the session's folder.
	Files map[string][]byte `json:"files"`
	// Events are lines for events.jsonl, which ends at Offset without them.
	Events []byte `json:"events,omitempty"`
	Offset int64  `json:"offset,omitempty"`
	// Left is the manifest when all is written.
	Left session.Manifest `json:"left"`
}

// altered is the mark of a file that the engine had to go on with although it
// was not as it left it; no file has it.
const altered = "altered"

// commit writes a batch; the caller has the lock of the requests.
func (x *Session) commit(b batch) error {
	if err := x.plan(&b); err != nil {
		return err
	}
	if err := x.store.writePrivate(x.id, pendingFile, b); err != nil {
		return err
	}
	if err := x.apply(b); err != nil {
		return fmt.Errorf("session %s: %w", x.id, err)
	}
	return nil
}

// plan works out the manifest that the batch leads to. The control file is never
// in it: it is the file that others write.
func (x *Session) plan(b *batch) error {
	left := maps.Clone(x.left)
	maps.Copy(left, x.accepted)
	for name, data := range b.Files {
		left[name] = session.Mark(data)
	}
	if len(b.Events) > 0 {
		data, err := os.ReadFile(filepath.Join(x.dir, session.EventsFile))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("session %s: %w", x.id, err)
		}
		b.Offset = int64(len(data))
		was, had := left[session.EventsFile]
		left[session.EventsFile] = session.Mark(append(bytes.Clone(data), b.Events...))
		if had && was != session.Mark(data) || !had && len(data) > 0 {
			left[session.EventsFile] = altered
		}
	}
	delete(left, session.ControlFile)
	b.Left = left
	return nil
}

// apply carries a planned batch out; doing it twice does no harm.
func (x *Session) apply(b batch) error {
	tmp := x.store.private(x.id, "")
	for _, name := range slices.Sorted(maps.Keys(b.Files)) {
		place := filepath.Join(x.dir, filepath.FromSlash(name))
		if err := x.clear(name); err != nil {
			return err
		}
		if err := durable.Replace(place, fileMode, tmp, b.Files[name]); err != nil {
			return err
		}
	}
	if err := x.appendEvents(b); err != nil {
		return err
	}
	if err := x.store.writePrivate(x.id, leftFile, b.Left); err != nil {
		return err
	}
	x.left, x.accepted = b.Left, nil
	return os.Remove(x.store.private(x.id, pendingFile))
}

func (x *Session) appendEvents(b batch) (err error) {
	if len(b.Events) == 0 {
		return nil
	}
	if err := x.clear(session.EventsFile); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(x.dir, session.EventsFile), os.O_WRONLY|os.O_CREATE, fileMode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() > b.Offset {
		if err := file.Truncate(b.Offset); err != nil {
			return err
		}
	}
	if _, err := file.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	if _, err := file.Write(b.Events); err != nil {
		return err
	}
	return file.Sync()
}

// displaced is the ending of what stood in the place of one of the engine's files
// or folders.
const displaced = ".displaced"

// clear makes the folders of a file. A link or a folder that someone put in the
// place of one of them is moved aside, so that the engine writes into the
// session's folder and nowhere else.
func (x *Session) clear(name string) error {
	if err := os.MkdirAll(x.dir, folderMode); err != nil {
		return err
	}
	place := x.dir
	parts := strings.Split(name, "/")
	for i, part := range parts {
		place = filepath.Join(place, part)
		isFile := i == len(parts)-1
		info, err := os.Lstat(place)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil && info.IsDir() == isFile || err == nil && isFile && !info.Mode().IsRegular() {
			if err := os.Rename(place, place+displaced); err != nil {
				return err
			}
		}
		if !isFile {
			if err := os.MkdirAll(place, folderMode); err != nil {
				return err
			}
		}
	}
	return nil
}

// recover reads the manifest and completes what a dead engine had begun.
func (x *Session) recover(ctx context.Context) error {
	return x.store.locked(ctx, x.id, func() error {
		if err := x.readPrivate(leftFile, &x.left); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		var b batch
		err := x.readPrivate(pendingFile, &b)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return x.apply(b)
	})
}

func (x *Session) readPrivate(name string, v any) error {
	data, err := os.ReadFile(x.store.private(x.id, name))
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("session %s: %s: %w", x.id, name, err)
	}
	return nil
}
