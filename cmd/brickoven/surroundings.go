package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/scope"
	"github.com/brickoven/brickoven/runner/state"
	"mvdan.cc/sh/v3/shell"
)

// locations are the folders of the state of the project that a folder belongs
// to.
func (a *app) locations(stateDir, workDir string) (state.Locations, error) {
	work, err := filepath.Abs(workDir)
	if err != nil {
		return state.Locations{}, err
	}
	root, err := state.Resolve(state.Options{Flag: stateDir, Dir: work, Getenv: a.getenv})
	return state.Locations{Dir: root}, err
}

// runFolder makes the name of a new run and its folder in the state.
func (a *app) runFolder(o *runOptions) (id, dir string, err error) {
	locations, err := a.locations(o.stateDir, o.workDir)
	if err != nil {
		return "", "", err
	}
	random := make([]byte, 4)
	if _, err := rand.Read(random); err != nil {
		return "", "", err
	}
	id = time.Now().UTC().Format("20060102-150405") + "-" + hex.EncodeToString(random)
	dir = filepath.Join(locations.Runs(), id)
	if err := locations.Claim(); err != nil {
		return "", "", err
	}
	return id, dir, state.Prepare(dir)
}

// baseEnvironment is what every step's environment starts from.
func (a *app) baseEnvironment(id, dir string) []string {
	return append(scope.FilterBase(a.environ),
		"BRICKOVEN_BIN="+self(), "BRICKOVEN_RUN_ID="+id, "BRICKOVEN_RUN_DIR="+dir)
}

// agentCommand is the agent CLI of the run: --agent, then the environment, then
// the project's configuration; empty where none is configured.
func (a *app) agentCommand(o *runOptions, work string) ([]string, error) {
	line := o.agent
	for _, name := range []string{"BRICKOVEN_AGENT", "AMPLIHACK_AGENT_BINARY"} {
		if line == "" {
			line = a.getenv(name)
		}
	}
	if line == "" {
		configured, err := configuredAgents(work)
		if err != nil {
			return nil, err
		}
		line = value.Text(configured["default"])
	}
	if strings.TrimSpace(line) == "" {
		return nil, nil
	}
	words, err := shell.Fields(line, a.getenv)
	if err != nil {
		return nil, fmt.Errorf("the agent's command line %q: %w", line, err)
	}
	return words, nil
}

// configuredAgents reads agents: of .brickoven/config.yaml in the working
// directory or the nearest folder upwards that has one; nil where there is none.
func configuredAgents(work string) (map[string]any, error) {
	for dir := work; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, ".brickoven", "config.yaml")
		data, err := os.ReadFile(path)
		if err == nil {
			return agentsOf(path, data)
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return nil, err
		}
		if dir == filepath.Dir(dir) {
			return nil, nil
		}
	}
}

func agentsOf(path string, data []byte) (map[string]any, error) {
	vars, err := recipes.ParseContext(path, data)
	if err != nil {
		return nil, err
	}
	for _, v := range vars {
		if agents, ok := v.Value.(map[string]any); ok && v.Name == "agents" {
			return agents, nil
		}
	}
	return nil, nil
}

// personas finds the text of ns:role or ns:category:role: role.md in an agents
// folder beside the recipes of the run, in .brickoven, or in amplifier-bundle.
func (a *app) personas(tree *recipes.Tree, work string) func(string) (string, bool) {
	var folders []string
	for _, r := range tree.All {
		if r.Source.Dir != "" {
			folders = append(folders, filepath.Join(r.Source.Dir, "agents"), filepath.Join(filepath.Dir(r.Source.Dir), "agents"))
		}
	}
	folders = append(folders, filepath.Join(work, ".brickoven", "agents"), filepath.Join(work, "amplifier-bundle", "agents"))
	if root := repositoryRoot(work); root != "" {
		folders = append(folders, filepath.Join(root, ".brickoven", "agents"), filepath.Join(root, "amplifier-bundle", "agents"))
	}
	return func(name string) (string, bool) {
		parts := strings.Split(name, ":")
		for _, part := range parts {
			if part == "" || part == ".." || strings.ContainsAny(part, `/\`) {
				return "", false
			}
		}
		for _, folder := range folders {
			for first := range parts {
				data, err := os.ReadFile(filepath.Join(folder, filepath.Join(parts[first:]...)+".md"))
				if err == nil {
					return string(data), true
				}
			}
		}
		return "", false
	}
}

// signals hands INT and TERM to the run. After usual they end the program again,
// so that a report which nobody reads cannot hold it; release undoes all.
//
// PIPE is taken and not acted on: where nobody reads what is printed any more,
// writing fails, but the run goes on and cleans up after itself. It is not
// ignored, because children would inherit that.
func (a *app) signals() (run <-chan local.Signal, usual, release func()) {
	arriving, pipe := make(chan os.Signal, 8), make(chan os.Signal, 1)
	signal.Notify(arriving, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Notify(pipe, syscall.SIGPIPE)
	passed := make(chan local.Signal, 8)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case sig := <-arriving:
				if number, ok := sig.(syscall.Signal); ok {
					passed <- local.Signal(number)
				}
			case <-done:
				return
			}
		}
	}()
	usual = func() { signal.Stop(arriving) }
	return passed, usual, func() {
		usual()
		signal.Stop(pipe)
		close(done)
	}
}
