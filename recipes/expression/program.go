// Package expression compiles and runs the conditions of recipes.
//
// A condition is one expression in a Python-flavoured dialect of expr-lang
// (DESIGN section 4). The text is read by expr's own lexer and parser: a first
// pass hides what that lexer cannot read (Python's escapes, hyphenated names),
// a second one over its tokens puts `not` and `x if c else y` where Python has
// them, and a patcher turns every operator and name of the parsed tree into a
// call that follows the rules of package value. Nothing that came from a
// variable is ever read as source.
package expression

import (
	"errors"
	"slices"
	"sync"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"github.com/brickoven/brickoven/recipes/value"
)

// Lookup finds a variable by its root name. found is false for an unknown
// name, which is null in a condition. The value is one of package value, and a
// [value.Ref] must not be returned: the caller resolves large values first (see
// [Program.Names]). A Lookup is only called during the Eval it was given to,
// and only for the names that the evaluation really needs.
type Lookup func(name string) (v any, found bool)

// Options tell Compile what the recipe knows.
type Options struct {
	// Names are the variables and step ids that the recipe can have, so that
	// a-b is read as one name where it is one. It may be nil, and then a-b is
	// a subtraction.
	Names []string
}

// Program is a compiled condition. It is immutable and safe for concurrent use.
type Program struct {
	source  string
	code    *vm.Program
	names   []string
	paths   []string
	remarks remarks
	// machines holds *machine, so that a run allocates no stack of its own.
	machines sync.Pool
}

// Compile parses source once. The error is an [*Error] with the offset of the
// fault. Sources over 16 KiB, brackets nested deeper than 100 and expressions
// of more than 4,096 nodes are refused.
func Compile(source string, opts Options) (*Program, error) {
	return NewSet(opts).Compile(source)
}

// Set is the names of a recipe, prepared once for any number of conditions.
// It is immutable and safe for concurrent use.
type Set struct{ known map[string]bool }

// NewSet prepares opts for [Set.Compile].
func NewSet(opts Options) *Set {
	s := &Set{known: make(map[string]bool, len(opts.Names))}
	for _, name := range opts.Names {
		s.known[name] = true
	}
	return s
}

// Compile is [Compile] with the names of the set.
func (s *Set) Compile(source string) (*Program, error) {
	p, err := compile(source, s.known)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Source is the text the program was compiled from.
func (p *Program) Source() string { return p.source }

// Names lists the root names that the program may look up, sorted, each once;
// names inside '{{x}}' string literals are among them.
func (p *Program) Names() []string { return slices.Clone(p.names) }

// Paths lists the dotted paths that the program reads (steps.build.status,
// loop_health.loop_verdict, items.0), sorted, each once. A path ends where the
// next key is not known before the run or cannot be written with a dot.
func (p *Program) Paths() []string { return slices.Clone(p.paths) }

// Eval runs the program and returns its value. Warnings are texts for the
// author, such as an ordering of a list; nil means none. The error is an
// [*Error]. A nil lookup knows no name.
func (p *Program) Eval(lookup Lookup) (v any, warnings []string, err error) {
	m, ok := p.machines.Get().(*machine)
	if !ok {
		m = new(machine)
	}
	m.frame = frame{lookup: lookup}
	v, err = m.vm.Run(p.code, &m.frame)
	warnings = m.frame.warnings
	m.frame = frame{}
	p.machines.Put(m)
	if err != nil {
		return nil, warnings, p.failure(err)
	}
	return v, warnings, nil
}

// Test runs the program and returns the truth of its value, by [value.Truth].
func (p *Program) Test(lookup Lookup) (ok bool, warnings []string, err error) {
	v, warnings, err := p.Eval(lookup)
	return err == nil && value.Truth(v), warnings, err
}

// failure gives an error of expr's machine its place in the source.
func (p *Program) failure(err error) *Error {
	failed := &Error{Source: p.source, Offset: -1, Message: err.Error(), Err: err}
	var located *file.Error
	if errors.As(err, &located) {
		failed.Offset, failed.Message, failed.Err = located.From, located.Message, located.Prev
	}
	return failed
}

// machine is what one run needs and the next one can use again.
type machine struct {
	vm    vm.VM
	frame frame
}

// frame is the environment of one run, as expr's machine sees it.
type frame struct {
	lookup   Lookup
	warnings []string
	// items counts what the loops of the run have gone over.
	items int
}

func (f *frame) find(name string) any {
	if f.lookup == nil {
		return nil
	}
	v, _ := f.lookup(name)
	return v
}

func (f *frame) warn(text string) {
	if !slices.Contains(f.warnings, text) {
		f.warnings = append(f.warnings, text)
	}
}
