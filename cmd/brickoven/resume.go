package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/mask"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
	"github.com/spf13/cobra"
)

type resumeOptions struct {
	runOptions
	acceptChanged bool
	accepted      map[string]string // the changed files with their hashes
	choice        local.Choice
	raise         []string
}

func newResumeCommand(a *app) *cobra.Command {
	o := &resumeOptions{}
	cmd := &cobra.Command{
		Use: "resume [ID]", Short: "Go on with a run whose process died, or that a loop ended without its goal",
		Long: `Go on with a run after its last completed step; without an ID, with the newest
one. Completed steps are not run again and give back the same values. The step
that was running runs again, unless its on_interrupt says otherwise. What the
dead process left running is ended first.

A run that a loop ended without its goal goes on with that loop, as far as no
file says any more that it is over: a control.json that says stopped keeps it
stopped until somebody sets it to running.

--from STEP runs a step and all that stand behind it again, --only STEP that
step alone; both work on finished runs too.
` + exitStatus(),
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.resumeRun(cmd.Context(), o, strings.Join(args, ""))
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.workDir, "working-dir", "C", ".", "the folder whose runs are looked at")
	flags.StringVar(&o.stateDir, "state-dir", "", "the state folder")
	flags.BoolVar(&o.progress, "progress", false, "show steps on standard error as they start and end")
	flags.BoolVar(&o.durable, "durable", false, "make every record survive a power cut")
	flags.BoolVar(&o.acceptChanged, "accept-changed", false, "go on although recipe files have changed; the run uses the recipe as it was")
	flags.StringVar(&o.choice.From, "from", "", "run this step, and all behind it, again")
	flags.StringVar(&o.choice.Only, "only", "", "run this step alone again")
	flags.StringArrayVar(&o.raise, "raise", nil, "another limit KEY=N for the loops that go on: rounds, budget_usd, budget_tokens or budget_minutes (repeatable)")
	formatFlag(cmd, &o.format)
	return cmd
}

func (a *app) resumeRun(ctx context.Context, o *resumeOptions, id string) (err error) {
	if err := checkFormat(o.format); err != nil {
		return err
	}
	if o.choice.From != "" && o.choice.Only != "" {
		return &failure{exit.Usage, errors.New("--from and --only are alternatives")}
	}
	runs, err := a.runsFolder(o.stateDir, o.workDir)
	if err != nil {
		return &failure{exit.Usage, err}
	}
	dir, err := a.findRun(runs, id)
	if err != nil {
		return err
	}
	past, err := readHistory(dir)
	if err != nil {
		return &failure{exit.Failed, err}
	}
	set, tree, err := a.recall(o, past)
	if err != nil {
		return err
	}
	if set.handed, err = handed(dir); err != nil {
		return &failure{exit.Failed, err}
	}
	if set.raised, err = raisedLimits(o.raise); err != nil {
		return err
	}
	defer func() { err = hide(set.masker, err) }()
	s, err := a.openSession(&o.runOptions, set, tree, filepath.Base(dir), dir)
	if err != nil {
		return err
	}
	defer s.closeInto(&err)
	return a.goOn(ctx, o, s, set, tree, dir)
}

