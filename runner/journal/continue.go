package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Continue reads the journal in dir from its start, hands every record to
// replay, and opens it for appending. replay may be nil; its error ends
// Continue and is returned.
//
// A torn last line is moved to [TornFile] and cut off; torn says so, and is nil
// otherwise. Nothing in the folder is changed before every record was read and
// replayed, and nothing at all where the error is a [*DamageError],
// [ErrNoRecord] or a [*StorageError] about reading.
func Continue(dir string, opts Options, replay func(Record) error) (w *Writer, torn *Torn, err error) {
	r, err := Read(dir)
	if err != nil {
		return nil, nil, err
	}
	err = r.each(replay)
	if closeErr := r.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, nil, err
	}
	if r.line == 0 {
		return nil, r.torn, ErrNoRecord
	}
	f, err := os.OpenFile(r.path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, nil, storage("open", r.path, err)
	}
	if r.torn != nil {
		if err := setAside(f, dir, r.torn, opts.Durable); err != nil {
			_ = f.Close()
			return nil, r.torn, err
		}
	}
	return &Writer{
		path: r.path, opts: opts, file: f,
		end: r.offset, seq: r.line, prev: r.prev, ended: r.kind == KindRunFinished,
	}, r.torn, nil
}

func (r *Reader) each(replay func(Record) error) error {
	for {
		record, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case replay == nil:
			continue
		}
		if err := replay(record); err != nil {
			return err
		}
	}
}

// setAside moves a torn line from the end of the journal to the file beside it.
func setAside(journal *os.File, dir string, torn *Torn, durable bool) (err error) {
	path := filepath.Join(dir, TornFile)
	aside, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return storage("open", path, err)
	}
	_, err = io.Copy(aside, io.NewSectionReader(journal, torn.Offset, torn.Length))
	if err == nil {
		_, err = aside.WriteString("\n")
	}
	if err == nil && durable {
		err = errors.Join(aside.Sync(), syncFolder(dir))
	}
	if closeErr := aside.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return storage("write", path, err)
	}
	torn.Kept = path
	if err := journal.Truncate(torn.Offset); err != nil {
		return storage("truncate", torn.Path, err)
	}
	if durable {
		if err := journal.Sync(); err != nil {
			return storage("sync", torn.Path, err)
		}
	}
	return nil
}
