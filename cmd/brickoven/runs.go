package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// runsOptions say whose runs are looked at.
type runsOptions struct {
	workDir  string
	stateDir string
	format   string
}

func (o *runsOptions) flags(flags *pflag.FlagSet) {
	flags.StringVarP(&o.workDir, "working-dir", "C", ".", "the folder whose runs are looked at")
	flags.StringVar(&o.stateDir, "state-dir", "", "the state folder")
	flags.StringVar(&o.format, "output-format", "text", "text or json; json prints exactly one document on stdout")
}

func newRunsCommand(a *app) *cobra.Command {
	o := &runsOptions{}
	cmd := &cobra.Command{
		Use: "runs", Short: "Look at the runs of this project, and tidy them up",
		Long: "Look at the runs of the project that the working directory belongs to. A run is\nnamed by its id or by a beginning of it that no other run has.\n" + exitStatus(),
		RunE: func(*cobra.Command, []string) error {
			return &failure{exit.Usage, errors.New("name what to do: list, show, logs, retry-now, rm or verify")}
		},
	}
	o.flags(cmd.PersistentFlags())
	cmd.AddCommand(newRunsListCommand(a, o), newRunsShowCommand(a, o), newRunsLogsCommand(a, o),
		newRunsRemoveCommand(a, o), newRunsVerifyCommand(a, o), newRunsRetryCommand(a, o))
	return cmd
}

// run finds the run that a command is about.
func (o *runsOptions) run(a *app, args []string) (dir string, err error) {
	if err := checkFormat(o.format); err != nil {
		return "", err
	}
	runs, err := a.runsFolder(o.stateDir, o.workDir)
	if err != nil {
		return "", &failure{exit.Usage, err}
	}
	return a.findRun(runs, strings.Join(args, ""))
}

func newRunsListCommand(a *app, o *runsOptions) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the runs, the newest first", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := checkFormat(o.format); err != nil {
				return err
			}
			runs, err := a.runsFolder(o.stateDir, o.workDir)
			if err != nil {
				return &failure{exit.Usage, err}
			}
			list, err := journal.List(runs)
			if err != nil {
				return &failure{exit.Failed, err}
			}
			if o.format == "json" {
				rows := []map[string]any{}
				for _, s := range list {
					rows = append(rows, summaryRow(s))
				}
				a.printJSON(rows)
				return nil
			}
			table := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
			for _, s := range list {
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", s.RunID, standing(s), s.Recipe, s.Started.Local().Format(time.DateTime))
			}
			return table.Flush()
		},
	}
}

// standing is one or two words for how a run stands.
func standing(s journal.Summary) string {
	if s.End != nil {
		return s.End.Status
	}
	return string(s.Status)
}

func summaryRow(s journal.Summary) map[string]any {
	row := map[string]any{
		"run_id": s.RunID, "recipe": s.Recipe, "status": standing(s), "started": s.Started, "last": s.Last,
		"work_dir": s.WorkDir, "reason": nil, "exit_code": nil, "attempts": s.Attempt, "error": nil,
	}
	if s.End != nil {
		row["reason"], row["exit_code"] = s.End.Reason, s.End.ExitCode
	}
	if s.Err != nil {
		row["error"] = s.Err.Error()
	}
	return row
}

func newRunsShowCommand(a *app, o *runsOptions) *cobra.Command {
	return &cobra.Command{
		Use: "show [ID]", Short: "Show how a run went, step by step", Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := o.run(a, args)
			if err != nil {
				return err
			}
			sum, err := journal.Summarize(dir)
			if err != nil {
				return &failure{exit.Failed, err}
			}
			steps, err := readSteps(dir)
			if err != nil {
				return &failure{exit.Failed, err}
			}
			if o.format == "json" {
				row := summaryRow(sum)
				row["steps"], row["waits"] = steps, waitRows(sum)
				row["usage"] = local.Usage(steps)
				a.printJSON(row)
				return nil
			}
			return a.printRun(sum, steps)
		},
	}
}

func (a *app) printRun(s journal.Summary, steps []*local.StepRecord) error {
	fmt.Fprintf(a.out, "Run:     %s\nRecipe:  %s\nStatus:  %s\nStarted: %s\nFolder:  %s\n",
		s.RunID, s.Recipe, standing(s), s.Started.Local().Format(time.DateTime), s.Dir)
	if s.End != nil && s.End.Reason != "" {
		fmt.Fprintf(a.out, "Reason:  %s\n", s.End.Reason)
	}
	if s.Torn != nil {
		fmt.Fprintf(a.out, "Notice:  %s\n", s.Torn)
	}
	if s.Attempt > 1 {
		fmt.Fprintf(a.out, "Resumed: %d times\n", s.Attempt-1)
	}
	a.printWaits(s)
	if text := spent(local.Usage(steps)); text != "" {
		fmt.Fprintf(a.out, "Usage:   %s\n", text)
	}
	table := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	for _, st := range steps {
		fmt.Fprintf(table, "  [%s]\t%s\t%.1fs\t%s\n", st.Status, st.Path, st.Duration, remarks(st))
	}
	return table.Flush()
}

// remarks are the attempts of a step, what it cost, and how it failed.
func remarks(st *local.StepRecord) string {
	var words []string
	if st.Attempts > 1 {
		words = append(words, fmt.Sprintf("%d attempts", st.Attempts))
	}
	if text := spent(st.Usage); text != "" {
		words = append(words, text)
	}
	if st.Error != "" {
		words = append(words, firstLine(printable(st.Error)))
	}
	return strings.Join(words, ", ")
}

