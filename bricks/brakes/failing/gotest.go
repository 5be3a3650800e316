package failing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// goEvent is one line of go test -json (go doc test2json).
type goEvent struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	FailedBuild string
}

// goResult is what is known of one test, or of a package where test is empty.
type goResult struct {
	action string // the last of run, start, pass, fail, skip
	output strings.Builder
}

type goKey struct{ pkg, test string }

func (k goKey) id() string {
	if k.test == "" {
		return k.pkg
	}
	return k.pkg + "::" + k.test
}

// goReport collects events by test, and the output of builds by package.
type goReport struct {
	results map[goKey]*goResult
	builds  map[string]*strings.Builder
	failed  map[string]string // package → the build that failed
}

func parseGoTest(data []byte, r *report) error {
	g := &goReport{results: map[goKey]*goResult{}, builds: map[string]*strings.Builder{}, failed: map[string]string{}}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line = bytes.TrimSpace(line)
		// The go command also writes plain lines between the events.
		if len(line) == 0 || line[0] != '{' {
			continue
		}
		var event goEvent
		if err := json.Unmarshal(line, &event); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		g.add(event)
	}
	if len(g.results) == 0 && len(g.builds) == 0 {
		return errors.New("it holds no event")
	}
	return g.finish(r)
}

func (g *goReport) add(e goEvent) {
	switch e.Action {
	case "build-output", "build-fail":
		build := g.builds[e.ImportPath]
		if build == nil {
			build = &strings.Builder{}
			g.builds[e.ImportPath] = build
		}
		build.WriteString(e.Output)
		return
	}
	if e.Package == "" {
		return
	}
	key := goKey{e.Package, e.Test}
	result := g.results[key]
	if result == nil {
		result = &goResult{}
		g.results[key] = result
	}
	switch e.Action {
	case "output":
		result.output.WriteString(e.Output)
	case "run", "start", "pass", "fail", "skip":
		result.action = e.Action
	}
	if e.FailedBuild != "" {
		g.failed[e.Package] = e.FailedBuild
	}
}

func (g *goReport) finish(r *report) error {
	keys := slices.SortedFunc(maps.Keys(g.results), func(a, b goKey) int {
		return cmpFirst(strings.Compare(a.pkg, b.pkg), strings.Compare(a.test, b.test))
	})
	parents := g.failedParents()
	failing := map[string]bool{} // packages with a failing test
	for _, key := range keys {
		if key.test != "" {
			failing[key.pkg] = g.finishTest(key, parents, r) || failing[key.pkg]
		}
	}
	for _, key := range keys {
		if key.test != "" {
			continue
		}
		switch action := g.results[key].action; {
		case action == "start" || action == "":
			return fmt.Errorf("it was cut short: package %s has no result", key.pkg)
		case action == "fail" && !failing[key.pkg]:
			g.failPackage(key, r)
		}
	}
	return nil
}

// finishTest reports a test, and tells whether it failed. A test that panicked,
// or was running when its package died, took the tests after it along.
func (g *goReport) finishTest(key goKey, parents map[goKey]bool, r *report) bool {
	result := g.results[key]
	switch result.action {
	case "pass":
		r.passed = append(r.passed, key.id())
		return false
	case "skip":
		r.skipped = append(r.skipped, key.id())
		return false
	}
	text := goMessage(result.output.String())
	if result.action != "fail" || goPanic.Get().MatchString(text) {
		r.broken = append(r.broken, key.pkg)
	}
	if parents[key] {
		r.broken = append(r.broken, key.id())
		return true
	}
	r.fail(key.id(), goLocation(text), text)
	return true
}

// failedParents finds the tests that a subtest which did not get through
// belongs to; they are reported by it.
func (g *goReport) failedParents() map[goKey]bool {
	parents := map[goKey]bool{}
	for key, result := range g.results {
		if result.action == "pass" || result.action == "skip" {
			continue
		}
		for i, c := range key.test {
			if c == '/' {
				parents[goKey{key.pkg, key.test[:i]}] = true
			}
		}
	}
	return parents
}

// failPackage reports a package that failed without a failing test: it did not
// build, panicked before its first test, or ended early.
func (g *goReport) failPackage(key goKey, r *report) {
	text := g.results[key].output.String()
	if build := g.builds[g.failed[key.pkg]]; build != nil {
		text = build.String()
	}
	r.broken = append(r.broken, key.pkg)
	r.fail(key.pkg, goLocation(text), goMessage(text))
}

var goFrame = pattern.Pattern{Source: `^\s*(=== (RUN|PAUSE|CONT|NAME)|--- (FAIL|PASS|SKIP):|(FAIL|ok)\b)`}

var (
	goPanic    = pattern.Pattern{Source: `(?m)^(panic: |fatal error: )`}
	goTestLine = pattern.Pattern{Source: `[^\s:]+_test\.go:\d+`}
)

// goLocation prefers a line of a test file to the frames of the runtime.
func goLocation(text string) string {
	if found := goTestLine.Get().FindString(text); found != "" {
		return found
	}
	return located(text)
}

// goMessage drops the lines that frame a test's output.
func goMessage(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		if !goFrame.Get().MatchString(line) {
			b.WriteString(line)
		}
	}
	return b.String()
}
