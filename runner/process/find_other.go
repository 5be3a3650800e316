//go:build !linux

package process

import (
	"context"
	"time"
)

// Alive reports whether the very process that id names still runs. Always false
// where Start is empty.
func Alive(id Ident) bool { return id.Start != "" && startOf(id.PID) == id.Start }

// FindByEnv finds nothing on this system, which does not show the environment
// of processes.
func FindByEnv(key, value string) []Ident { return nil }

// Kill ends what lives of a process and its group: TERM, and KILL after the
// grace. Only while the process itself lives can it be told from a stranger
// that got its number later, so without it nothing is done. It returns 1 when
// it ended something, and a [*SurvivorError] when it would not go; a cancelled
// context sends KILL at once.
func Kill(ctx context.Context, id Ident, grace time.Duration) (ended int, err error) {
	if id.PID <= 1 || !Alive(id) {
		return 0, nil
	}
	g := group{id: id.PGID}
	h := hunt{group: &g, deadline: time.Now().Add(grace), now: ctx.Done()}
	h.find = func() []Ident {
		if g.alive() || Alive(id) {
			return []Ident{id}
		}
		return nil
	}
	ended, left := h.run()
	if len(left) > 0 {
		return ended, &SurvivorError{left}
	}
	return ended, nil
}
