package journal

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// List tells how the runs in runsDir stand, the newest first. It reads only the
// first and the last record of each journal, so it is quick and cannot see
// damage between them; a run whose ends are damaged has the status damaged and
// says why in Err. Folders without a journal, and with one that holds no
// complete record, are left out. A runsDir that does not exist has no runs.
func List(runsDir string) ([]Summary, error) {
	entries, err := os.ReadDir(runsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, storage("read", runsDir, err)
	}
	var runs []Summary
	for _, entry := range entries {
		s, err := glance(filepath.Join(runsDir, entry.Name()))
		var damage *DamageError
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrNoRecord), !entry.IsDir():
			continue
		case errors.As(err, &damage):
			s.Status, s.Err = StatusDamaged, err
		case err != nil:
			return nil, err
		}
		runs = append(runs, s)
	}
	slices.SortFunc(runs, func(a, b Summary) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.RunID, a.RunID))
	})
	return runs, nil
}

// glance is Summarize for the two ends of a journal.
func glance(dir string) (Summary, error) {
	s := Summary{RunID: filepath.Base(dir), Dir: dir}
	path := filepath.Join(dir, File)
	f, err := os.Open(path)
	if err != nil {
		return s, storage("open", path, err)
	}
	err = s.look(f)
	if closeErr := f.Close(); err == nil && closeErr != nil {
		err = storage("close", path, closeErr)
	}
	return s, err
}

// look reads the journal and, where it has no end, the lock. Where nobody holds
// that, the journal is read once more: the owner may have written the end and
// let go in between.
func (s *Summary) look(f *os.File) error {
	if err := s.ends(f); err != nil || s.End != nil {
		s.settle(Owner{}, false)
		return err
	}
	holder, held, err := Holder(s.Dir)
	if err == nil && !held {
		err = s.ends(f)
	}
	s.settle(holder, held)
	return err
}

func (s *Summary) ends(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return storage("read", f.Name(), err)
	}
	head, err := firstLine(f, info.Size())
	if err != nil {
		return err
	}
	first, wrong := parseLine(head)
	if wrong != nil {
		return s.damage(f.Name(), 1, first.Seq, *wrong)
	}
	if err := s.start(first); err != nil {
		return err
	}
	tail, err := lastLine(f, info.Size())
	if err != nil {
		return err
	}
	last, wrong := parseLine(tail)
	if wrong != nil {
		return s.damage(f.Name(), last.Seq, last.Seq, *wrong)
	}
	s.Last = last.At
	if last.Kind != KindRunFinished {
		return nil
	}
	s.End = &RunFinished{}
	return last.Decode(s.End)
}

func (s *Summary) damage(path string, line, seq int64, f fault) error {
	return &DamageError{RunID: s.RunID, Path: path, Line: line, Seq: seq, Why: f.why, Detail: f.detail}
}

// A first record holds the texts of the recipes; a last one is short.
const (
	headSize = 32 << 10
	tailRead = 4 << 10
)

// firstLine gives the first complete line of a file.
func firstLine(f *os.File, size int64) ([]byte, error) {
	for length := int64(headSize); ; length *= 4 {
		head, err := section(f, 0, min(length, size))
		if err != nil {
			return nil, err
		}
		if end := bytes.IndexByte(head, '\n'); end >= 0 {
			return head[:end], nil
		}
		if length >= size || length > MaxLine {
			return nil, fmt.Errorf("%s: %w", f.Name(), ErrNoRecord)
		}
	}
}

// lastLine gives the last complete line of a file that has one.
func lastLine(f *os.File, size int64) ([]byte, error) {
	for length := int64(tailRead); ; length *= 4 {
		from := max(0, size-length)
		tail, err := section(f, from, size-from)
		if err != nil {
			return nil, err
		}
		end := bytes.LastIndexByte(tail, '\n')
		start := bytes.LastIndexByte(tail[:max(0, end)], '\n')
		if start >= 0 || from == 0 || length > MaxLine {
			return tail[start+1 : max(start+1, end)], nil
		}
	}
}

func section(f *os.File, from, length int64) ([]byte, error) {
	part := make([]byte, length)
	n, err := f.ReadAt(part, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, storage("read", f.Name(), err)
	}
	return part[:n], nil
}
