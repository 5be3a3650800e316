package local

import (
	"time"

	"github.com/brickoven/brickoven/runner/step"
)

// silence is how long the process of an action may be silent: as long as its
// step says, or the loop around it, whichever is less. Zero is no bound.
func silence(a *step.Action) time.Duration {
	if stale(a) {
		return a.Stale
	}
	return a.Def.IdleTimeout
}

// stale tells that the bound is the loop's.
func stale(a *step.Action) bool {
	return a.Stale > 0 && (a.Def.IdleTimeout == 0 || a.Stale < a.Def.IdleTimeout)
}

// fate names the cause of an action that was ended for its silence after whoever
// set the bound.
func fate(a *step.Action, res *step.Result) {
	if res.Cause == step.CauseIdle && stale(a) {
		res.Cause = step.CauseStale
	}
}
