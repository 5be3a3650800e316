package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/contract"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/spf13/cobra"
)

// testOptions are the flags of brickoven test.
type testOptions struct {
	place
	run      string
	format   string
	junit    string
	parallel int
	keep     bool
}

const (
	formatTAP   = "tap"
	formatJUnit = "junit"
)

func newTestCommand(a *app) *cobra.Command {
	o := &testOptions{}
	cmd := &cobra.Command{
		Use: "test [FILE|DIR]...", Short: "Run the contract tests of recipes",
		Long: `Run contract tests: files that end with .test.yaml, each with cases that start
a recipe with variables, stubs, a scratch repository or a scripted agent, and say
what the run must give. A folder stands for all such files below it; without
arguments it is the working directory.

Each case runs in a folder and a home of its own, without any configured agent.
Cases run in parallel. A failure ends with 1, a file that cannot be read with 2.
` + exitStatus(),
		RunE: func(cmd *cobra.Command, args []string) error { return a.test(cmd.Context(), o, args) },
	}
	flags := cmd.Flags()
	o.place.flags(flags)
	flags.StringVar(&o.run, "run", "", "run only the cases whose FILE/NAME this regular expression finds")
	flags.IntVar(&o.parallel, "parallel", 0, "how many cases run at once; 0 for one per processor")
	flags.StringVar(&o.format, "output-format", formatText, "text, json, tap or junit")
	flags.StringVar(&o.junit, "junit", "", "write a JUnit report to this file too")
	flags.BoolVar(&o.keep, "keep", false, "keep the folders of failed cases")
	return cmd
}

// testJob is one case of one file.
type testJob struct {
	file *contract.File
	test *contract.Case
}

// name is how --run and the reports call the case.
func (j testJob) name() string { return j.file.Path + "/" + j.test.Name }

// caseResult is how a case ended.
type caseResult struct {
	job      testJob
	found    []contract.Mismatch
	err      error // the case could not be run
	stderr   string
	folder   string // kept; empty otherwise
	duration time.Duration
}

func (v *caseResult) passed() bool { return v.err == nil && len(v.found) == 0 }

func (a *app) test(ctx context.Context, o *testOptions, args []string) error {
	if !slices.Contains([]string{formatText, formatJSON, formatTAP, formatJUnit}, o.format) {
		return &failure{exit.Usage, fmt.Errorf("--output-format %q is not text, json, tap or junit", o.format)}
	}
	jobs, err := a.testJobs(o, args)
	if err != nil {
		return err
	}
	ctx, release := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer release()
	report := a.newTestReport(o)
	results := a.runCases(ctx, o, jobs, report)
	if err := report.finish(results); err != nil {
		return &failure{exit.Failed, err}
	}
	switch {
	case ctx.Err() != nil:
		return &failure{exit.Interrupted, fmt.Errorf("interrupted; %d of %d cases had ended", len(results), len(jobs))}
	case slices.ContainsFunc(results, func(v *caseResult) bool { return !v.passed() }):
		return &failure{Code: exit.Failed}
	}
	return nil
}

// runCases runs the cases, a few at once, until the context ends. What was not
// run to its end by then has no result.
func (a *app) runCases(ctx context.Context, o *testOptions, jobs []testJob, report *testReport) []*caseResult {
	results := make([]*caseResult, len(jobs))
	bench := &testBench{app: a, place: o.place, keep: o.keep}
	var group sync.WaitGroup
	slots := make(chan struct{}, cmp.Or(max(o.parallel, 0), runtime.GOMAXPROCS(0)))
	for i, job := range jobs {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		group.Go(func() {
			defer func() { <-slots }()
			if v := bench.run(ctx, job); ctx.Err() == nil {
				results[i] = v
				report.done(v)
			}
		})
	}
	group.Wait()
	return slices.DeleteFunc(results, func(v *caseResult) bool { return v == nil })
}

// testJobs reads the files and picks the cases.
func (a *app) testJobs(o *testOptions, args []string) ([]testJob, error) {
	wanted, err := regexp.Compile(o.run)
	if err != nil {
		return nil, &failure{exit.Usage, fmt.Errorf("--run: %w", err)}
	}
	paths, err := testPaths(o, args)
	if err != nil {
		return nil, err
	}
	var jobs []testJob
	var faults recipes.Findings
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, &failure{exit.NotFound, err}
		}
		file, err := contract.Parse(path, data)
		var found recipes.Findings
		switch {
		case errors.As(err, &found):
			faults = append(faults, found...)
			continue
		case err != nil:
			return nil, &failure{exit.Invalid, err}
		}
		for _, test := range file.Cases {
			if job := (testJob{file, test}); wanted.MatchString(job.name()) {
				jobs = append(jobs, job)
			}
		}
	}
	if len(faults) > 0 {
		return nil, &failure{exit.Invalid, faults}
	}
	if len(jobs) == 0 {
		return nil, &failure{exit.NotFound, fmt.Errorf("no case of %s matches --run %q", strings.Join(paths, ", "), o.run)}
	}
	return jobs, nil
}

// testPaths are the files that the arguments name.
func testPaths(o *testOptions, args []string) ([]string, error) {
	if len(args) == 0 {
		args = []string{o.workDir}
	}
	var list []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil || !info.IsDir() {
			list = append(list, arg)
			continue
		}
		files, err := recipes.TestFiles(arg)
		if err != nil {
			return nil, &failure{exit.Failed, err}
		}
		if len(files) == 0 {
			return nil, &failure{exit.NotFound, fmt.Errorf("%s holds no file that ends with %s", arg, recipes.TestExtension)}
		}
		list = append(list, files...)
	}
	return list, nil
}
