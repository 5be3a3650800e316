package scope

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
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

// spill is one file. Its users are counted without a lock, because a step may
// have hundreds of files.
type spill struct {
	store   *Spills
	path    string
	entry   string       // for the environment
	users   atomic.Int64 // negative once the file is removed
	retired atomic.Bool  // no later step will want it
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
	if file := it.spill.Load(); file != nil && file.store == s && file.use() {
		return file, nil
	}
	it.mu.Lock()
	defer it.mu.Unlock()
	if file := it.spill.Load(); file != nil && file.store == s && file.use() {
		return file, nil
	}
	text, err := read()
	if err != nil {
		return nil, err
	}
	path, err := s.write(text)
	if err != nil {
		return nil, err
	}
	file := &spill{store: s, path: path, entry: it.main + fileSuffix + "=" + path}
	file.users.Store(1)
	it.spill.Store(file)
	it.exported.Store(nil)
	return file, nil
}

func (s *Spills) write(text string) (path string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.prepare(); err != nil {
		return "", err
	}
	s.next++
	path = filepath.Join(s.dir, strconv.Itoa(s.next))
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(path))
	}
	return path, nil
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
	for {
		users := f.users.Load()
		if users < 0 {
			return false
		}
		if f.users.CompareAndSwap(users, users+1) {
			return true
		}
	}
}

// release counts one user less.
func (f *spill) release() error {
	f.users.Add(-1)
	return f.collect()
}

// retire says that no later step will want the file. A file that cannot be
// removed goes with the folder.
func (f *spill) retire() {
	f.retired.Store(true)
	_ = f.collect()
}

// collect removes the file if nobody has it and nobody will.
func (f *spill) collect() error {
	if !f.retired.Load() && !f.store.perStep || !f.users.CompareAndSwap(0, -1) {
		return nil
	}
	err := os.Remove(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