// readHistory reads a journal to see what the run is; nothing is changed.
func readHistory(dir string) (past *local.History, err error) {
	reader, err := journal.Read(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noRecord(dir)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	past = local.NewHistory(nil)
	for rec, err := range reader.Records() {
		if err != nil {
			return nil, err
		}
		if err := past.Add(rec); err != nil {
			return nil, err
		}
	}
	if past.Attempts == 0 {
		return nil, noRecord(dir)
	}
	return past, nil
}

// noRecord tells that a run died before anything of it was done.
func noRecord(dir string) error {
	return fmt.Errorf("run %s died before its first record, so that there is nothing to resume: run the recipe again", filepath.Base(dir))
}

// recall restores the recipe and the settings of a run, and refuses to go on
// where there is nothing to go on with or files have changed.
func (a *app) recall(o *resumeOptions, past *local.History) (*settings, *recipes.Tree, error) {
	set, err := a.recallSettings(past.Start)
	if err != nil {
		return nil, nil, err
	}
	resolver, err := a.resolver(&place{workDir: set.WorkDir})
	if err != nil {
		return nil, nil, err
	}
	changed := set.Recording.Changed(resolver.ReadRecorded)
	if len(changed) > 0 && !o.acceptChanged {
		return nil, nil, &failure{exit.Usage, fmt.Errorf(
			"changed since the run began: %s; --accept-changed goes on with the recipe as it was", strings.Join(changed, ", "))}
	}
	o.accepted = hashes(resolver, changed)
	tree, err := recipes.Restore(set.Recording, recipes.LoadOptions{
		Strict: set.Strict, AllowForeign: set.Foreign, Names: names(variablesOf(past)), Vars: variablesOf(past),
	})
	if err != nil {
		return nil, nil, &failure{exit.Failed, err}
	}
	set.resumed = true
	if past.Unended() || o.choice != (local.Choice{}) {
		return set, tree, nil
	}
	if !past.Halted(tree) {
		return nil, nil, &failure{exit.Usage, fmt.Errorf(
			"run %s is finished (%s): run the recipe again, or choose steps with --from or --only",
			past.Start.RunID, past.Finished.Status)}
	}
	o.choice.GoOn, set.goOn = true, true
	return set, tree, nil
}

// recallSettings reads what the run was started with, with its secrets.
func (a *app) recallSettings(start journal.RunStarted) (*settings, error) {
	options := start.Options
	if unseal := a.unsealer(start); unseal != nil {
		sealed, err := value.Parse(string(options))
		if err != nil {
			return nil, &failure{exit.Failed, errors.Join(errNoSettings, err)}
		}
		whole, err := unseal(sealed)
		if err != nil {
			return nil, unsealFailure(err)
		}
		options = json.RawMessage(value.JSON(whole))
	}
	set := &settings{}
	if err := json.Unmarshal(options, set); err != nil || set.Recording == nil {
		return nil, &failure{exit.Failed, errors.Join(errNoSettings, err)}
	}
	set.masker = a.masker(set)
	return set, nil
}

// unsealFailure gives an error of reading a record its exit code: a secret that
// is not there is for the caller to bring.
func unsealFailure(err error) error {
	var missing *mask.MissingError
	if errors.As(err, &missing) {
		return &failure{exit.Usage, err}
	}
	return &failure{exit.Failed, err}
}

// hashes of files as they are now; that of a file that cannot be read is empty.
func hashes(resolver *recipes.Resolver, paths []string) map[string]string {
	sums := map[string]string{}
	for _, path := range paths {
		sums[path] = ""
		if data, err := resolver.ReadRecorded(path); err == nil {
			sums[path] = local.Digest(string(data))
		}
	}
	return sums
}

func variablesOf(past *local.History) []recipes.Variable {
	var vars []recipes.Variable
	for _, v := range past.Start.Vars {
		vars = append(vars, recipes.Variable{Name: v.Name, Value: v.Value.Get()})
	}
	return vars
}

// goOn takes the journal over, ends what is left of the dead owner's work, and
// drives the run to its end.
func (a *app) goOn(ctx context.Context, o *resumeOptions, s *activeRun, set *settings, tree *recipes.Tree, dir string) error {
	past, err := readHistory(dir)
	if err != nil {
		return &failure{exit.Failed, err}
	}
	past = local.NewHistory(a.unsealer(past.Start))
	writer, torn, err := journal.Continue(dir, journalOptions(&o.runOptions, s.machine.Mask), past.Add)
	if err != nil {
		return unsealFailure(err)
	}
	s.machine.Journal = writer
	if torn != nil {
		fmt.Fprintf(a.err, "Warning: %s\n", torn)
	}
	if err := endLeftovers(ctx, s.id, past); err != nil {
		return &failure{exit.Held, err}
	}
	run := runner.New(tree, set.options(variablesOf(past), s.machine.Stubs))
	restored, err := past.Restore(run, tree, o.choice)
	var missing *local.StepError
	if errors.As(err, &missing) {
		return &failure{exit.Usage, err}
	}
	if err != nil {
		return &failure{exit.Failed, fmt.Errorf("the journal does not fit its recipe: %w", err)}
	}
	s.attempt, s.known = past.Attempts+1, restored.Known
	for _, act := range restored.Answered {
		s.machine.Stubs.Skip(act)
	}
	if err := set.keepAnswers(s.machine, restored.Played); err != nil {
		return err
	}
	if err := s.resumed(past, restored, o); err != nil {
		return &failure{exit.Failed, err}
	}
	if err := s.answer(restored); err != nil {
		return &failure{exit.Failed, err}
	}
	a.describe(s, set, tree, past.Start.Start, nil)
	s.stillWaiting(restored.Batch.Actions)
	return a.finish(ctx, &o.runOptions, tree, s, func(d *local.Driver, signals <-chan local.Signal) (*runner.Outcome, error) {
		return d.Resume(ctx, run, restored.Batch, signals)
	})
}

// answer gives interrupted steps that are not to run again their results, and
// records them.
func (s *activeRun) answer(restored *local.Restored) error {
	for _, act := range restored.Interrupted {
		res, answered := local.Answer(act)
		if !answered {
			continue
		}
		ev := step.Event{Kind: step.Done, ID: act.ID, Result: &res, At: time.Now().UTC().Round(0), Attempt: s.attempt}
		if err := s.machine.Journal.Event(ev); err != nil {
			return err
		}
		s.known[act.ID] = ev
	}
	return nil
}

// stillWaiting tells those who watch of the waits that go on.
func (s *activeRun) stillWaiting(actions []*step.Action) {
	for _, a := range actions {
		if a.Kind == step.Wait {
			s.progress.note(s.masked(step.Note{Kind: step.Waiting, Path: a.Path, Text: a.Reason, Due: &a.Due, At: now()}))
		}
	}
}

// resumed writes that another process took the run over.
func (s *activeRun) resumed(past *local.History, restored *local.Restored, o *resumeOptions) error {
	who := owner(s.machine.Mask)
	rec := journal.Resumed{
		Owner: who.Process, Host: who.Host, Attempt: s.attempt, From: o.choice.From, Only: o.choice.Only, GoOn: o.choice.GoOn,
		Accepted: o.accepted,
	}
	for _, a := range restored.Interrupted {
		rec.Reruns = append(rec.Reruns, a.ID)
	}
	return s.machine.Journal.Append(journal.KindResumed, rec)
}

// leftoverGrace is what the processes of a dead owner get between TERM and
// KILL.
const leftoverGrace = 3 * time.Second

// endLeftovers ends what a dead owner's steps left running: by process group
// and start time, and by the run's id in the environment, which also finds what
// was started in the moment before it could be written down.
func endLeftovers(ctx context.Context, id string, past *local.History) error {
	var left []process.Ident
	for _, ident := range past.Processes {
		left = append(left, ident)
	}
	left = append(left, process.FindByEnv("BRICKOVEN_RUN_ID", id)...)
	slices.SortFunc(left, func(a, b process.Ident) int { return a.PID - b.PID })
	for _, ident := range slices.Compact(left) {
		if _, err := process.Kill(ctx, ident, leftoverGrace); err != nil {
			return fmt.Errorf("run %s still has a process that does not end: %w", id, err)
		}
	}
	return nil
}
