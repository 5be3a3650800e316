// Package comprehension counts the accepted changes that nobody has signed as
// read, and reads those signatures (seed 004, "Understanding debt").
//
// The gate forces a person to look and to sign; it proves that the holder of a
// key signed, and not that anybody understood. The functions are pure and safe
// for concurrent use; a Debt is not.
package comprehension

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Change is one accepted change of a repository.
type Change struct {
	// Commit is the snapshot of the accepted state.
	Commit string `json:"commit"`
	// Base is the snapshot of the accepted state before it; the change is what
	// differs between the two.
	Base string `json:"base,omitempty"`
	// Head is the branch's commit at that moment; empty before the first one.
	// Either of the two names the change in an acknowledgement.
	Head string `json:"head,omitempty"`
	Run  string `json:"run,omitempty"`
}

// Debt is kept per repository, across processes and runs. The zero Debt is a
// repository in which nothing was accepted yet.
type Debt struct {
	Version int `json:"version"`
	// Changes are the unread ones, oldest first.
	Changes []Change `json:"changes"`
	// Through is the commit of the last change that was acknowledged; empty
	// before the first acknowledgement.
	Through string `json:"through,omitempty"`
	// Acks are the acknowledgements so far, oldest first.
	Acks []Ack `json:"acks,omitempty"`
}

// Version is that of the stored form of a Debt.
const Version = 1

// Add counts an accepted change. One that is there already, as after a run was
// resumed, counts once.
func (d *Debt) Add(c Change) {
	d.Version = Version
	known := func(other Change) bool { return other.Commit == c.Commit }
	if c.Commit != d.Through && !slices.ContainsFunc(d.Changes, known) {
		d.Changes = append(d.Changes, c)
	}
}

// Unread lists the commits of the unread changes, oldest first; its length is
// diffs_merged_unread.
func (d *Debt) Unread() []string {
	commits := make([]string, len(d.Changes))
	for i, c := range d.Changes {
		commits[i] = c.Commit
	}
	return commits
}

// ErrNotUnread is a commit that is none of the unread changes.
var ErrNotUnread = errors.New("is not among the unread changes")

// shortest is how much of a commit id names it, as in git.
const shortest = 7

// Find gives the change that a commit id, or its beginning from 7 digits on,
// names. Where several have the same head the newest is meant.
func (d *Debt) Find(id string) (Change, error) {
	id = strings.ToLower(strings.TrimSpace(id))
	if len(id) < shortest {
		return Change{}, fmt.Errorf("commit %q is shorter than %d digits", id, shortest)
	}
	var found *Change
	for i, c := range d.Changes {
		if !strings.HasPrefix(c.Commit, id) && !strings.HasPrefix(c.Head, id) {
			continue
		}
		if found != nil && found.Head != c.Head {
			return Change{}, fmt.Errorf("commit %q is ambiguous", id)
		}
		found = &d.Changes[i]
	}
	if found == nil {
		return Change{}, fmt.Errorf("commit %q %w", id, ErrNotUnread)
	}
	return *found, nil
}

// Acknowledge takes in a verified acknowledgement and returns how many changes
// it read. Only changes up to the one it names are read; those accepted after
// it stay unread.
func (d *Debt) Acknowledge(v Verified) (read int, err error) {
	if v.Statement.Previous != d.Through {
		return 0, &RefusedError{Reason: Replayed, Detail: fmt.Sprintf("it follows on %s, and the last one read is %s", orNone(v.Statement.Previous), orNone(d.Through))}
	}
	i := slices.IndexFunc(d.Changes, func(c Change) bool { return c.Commit == v.Statement.Through })
	if i < 0 {
		return 0, fmt.Errorf("commit %q %w", v.Statement.Through, ErrNotUnread)
	}
	d.Version = Version
	d.Changes = slices.Clone(d.Changes[i+1:])
	d.Through = v.Statement.Through
	d.Acks = append(d.Acks, v.Ack)
	return i + 1, nil
}

func orNone(commit string) string {
	if commit == "" {
		return "none"
	}
	return commit
}
