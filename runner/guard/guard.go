// Package guard refuses to start children that would bring the machine down: a
// nesting of runs that is too deep, too many children at once, too little free
// memory. A refusal is final: exit code 79 and the word BLOCKED_TERMINAL, never
// retried (seed 000, "Exit code 79 is terminal").
//
// The limits are structural. What a step does to its environment cannot raise
// them: where the system tells, runs are counted among the ancestor processes,
// and the lowest ceiling of all of them holds.
package guard

import (
	"fmt"
	"strconv"
	"sync/atomic"
)

// The limits where nobody sets others.
const (
	DefaultDepth  = 8
	DefaultWidth  = 64
	DefaultMemory = 128 << 20 // bytes that must be available
)

// Environment variables that hand the guard on to nested runs. Each may lower a
// limit; only the outermost run may raise one.
const (
	EnvDepth    = "BRICKOVEN_DEPTH"
	EnvMaxDepth = "BRICKOVEN_MAX_DEPTH"
	EnvMaxWidth = "BRICKOVEN_MAX_WIDTH"
	EnvMemory   = "BRICKOVEN_MIN_FREE_MIB"
)

// Guard is the guard of one run. It is safe for concurrent use.
type Guard struct {
	depth    int // how many runs are around this one
	maxDepth int
	maxWidth int
	memory   int64
	system   system
	own      atomic.Int64 // children of this run at this moment
}

// system is what the machine tells; a test has its own.
type system interface {
	// ancestors lists the environments of the runs around this process, the
	// nearest first. It is empty where the system does not tell.
	ancestors() []map[string]string
	// nested counts the children of the other runs of the tree.
	nested() int
	// available is the free memory in bytes; ok is false where unknown.
	available() (bytes int64, ok bool)
}

// RefusedError tells that a child was not started.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return "BLOCKED_TERMINAL: " + e.Reason }

// New makes the guard of this process; getenv reads its environment.
func New(getenv func(string) string) *Guard { return build(getenv, thisSystem()) }

func build(getenv func(string) string, sys system) *Guard {
	around := sys.ancestors()
	g := &Guard{
		depth:    max(number(getenv(EnvDepth), 0), len(around)),
		maxDepth: number(getenv(EnvMaxDepth), DefaultDepth),
		maxWidth: number(getenv(EnvMaxWidth), DefaultWidth),
		memory:   int64(number(getenv(EnvMemory), DefaultMemory>>20)) << 20,
		system:   sys,
	}
	for i, env := range around {
		g.depth = max(g.depth, number(env[EnvDepth], 0)+i+1)
		g.maxDepth = min(g.maxDepth, number(env[EnvMaxDepth], DefaultDepth))
		g.maxWidth = min(g.maxWidth, number(env[EnvMaxWidth], DefaultWidth))
		g.memory = max(g.memory, int64(number(env[EnvMemory], DefaultMemory>>20))<<20)
	}
	return g
}

// number reads a limit; what is no positive number takes the default.
func number(text string, otherwise int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return otherwise
	}
	return n
}

// Environment is what children get, so that nested runs know their depth and
// the limits.
func (g *Guard) Environment() []string {
	return []string{
		fmt.Sprintf("%s=%d", EnvDepth, g.depth+1),
		fmt.Sprintf("%s=%d", EnvMaxDepth, g.maxDepth),
		fmt.Sprintf("%s=%d", EnvMaxWidth, g.maxWidth),
		fmt.Sprintf("%s=%d", EnvMemory, g.memory>>20),
	}
}

// Nesting refuses a run that stands too deep inside other runs. The error is a
// [*RefusedError].
func (g *Guard) Nesting() error {
	if g.depth >= g.maxDepth {
		return &RefusedError{fmt.Sprintf("runs are nested %d deep, the ceiling is %d", g.depth+1, g.maxDepth)}
	}
	return nil
}

// Enter counts a child in, or refuses it; leave must be called when the child
// has ended. The error is a [*RefusedError].
func (g *Guard) Enter() (leave func(), err error) {
	own := g.own.Add(1)
	leave = func() { g.own.Add(-1) }
	if err := g.crowd(int(own)); err != nil {
		leave()
		return nil, err
	}
	if free, ok := g.system.available(); ok && free < g.memory {
		leave()
		return nil, &RefusedError{fmt.Sprintf("%d MiB of memory are free, the floor is %d MiB", free>>20, g.memory>>20)}
	}
	return leave, nil
}

// crowd compares the children of the whole tree with the limit. A run on the
// outside with a single child has nobody beside it, which saves the count.
func (g *Guard) crowd(own int) error {
	all := own
	if own > 1 || g.depth > 0 {
		all += g.system.nested()
	}
	if all > g.maxWidth {
		return &RefusedError{fmt.Sprintf("%d children would run at once, the ceiling is %d", all, g.maxWidth)}
	}
	return nil
}
