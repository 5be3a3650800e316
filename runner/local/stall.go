package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
)

// stallFile is where the watchdog leaves word for the owner of a run, who alone
// writes the journal.
func stallFile(dir, action string) string {
	return filepath.Join(dir, "stalled-"+Digest(action)[:16]+".json")
}

// LeaveStall leaves word in a run's folder that an action was found silent and
// is being ended. The run's owner takes it into the journal when the action has
// ended.
func LeaveStall(dir string, s journal.Stalled) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := replaceFile(stallFile(dir, s.ID), data); err != nil {
		return fmt.Errorf("leaving word for the run: %w", err)
	}
	return nil
}

// replaceFile writes a file that others see whole or not at all.
func replaceFile(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

// takeStall moves what the watchdog said about an action into the journal, and
// returns it for the step's own words. What it said about another process, which
// had the action before, is dropped.
func (m *Machine) takeStall(a *step.Action, own process.Ident) (remark string, err error) {
	if m.Journal == nil {
		return "", nil
	}
	path := stallFile(m.Store.Dir, a.ID)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var s journal.Stalled
	if err := json.Unmarshal(data, &s); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if s.Process == nil || *s.Process != own {
		return "", os.Remove(path)
	}
	if err := m.Journal.Append(journal.KindStalled, s); err != nil {
		return "", err
	}
	return fmt.Sprintf("ended by the watchdog after %s of silence (heartbeat_stale)", s.Silent.Round(1e6)), os.Remove(path)
}
