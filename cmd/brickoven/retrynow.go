package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/step"
	"github.com/spf13/cobra"
)

func newRunsRetryCommand(a *app, o *runsOptions) *cobra.Command {
	return &cobra.Command{
		Use: "retry-now [ID]", Short: "Cut short what a run waits for, such as a limit to reset",
		Long: "Cut short what a run waits for: a rate limit to pass, a used-up limit to reset. The\ncall is made again at once. Without an ID it is the run that waits.\n" + exitStatus(),
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := o.waitingRun(a, args)
			if err != nil {
				return err
			}
			return a.retryRun(o, dir)
		},
	}
}

// waitingRun finds the run that is named, or else the only one that waits.
func (o *runsOptions) waitingRun(a *app, args []string) (dir string, err error) {
	if len(args) > 0 {
		return o.run(a, args)
	}
	if err := checkFormat(o.format); err != nil {
		return "", err
	}
	runs, err := a.runsFolder(o.stateDir, o.workDir)
	if err != nil {
		return "", &failure{exit.Usage, err}
	}
	list, err := journal.List(runs)
	if err != nil {
		return "", &failure{exit.Failed, err}
	}
	var waiting []string
	for _, s := range list {
		if s.Status != journal.StatusRunning {
			continue
		}
		if s, err = journal.Summarize(s.Dir); err != nil {
			return "", &failure{exit.Failed, err}
		}
		if len(waits(s)) > 0 {
			waiting = append(waiting, s.RunID)
		}
	}
	switch len(waiting) {
	case 0:
		return "", &failure{exit.NotFound, errors.New("no run of this project waits")}
	case 1:
		return filepath.Join(runs, waiting[0]), nil
	}
	return "", &failure{exit.Usage, fmt.Errorf("name one of the runs that wait: %s", strings.Join(waiting, ", "))}
}

func (a *app) retryRun(o *runsOptions, dir string) error {
	s, err := journal.Summarize(dir)
	if err != nil {
		return &failure{exit.Failed, err}
	}
	found := waits(s)
	if s.Status != journal.StatusRunning || len(found) == 0 {
		return &failure{exit.Failed, fmt.Errorf("run %s waits for nothing", s.RunID)}
	}
	if err := local.RetryNow(dir, now()); err != nil {
		return &failure{exit.Failed, err}
	}
	if o.format == "json" {
		a.printJSON(map[string]any{"run_id": s.RunID, "waits": waitRows(s)})
		return nil
	}
	for _, w := range found {
		fmt.Fprintf(a.out, "run %s: the wait of %s is cut short\n", s.RunID, w.Path)
	}
	return nil
}

// waits are the running actions that wait for an agent's fault or limit to pass.
func waits(s journal.Summary) []journal.Running {
	var list []journal.Running
	for _, r := range s.Running {
		if r.Kind == string(step.Wait) && r.Wait != nil {
			list = append(list, r)
		}
	}
	return list
}

// waitRows are the waits of a run for machines.
func waitRows(s journal.Summary) []map[string]any {
	rows := []map[string]any{}
	if s.Status != journal.StatusRunning {
		return rows
	}
	for _, w := range waits(s) {
		rows = append(rows, map[string]any{"path": w.Path, "due": w.Wait.Due, "reason": w.Wait.Reason})
	}
	return rows
}

// printWaits tells what a running run waits for.
func (a *app) printWaits(s journal.Summary) {
	if s.Status != journal.StatusRunning {
		return
	}
	for _, w := range waits(s) {
		fmt.Fprintf(a.out, "Waits:   until %s: %s\n", w.Wait.Due.Local().Format(time.DateTime), w.Wait.Reason)
	}
}
