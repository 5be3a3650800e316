package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/brickoven/brickoven/bricks/brakes/ratchet"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// Tree is a work tree as it was captured.
type Tree struct {
	// Top is its top folder, absolute.
	Top string `json:"top"`
	ratchet.Snapshot
}

// TreeAcceptance is the load of [step.TreeAccept].
type TreeAcceptance struct {
	Trees []Tree
	Round int
	// Before are the trees that were accepted before; what differs from them is
	// one accepted change. nil for the state before the first round, which is
	// nobody's change.
	Before []Tree
	// Counted tells that the change goes into the understanding debt.
	Counted bool
}

// TreeReturn is the load of [step.TreeRestore].
type TreeReturn struct {
	Accepted []Tree
	// Ended are the trees as the round left them: what changed since is not the
	// round's.
	Ended []Tree
}

// TreeReference is the load of [step.TreeCheckOut] and [step.TreeRemove].
type TreeReference struct {
	Revision string
	// Dir is where the loop works, or the folder that stood for it.
	Dir string
	// Place is the top of the work tree that is to go.
	Place string
}

// TreeStand is the value of [step.TreeCapture].
type TreeStand struct {
	Trees   []Tree   `json:"trees"`
	Changed []string `json:"changed"`
	// Bases are the commits of the folders that were asked for, one for each;
	// empty outside of git.
	Bases []string `json:"bases"`
}

func commits(trees []Tree) []any {
	ids := make([]any, len(trees))
	for i, t := range trees {
		ids[i] = t.Commit
	}
	return ids
}

// asked asks something of the loop's work trees.
func (l *loop) asked(f *flow, op step.TreeOp, load any) step.Result {
	call := &step.TreeCall{Op: op, Loop: l.sessionID(), Load: load}
	return f.do(&step.Action{Kind: step.Trees, Path: l.path, Def: l.st, Recipe: l.fr.recipe, Vars: l.view, Dirs: l.repos, Tree: call})
}

func (l *loop) sessionID() string { return l.fr.loops.sessions[len(l.fr.loops.sessions)-1] }

// capture takes the work trees as they are, and compares them with earlier ones.
func (l *loop) capture(f *flow, since []Tree) (TreeStand, *step.Result) {
	var stand TreeStand
	res := l.asked(f, step.TreeCapture, since)
	if !res.OK {
		return stand, &res
	}
	if err := decode(res.Value, &stand); err != nil {
		return stand, unreadable(err)
	}
	return stand, nil
}

// accept makes the round's trees the accepted ones.
func (l *loop) accept(f *flow, trees []Tree, counted bool) *step.Result {
	b := &l.braking
	load := TreeAcceptance{Trees: trees, Before: b.accepted, Round: l.round, Counted: counted}
	if res := l.asked(f, step.TreeAccept, load); !res.OK {
		return &res
	}
	b.accepted = trees
	return nil
}

// restore puts the trees back to the accepted state, and says what was spared.
func (l *loop) restore(f *flow) error {
	b := &l.braking
	res := l.asked(f, step.TreeRestore, TreeReturn{Accepted: b.accepted, Ended: b.ended})
	if !res.OK {
		return errors.New(res.Error)
	}
	var done struct {
		Restored []ratchet.Restored `json:"restored"`
	}
	if err := decode(res.Value, &done); err != nil {
		return err
	}
	for _, r := range done.Restored {
		text := fmt.Sprintf("round %d was taken back: %d paths; what was there is in %s", l.round, len(r.Paths), r.RescueRef)
		if len(r.Kept) > 0 {
			text += fmt.Sprintf("; kept, because somebody else changed them: %v", r.Kept)
		}
		if r.HeadKept != "" {
			text += "; the branch stays where it is: " + r.HeadKept
		}
		l.fr.run.warn(l.path, text)
	}
	return nil
}

// unread lists the accepted changes that nobody has signed as read.
func (l *loop) unread(f *flow) ([]string, *step.Result) {
	if l.braking.config.MaxUnread == 0 {
		return nil, nil
	}
	res := l.asked(f, step.TreeUnread, nil)
	if !res.OK {
		return nil, &res
	}
	var debt struct {
		Unread []string `json:"unread"`
	}
	if err := decode(res.Value, &debt); err != nil {
		return nil, unreadable(err)
	}
	return slices.Clip(debt.Unread), nil
}

// decode reads a value that came back from the executor.
func decode(v any, into any) error { return json.Unmarshal([]byte(value.JSON(v)), into) }

func unreadable(err error) *step.Result {
	return &step.Result{ExitCode: -1, Cause: step.CauseState, Error: err.Error()}
}
