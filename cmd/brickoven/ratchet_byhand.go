package main

import (
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/step"
)

// What a person did to a run by hand.
const (
	handRestored     = "ratchet_restore"
	handAccepted     = "ratchet_accept"
	handAcknowledged = "ack"
)

// handful is the text of a [step.ByHand] note, as JSON.
type handful struct {
	Reason string `json:"reason,omitempty"`
	// Trees are those that were accepted, or put back to.
	Trees []runner.Tree `json:"trees,omitempty"`
	// Rescues are the refs of what was in the work trees before.
	Rescues []string `json:"rescues,omitempty"`
	// Statement and Signature are those of an acknowledgement, Key the
	// fingerprint of its key.
	Statement string `json:"statement,omitempty"`
	Signature string `json:"signature,omitempty"`
	Key       string `json:"key,omitempty"`
}

// byHand does something to a run that no process has, and writes it into the
// run's journal: as an attempt of its own, which ends as the one before it did.
func (a *app) byHand(dir, loop, what string, do func() (handful, error)) (err error) {
	lock, err := journal.Acquire(dir, owner(nil))
	if err != nil {
		return heldOr(err, exit.Failed)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	past, err := readHistory(dir)
	if err != nil {
		return &failure{exit.Failed, err}
	}
	w, _, err := journal.Continue(dir, journal.Options{Now: now}, nil)
	if err != nil {
		return &failure{exit.Failed, err}
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	done, err := do()
	if err != nil {
		return err
	}
	text, err := json.Marshal(done)
	if err != nil {
		return err
	}
	who := owner(nil)
	err = w.Append(journal.KindResumed, journal.Resumed{Owner: who.Process, Host: who.Host, Attempt: past.Attempts + 1, ByHand: what})
	if err == nil {
		err = w.Append(journal.KindNote, step.Note{Kind: step.ByHand, Path: loop, Name: what, Text: string(text), At: now()})
	}
	if err == nil && past.Finished != nil {
		err = w.Append(journal.KindRunFinished, *past.Finished)
	}
	return err
}

// handed reads what was accepted by hand since each loop ended, by its path.
func handed(dir string) (map[string][]runner.Tree, error) {
	trees := map[string][]runner.Tree{}
	_, err := (&recorded{}).notes(dir, func(n step.Note) error {
		switch {
		case n.Kind == step.LoopEnded:
			delete(trees, n.Path)
		case n.Kind == step.ByHand && n.Name == handAccepted:
			var done handful
			if err := json.Unmarshal([]byte(n.Text), &done); err != nil {
				return err
			}
			trees[n.Path] = done.Trees
		}
		return nil
	})
	return trees, err
}

// withHanded adds to the end of a session that goes on what was accepted by
// hand, and the limits that were raised.
func (l *loopSessions) withHanded(path string, v any) any {
	status, ok := v.(map[string]any)
	if _, reopened := status[step.SessionReopened]; !ok || !reopened {
		return v
	}
	if len(l.handed[path]) > 0 {
		status[step.SessionHanded] = value.From(l.handed[path])
	}
	if len(l.raised) > 0 {
		status[step.SessionRaised] = value.From(l.raised)
	}
	return status
}

// runDir is the folder of a run whose id is known.
func runDir(runs, id string) string { return filepath.Join(runs, filepath.Base(id)) }
