package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/brickoven/brickoven/bricks/ledger"
	"github.com/brickoven/brickoven/bricks/ledger/store"
	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/mask"
	"github.com/brickoven/brickoven/runner/state"
	"github.com/brickoven/brickoven/runner/step"
)

// loopLedgers keeps the work ledgers of the loops of one run.
type loopLedgers struct {
	store  store.Store
	places store.Places
	masker *mask.Masker
}

func (a *app) loopLedgers(set *settings, kept *local.Store) *loopLedgers {
	places := state.Locations{Dir: filepath.Dir(filepath.Dir(kept.Dir))}
	return &loopLedgers{store: store.Store{Dir: places.Ledgers()}, places: a.programs(set.WorkDir), masker: set.masker}
}

// programs resolves the programs of evidence commands for a project.
func (a *app) programs(root string) store.Places {
	places := store.Places{Root: root, Path: a.getenv("PATH")}
	if runtime.GOOS == "windows" {
		places.Extensions = filepath.SplitList(a.getenv("PATHEXT"))
	}
	return places
}

// Do carries out a ledger action.
func (l *loopLedgers) Do(ctx context.Context, a *step.Action) step.Result {
	v, err := l.do(ctx, a.Ledger)
	if err != nil {
		return step.Result{Cause: step.CauseState, ExitCode: -1, Error: "the ledger: " + err.Error()}
	}
	return step.Result{OK: true, Value: value.From(v)}
}

func (l *loopLedgers) do(ctx context.Context, call *step.LedgerCall) (map[string]any, error) {
	switch load := call.Load.(type) {
	case *recipes.Contract:
		return l.open(ctx, call.ID, load)
	case ledger.Facts:
		return l.record(ctx, call, load)
	case ledger.Ending:
		return l.close(ctx, call.ID, load)
	}
	return nil, fmt.Errorf("nothing is known of %s", call.Op)
}

// open opens the ledger, or the next epoch of one that is closed. One that is
// open was opened by this run before it died.
func (l *loopLedgers) open(ctx context.Context, id string, c *recipes.Contract) (map[string]any, error) {
	contract, err := ledger.ReadContract(c.Text, ledger.FormatOf(c.Path, c.Text), l.places)
	if err != nil {
		return nil, err
	}
	var next int
	err = l.store.Open(ctx, id, false, func(previous *ledger.Ledger) (*ledger.Ledger, error) {
		opened := previous
		var err error
		switch {
		case previous != nil && previous.Status == ledger.Open:
		case previous != nil && previous.FinalOutcome == ledger.Pause:
			opened, _, err = previous.Resume()
		default:
			opened, err = ledger.Begin(previous, ledger.Opening{Session: id, Contract: contract, Time: time.Now()})
		}
		if err == nil {
			next = opened.NextIteration()
		}
		return opened, err
	})
	return map[string]any{"next": next}, err
}

// record adds a round, unless a process that died had added it already.
func (l *loopLedgers) record(ctx context.Context, call *step.LedgerCall, facts ledger.Facts) (map[string]any, error) {
	facts.Error, facts.Evidence = l.masker.Text(facts.Error), l.masker.Text(facts.Evidence)
	var recorded ledger.Iteration
	var next int
	err := l.store.Update(ctx, call.ID, func(current *ledger.Ledger) (*ledger.Ledger, error) {
		after := current
		var err error
		if int64(current.NextIteration()) > call.Number {
			var made []ledger.Iteration
			if made, err = current.Iterations(); err == nil {
				recorded = made[call.Number-1]
			}
		} else {
			after, recorded, err = current.Record(facts)
		}
		if err == nil {
			next = after.NextIteration()
		}
		return after, err
	})
	if err != nil {
		return nil, err
	}
	given := map[string]any{
		"next": next, "outcome": string(recorded.Outcome), "stall": string(recorded.Stall), "why": string(recorded.Blocker), "evaluation": nil,
	}
	if recorded.Evaluation != nil {
		given["evaluation"] = value.From(recorded.Evaluation)
	}
	return given, nil
}

func (l *loopLedgers) close(ctx context.Context, id string, e ledger.Ending) (map[string]any, error) {
	var next int
	err := l.store.Update(ctx, id, func(current *ledger.Ledger) (*ledger.Ledger, error) {
		next = current.NextIteration()
		if current.Status != ledger.Open {
			return current, nil
		}
		return current.Close(e)
	})
	return map[string]any{"next": next}, err
}

// checkContract tells what is wrong with a loop's contract, or with what it
// measures.
func (a *app) checkContract(workDir string) func(c *recipes.Contract, dimensions []string) []string {
	return func(c *recipes.Contract, dimensions []string) []string {
		contract, err := ledger.ReadContract(c.Text, ledger.FormatOf(c.Path, c.Text), a.programs(workDir))
		var refused *ledger.Refusal
		switch {
		case errors.As(err, &refused) && len(refused.Findings) > 0:
			var faults []string
			for _, f := range refused.Findings {
				if c.Path == "" {
					f.Line = 0 // of the JSON that the contract was made into
				}
				faults = append(faults, f.String())
			}
			return faults
		case err != nil:
			return []string{err.Error()}
		case len(dimensions) == 0:
			return nil
		}
		var faults []string
		for _, d := range contract.Rubric {
			if !slices.Contains(dimensions, d.Name) {
				faults = append(faults, fmt.Sprintf("measure: has no command for the dimension %s", d.Name))
			}
			dimensions = slices.DeleteFunc(dimensions, func(name string) bool { return name == d.Name })
		}
		for _, name := range dimensions {
			faults = append(faults, fmt.Sprintf("measure.%s: the rubric has no such dimension", name))
		}
		return faults
	}
}
