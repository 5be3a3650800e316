package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/brickoven/brickoven/runner/process"
)

// DefaultKeep is how many finished runs [Retain] keeps: the default retention.
// Unfinished, held and damaged runs come on top of it.
const DefaultKeep = 200

// slack is how many more runs may pile up before Retain looks at them.
const slack = DefaultKeep / 4

// UnfinishedError tells that a run is not removed because it has no end, and so
// may be wanted for a resume.
type UnfinishedError struct {
	RunID  string
	Status Status
}

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("run %s is %s and can still be resumed", e.RunID, e.Status)
}

// Remove removes the folder of a finished run. The error is a [*HeldError]
// where a process holds it, an [*UnfinishedError] where it may still be
// resumed or is damaged, and a [*StorageError] otherwise.
func Remove(dir string) error {
	return remove(dir, false)
}

// Discard is Remove for a run that may be unfinished or damaged. A held run is
// refused all the same.
func Discard(dir string) error {
	return remove(dir, true)
}

func remove(dir string, unfinished bool) error {
	// Looked at before, so that a folder that holds no run gets no lock file.
	if _, err := os.Lstat(filepath.Join(dir, File)); err != nil {
		return storage("remove", dir, err)
	}
	lock, err := Acquire(dir, remover())
	if err != nil {
		return err
	}
	if !unfinished {
		if err := finishedRun(dir); err != nil {
			return errors.Join(err, lock.Release())
		}
	}
	return lock.removeFolder(dir)
}

// remover is written into the lock of a run that is being removed.
func remover() Owner {
	return Owner{Process: process.Ident{PID: os.Getpid()}, Command: "removing the run"}
}

func finishedRun(dir string) error {
	s, err := glance(dir)
	var damage *DamageError
	switch {
	case errors.As(err, &damage):
		return &UnfinishedError{RunID: s.RunID, Status: StatusDamaged}
	case errors.Is(err, ErrNoRecord):
		return &UnfinishedError{RunID: s.RunID, Status: StatusInterrupted}
	case err != nil:
		return err
	case s.Resumable():
		return &UnfinishedError{RunID: s.RunID, Status: StatusInterrupted}
	}
	return nil
}

// removeFolder removes the run and gives up the lock. The journal goes after
// everything else and the lock last, so that a removal that was cut short is a
// run that can be removed again.
func (l *Lock) removeFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return errors.Join(storage("remove", dir, err), l.Release())
	}
	for _, entry := range entries {
		if name := entry.Name(); name != File && name != LockFile {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, name)))
		}
	}
	if err == nil {
		err = os.Remove(filepath.Join(dir, File))
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		return errors.Join(storage("remove", dir, err), l.Release())
	}
	// Windows does not remove a file that is open.
	if err := l.flock.Unlock(); err != nil {
		return storage("unlock", l.path, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return storage("remove", dir, err)
	}
	return nil
}

// Prune removes all but the keep newest finished runs of runsDir. Unfinished,
// held and damaged runs are never removed and do not count. It also takes away
// what a removal left behind that was cut short. removed and kept are the IDs,
// the newest first; err joins what went wrong with single runs, which are kept.
func Prune(runsDir string, keep int) (removed, kept []string, err error) {
	if keep < 0 {
		return nil, nil, fmt.Errorf("the number of runs to keep is %d", keep)
	}
	runs, err := List(runsDir)
	if err != nil {
		return nil, nil, err
	}
	finished := 0
	for _, s := range runs {
		ended := s.Status == StatusFinished && !s.Resumable()
		if ended {
			finished++
		}
		if !ended || finished <= keep {
			kept = append(kept, s.RunID)
			continue
		}
		removal := Remove(s.Dir)
		if removal == nil {
			removed = append(removed, s.RunID)
			continue
		}
		kept = append(kept, s.RunID)
		var held *HeldError
		var unfinished *UnfinishedError
		if !errors.As(removal, &held) && !errors.As(removal, &unfinished) {
			err = errors.Join(err, removal)
		}
	}
	return removed, kept, errors.Join(err, sweep(runsDir))
}

// Retain is Prune with [DefaultKeep], for the end of every run: it only counts
// the folders as long as there are not many more than that.
func Retain(runsDir string) error {
	entries, err := os.ReadDir(runsDir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) <= DefaultKeep+slack {
		return nil
	}
	if err != nil {
		return storage("read", runsDir, err)
	}
	_, _, err = Prune(runsDir, DefaultKeep)
	return err
}

// sweep removes folders that a removal left without a journal. They have a lock
// that somebody owned once: a run that is just beginning has no lock yet, an
// empty one, or one that is held.
func sweep(runsDir string) error {
	entries, err := os.ReadDir(runsDir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return storage("read", runsDir, err)
	}
	for _, entry := range entries {
		dir := filepath.Join(runsDir, entry.Name())
		if _, statErr := os.Lstat(filepath.Join(dir, File)); !entry.IsDir() || !errors.Is(statErr, fs.ErrNotExist) {
			continue
		}
		info, statErr := os.Stat(filepath.Join(dir, LockFile))
		if statErr != nil || info.Size() == 0 {
			continue
		}
		lock, lockErr := Acquire(dir, remover())
		if lockErr != nil {
			continue // it is held, or somebody else removed it
		}
		if _, statErr := os.Lstat(filepath.Join(dir, File)); statErr == nil {
			err = errors.Join(err, lock.Release())
			continue
		}
		err = errors.Join(err, lock.removeFolder(dir))
	}
	return err
}
