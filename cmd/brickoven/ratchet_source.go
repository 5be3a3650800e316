package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/brickoven/brickoven/bricks/brakes/ratchet"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/scope"
	"github.com/brickoven/brickoven/runner/state"
	"github.com/brickoven/brickoven/runner/step"
)

// errNoRatchet is a run whose loops have no accepted state.
var errNoRatchet = fmt.Errorf("%w with a ratchet: no loop of it looks at its work tree", errNoRun)

// gained is the frontier as the journal has it.
type gained struct {
	frontier
	dir     string
	session string
}

// gain reads the last accepted state of the run's last loop with one.
func (r *recorded) gain(run string) (gained, error) {
	dir, err := r.dir(run)
	if err != nil {
		return gained{}, err
	}
	g := gained{dir: dir, frontier: frontier{Run: filepath.Base(dir), Rescues: []string{}}}
	_, err = r.notes(dir, func(n step.Note) error {
		switch n.Kind {
		case step.Braked:
			return g.braked(n)
		case step.ByHand:
			var done handful
			if err := json.Unmarshal([]byte(n.Text), &done); err != nil {
				return err
			}
			if n.Name == handAccepted && n.Path == g.Loop {
				g.take(done.Trees)
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return g, err
	case len(g.Trees) == 0:
		return g, fmt.Errorf("run %s: %w", g.Run, errNoRatchet)
	}
	return g, nil
}

func (g *gained) braked(n step.Note) error {
	var note runner.BrakeNote
	if err := json.Unmarshal([]byte(n.Text), &note); err != nil {
		return err
	}
	if len(note.Accepted) == 0 {
		return nil
	}
	g.Loop, g.session, g.Reverts = n.Path, note.Session, note.Reverts
	g.Round, g.Failing, g.Passing = note.AcceptedRound, note.Left, note.Passing
	g.take(note.Accepted)
	return nil
}

func (g *gained) take(trees []runner.Tree) { g.Trees, g.Accepted = trees, trees[0].Snapshot }

// trees works on the repositories of a run whose process is gone.
func (r *recorded) trees(g gained) *loopTrees {
	work := filepath.Dir(g.Trees[0].Top)
	m := &local.Machine{WorkDir: work, Base: scope.FilterBase(r.app.environ)}
	return &loopTrees{
		opened: map[string]bool{}, git: m.FeedGit, workDir: work, runDir: g.dir, runID: g.Run,
		places: state.Locations{Dir: filepath.Dir(filepath.Dir(g.dir))},
	}
}

// Frontier reads the last accepted state, and the refs of what was taken back.
func (r *recorded) Frontier(ctx context.Context, run string) (frontier, error) {
	g, err := r.gain(run)
	if err != nil {
		return frontier{}, err
	}
	t := r.trees(g)
	for _, tree := range g.Trees {
		refs, err := t.git(ctx, tree.Top, nil, nil, "for-each-ref", "--format=%(refname)", refsOf(g.session)+"rescue")
		if err != nil {
			return g.frontier, err
		}
		g.Rescues = append(g.Rescues, strings.Fields(refs)...)
	}
	return g.frontier, nil
}

// Restore puts the work trees back to the last accepted state.
func (r *recorded) Restore(ctx context.Context, run string) ([]ratchet.Restored, error) {
	g, err := r.gain(run)
	if err != nil {
		return nil, err
	}
	var restored []ratchet.Restored
	err = r.app.byHand(g.dir, g.Loop, handRestored, func() (handful, error) {
		done := handful{Trees: g.Trees}
		for _, tree := range g.Trees {
			repository, err := r.trees(g).repository(ctx, g.session, tree.Top)
			if err != nil {
				return done, err
			}
			one, err := repository.Restore(tree.Snapshot, nil)
			if err != nil {
				return done, err
			}
			restored = append(restored, one)
			done.Rescues = append(done.Rescues, one.RescueRef)
		}
		return done, nil
	})
	return restored, err
}

// Accept makes the work trees as they are the accepted state.
func (r *recorded) Accept(ctx context.Context, run, reason string) (ratchet.Snapshot, error) {
	g, err := r.gain(run)
	if err != nil {
		return ratchet.Snapshot{}, err
	}
	t := r.trees(g)
	var accepted []runner.Tree
	err = r.app.byHand(g.dir, g.Loop, handAccepted, func() (handful, error) {
		var tops []string
		for _, tree := range g.Trees {
			tops = append(tops, tree.Top)
		}
		stand, err := t.capture(ctx, g.session, tops, nil)
		if err != nil {
			return handful{}, err
		}
		if len(stand.Trees) == 0 {
			return handful{}, errors.New("the work tree is gone")
		}
		accepted = stand.Trees
		return handful{Reason: reason, Trees: accepted}, t.accept(ctx, g.session, runner.TreeAcceptance{Trees: accepted, Round: g.Round})
	})
	if err != nil {
		return ratchet.Snapshot{}, err
	}
	return accepted[0].Snapshot, nil
}
