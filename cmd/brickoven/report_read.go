package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/report"
)

// readReport makes the report of the run in dir as it stands at a time. A
// journal that is damaged gives a report that says so; only one that cannot be
// read at all is an error.
func (a *app) readReport(dir string, at time.Time) (*report.Run, error) {
	// The lock is looked at first, because its owner may write the end and let go
	// in this moment.
	_, held, err := journal.Holder(dir)
	if err != nil {
		return nil, err
	}
	state := report.State{Held: held, Now: at}
	collector, err := collect(dir, &state)
	if err != nil {
		return nil, err
	}
	state.Recipe, err = recordedRecipe(collector.Start())
	if err != nil {
		state.Notices = append(state.Notices, fmt.Sprintf("the recipe as it was recorded cannot be read, so there is no graph: %v", err))
	}
	// What steps left in the run's folder must not lead out of it.
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	run := collector.Run(state, report.Sources{Stored: storedText(root), Live: liveText(root)})
	if run.ID == "" {
		run.ID = filepath.Base(dir)
	}
	return run, root.Close()
}

// collect reads the journal. Damage goes into the state.
func collect(dir string, state *report.State) (c *report.Collector, err error) {
	reader, err := journal.Read(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return report.NewCollector(nil), nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	for rec, err := range reader.Records() {
		var damage *journal.DamageError
		if errors.As(err, &damage) {
			state.Damage = err
			break
		}
		if err != nil {
			return nil, err
		}
		if c == nil {
			c = report.NewCollector(showSealed(rec))
		}
		if err := c.Add(rec); err != nil {
			state.Notices = append(state.Notices, err.Error())
		}
	}
	if torn := reader.Torn(); torn != nil && !state.Held {
		state.Notices = append(state.Notices, torn.String())
	}
	if c == nil {
		c = report.NewCollector(nil)
	}
	return c, nil
}

// recordedRecipe is the recipe as the run used it; nil where the journal has
// none.
func recordedRecipe(start journal.RunStarted) (*recipes.Recipe, error) {
	if len(start.Options) == 0 {
		return nil, nil
	}
	set := &settings{}
	if err := json.Unmarshal(start.Options, set); err != nil || set.Recording == nil {
		return nil, errors.Join(errNoSettings, err)
	}
	var vars []recipes.Variable
	for _, v := range start.Vars {
		vars = append(vars, recipes.Variable{Name: v.Name, Value: v.Value.Get()})
	}
	tree, err := recipes.Restore(set.Recording, recipes.LoadOptions{
		Strict: set.Strict, AllowForeign: set.Foreign, Names: names(vars), Vars: vars,
	})
	if err != nil {
		return nil, err
	}
	return tree.Root, nil
}

// stretch is a part of a file of a run.
type stretch struct {
	*io.SectionReader
	file *os.File
}

func (s stretch) Close() error { return s.file.Close() }

// storedText opens what a run stored.
func storedText(root *os.Root) func(value.Ref) (report.Text, error) {
	return func(ref value.Ref) (report.Text, error) {
		place, ok := process.ParsePlace(ref.Place)
		if !ok {
			return nil, fmt.Errorf("%q is no place in this run", ref.Place)
		}
		file, err := openRegular(root, filepath.FromSlash(place.File))
		if err != nil {
			return nil, err
		}
		return stretch{io.NewSectionReader(file, place.Offset, place.Length), file}, nil
	}
}

// liveText opens what a running action has printed so far.
func liveText(root *os.Root) func(string, bool) (report.Text, int64, error) {
	return func(action string, stderr bool) (report.Text, int64, error) {
		if stderr {
			action += ".err"
		}
		path, _, ok := process.StreamFile(root.Name(), action)
		if !ok {
			return nil, 0, nil
		}
		name, err := filepath.Rel(root.Name(), path)
		if err != nil {
			return nil, 0, err
		}
		file, err := openRegular(root, name)
		if err != nil {
			return nil, 0, err
		}
		info, err := file.Stat()
		if err != nil {
			return nil, 0, errors.Join(err, file.Close())
		}
		return file, info.Size(), nil
	}
}

// openRegular opens a file below root. A pipe that stands in its place would
// never answer.
func openRegular(root *os.Root, name string) (*os.File, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no plain file", name)
	}
	return root.Open(name)
}
