package scope

import (
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// index knows which items of a layer want which name. It is brought up to date
// when an environment is built, so that scopes that never build one pay
// nothing.
type index struct {
	pending   []*binding
	claims    map[string][]*item
	contested map[string]bool // names that more than one item may want
	files     bool            // a name that a spill file may be named by was claimed
}

// refresh brings the indexes of this layer and its parents up to date.
func (s *Scope) refresh(load func(value.Ref) (string, error)) error {
	for _, layer := range s.layers() {
		if err := layer.refreshOwn(load); err != nil {
			return err
		}
	}
	return nil
}

func (s *Scope) refreshOwn(load func(value.Ref) (string, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.index.pending) > 0 {
		b := s.index.pending[0]
		if !b.gone {
			b.items, b.warnings = nil, nil
			if err := b.prepare(load); err != nil {
				return err
			}
			for _, it := range b.items {
				s.claim(it, it.main)
				s.claim(it, it.alias)
			}
		}
		s.index.pending = s.index.pending[1:]
	}
	return nil
}

func (s *Scope) claim(it *item, name string) {
	if name == "" {
		return
	}
	if s.index.claims == nil {
		s.index.claims, s.index.contested = map[string][]*item{}, map[string]bool{}
	}
	s.index.files = s.index.files || strings.HasSuffix(name, fileSuffix)
	rivals := s.claimants(name)
	s.index.claims[name] = append(s.index.claims[name], it)
	if len(rivals) > 0 {
		s.index.contested[name] = true
	}
}

// claimants lists the items of visible bindings that want a name, the
// outermost layer first. The layers above must be up to date.
func (s *Scope) claimants(name string) []*item {
	var found []*item
	for layer := s; layer != nil; layer = layer.parent {
		for _, it := range slices.Backward(layer.index.claims[name]) {
			if s.find(it.owner.name) == it.owner {
				found = append(found, it)
			}
		}
	}
	slices.Reverse(found)
	return found
}

func (x *index) remove(b *binding) {
	for _, it := range b.items {
		x.unclaim(it, it.main)
		x.unclaim(it, it.alias)
	}
	b.retire()
}

func (x *index) unclaim(it *item, name string) {
	rest := slices.DeleteFunc(x.claims[name], func(other *item) bool { return other == it })
	if len(rest) == 0 {
		delete(x.claims, name)
		delete(x.contested, name)
		return
	}
	x.claims[name] = rest
}
