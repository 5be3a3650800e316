package folder

import (
	"errors"
	"os"
)

// DefaultKeep is how many ended sessions are kept.
const DefaultKeep = 200

// slack is how many more there may be before any is looked at.
const slack = 50

// Retain removes ended sessions, the oldest first, down to [DefaultKeep] of them,
// as soon as there are many more. Sessions that have not ended, that an engine
// holds, or whose files cannot be read stay.
func (s Store) Retain() error {
	ids, err := s.IDs()
	if err != nil || len(ids) <= DefaultKeep+slack {
		return err
	}
	var failure error
	for _, id := range ids[:len(ids)-DefaultKeep] {
		view, err := s.Look(id)
		if err != nil || view.Held || view.State == nil || view.State.Stop == nil {
			continue
		}
		failure = errors.Join(failure, os.RemoveAll(view.Dir), os.RemoveAll(s.private(id, "")))
	}
	return failure
}
