package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/spf13/cobra"
)

// logs prints what a step printed.
type logs struct {
	app    *app
	dir    string
	step   string
	follow bool
	stderr bool
	sent   map[string]int64 // bytes printed so far, by action
}

func newRunsLogsCommand(a *app, o *runsOptions) *cobra.Command {
	l := &logs{app: a, sent: map[string]int64{}}
	var run string
	cmd := &cobra.Command{
		Use: "logs STEP", Short: "Print what a step printed, byte for byte",
		Long: "Print what a step printed, byte for byte; STEP is its id or its path. With -f\nwhat it goes on to print, until it ends.\n",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			l.step = args[0]
			if l.dir, err = o.run(a, []string{run}); err != nil {
				return err
			}
			return l.print(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&run, "run", "", "the run (default: the newest)")
	cmd.Flags().BoolVarP(&l.follow, "follow", "f", false, "go on until the step ends")
	cmd.Flags().BoolVar(&l.stderr, "stderr", false, "what it printed on standard error instead")
	return cmd
}

// pollLogs is how often -f looks for more.
const pollLogs = 200 * time.Millisecond

func (l *logs) print(ctx context.Context) error {
	for {
		steps, err := readSteps(l.dir)
		if err != nil {
			return &failure{exit.Failed, err}
		}
		record, found := local.NewStepLogOf(steps).Find(l.step)
		if !found && !l.follow {
			return &failure{exit.NotFound, fmt.Errorf("run %s has no step %s", filepath.Base(l.dir), l.step)}
		}
		if found {
			if err := l.advance(record); err != nil {
				return &failure{exit.Failed, err}
			}
		}
		if !l.follow || found && record.Status != local.StepRunning || !found && l.over() {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pollLogs):
		}
	}
}

// over tells that the run has no owner any more, so that nothing will be added.
func (l *logs) over() bool {
	_, held, err := journal.Holder(l.dir)
	return err == nil && !held
}

// advance prints what has come since the last time.
func (l *logs) advance(record *local.StepRecord) error {
	for _, action := range record.Actions {
		in, err := l.open(action)
		if err != nil || in == nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, in, l.sent[action.ID]); err != nil && !errors.Is(err, io.EOF) {
			return errors.Join(err, in.Close())
		}
		n, err := io.Copy(l.app.out, in)
		l.sent[action.ID] += n
		if err := errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	return nil
}

// open gives what an action has printed so far; nil where there is nothing yet.
func (l *logs) open(action *local.ActionRecord) (io.ReadCloser, error) {
	ref, name := action.Stdout, action.ID
	if l.stderr {
		ref, name = action.Stderr, action.ID+".err"
	}
	if action.Done {
		return l.stored(action, ref)
	}
	path, _, ok := process.StreamFile(l.dir, name)
	if !ok {
		return nil, nil
	}
	return os.Open(path)
}

func (l *logs) stored(action *local.ActionRecord, ref *value.Ref) (io.ReadCloser, error) {
	if ref == nil {
		text := action.Text
		if l.stderr {
			text = ""
		}
		if text != "" {
			text += "\n"
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
	place, ok := process.ParsePlace(ref.Place)
	if !ok {
		return nil, fmt.Errorf("%q is no place in this run", ref.Place)
	}
	spool, err := process.OpenSpool(l.dir)
	if err != nil {
		return nil, err
	}
	in, err := spool.Open(place)
	return in, errors.Join(err, spool.Close())
}
