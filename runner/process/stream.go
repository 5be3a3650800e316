package process

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Stream is one output of one step on its way into a [Spool]. It holds up to
// [Inline] bytes in memory for up to [Patience], then it writes through into a
// file of its own. Write, Sync and Close may be called concurrently.
type Stream struct {
	spool *Spool
	name  string

	mu     sync.Mutex
	memory []byte // everything so far, while there is no file
	file   *os.File
	length int64
	sum    hash.Hash
	timer  *time.Timer
	err    error // the first failure; it stays
	place  Place
	closed bool
}

// Stream returns a new, empty stream. The name becomes part of the file's name
// if the stream gets one; it may hold any characters and need not be unique.
func (s *Spool) Stream(name string) *Stream { return &Stream{spool: s, name: name} }

// Write takes a piece. The error is a [*StorageError]; from then on nothing
// more is taken and Close returns it again.
func (s *Stream) Write(piece []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, &StorageError{"write", s.name, fs.ErrClosed}
	}
	if s.err != nil {
		return 0, s.err
	}
	if s.file == nil {
		if len(s.memory)+len(piece) <= Inline {
			s.hold(piece)
			return len(piece), nil
		}
		if err := s.promote(); err != nil {
			return 0, err
		}
	}
	return s.through(piece)
}

func (s *Stream) hold(piece []byte) {
	if s.timer == nil {
		s.timer = time.AfterFunc(Patience, func() { _ = s.Sync() })
	}
	s.memory = append(s.memory, piece...)
	s.length += int64(len(piece))
}

// Sync moves what is still in memory into a file, where other processes can
// read it. An error stays with the stream and is returned by Close, too.
func (s *Stream) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.file != nil || s.err != nil || s.length == 0 {
		return s.err
	}
	return s.promote()
}

// promote gives the stream a file of its own.
func (s *Stream) promote() error {
	file, err := s.create()
	if err != nil {
		s.err = err
		return err
	}
	if s.timer != nil {
		s.timer.Stop()
	}
	s.file, s.sum, s.length = file, sha256.New(), 0
	held := s.memory
	s.memory = nil
	_, err = s.through(held)
	return err
}

func (s *Stream) through(piece []byte) (int, error) {
	n, err := s.file.Write(piece)
	s.sum.Write(piece[:n])
	s.length += int64(n)
	if err != nil {
		s.err = &StorageError{"write", s.file.Name(), cause(err)}
		return n, s.err
	}
	return n, nil
}

// create makes the file. An earlier attempt of the step keeps its own.
func (s *Stream) create() (*os.File, error) {
	dir := filepath.Join(s.spool.dir, stepsDir)
	base := fileName(s.name)
	for try := 1; ; try++ {
		path := filepath.Join(dir, base+".out")
		if try > 1 {
			path = filepath.Join(dir, base+"~"+strconv.Itoa(try)+".out")
		}
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		switch {
		case err == nil:
			return file, nil
		case errors.Is(err, fs.ErrExist):
		case errors.Is(err, fs.ErrNotExist) && try == 1:
			if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, &StorageError{"create", dir, cause(err)}
			}
			try = 0
		default:
			return nil, &StorageError{"create", path, cause(err)}
		}
	}
}

// Close ends the stream and says where it lies. What was taken before an error
// can be read at the place all the same. A second Close returns the same.
func (s *Stream) Close() (Place, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return s.place, s.err
	}
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	if s.file != nil {
		s.place = Place{File: s.relative(), Length: s.length, SHA256: hex.EncodeToString(s.sum.Sum(nil))}
		if err := s.file.Close(); err != nil && s.err == nil {
			s.err = &StorageError{"close", s.file.Name(), cause(err)}
		}
		return s.place, s.err
	}
	s.settle()
	return s.place, s.err
}

// settle appends a short stream to the spool's file. An empty one has a place
// without a file behind it.
func (s *Stream) settle() {
	sum := sha256.Sum256(s.memory)
	s.place = Place{File: spoolFile, Length: s.length, SHA256: hex.EncodeToString(sum[:])}
	if s.length == 0 {
		return
	}
	offset, err := s.spool.append(s.memory)
	if err != nil && s.err == nil {
		s.err = err
	}
	s.place.Offset = offset
}

func (s *Stream) relative() string { return stepsDir + "/" + filepath.Base(s.file.Name()) }

// fileName spells a name so that it is one safe path element: letters, digits,
// '_', '-' and inner dots stay, the rest becomes %XX, and a long one is cut and
// told apart by a hash.
func fileName(name string) string {
	var out strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-', c == '.' && i > 0:
			out.WriteByte(c)
		default:
			const digits = "0123456789ABCDEF"
			out.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	const longest = 120
	if out.Len() <= longest {
		return out.String()
	}
	sum := sha256.Sum256([]byte(name))
	return out.String()[:longest-17] + "-" + hex.EncodeToString(sum[:8])
}
