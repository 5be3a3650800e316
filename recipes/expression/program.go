// Package expression compiles and runs the conditions of recipes.
package expression

// Lookup finds a variable by its root name. found is false for an unknown
// name, which is null in a condition. A [value.Ref] must not be returned: the
// caller resolves large values first (see [Program.Names]).
type Lookup func(name string) (v any, found bool)

// Options tell Compile what the recipe knows.
type Options struct {
	// Names are the variables and step ids that the recipe can have, so that
	// a-b is read as one name where it is one. It may be nil.
	Names []string
}

// Program is a compiled condition. It is immutable and safe for concurrent use.
type Program struct{ source string }

// Error is a condition that does not compile, or one that failed to evaluate.
type Error struct {
	Source  string
	Offset  int // in bytes into Source; -1 when unknown
	Message string
}

func (e *Error) Error() string { return e.Message }

// Compile parses source once. The error is an [*Error].
func Compile(source string, opts Options) (*Program, error) { return &Program{source}, nil }

// Source is the text the program was compiled from.
func (p *Program) Source() string { return p.source }

// Names lists the root names that the program may look up, sorted, each once;
// names inside '{{x}}' string literals are among them.
func (p *Program) Names() []string { return nil }

// Paths lists the dotted paths that the program reads (steps.build.status,
// loop_health.loop_verdict), sorted, each once.
func (p *Program) Paths() []string { return nil }

// Eval runs the program and returns its value. Warnings are texts for the
// author, such as an ordering of a list. The error is an [*Error].
func (p *Program) Eval(lookup Lookup) (v any, warnings []string, err error) { return nil, nil, nil }

// Test runs the program and returns the truth of its value.
func (p *Program) Test(lookup Lookup) (ok bool, warnings []string, err error) { return false, nil, nil }

// Advice is a remark on how a condition is written.
type Advice struct {
	Code    string // substring-test, bare-text-flag …
	Offset  int
	Message string
}

// Advise looks for conditions that read as something else than they do:
// substring tests on free text, for which it offers token(x) == '…'.
// defaults holds the context defaults, to find a bare name whose default is the
// text "false".
func (p *Program) Advise(defaults map[string]any) []Advice { return nil }
