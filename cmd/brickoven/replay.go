package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/brickoven/brickoven/bricks/brakes/integrity"
	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/step"
	"github.com/spf13/cobra"
)

// replaying is one call of replay.
type replaying struct {
	recorded
	format        string
	decisionsOnly bool
}

// replayed is what a replay found.
type replayed struct {
	Run string `json:"run"`
	// Decisions counts what the record says was decided, and is decided again.
	Decisions int            `json:"decisions"`
	Actions   int            `json:"actions"`
	Checks    []checkReplay  `json:"checks"`
	Differ    []replayDiffer `json:"differences"`
}

// checkReplay is the last run of a loop's check, and the same again.
type checkReplay struct {
	Loop     string `json:"loop"`
	Action   string `json:"action"`
	Recorded string `json:"recorded"`
	Now      string `json:"now"`
	Same     bool   `json:"same"`
}

// replayDiffer is one difference between the record and the replay.
type replayDiffer struct {
	What     string `json:"what"`
	Recorded string `json:"recorded"`
	Replayed string `json:"replayed"`
}

func newReplayCommand(a *app) *cobra.Command {
	r := &replaying{recorded: recorded{app: a}}
	cmd := &cobra.Command{
		Use:   "replay [RUN]",
		Short: "Decide a recorded run again, and run its checks again",
		Long: `Feed the recorded results of a run (default: the latest one) to the decisions
again and compare: what was to be done, what the brakes and judges decided, and
how the run ended. Nothing of the run is done again but the last check of each
loop, whose exit code and output have to be as recorded. Durations, times, folders
and ids in the output do not count. The check runs in the work tree as it is now.

Use "brickoven runs verify" to see whether the record itself was changed.

Exit status: 0 everything is the same; 13 something differs; 1 the run cannot be
replayed; 3 no such run; 5 a process has the run.
` + exitStatus(),
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.run(cmd.Context(), strings.Join(args, ""))
		},
	}
	r.flags(cmd.Flags())
	cmd.Flags().BoolVar(&r.decisionsOnly, "decisions-only", false, "do not run the checks again")
	cmd.Flags().StringVar(&r.format, "output-format", "text", "text or json")
	return cmd
}

