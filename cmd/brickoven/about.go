package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/scope"
)

// The files of a run's folder that are for people and their scripts. The
// journal decides; these are written when a process takes the run and when it
// ends it, and nothing reads them back.
const (
	aboutFile   = "run.json"
	contextFile = "context.json"
)

// about is run.json. A run without an end has none in it, so that it never
// claims to be running.
type about struct {
	RunID    string     `json:"run_id"`
	Recipe   string     `json:"recipe"`
	WorkDir  string     `json:"work_dir"`
	Version  string     `json:"version"`
	PID      int        `json:"pid"`
	Started  time.Time  `json:"started"`
	Ended    *time.Time `json:"ended"`
	Status   *string    `json:"status"`
	Reason   *string    `json:"reason"`
	ExitCode *int       `json:"exit_code"`
}

// describe says in the run's folder what the run is; vars are the variables it
// starts with, nil for a run that goes on.
func (a *app) describe(s *activeRun, set *settings, tree *recipes.Tree, started time.Time, vars *scope.Scope) {
	s.about = about{
		RunID: s.id, Recipe: tree.Root.Name, WorkDir: set.WorkDir, Version: version(), PID: os.Getpid(), Started: started,
	}
	a.describeIn(s, aboutFile, s.about)
	if vars != nil {
		a.describeVars(s, vars)
	}
}

// describeEnd adds how the run ended, and with which variables.
func (a *app) describeEnd(s *activeRun, out *runner.Outcome) {
	ended, status, reason, code := time.Now().UTC(), string(out.Status), s.machine.Mask.Text(out.Reason), exitCode(out)
	s.about.Ended, s.about.Status, s.about.Reason, s.about.ExitCode = &ended, &status, &reason, &code
	a.describeIn(s, aboutFile, s.about)
	a.describeVars(s, out.Vars)
}

// describeVars writes the variables; a large one is there by its place.
func (a *app) describeVars(s *activeRun, vars *scope.Scope) {
	a.describeIn(s, contextFile, s.machine.Mask.Value(vars.Flatten()))
}

// describeIn replaces a file at once. A run does not fail for it.
func (a *app) describeIn(s *activeRun, name string, doc any) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(doc)
	path := filepath.Join(s.machine.Store.Dir, name)
	if err == nil {
		err = os.WriteFile(path+".new", text.Bytes(), 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(path+".new"))
		fmt.Fprintf(a.err, "Warning: %s of the run could not be written: %v\n", name, err)
	}
}
