package local

import (
	"errors"
	"fmt"
	"time"

	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/mask"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
)

// Journal is the [Recorder] that writes the run's journal.
type Journal struct {
	Writer *journal.Writer
	// Mask takes secrets out of what is hashed; nil has none.
	Mask *mask.Masker
}

// Note records a note, without the outputs that the results hold already.
func (j *Journal) Note(n step.Note) error {
	if n.Outcome != nil {
		slim := *n.Outcome
		slim.Output, slim.Outputs, slim.Children = nil, nil, nil
		n.Outcome = &slim
	}
	n.Value = nil
	return j.Writer.Append(journal.KindNote, n)
}

// Starting announces an action.
func (j *Journal) Starting(a *step.Action) error {
	return j.Writer.Append(journal.KindActionStarted, journal.ActionStarted{
		ID: a.ID, Kind: string(a.Kind), Path: a.Path, Attempt: a.Attempt, Args: a.Arguments(j.Mask.Text), Stale: a.Stale,
	})
}

// Event records what the run is told.
func (j *Journal) Event(ev step.Event) error { return j.Writer.Event(ev) }

// started notes and records the process of an action. The error is kept for the end of
// the action, whose process runs already.
func (m *Machine) started(a *step.Action, own *process.Ident, failure *error) func(process.Ident) {
	return func(id process.Ident) {
		*own = id
		if m.Journal == nil {
			return
		}
		*failure = errors.Join(*failure, m.Journal.Append(journal.KindProcessStarted, journal.ProcessStarted{ID: a.ID, Process: id}))
	}
}

// waiting announces that an action shows no sign of progress for a while, which
// is no stall.
func (m *Machine) waiting(a *step.Action, delay time.Duration) error {
	if m.Journal == nil || delay <= 0 {
		return nil
	}
	return m.Journal.Append(journal.KindWait, journal.Wait{
		ID: a.ID, Due: time.Now().UTC().Round(0).Add(delay), Reason: fmt.Sprintf("%s waits for %s", a.Path, delay),
	})
}

// refused records that a guard did not let a child start.
func (m *Machine) refused(a *step.Action, reason error) error {
	if m.Journal == nil {
		return nil
	}
	return m.Journal.Append(journal.KindGuardRefused, journal.GuardRefused{
		ID: a.ID, Path: a.Path, Guard: "structural", Text: reason.Error(),
	})
}