func (r *replaying) run(ctx context.Context, id string) (err error) {
	if err := checkFormat(r.format); err != nil {
		return err
	}
	dir, err := r.dir(id)
	if err != nil {
		return runFailure(err)
	}
	lock, err := journal.Acquire(dir, owner(nil))
	if err != nil {
		return heldOr(err, exit.Failed)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	past, err := r.past(dir)
	if err != nil {
		return err
	}
	set, tree, err := r.restoreTree(past)
	if err != nil {
		return err
	}
	defer func() { err = hide(set.masker, err) }()
	found, err := r.replay(ctx, dir, past, set, tree)
	if err != nil {
		return &failure{exit.Failed, err}
	}
	return r.report(found)
}

// past reads the record with its secrets.
func (r *replaying) past(dir string) (past *local.History, err error) {
	sealed, err := readHistory(dir)
	if err != nil {
		return nil, &failure{exit.Failed, err}
	}
	unseal := r.app.unsealer(sealed.Start)
	if unseal == nil {
		return sealed, nil
	}
	past = local.NewHistory(unseal)
	reader, err := journal.Read(dir)
	if err != nil {
		return nil, &failure{exit.Failed, err}
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	for rec, err := range reader.Records() {
		if err == nil {
			err = past.Add(rec)
		}
		if err != nil {
			return nil, unsealFailure(err)
		}
	}
	return past, nil
}

func (r *replaying) restoreTree(past *local.History) (*settings, *recipes.Tree, error) {
	set, err := r.app.recallSettings(past.Start)
	if err != nil {
		return nil, nil, err
	}
	vars := variablesOf(past)
	tree, err := recipes.Restore(set.Recording, recipes.LoadOptions{Strict: set.Strict, AllowForeign: set.Foreign, Names: names(vars), Vars: vars})
	if err != nil {
		return nil, nil, &failure{exit.Failed, err}
	}
	return set, tree, nil
}

func (r *replaying) replay(ctx context.Context, dir string, past *local.History, set *settings, tree *recipes.Tree) (found *replayed, err error) {
	found = &replayed{Run: filepath.Base(dir), Checks: []checkReplay{}, Differ: []replayDiffer{}}
	store, err := local.OpenStore(dir, len(set.Secrets) > 0)
	if err != nil {
		return nil, err
	}
	store.Mask = set.masker
	defer func() { err = errors.Join(err, store.Close()) }()
	m, err := r.app.machine(set, tree, found.Run, store)
	if err != nil {
		return nil, err
	}
	run := runner.New(tree, set.options(variablesOf(past), m.Stubs))
	defer run.Abandon()
	again, err := past.Replay(run, tree)
	if err != nil {
		found.differ("the order of results", "fits the recipe", err.Error())
		return found, nil
	}
	if err := r.compare(dir, past, again, found); err != nil {
		return nil, err
	}
	if r.decisionsOnly {
		return found, nil
	}
	return found, r.checks(ctx, m, again, found)
}

// checks runs the last check of each loop again.
func (r *replaying) checks(ctx context.Context, m *local.Machine, again *local.Restored, found *replayed) error {
	last := map[string]*step.Action{}
	var loops []string
	for _, a := range again.Answered {
		loop, isCheck := checkOf(a)
		if !isCheck {
			continue
		}
		if last[loop] == nil {
			loops = append(loops, loop)
		}
		last[loop] = a
	}
	m.Sessions, m.Journal, m.Trees = nil, nil, nil
	for _, loop := range loops {
		a := last[loop]
		recorded, err := outcomePrint(m, again.Results[a.ID])
		if err != nil {
			return err
		}
		fresh := *a
		fresh.ID = "replay:" + a.ID
		res := m.Do(ctx, &fresh, nil)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		now, err := outcomePrint(m, res)
		if err != nil {
			return err
		}
		found.Checks = append(found.Checks, checkReplay{loop, a.ID, recorded, now, recorded == now})
		if recorded != now {
			found.differ("the check of "+loop, fmt.Sprintf("exit code %d, %s", again.Results[a.ID].ExitCode, recorded), fmt.Sprintf("exit code %d, %s", res.ExitCode, now))
		}
	}
	return nil
}

// checkOf tells whether an action is a round's check, and of which loop.
func checkOf(a *step.Action) (loop string, ok bool) {
	if a.Kind != step.Shell || !strings.HasSuffix(a.Def.ID, ".check") || a.Dir != "" {
		return "", false
	}
	at := strings.LastIndex(a.Path, ".check[")
	if at < 0 {
		return "", false
	}
	return a.Path[:at], true
}

// outcomePrint is the fingerprint of what an action printed.
func outcomePrint(m *local.Machine, res step.Result) (string, error) {
	var texts [2]string
	for i, ref := range []*value.Ref{res.Stdout, res.Stderr} {
		if ref == nil {
			continue
		}
		text, err := m.Store.Load(*ref)
		if err != nil {
			return "", err
		}
		texts[i] = text
	}
	return integrity.Fingerprint(res.ExitCode, texts[0], texts[1]), nil
}

func (r *replaying) report(found *replayed) error {
	if r.format == "json" {
		r.app.printJSON(map[string]any{
			"run": found.Run, "same": len(found.Differ) == 0, "decisions": found.Decisions, "actions": found.Actions,
			"checks": found.Checks, "differences": found.Differ,
		})
	} else {
		var b strings.Builder
		fmt.Fprintf(&b, "run %s: %d actions and %d decisions replayed, %d checks run again\n", found.Run, found.Actions, found.Decisions, len(found.Checks))
		for _, d := range found.Differ {
			fmt.Fprintf(&b, "differs: %s\n  recorded: %s\n  replayed: %s\n", d.What, printable(d.Recorded), printable(d.Replayed))
		}
		if _, err := fmt.Fprint(r.app.out, b.String()); err != nil {
			return &failure{exit.Failed, err}
		}
	}
	if len(found.Differ) > 0 {
		return &failure{Code: exit.Integrity}
	}
	return nil
}
