package process

import "time"

// hunt ends a set of processes: it asks each once, kills what is left at the
// deadline, and goes on until none is found. New ones that the dying leave
// behind are found in later rounds.
type hunt struct {
	group    *group
	find     func() []Ident
	deadline time.Time
	now      <-chan struct{} // closed: do not wait for the deadline
	asked    bool            // the group had its signal already
}

func (h *hunt) run() (ended int, survivors []Ident) {
	seen := map[Ident]bool{}
	pause := time.Millisecond
	for {
		found := h.find()
		if len(found) == 0 {
			return len(seen), nil
		}
		late := time.Since(h.deadline)
		if late > lastResort {
			return len(seen) - len(found), found
		}
		if late >= 0 || h.hurried() {
			h.kill(found, seen)
		} else {
			h.ask(found, seen)
		}
		time.Sleep(pause)
		pause = min(2*pause, 20*time.Millisecond)
	}
}

func (h *hunt) hurried() bool {
	select {
	case <-h.now:
		h.deadline, h.now = time.Now(), nil
		return true
	default:
		return false
	}
}

func (h *hunt) ask(found []Ident, seen map[Ident]bool) {
	if !h.asked {
		h.asked = true
		h.group.ask(nil)
	}
	for _, id := range found {
		if !seen[id] {
			seen[id] = true
			if !h.group.holds(id) {
				askOne(id)
			}
		}
	}
}

func (h *hunt) kill(found []Ident, seen map[Ident]bool) {
	h.group.kill()
	for _, id := range found {
		seen[id] = true
		if !h.group.holds(id) {
			killOne(id)
		}
	}
}
