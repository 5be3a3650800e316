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
	// Notices are what should be known beside the verdict, such as that the run
	// is not over.
	Notices []string
	// Steps are the step events in the order of the journal.
	Steps []doomloop.Event
	// Calls are the tool events of each call of an agent whose CLI streams them.
	Calls [][]doomloop.Event
}

// RunReader finds a run or session and reads its record. An empty reference is
// the newest run; one that matches nothing is an error that wraps [ErrRunNotFound].
type RunReader interface {
	ReadRun(ctx context.Context, reference string) (Run, error)
}
