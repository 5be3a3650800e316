package local

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/runner/step"
)

// Sessions keeps the sessions of loops. It is safe for concurrent use.
type Sessions interface {
	// Do carries out a Session action.
	Do(ctx context.Context, a *step.Action) step.Result
	// Within gives the context of an action inside of loops, which ends early
	// when one of them is told to stop at once. The error means that a loop that
	// goes on in this process cannot be held. Release is called after the action.
	Within(ctx context.Context, a *step.Action) (bounded context.Context, release func(), err error)
}

// ErrNoSessions tells that a loop was run where nothing keeps its session.
var ErrNoSessions = errors.New("loops have no place for their sessions here")

func (m *Machine) session(ctx context.Context, a *step.Action) step.Result {
	if m.Sessions == nil {
		return refuse(step.CauseStart, ErrNoSessions)
	}
	return m.Sessions.Do(ctx, a)
}

func (m *Machine) within(ctx context.Context, a *step.Action) (bounded context.Context, release func(), err error) {
	if m.Sessions == nil || len(a.Loops) == 0 {
		return ctx, func() {}, nil
	}
	return m.Sessions.Within(ctx, a)
}

// overlay is an environment with each variable once; those of over win.
func overlay(base, over []string) []string {
	name := func(entry string) string { return entry[:strings.IndexByte(entry, '=')+1] }
	env := slices.DeleteFunc(slices.Clone(base), func(entry string) bool {
		return slices.ContainsFunc(over, func(other string) bool { return name(entry) == name(other) })
	})
	return append(env, over...)
}
