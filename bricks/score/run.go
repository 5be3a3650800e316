package score

import (
	"context"
	"errors"

	"github.com/brickoven/brickoven/bricks/doomloop"
)

// ErrRunNotFound is returned by a [RunReader] that knows no such run.
var ErrRunNotFound = errors.New("no such run or session")

// Run is what a run or session of ours recorded about a loop.
type Run struct {
	// ID is the run's full id.
	ID string
	// Record is the loop and the guard events of the journal. A run without an
	// evaluation loop has no scores.
	Record Record
	// Steps are the step events, and the tool events of agents whose preset
	// streams them, in the order of the journal.
	Steps []doomloop.Event
}

// RunReader finds a run or session and reads its record. A reference that
// matches nothing is an error that wraps [ErrRunNotFound].
type RunReader interface {
	ReadRun(ctx context.Context, reference string) (Run, error)
}
