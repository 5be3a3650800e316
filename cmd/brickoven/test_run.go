package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/contract"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/process"
)

// testBench runs cases, each by this very program in a process of its own, so
// that neither signals nor the children of one case reach another.
type testBench struct {
	app   *app
	place place
	keep  bool
}

// run sets a case up, runs it, and compares.
func (b *testBench) run(ctx context.Context, job testJob) *caseResult {
	started := time.Now()
	v := &caseResult{job: job}
	defer func() { v.duration = time.Since(started) }()
	dir, err := os.MkdirTemp("", "brickoven-test-*")
	if err != nil {
		v.err = err
		return v
	}
	defer func() {
		if b.keep && !v.passed() {
			v.folder = dir
			return
		}
		v.err = errors.Join(v.err, os.RemoveAll(dir))
	}()
	ctx, cancel := context.WithTimeout(ctx, job.test.Timeout)
	defer cancel()
	scratch := &scratch{dir: dir, test: job.test, environ: b.environment(job, dir)}
	if err := scratch.set(ctx); err != nil {
		v.err = err
		return v
	}
	args, err := b.arguments(job, scratch)
	if err != nil {
		v.err = err
		return v
	}
	outcome, err := b.start(ctx, scratch, args)
	if err != nil {
		v.err = err
		return v
	}
	v.stderr = outcome.Stderr
	v.found, v.err = job.test.Check(*outcome)
	return v
}

// start runs the program and gathers what the expectations look at.
func (b *testBench) start(ctx context.Context, s *scratch, args []string) (*contract.Outcome, error) {
	program := self()
	if program == "" {
		return nil, errors.New("this system does not tell where the program lies, so it cannot run itself")
	}
	var out, errOut bytes.Buffer
	end, err := process.Run(ctx, process.Spec{
		Argv: append([]string{program}, args...), Dir: s.work(), Env: s.environ, Stdout: &out, Stderr: &errOut,
	})
	if err != nil {
		return nil, err
	}
	outcome := &contract.Outcome{
		ExitCode: end.Code, Stderr: errOut.String(), File: s.file, TimedOut: errors.Is(ctx.Err(), context.DeadlineExceeded),
	}
	if report, err := value.Parse(out.String()); err == nil {
		outcome.Report, _ = report.(map[string]any)
		outcome.Stderr += explained(out.Bytes())
	}
	outcome.Prompts, err = s.prompts()
	return outcome, err
}

// explained is what a run without --output-format json would have printed on
// standard error about its failure.
func explained(report []byte) string {
	var res result
	if err := json.Unmarshal(report, &res); err != nil || res.RunID == "" || res.Success {
		return ""
	}
	var text strings.Builder
	(&app{err: &text}).explainFailure(&res)
	return text.String()
}

// arguments is the command line of a case.
func (b *testBench) arguments(job testJob, s *scratch) ([]string, error) {
	recipe, err := b.recipe(job.file)
	if err != nil {
		return nil, err
	}
	args := []string{"run", recipe, "--output-format", formatJSON, "--context-file", s.contextFile()}
	if len(job.test.Stubs) > 0 {
		args = append(args, "--stub-file", s.stubFile())
	}
	if job.test.Agents != nil {
		args = append(args, "--agent", "bash '"+strings.ReplaceAll(s.agentScript(), "'", `'\''`)+"'")
	}
	if b.place.strict {
		args = append(args, "--strict")
	}
	for _, key := range b.place.foreign {
		args = append(args, "--allow-foreign", key)
	}
	return append(args, job.test.Flags...), nil
}

// recipe finds the recipe under test beside its file and where run would look.
func (b *testBench) recipe(file *contract.File) (string, error) {
	resolver, err := b.app.resolver(&b.place)
	if err != nil {
		return "", err
	}
	folder, err := filepath.Abs(filepath.Dir(file.Path))
	if err != nil {
		return "", err
	}
	source, err := resolver.Find(file.Recipe, recipes.Source{Dir: folder})
	if err != nil {
		return "", err
	}
	if _, builtin := strings.CutPrefix(source.Path, "builtin:"); builtin {
		return file.Recipe, nil
	}
	if filepath.IsAbs(source.Path) {
		return source.Path, nil
	}
	return filepath.Abs(source.Path)
}

// agentNames are the variables that would bring an agent, or the settings of
// the run around the test, into a case.
var agentNames = []string{"BRICKOVEN_AGENT", "AMPLIHACK_AGENT_BINARY", "AMPLIHACK_HOME", "AMPLIHACK_PACKAGE_RECIPE_DIR", "CI", "XDG_CONFIG_HOME"}

// environment is what a case starts with: that of the test, without agents,
// with a home, a state and a git of its own.
func (b *testBench) environment(job testJob, dir string) []string {
	home := filepath.Join(dir, "home")
	own := map[string]string{
		"HOME": home, "XDG_STATE_HOME": filepath.Join(home, "state"), "BRICKOVEN_STATE_DIR": filepath.Join(home, "state"),
		"BRICKOVEN_RECIPE_DIRS": strings.Join(b.recipeFolders(), string(os.PathListSeparator)),
		"GIT_CONFIG_GLOBAL":     os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
		"GIT_AUTHOR_NAME": "Test", "GIT_AUTHOR_EMAIL": "test@example.com",
		"GIT_COMMITTER_NAME": "Test", "GIT_COMMITTER_EMAIL": "test@example.com",
	}
	maps.Copy(own, job.test.Env)
	environ := slices.DeleteFunc(slices.Clone(b.app.environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, replaced := own[name]
		return replaced || slices.Contains(agentNames, name) || strings.HasPrefix(name, "GITHUB_") || strings.HasPrefix(name, "GIT_")
	})
	for _, name := range sortedNames(own) {
		environ = append(environ, name+"="+own[name])
	}
	return environ
}

// recipeFolders lets a case find the recipes of the project, although it runs
// in a folder of its own.
func (b *testBench) recipeFolders() []string {
	var list []string
	for _, dir := range b.place.recipeDirs {
		if absolute, err := filepath.Abs(dir); err == nil {
			list = append(list, absolute)
		}
	}
	work, err := filepath.Abs(b.place.workDir)
	if err != nil {
		return list
	}
	root := repositoryRoot(work)
	for dir := work; ; dir = filepath.Dir(dir) {
		list = append(list, dir, filepath.Join(dir, "recipes"), filepath.Join(dir, ".brickoven", "recipes"))
		if dir == root || root == "" || dir == filepath.Dir(dir) {
			break
		}
	}
	return append(list, filepath.SplitList(b.app.getenv("BRICKOVEN_RECIPE_DIRS"))...)
}

// file reads a file of the working folder for the expectations.
func (s *scratch) file(path string) (text string, ok bool, err error) {
	data, err := os.ReadFile(filepath.Join(s.work(), filepath.FromSlash(path)))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("expected file: %w", err)
	}
	return string(data), true, nil
}
