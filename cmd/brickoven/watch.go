package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/spf13/cobra"
)

// watchdog looks at a run from outside; it must not share the fate of what it
// watches (seed 004, "Silent death").
type watchdog struct {
	app   *app
	dir   string
	stall time.Duration
	kill  bool
	once  bool
	json  bool
	own   bool // each loop's own stale_after counts
}

func newWatchCommand(a *app) *cobra.Command {
	o := &runsOptions{}
	w := &watchdog{app: a}
	cmd := &cobra.Command{
		Use: "watch [ID]", Short: "Watch a run from outside: is it healthy, finished, dead, or stalled?",
		Long: `Watch a run from a process of its own, until it ends or something is wrong with
it. It is stalled when its running step has shown no sign of progress (no output,
no event) for the stall timeout and has announced no wait.

Exit status: 0 finished, or healthy with --once; 19 stalled (heartbeat_stale);
40 the owner died without an end (execution_failure).
` + exitStatus(),
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if w.dir, err = o.run(a, args); err != nil {
				return err
			}
			w.json, w.own = o.format == "json", !cmd.Flags().Changed("stall-timeout")
			return w.watch(cmd.Context())
		},
	}
	o.flags(cmd.Flags())
	cmd.Flags().DurationVar(&w.stall, "stall-timeout", 10*time.Minute, "silence after which a step counts as stalled; without it a loop's brakes.stale_after comes before the default")
	cmd.Flags().BoolVar(&w.kill, "kill", false, "end the stalled step's process group: TERM, then KILL")
	cmd.Flags().BoolVar(&w.once, "once", false, "look once instead of until the end")
	return cmd
}

// maxPoll bounds the time between two looks.
const maxPoll = 5 * time.Second

func (w *watchdog) watch(ctx context.Context) error {
	poll := min(maxPoll, max(w.stall/4, 50*time.Millisecond))
	for {
		sum, err := journal.Summarize(w.dir)
		if err != nil {
			return &failure{exit.Failed, err}
		}
		w.listen(&sum)
		// The lock was looked at before the journal was read: an owner that ends
		// the run in this moment does not look like one that died.
		health := journal.Judge(sum, sum.Status == journal.StatusRunning, time.Now(), w.stall)
		if health.Condition != journal.Healthy || w.once {
			return w.conclude(ctx, sum, health)
		}
		select {
		case <-ctx.Done():
			return &failure{exit.Interrupted, context.Cause(ctx)}
		case <-time.After(poll):
		}
	}
}

// listen fills in the second signal: when each running action printed last.
func (w *watchdog) listen(sum *journal.Summary) {
	for i, action := range sum.Running {
		if !w.own {
			sum.Running[i].Stale = 0
		}
		for _, stream := range []string{action.ID, action.ID + ".err"} {
			if _, changed, ok := process.StreamFile(w.dir, stream); ok && changed.After(sum.Running[i].Output) {
				sum.Running[i].Output = changed
			}
		}
	}
}

func (w *watchdog) conclude(ctx context.Context, sum journal.Summary, health journal.Health) error {
	var ended []string
	var err error
	if health.Condition == journal.HeartbeatStale && w.kill {
		ended, err = w.end(ctx, health)
	}
	if w.json {
		w.app.printJSON(map[string]any{
			"run_id": filepath.Base(w.dir), "condition": health.Condition, "class": health.Class,
			"reason": health.Reason, "silent_seconds": health.Silent.Seconds(), "killed": append([]string{}, ended...),
		})
	} else {
		fmt.Fprintf(w.app.out, "%s: %s: %s\n", filepath.Base(w.dir), health.Condition, health.Reason)
		if len(ended) > 0 {
			fmt.Fprintf(w.app.out, "ended: %s\n", strings.Join(ended, ", "))
		}
	}
	if err != nil {
		return &failure{health.Class, err}
	}
	if health.Class != 0 {
		return &failure{Code: health.Class}
	}
	return nil
}

// end ends the process groups of the stalled actions, after a look at process
// number and start time. The run's own process then sees its step end and
// writes down what became of it.
func (w *watchdog) end(ctx context.Context, health journal.Health) (ended []string, err error) {
	for _, action := range health.Stalled {
		if action.Process == nil {
			err = errors.Join(err, fmt.Errorf("%s: its process is not known", action.ID))
			continue
		}
		if !process.Alive(*action.Process) {
			err = errors.Join(err, fmt.Errorf("%s: process %d is not there any more", action.ID, action.Process.PID))
			continue
		}
		if noteErr := local.LeaveStall(w.dir, journal.Stalled{
			ID: action.ID, Path: action.Path, Process: action.Process, Silent: health.Silent, Killed: true,
		}); noteErr != nil {
			err = errors.Join(err, noteErr)
		}
		if _, killErr := process.Kill(ctx, *action.Process, process.DefaultGrace); killErr != nil {
			err = errors.Join(err, killErr)
			continue
		}
		ended = append(ended, action.ID)
	}
	return ended, err
}
