package local

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
)

// Stub stands in for the work of one step. What it prints goes through capture,
// parse_json and export like the step's own output.
type Stub struct {
	// Step is the step's path from the root recipe or any end of it (build, or
	// outer/build), or the name of the recipe that the step stands in with its
	// id: compile/build.
	Step string
	// Outputs are the standard outputs of the first, second … call; the last
	// one serves all further calls.
	Outputs []string
	// ExitCode and Error are how each call ends; Error is the standard error.
	ExitCode int
	Error    string
	// Command, if not empty, is run by bash instead of printing Outputs.
	Command string
}

// Stubs are the stubs of a run. It is safe for concurrent use.
type Stubs struct {
	mu    sync.Mutex
	stubs []*Stub
	calls map[*Stub]int
}

// NewStubs returns the stubs of a run of tree. A stub whose step is not in the
// tree is an error, so that a renamed step cannot leave a test green.
func NewStubs(tree *recipes.Tree, stubs []*Stub) (*Stubs, error) {
	for _, stub := range stubs {
		if !hasStep(tree.Root, "", stub.Step) {
			return nil, &StubError{Step: stub.Step}
		}
	}
	return &Stubs{stubs: stubs, calls: map[*Stub]int{}}, nil
}

// StubError tells that a stub's step does not exist.
type StubError struct{ Step string }

func (e *StubError) Error() string {
	return fmt.Sprintf("stub %s: the recipe and the recipes it calls have no such step", e.Step)
}

func hasStep(r *recipes.Recipe, path, want string) bool {
	for _, st := range slices.Concat(r.Steps, r.Finally) {
		own := st.ID
		if path != "" {
			own = path + "/" + st.ID
		}
		if matches(r, own, want) || st.Child != nil && hasStep(st.Child, own, want) {
			return true
		}
		for _, part := range st.Parts() {
			at := strings.TrimSuffix(own, st.ID) + part.ID
			if matches(r, at, want) || part.Child != nil && hasStep(part.Child, at, want) {
				return true
			}
		}
	}
	return false
}

// matches compares a stub's step with that of a path in a recipe.
func matches(r *recipes.Recipe, path, want string) bool {
	id := path[strings.LastIndexByte(path, '/')+1:]
	return path == want || strings.HasSuffix(path, "/"+want) || want == r.Name+"/"+id
}

// Unused lists the stubs whose step was never reached.
func (s *Stubs) Unused() []string {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, stub := range s.stubs {
		if s.calls[stub] == 0 {
			names = append(names, stub.Step)
		}
	}
	return names
}

// Has reports whether a stub stands in for the step of a path in a recipe.
func (s *Stubs) Has(r *recipes.Recipe, path string) bool { return s.find(r, path) != nil }

// find gives the stub of a step, the one that names the most of its path where
// there are several, and nil where there is none.
func (s *Stubs) find(r *recipes.Recipe, path string) (best *Stub) {
	if s == nil {
		return nil
	}
	path = unindexed(path)
	for _, stub := range s.stubs {
		if matches(r, path, stub.Step) && (best == nil || len(stub.Step) > len(best.Step)) {
			best = stub
		}
	}
	return best
}

// take finds the stub of an action and counts the call. It gives nil where the
// step is not stubbed.
func (s *Stubs) take(a *step.Action) *stubCall {
	best := s.find(a.Recipe, a.Path)
	if best == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.calls[best]
	s.calls[best]++
	return &stubCall{stub: best, n: n}
}

// Skip counts the call of an action whose result is known, so that the calls of
// a resumed run go on where they were.
func (s *Stubs) Skip(a *step.Action) {
	switch a.Kind {
	case step.Shell, step.Native, step.Agent:
		s.take(a)
	}
}

// stubCall is one use of a stub.
type stubCall struct {
	stub *Stub
	n    int
}

func (c *stubCall) output() string {
	if len(c.stub.Outputs) == 0 {
		return ""
	}
	return c.stub.Outputs[min(c.n, len(c.stub.Outputs)-1)]
}

// unindexed leaves the indexes of foreach elements out of a path.
func unindexed(path string) string {
	for {
		open := strings.IndexByte(path, '[')
		if open < 0 {
			return path
		}
		end := strings.IndexByte(path[open:], ']')
		if end < 0 {
			return path
		}
		path = path[:open] + path[open+end+1:]
	}
}

func (m *Machine) stubbed(ctx context.Context, a *step.Action, c *stubCall, kill <-chan struct{}) step.Result {
	if c.stub.Command == "" {
		return m.printed(a, NativeResult{Stdout: c.output(), Stderr: c.stub.Error, ExitCode: c.stub.ExitCode}, nil)
	}
	var warnings []string
	dir, err := m.folder(a, &warnings)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	block, err := a.Vars.Scope.Environment(m.request(a, m.Base, nil))
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	res := m.child(ctx, a, process.Spec{
		Argv: []string{"bash", "-c", c.stub.Command}, Dir: dir, Env: block.Env, Kill: kill,
		Timeout: timeout(a), IdleTimeout: a.Def.IdleTimeout, Leftover: leftover(a.Def),
	})
	if err := block.Cleanup(); err != nil {
		warnings = append(warnings, err.Error())
	}
	res.Warnings = append(warnings, res.Warnings...)
	return res
}
