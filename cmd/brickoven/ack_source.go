package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/brickoven/brickoven/bricks/brakes"
	"github.com/brickoven/brickoven/bricks/brakes/comprehension"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/state"
)

// projectDebt is the understanding debt of the repository that a folder lies in.
type projectDebt struct{ recorded }

func (p *projectDebt) book() (*debtBook, state.Locations, error) {
	places, err := p.app.locations(p.stateDir, p.workDir)
	if err != nil {
		return nil, places, &failure{exit.Usage, err}
	}
	book, err := openDebtBook(places, p.workDir)
	return book, places, err
}

// Unread reads the debt, and who may sign.
func (p *projectDebt) Unread(ctx context.Context) (unreadState, error) {
	book, _, err := p.book()
	if err != nil {
		return unreadState{}, err
	}
	s := unreadState{Repository: book.repository}
	err = book.change(ctx, func(d *comprehension.Debt) (bool, error) { s.Debt = *d; return false, nil })
	if err != nil {
		return s, err
	}
	top, err := state.Project(p.workDir)
	if err != nil {
		return s, err
	}
	text, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(brakes.SignersFile)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	s.Signers, err = comprehension.ParseSigners(text, time.Local)
	return s, err
}

// Acknowledge lowers the debt, and writes the acknowledgement into the journals
// of the runs whose changes were read. The journal of a run that goes on takes it
// up by itself, when its loop asks for the debt.
func (p *projectDebt) Acknowledge(ctx context.Context, v comprehension.Verified) (read, left int, err error) {
	book, places, err := p.book()
	if err != nil {
		return 0, 0, err
	}
	var runs []string
	err = book.change(ctx, func(d *comprehension.Debt) (bool, error) {
		before := slices.Clone(d.Changes)
		if read, err = d.Acknowledge(v); err != nil {
			return false, err
		}
		for _, c := range before[:read] {
			if c.Run != "" && !slices.Contains(runs, c.Run) {
				runs = append(runs, c.Run)
			}
		}
		left = len(d.Changes)
		return true, nil
	})
	if err != nil {
		return 0, 0, err
	}
	for _, run := range runs {
		err := p.app.byHand(runDir(places.Runs(), run), "", handAcknowledged, func() (handful, error) {
			return handful{Statement: v.Ack.Statement, Signature: v.Ack.Signature, Key: v.Fingerprint}, nil
		})
		var fail *failure
		if err != nil && !(errors.As(err, &fail) && fail.Code == exit.Held) {
			fmt.Fprintf(p.app.err, "Warning: the journal of run %s does not have the acknowledgement: %v\n", run, err)
		}
	}
	return read, left, nil
}
