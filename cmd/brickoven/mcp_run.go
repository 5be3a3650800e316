package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/process"
)

type runRecipeInput struct {
	Recipe string         `json:"recipe" jsonschema_description:"the name of an allowed recipe"`
	Inputs map[string]any `json:"inputs,omitempty" jsonschema_description:"variables of the recipe, by name"`
	// WaitSeconds bounds the answer and not the run.
	WaitSeconds *int `json:"wait_seconds,omitempty" jsonschema_description:"answer after this many seconds although the run goes on; 50 where it is left out, 0 to wait for the end"`
}

// defaultWait is below the minute after which many clients give up on a tool.
const defaultWait = 50 * time.Second

// endOfRun is what an interrupted run gets to end its steps and finally steps.
const endOfRun = 30 * time.Second

// child is a run in a process of its own, so that what goes wrong in it does not
// take the server along.
type child struct {
	started chan process.Ident
	done    chan struct{}
	exit    process.Exit
	err     error
	out     bytes.Buffer
	errOut  *process.Tail
}

func (d *door) runRecipe(ctx context.Context, in runRecipeInput) (runDigest, error) {
	if err := d.mayRun(in.Recipe); err != nil {
		return runDigest{}, err
	}
	runs, err := d.app.runsFolder(d.stateDir, d.place.workDir)
	if err != nil {
		return runDigest{}, err
	}
	own, cancel := context.WithCancel(d.life)
	c, err := d.start(own, cancel, in)
	if err != nil {
		cancel()
		return runDigest{}, err
	}
	wait := defaultWait
	if in.WaitSeconds != nil {
		wait = time.Duration(max(0, *in.WaitSeconds)) * time.Second
	}
	var late <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-ctx.Done():
		cancel()
		<-c.done
		return runDigest{}, context.Cause(ctx)
	case <-late:
		return d.underWay(runs, c)
	case <-c.done:
		return d.ended(c)
	}
}

// mayRun refuses what is not allowed, or is not what was allowed.
func (d *door) mayRun(name string) error {
	pinned, allowed := d.allowed[name]
	if !allowed {
		return fmt.Errorf("the recipe %q is not allowed to run here; who starts this server allows it with --allow-run", name)
	}
	tree, err := d.resolve(name)
	if err != nil {
		return err
	}
	digest, err := digestOf(tree)
	if err != nil {
		return err
	}
	if digest != pinned {
		return fmt.Errorf("the recipe %q, or one that it calls, has changed since this server was started; who starts it again allows what it is now", name)
	}
	return nil
}

// start starts the run. It ends with own, and calls cancel when it has ended.
func (d *door) start(own context.Context, cancel context.CancelFunc, in runRecipeInput) (*child, error) {
	program := self()
	if program == "" {
		return nil, errors.New("this system does not tell where the program lies, so it cannot run itself")
	}
	inputs, err := writeInputs(in.Inputs)
	if err != nil {
		return nil, err
	}
	args := []string{program, "run", "--output-format", "json", "--working-dir", d.place.workDir, "--context-file", inputs}
	if d.stateDir != "" {
		args = append(args, "--state-dir", d.stateDir)
	}
	for _, dir := range d.place.recipeDirs {
		args = append(args, "--recipe-dir", dir)
	}
	c := &child{started: make(chan process.Ident, 1), done: make(chan struct{}), errOut: process.NewTail()}
	d.runs.Go(func() {
		defer cancel()
		defer close(c.done)
		c.exit, c.err = process.Run(own, process.Spec{
			Argv: append(args, "--", in.Recipe), Env: d.app.environ, Stdout: &c.out, Stderr: c.errOut, Grace: endOfRun,
			Started: func(id process.Ident) { c.started <- id },
		})
		c.err = errors.Join(c.err, os.Remove(inputs))
	})
	return c, nil
}

// writeInputs puts the variables into a private file, where they are not seen in
// the list of processes and keep their types.
func writeInputs(inputs map[string]any) (path string, err error) {
	file, err := os.CreateTemp("", "brickoven-inputs-*.json")
	if err != nil {
		return "", err
	}
	if inputs == nil {
		inputs = map[string]any{}
	}
	err = errors.Join(json.NewEncoder(file).Encode(inputs), file.Close())
	if err != nil {
		err = errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), err
}

// ended tells how a run went, from its record; a run that did not come to have
// one has told why.
func (d *door) ended(c *child) (runDigest, error) {
	if c.err != nil {
		return runDigest{}, c.err
	}
	var told struct {
		RunID string `json:"run_id"`
		Error string `json:"error"`
	}
	if err := json.Unmarshal(c.out.Bytes(), &told); err != nil || told.RunID == "" {
		text := told.Error
		if text == "" {
			text = strings.TrimSpace(c.errOut.String())
		}
		return runDigest{}, fmt.Errorf("the run did not start (exit %d): %s", c.exit.Code, text)
	}
	run, err := d.report(told.RunID)
	if err != nil {
		return runDigest{}, err
	}
	return newDigest(run), nil
}

// underWay tells how a run stands that takes longer than the caller waits.
func (d *door) underWay(runs string, c *child) (runDigest, error) {
	id := <-c.started
	entries, err := os.ReadDir(runs)
	if err != nil {
		return runDigest{}, err
	}
	for _, entry := range slices.Backward(entries) {
		dir := filepath.Join(runs, entry.Name())
		if holder, held, err := journal.Holder(dir); err == nil && held && holder.Process.PID == id.PID {
			run, err := d.report(entry.Name())
			if err != nil {
				return runDigest{}, err
			}
			return newDigest(run), nil
		}
	}
	select {
	case <-c.done:
		return d.ended(c)
	default:
	}
	return runDigest{Title: "Running", Status: "running", Running: true, Commands: []string{}, Loops: []loopDigest{}, Steps: []stepDigest{}, Warnings: []string{}}, nil
}
