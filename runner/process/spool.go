package process

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	// Inline is the length in bytes up to which a stream shares the spool's
	// one file instead of getting a file of its own.
	Inline = 64 << 10
	// Patience is how long a stream may hold its output in memory: what was
	// printed by then moves into a file of its own, so that a reader can follow
	// it and a crash loses little.
	Patience = time.Second

	spoolFile = "output.spool"
	stepsDir  = "steps"
)

// Spool stores the output of a run's steps in one folder (DESIGN section 9).
// Short streams are appended to one file, because creating files is the dearest
// part of a short step; long ones get a file each. A Spool has one owner at a
// time and is safe for concurrent use by many streams.
type Spool struct {
	dir string

	mu   sync.Mutex
	file *os.File // nil until the first short stream ends
	end  int64
}

// OpenSpool opens or makes the spool in dir, which must exist. Nothing is
// created before there is output. The error is a [*StorageError].
func OpenSpool(dir string) (*Spool, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, &StorageError{"open", dir, cause(err)}
	}
	if !info.IsDir() {
		return nil, &StorageError{"open", dir, fmt.Errorf("not a folder")}
	}
	return &Spool{dir: dir}, nil
}

// Close closes the spool's file. Streams that are still open must be closed
// first.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	if err != nil {
		return &StorageError{"close", filepath.Join(s.dir, spoolFile), cause(err)}
	}
	return nil
}

// append adds one record. A failed write leaves the end where it was, so that
// the next record overwrites the torn one.
func (s *Spool) append(record []byte) (offset int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		if err := s.open(); err != nil {
			return 0, err
		}
	}
	if _, err := s.file.WriteAt(record, s.end); err != nil {
		return 0, &StorageError{"write", s.file.Name(), cause(err)}
	}
	offset = s.end
	s.end += int64(len(record))
	return offset, nil
}

func (s *Spool) open() error {
	path := filepath.Join(s.dir, spoolFile)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return &StorageError{"open", path, cause(err)}
	}
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		_ = file.Close()
		return &StorageError{"seek", path, cause(err)}
	}
	s.file, s.end = file, end
	return nil
}

// Open returns a reader over the bytes at a place of this spool. It does not
// check the hash. The error is a [*StorageError].
func (s *Spool) Open(p Place) (io.ReadCloser, error) {
	if !filepath.IsLocal(filepath.FromSlash(p.File)) {
		return nil, &StorageError{"open", p.File, fmt.Errorf("the place is outside of the spool")}
	}
	path := filepath.Join(s.dir, filepath.FromSlash(p.File))
	file, err := os.Open(path)
	if err != nil {
		return nil, &StorageError{"open", path, cause(err)}
	}
	return &section{io.NewSectionReader(file, p.Offset, p.Length), file}, nil
}

type section struct {
	*io.SectionReader
	file *os.File
}

func (s *section) Close() error { return s.file.Close() }
