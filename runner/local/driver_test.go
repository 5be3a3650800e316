package local_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
)

// executor carries actions out as it likes.
type executor func(ctx context.Context, a *step.Action, kill <-chan struct{}) step.Result

func (e executor) Do(ctx context.Context, a *step.Action, kill <-chan struct{}) step.Result {
	return e(ctx, a, kill)
}

func started(t *testing.T, text string) *runner.Run {
	t.Helper()
	return runner.New(resolved(t, text), runner.Options{})
}

func resolved(t *testing.T, text string) *recipes.Tree {
	t.Helper()
	resolver := recipes.NewResolver(recipes.Search{Builtin: func(string) ([]byte, bool) { return []byte(text), true }})
	tree, err := resolver.Resolve("root", recipes.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

const threeSteps = `name: root
steps: [{id: a, command: one}, {id: b, command: two}, {id: c, command: three}]
`

func TestAPanicOfTheRunReachesWhoDrivesIt(t *testing.T) {
	t.Parallel()
	steps := 0
	d := &local.Driver{
		Now: time.Now,
		Executor: executor(func(context.Context, *step.Action, <-chan struct{}) step.Result {
			steps++
			return step.Result{OK: true}
		}),
		Observe: func(step.Note) {
			if steps == 2 {
				panic("no flour")
			}
		},
	}
	defer func() {
		fault, is := recover().(*process.PanicError)
		if !is || fault.Value != "no flour" || !strings.Contains(string(fault.Stack), "driver_test.go") {
			t.Errorf("%+v", fault)
		}
	}()
	outcome, err := d.Run(t.Context(), started(t, threeSteps), nil)
	t.Errorf("the run ended with %v, %v", outcome, err)
}

func TestSignalsReachWhatRunsWhileItRuns(t *testing.T) {
	t.Parallel()
	signals, killed := make(chan local.Signal), false
	d := &local.Driver{Now: time.Now, Executor: executor(func(ctx context.Context, _ *step.Action, kill <-chan struct{}) step.Result {
		signals <- 2
		<-ctx.Done()
		var interrupt *process.Interrupt
		if !errors.As(context.Cause(ctx), &interrupt) {
			t.Errorf("the cause is %v", context.Cause(ctx))
		}
		signals <- 2
		<-kill
		killed = true
		return step.Result{ExitCode: 130, Signal: "SIGINT"}
	})}
	outcome, err := d.Run(t.Context(), started(t, threeSteps), signals)
	if err != nil || outcome.Signal != 2 || !killed || len(outcome.Steps) == 3 && outcome.Steps[2].Status == step.Completed {
		t.Errorf("%+v, %v", outcome, err)
	}
}

// refusing is a record that cannot be kept from an action on.
type refusing struct{ at string }

var errFull = errors.New("the disk is full")

func (refusing) Note(step.Note) error   { return nil }
func (refusing) Event(step.Event) error { return nil }
func (r refusing) Starting(a *step.Action) error {
	if strings.Contains(a.ID, r.at) {
		return errFull
	}
	return nil
}

func TestARunThatCannotBeRecordedEndsWhatRunsAndStartsNothing(t *testing.T) {
	t.Parallel()
	const parallel = `name: root
steps:
  - {id: a, parallel_group: g, command: one}
  - {id: b, parallel_group: g, command: two}
  - {id: c, command: three}
`
	done := make(chan string, 3)
	d := &local.Driver{Now: time.Now, Record: refusing{"b"}, Executor: executor(func(ctx context.Context, a *step.Action, _ <-chan struct{}) step.Result {
		<-ctx.Done()
		done <- a.Path
		return step.Result{}
	})}
	_, err := d.Run(t.Context(), started(t, parallel), nil)
	close(done)
	var ran []string
	for path := range done {
		ran = append(ran, path)
	}
	if !errors.Is(err, errFull) || strings.Join(ran, " ") != "a" {
		t.Errorf("%v, ran %q", err, ran)
	}
}
