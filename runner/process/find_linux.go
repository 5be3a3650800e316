package process

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Alive reports whether the very process that id names still runs. A zombie
// does not. Always false where Start is empty.
func Alive(id Ident) bool {
	s, ok := readStat(id.PID)
	return ok && id.Start != "" && !s.dead() && s.ident().Start == id.Start
}

// FindByEnv lists the processes that were started with the environment variable
// key set to value, this process and detached ones ([EnvDetached]) excepted.
// Processes of other users are not seen. It finds nothing on systems other than
// Linux.
func FindByEnv(key, value string) []Ident {
	var found []Ident
	for _, s := range everyone() {
		if s.pid == selfPID || s.dead() {
			continue
		}
		env, ok := environOf(s.pid)
		if ok && slices.Contains(env, key+"="+value) && !slices.Contains(env, EnvDetached+"=1") {
			found = append(found, s.ident())
		}
	}
	return found
}

// Kill ends what lives of a process and its group: TERM, and KILL after the
// grace. It makes sure first that the numbers were not given to strangers: a
// process of another start time, or a group whose members are older than id,
// is left alone. It returns how many it ended, and a [*SurvivorError] when
// some would not go; a cancelled context sends KILL at once.
func Kill(ctx context.Context, id Ident, grace time.Duration) (ended int, err error) {
	if id.Start == "" || id.PID <= 1 {
		return 0, nil
	}
	g := group{id: id.PGID}
	h := hunt{group: &g, deadline: time.Now().Add(grace), now: ctx.Done()}
	h.find = func() []Ident { return remains(id) }
	ended, left := h.run()
	if len(left) > 0 {
		return ended, &SurvivorError{left}
	}
	return ended, nil
}

// remains lists what lives of the process and group that id names.
func remains(id Ident) []Ident {
	if id.PGID > 1 && !(&group{id: id.PGID}).alive() && !Alive(id) {
		return nil
	}
	boot, _, _ := strings.Cut(id.Start, "/")
	if boot != bootID() {
		return nil
	}
	var found []Ident
	for _, s := range everyone() {
		switch {
		case s.pid == id.PID && s.ident().Start != id.Start:
			return nil
		case s.dead() || s.pid == selfPID || s.ticks < ticksOf(id):
		case s.pid == id.PID, id.PGID > 1 && s.pgid == id.PGID:
			found = append(found, s.ident())
		}
	}
	return found
}
