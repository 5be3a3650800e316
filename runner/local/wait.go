package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/step"
)

// retryFile is where a person leaves word, in a run's folder, that the run is to
// wait no longer: the time as RFC 3339. Waits that begin later do not heed it.
const retryFile = "retry-now"

// retryEvery is how often a wait looks for such a word, and at the clock, which
// a suspended machine sets forward.
const retryEvery = 250 * time.Millisecond

// RetryNow cuts short what the run in a folder waits for at the given time.
func RetryNow(dir string, at time.Time) error {
	if err := replaceFile(filepath.Join(dir, retryFile), []byte(at.UTC().Format(time.RFC3339Nano)+"\n")); err != nil {
		return fmt.Errorf("leaving word for the run: %w", err)
	}
	return nil
}

// wait waits until the time of the action, says so beforehand to those who watch
// the run, and ends early when a person wants it to.
func (m *Machine) wait(ctx context.Context, a *step.Action) step.Result {
	if m.Journal != nil {
		err := m.Journal.Append(journal.KindWait, journal.Wait{ID: a.ID, Due: a.Due.UTC(), Reason: a.Path + " waits: " + a.Reason})
		if err != nil {
			return refuse(step.CauseState, err)
		}
	}
	for begun := time.Now(); ; {
		left := time.Until(a.Due)
		if left <= 0 {
			return step.Result{OK: true}
		}
		called, err := m.called(begun)
		switch {
		case err != nil:
			return refuse(step.CauseState, err)
		case called:
			return step.Result{OK: true, Value: retryFile}
		}
		select {
		case <-time.After(min(left, retryEvery)):
		case <-ctx.Done():
			return refuse(step.CauseCancelled, context.Cause(ctx))
		}
	}
}

// called tells whether somebody has said since begun that it is time.
func (m *Machine) called(begun time.Time) (bool, error) {
	data, err := os.ReadFile(filepath.Join(m.Store.Dir, retryFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	at, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(data)))
	return err == nil && at.After(begun), nil
}
