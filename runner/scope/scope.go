// Package scope holds the variables of a run and turns them into the
// environment of its steps (DESIGN section 6).
//
// A variable x reaches a step as RECIPE_VAR_x, its nested keys as
// RECIPE_VAR_x__key, and, if it is a scalar, under the plain upper-case alias
// X as well (seed 000, "Reading step outputs: the dual-name idiom"). Because
// every exported byte is paid for at every exec, the environment has a budget;
// what does not fit spills into files. See [Scope.Environment].
package scope

import (
	"iter"
	"slices"
	"sync"
	"sync/atomic"
)

// Scope is a layer of variables above a parent's. A parent must not be changed
// while a fork of it is in use. A Scope is safe for concurrent reads, the
// building of environments included, and not for concurrent changes.
type Scope struct {
	parent *Scope
	names  map[string]*binding // this layer; nil hides the parent's variable
	order  []*binding          // this layer, oldest first, nil where one went
	gaps   int

	mu    sync.Mutex // guards index, which environments bring up to date
	index index

	crowded atomic.Bool // of a root: it was said that variables are left out
}

// Variable is a name and its value.
type Variable struct {
	Name  string
	Value any
}

// New returns an empty Scope without a parent.
func New() *Scope { return &Scope{names: map[string]*binding{}} }

// Fork returns an empty layer above s. Changes to it do not show in s.
func (s *Scope) Fork() *Scope {
	child := New()
	child.parent = s
	return child
}

func (s *Scope) root() *Scope {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// Get finds a variable in this layer or the nearest parent that has it. A
// variable that is set to null is found.
func (s *Scope) Get(name string) (v any, found bool) {
	if b := s.find(name); b != nil {
		return b.value, true
	}
	return nil, false
}

func (s *Scope) find(name string) *binding {
	for layer := s; layer != nil; layer = layer.parent {
		if b, ok := layer.names[name]; ok {
			return b
		}
	}
	return nil
}

// Set gives name a value in this layer and makes it the newest variable. The
// value is one of package value and must not be changed afterwards. A name that
// no environment can carry may be set; it stays out of environments, with a
// warning.
func (s *Scope) Set(name string, v any) {
	s.drop(name)
	b := &binding{name: name, value: v, place: len(s.order)}
	s.names[name] = b
	s.order = append(s.order, b)
	s.index.pending = append(s.index.pending, b)
}

// Unset removes name from this layer and hides the parent's variable of that
// name.
func (s *Scope) Unset(name string) {
	s.drop(name)
	if s.parent != nil && s.parent.find(name) != nil {
		s.names[name] = nil
	}
}

// drop takes this layer's variable out of every list, and its spill files away.
func (s *Scope) drop(name string) {
	b := s.names[name]
	delete(s.names, name)
	if b == nil {
		return
	}
	b.gone = true
	s.order[b.place] = nil
	s.gaps++
	s.index.remove(b)
	if s.gaps > 32 && s.gaps > len(s.order)/2 {
		s.compact()
	}
}

func (s *Scope) compact() {
	s.order = slices.DeleteFunc(s.order, func(b *binding) bool { return b == nil })
	for i, b := range s.order {
		b.place = i
	}
	s.gaps = 0
}

// Discard says that the layer is not used any more: the spill files of its own
// variables go as soon as the steps that read them have ended. The parent keeps
// its own. The Scope must not be used afterwards.
func (s *Scope) Discard() {
	for _, b := range s.order {
		if b != nil {
			b.retire()
		}
	}
}

// Own lists the variables that this layer set itself, oldest first.
func (s *Scope) Own() []Variable {
	var own []Variable
	for _, b := range s.order {
		if b != nil {
			own = append(own, Variable{b.name, b.value})
		}
	}
	return own
}

// All goes through the visible variables: the outermost layer first, and
// within a layer the oldest first.
func (s *Scope) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for b := range s.bindings() {
			if !yield(b.name, b.value) {
				return
			}
		}
	}
}

// Names lists the visible variables, sorted.
func (s *Scope) Names() []string {
	var names []string
	for b := range s.bindings() {
		names = append(names, b.name)
	}
	slices.Sort(names)
	return names
}

// Flatten copies the visible variables into one map. The values are shared.
func (s *Scope) Flatten() map[string]any {
	all := map[string]any{}
	for b := range s.bindings() {
		all[b.name] = b.value
	}
	return all
}

// bindings goes through the visible bindings in the order of [Scope.All].
func (s *Scope) bindings() iter.Seq[*binding] {
	return func(yield func(*binding) bool) {
		for _, layer := range s.layers() {
			for _, b := range layer.order {
				if b == nil || layer != s && s.find(b.name) != b {
					continue
				}
				if !yield(b) {
					return
				}
			}
		}
	}
}

// layers lists s and its parents, the outermost first.
func (s *Scope) layers() []*Scope {
	var all []*Scope
	for layer := s; layer != nil; layer = layer.parent {
		all = append(all, layer)
	}
	slices.Reverse(all)
	return all
}