// readSteps collects the steps of a run from its journal.
func readSteps(dir string) (steps []*local.StepRecord, err error) {
	// The lock is looked at first, because its owner may write the end and let go
	// in this moment.
	_, held, err := journal.Holder(dir)
	if err != nil {
		return nil, err
	}
	reader, err := journal.Read(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	var log *local.StepLog
	for rec, err := range reader.Records() {
		if err != nil {
			return nil, err
		}
		if log == nil {
			log = local.NewStepLog(showSealed(rec))
		}
		if err := log.Add(rec); err != nil {
			return nil, err
		}
	}
	if log == nil {
		return nil, nil
	}
	return log.Steps(held), nil
}

func newRunsRemoveCommand(a *app, o *runsOptions) *cobra.Command {
	keep, force := 0, false
	cmd := &cobra.Command{
		Use: "rm [ID...]", Short: "Remove finished runs",
		Long: "Remove the named runs, or with --keep N all finished runs but the N newest.\n" +
			"Unfinished and damaged runs go only when they are named, with --force; runs that\na process holds are never removed.\n",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(o.format); err != nil {
				return err
			}
			if pruning := cmd.Flags().Changed("keep"); pruning == (len(args) > 0) || pruning && (keep < 0 || force) {
				return &failure{exit.Usage, errors.New("name the runs to remove, or give --keep N")}
			}
			runs, err := a.runsFolder(o.stateDir, o.workDir)
			if err != nil {
				return &failure{exit.Usage, err}
			}
			if len(args) == 0 {
				return a.pruneRuns(o, runs, keep)
			}
			return a.removeRuns(o, runs, args, force)
		},
	}
	cmd.Flags().IntVar(&keep, "keep", journal.DefaultKeep, "keep this many of the newest finished runs")
	cmd.Flags().BoolVar(&force, "force", false, "remove the named runs although they are unfinished or damaged")
	return cmd
}

func (a *app) pruneRuns(o *runsOptions, runs string, keep int) error {
	removed, kept, err := journal.Prune(runs, keep)
	if o.format == "json" {
		a.printJSON(map[string]any{"removed": append([]string{}, removed...), "kept": append([]string{}, kept...)})
	} else {
		fmt.Fprintf(a.out, "removed %d runs, kept %d\n", len(removed), len(kept))
	}
	if err != nil {
		return &failure{exit.Failed, err}
	}
	return nil
}

func (a *app) removeRuns(o *runsOptions, runs string, ids []string, force bool) error {
	remove, removed := journal.Remove, []string{}
	if force {
		remove = journal.Discard
	}
	var fail error
	for _, id := range ids {
		dir, err := a.findRun(runs, id)
		if err != nil {
			fail = err
			break
		}
		if err := remove(dir); err != nil {
			fail = heldOr(err, exit.Failed)
			break
		}
		removed = append(removed, filepath.Base(dir))
		if o.format != "json" {
			fmt.Fprintf(a.out, "removed %s\n", filepath.Base(dir))
		}
	}
	if o.format == "json" {
		return a.removedJSON(removed, fail)
	}
	return fail
}

// removedJSON prints what was removed, and what was in the way of more.
func (a *app) removedJSON(removed []string, fail error) error {
	doc := map[string]any{"removed": removed, "error": nil}
	if fail == nil {
		a.printJSON(doc)
		return nil
	}
	fmt.Fprintf(a.err, "Error: %v\n", fail)
	doc["error"] = fail.Error()
	a.printJSON(doc)
	code := exit.Failed
	var known *failure
	if errors.As(fail, &known) {
		code = known.Code
	}
	return &failure{Code: code}
}

func newRunsVerifyCommand(a *app, o *runsOptions) *cobra.Command {
	return &cobra.Command{
		Use: "verify [ID]", Short: "Check that a run's journal is as it was written", Args: cobra.MaximumNArgs(1),
		Long: "Check the chain of a run's journal and the outputs it refers to, offline.\nExit 1 names the first line that breaks the chain.\n",
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := o.run(a, args)
			if err != nil {
				return err
			}
			return a.verifyRun(o, dir)
		},
	}
}

func (a *app) verifyRun(o *runsOptions, dir string) (err error) {
	// Only read, and not closed, so that a run under way keeps its files.
	store, err := local.OpenStore(dir, false)
	if err != nil {
		return &failure{exit.Failed, err}
	}
	report, err := journal.Verify(dir, func(ref value.Ref) error { return store.Verify(ref) })
	if err != nil {
		return &failure{exit.Failed, err}
	}
	if o.format == "json" {
		a.printJSON(map[string]any{"ok": report.OK(), "report": report})
	} else {
		fmt.Fprintf(a.out, "%s: %d records, %d stored outputs, last hash %s\n", report.RunID, report.Records, report.Outputs, report.Last)
		if report.Torn != nil {
			fmt.Fprintf(a.out, "notice: %s\n", report.Torn)
		}
	}
	if report.OK() {
		return nil
	}
	for _, lost := range report.Lost {
		fmt.Fprintf(a.err, "Error: line %d: the output of %s: %s\n", lost.Line, lost.Action, lost.Text)
	}
	if report.Damage != nil {
		fmt.Fprintf(a.err, "Error: %v\n", report.Damage)
	}
	return &failure{Code: exit.Failed}
}
