package local

import (
	"context"
	"errors"

	"github.com/brickoven/brickoven/runner/step"
)

// Ledgers keeps the work ledgers of loops. It is safe for concurrent use.
type Ledgers interface {
	// Do carries out a Ledger action.
	Do(ctx context.Context, a *step.Action) step.Result
}

// ErrNoLedgers tells that a loop with a contract was run where nothing keeps its
// ledger.
var ErrNoLedgers = errors.New("contracts have no place for their ledgers here")

func (m *Machine) ledger(ctx context.Context, a *step.Action) step.Result {
	if m.Ledgers == nil {
		return refuse(step.CauseStart, ErrNoLedgers)
	}
	return m.Ledgers.Do(ctx, a)
}
