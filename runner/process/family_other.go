//go:build !linux

package process

import (
	"fmt"
	"os"
	"time"
)

func familyName() string { return fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano()) }

func (f *Family) adopt() error { return nil }

func (f *Family) reap() {}

func (f *Family) excuse() {}

// remnants tells whether the group still has members. What left it cannot be
// found on this system.
func (c *child) remnants() []Ident {
	if c.group.alive() {
		return []Ident{c.ident}
	}
	return nil
}

func (f *Family) endKept(grace time.Duration) (ended int, survivors []Ident) {
	f.mu.Lock()
	defer f.mu.Unlock()
	deadline := time.Now().Add(grace)
	for _, id := range f.kept {
		g := group{id: id.PGID}
		h := hunt{group: &g, deadline: deadline}
		h.find = func() []Ident {
			if g.alive() {
				return []Ident{id}
			}
			return nil
		}
		n, left := h.run()
		ended, survivors = ended+n, append(survivors, left...)
	}
	return ended, survivors
}
