package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/bricks/brakes"
	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/step"
	"github.com/spf13/pflag"
)

// checkBrakes tells what is wrong with the brakes: of a loop.
func checkBrakes(v any, checked bool) []recipes.BrakeFault {
	config, err := brakes.ParseConfig(v)
	found := config.Lacks(checked)
	var invalid *brakes.ConfigError
	if errors.As(err, &invalid) {
		found = invalid.Findings
	}
	faults := make([]recipes.BrakeFault, len(found))
	for i, f := range found {
		faults[i] = recipes.BrakeFault{Path: f.Path, Message: f.Message}
	}
	if invalid == nil && config.FailingCommand != "" && config.Reference == "" && !config.NoReference {
		faults = append(faults, recipes.BrakeFault{
			Path: "failing", Message: "without reference: the loop ends before its first round (infeasible_suspected); name a commit where the check passes, or write reference: none",
			Warning: true,
		})
	}
	return faults
}

// recorded finds the runs of a folder for the commands that read their journals.
type recorded struct {
	app      *app
	workDir  string
	stateDir string
}

func (r *recorded) flags(flags *pflag.FlagSet) {
	flags.StringVarP(&r.workDir, "working-dir", "C", ".", "the folder whose runs are looked at")
	flags.StringVar(&r.stateDir, "state-dir", "", "the state folder")
}

// placed is a source whose runs a command's flags choose.
type placed interface{ flags(flags *pflag.FlagSet) }

func placeFlags(source any, flags *pflag.FlagSet) {
	if p, ok := source.(placed); ok {
		p.flags(flags)
	}
}

// dir is the folder of a run; empty for the newest.
func (r *recorded) dir(run string) (string, error) {
	runs, err := r.app.runsFolder(r.stateDir, r.workDir)
	if err != nil {
		return "", &failure{exit.Usage, err}
	}
	dir, err := r.app.findRun(runs, run)
	var fail *failure
	if errors.As(err, &fail) && fail.Code == exit.NotFound {
		return "", fmt.Errorf("%w: %w", errNoRun, fail.Err)
	}
	return dir, err
}

// notes reads the notes of a run in their order, and how it stands.
func (r *recorded) notes(dir string, take func(step.Note) error) (sum journal.Summary, err error) {
	if sum, err = journal.Summarize(dir); err != nil {
		return sum, err
	}
	reader, err := journal.Read(dir)
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	var unseal local.Unseal
	for rec, err := range reader.Records() {
		if err != nil {
			return sum, err
		}
		if rec.Kind == journal.KindRunStarted {
			unseal = showSealed(rec)
		}
		if rec.Kind != journal.KindNote {
			continue
		}
		n, err := rec.Note(unseal)
		if err != nil {
			return sum, err
		}
		if err := take(n); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// LoopEnds reads from the journal how the loops of a run ended. A loop of a run
// that died has ended too: with its process.
func (r *recorded) LoopEnds(_ context.Context, run string) (id string, ends []loopEnd, err error) {
	dir, err := r.dir(run)
	if err != nil {
		return "", nil, err
	}
	known := map[string]int{}
	rounds := map[string]int{}
	loop := func(path string) *loopEnd {
		at, found := known[path]
		if !found {
			at = len(ends)
			known[path] = at
			ends = append(ends, loopEnd{Loop: path})
		}
		return &ends[at]
	}
	sum, err := r.notes(dir, func(n step.Note) error {
		switch n.Kind {
		case step.StepStarted:
			if n.Type == string(recipes.Loop) {
				loop(n.Path)
			}
		case step.LoopRound:
			loop(n.Path).Halt = nil
			rounds[n.Path]++
		case step.LoopEnded:
			h := &halt.Halt{}
			if err := json.Unmarshal([]byte(n.Text), h); err != nil {
				return fmt.Errorf("the end of the loop %s: %w", n.Path, err)
			}
			loop(n.Path).Halt = h
		}
		return nil
	})
	if err != nil {
		return "", nil, err
	}
	if sum.Status == journal.StatusInterrupted {
		for i := range ends {
			died(&ends[i], rounds[ends[i].Loop], sum)
		}
	}
	return filepath.Base(dir), slices.DeleteFunc(ends, func(e loopEnd) bool { return rounds[e.Loop] == 0 && e.Halt == nil && elements(ends, e.Loop) }), nil
}

// elements tells whether a loop ran once for each element of a foreach, so that
// it has no end of its own.
func elements(ends []loopEnd, path string) bool {
	return slices.ContainsFunc(ends, func(e loopEnd) bool { return strings.HasPrefix(e.Loop, path+"[") })
}

// died gives a loop whose process is gone its end.
func died(end *loopEnd, round int, sum journal.Summary) {
	if end.Halt != nil {
		return
	}
	e := halt.Evidence{Detail: "the run's process died without an end"}
	if round > 0 {
		e.Rounds = []int{round}
	}
	for _, a := range sum.Running {
		if strings.HasPrefix(a.Path, end.Loop) {
			e.IDs = append(e.IDs, a.Path)
		}
	}
	h := halt.New(halt.ExecutionFailure, round, e, false)
	end.Halt = &h
}
