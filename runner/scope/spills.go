package scope

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// Spills keeps the files of spilled variables in a private folder of the run.
//
// A file is written once for each setting of a variable and shared by all steps
// that get it, so that a step's cost does not grow with what earlier steps
// stored; it goes when the variable is set anew or its layer is discarded, and
// the last with [Spills.Close]. With PerStep every file goes as soon as no
// running step has it, which costs each step a new file for each large value.
// A Spills is safe for concurrent use.
type Spills struct {
	dir     string
	perStep bool

	mu   sync.Mutex
	made bool
	next int
}

// spill is one file.
type spill struct {
	store *Spills
	path  string

	users   int
	retired bool
	removed bool
}

// NewSpills returns a store in dir, an absolute path that nothing else uses. It
// is made with mode 0700 when something spills; what a killed run left there is
// removed then.
func NewSpills(dir string, perStep bool) *Spills { return &Spills{dir: dir, perStep: perStep} }

// Close removes the folder. No step may be running.
func (s *Spills) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made = false
	return os.RemoveAll(s.dir)
}

// hold returns the item's file, writing it if there is none, and counts one
// more user.
func (s *Spills) hold(it *item, read func() (string, error)) (*spill, error) {
	it.mu.Lock()
	defer it.mu.Unlock()
	if it.spill == nil || it.spill.store != s || !it.spill.use() {
		text, err := read()
		if err != nil {
			return nil, err
		}
		file, err := s.write(text)
		if err != nil {
			return nil, err
		}
		it.spill = file
	}
	it.exported.Store(nil)
	return it.spill, nil
}

func (s *Spills) write(text string) (*spill, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.prepare(); err != nil {
		return nil, err
	}
	s.next++
	path := filepath.Join(s.dir, strconv.Itoa(s.next))
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	return &spill{store: s, path: path, users: 1}, nil
}

func (s *Spills) prepare() error {
	if s.made {
		return nil
	}
	if !filepath.IsAbs(s.dir) {
		return &fs.PathError{Op: "spill", Path: s.dir, Err: errors.New("the path is not absolute")}
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	s.made = true
	return nil
}

// use counts one more user and reports whether the file is still there.
func (f *spill) use() bool {
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	if f.removed || !f.store.made {
		return false
	}
	f.users++
	return true
}

// release counts one user less.
func (f *spill) release() error {
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	f.users--
	return f.collect()
}

// retire says that no later step will want the file. A file that cannot be
// removed goes with the folder.
func (f *spill) retire() {
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	f.retired = true
	_ = f.collect()
}

func (f *spill) collect() error {
	if f.removed || f.users > 0 || !f.retired && !f.store.perStep {
		return nil
	}
	f.removed = true
	err := os.Remove(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
