package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/brickoven/brickoven/recipes/contract"
)

// testReport prints how cases ended: for people as they end, for machines at
// the end in the order of the files.
type testReport struct {
	app *app
	o   *testOptions
	mu  sync.Mutex
}

func (a *app) newTestReport(o *testOptions) *testReport { return &testReport{app: a, o: o} }

// done tells people at once about a case.
func (r *testReport) done(v *caseResult) {
	if r.o.format != formatText {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	mark := "✓"
	if !v.passed() {
		mark = "✗"
	}
	fmt.Fprintf(r.app.out, "%s %s (%.1fs)\n", mark, v.job.name(), v.duration.Seconds())
	if v.passed() {
		return
	}
	fmt.Fprint(r.app.out, indented(v.explanation(), "  "))
	if r.app.onGitHub() {
		pos := v.job.test.Pos
		fmt.Fprintf(r.app.out, "::error title=%s,file=%s,line=%d::%s\n",
			property(v.job.test.Name), property(relative(r.app.workspace(), pos.File)), pos.Line, message(v.summary()))
	}
}

func (r *testReport) finish(results []*caseResult) error {
	switch r.o.format {
	case formatJSON:
		r.app.printJSON(testJSON(results))
	case formatTAP:
		fmt.Fprint(r.app.out, tap(results))
	case formatJUnit:
		if err := testJUnit(results).write(r.app.out); err != nil {
			return err
		}
	default:
		failed := 0
		for _, v := range results {
			if !v.passed() {
				failed++
			}
		}
		fmt.Fprintf(r.app.out, "%d passed, %d failed\n", len(results)-failed, failed)
	}
	if r.o.junit == "" {
		return nil
	}
	return testJUnit(results).writeFile(r.o.junit)
}

// summary is one line about what is wrong with a case.
func (v *caseResult) summary() string {
	if v.err != nil {
		return firstLine(v.err.Error())
	}
	var names []string
	for _, m := range v.found {
		names = append(names, m.What)
	}
	return "not as expected: " + strings.Join(names, ", ")
}

// maxStderr is how many lines of a failed case's standard error are shown.
const maxStderr = 15

// explanation shows each mismatch as a diff, and the end of standard error.
func (v *caseResult) explanation() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", v.job.test.Pos)
	if v.err != nil {
		fmt.Fprintf(&b, "%v\n", v.err)
	}
	for _, m := range v.found {
		fmt.Fprintf(&b, "%s: (- expected, + got)\n%s", m.What, indented(printable(m.Diff()), "  "))
	}
	if text := strings.TrimSpace(v.stderr); text != "" && !slices.ContainsFunc(v.found, func(m contract.Mismatch) bool { return m.What == "stderr" }) {
		list := strings.Split(printable(text), "\n")
		if len(list) > maxStderr {
			list = append([]string{"…"}, list[len(list)-maxStderr:]...)
		}
		fmt.Fprintf(&b, "stderr:\n%s", indented(strings.Join(list, "\n"), "  "))
	}
	if v.folder != "" {
		fmt.Fprintf(&b, "kept: %s\n", v.folder)
	}
	return b.String()
}

func indented(text, by string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString(by + line + "\n")
	}
	return b.String()
}

// tap prints the results in the Test Anything Protocol, version 14.
func tap(results []*caseResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "TAP version 14\n1..%d\n", len(results))
	for i, v := range results {
		word := "ok"
		if !v.passed() {
			word = "not ok"
		}
		fmt.Fprintf(&b, "%s %d - %s\n", word, i+1, strings.NewReplacer("\\", "\\\\", "#", "\\#", "\n", " ").Replace(v.job.name()))
		if !v.passed() {
			fmt.Fprintf(&b, "  ---\n  message: |\n%s  ...\n", indented(v.explanation(), "    "))
		}
	}
	return b.String()
}

func testJUnit(results []*caseResult) junitSuites {
	var suites []junitSuite
	for _, v := range results {
		name := v.job.file.Path
		if len(suites) == 0 || suites[len(suites)-1].Name != xmlText(name) {
			suites = append(suites, junitSuite{Name: xmlText(name)})
		}
		c := junitCase{Name: v.job.test.Name, Class: name}
		switch {
		case v.err != nil:
			c.Error = &junitFailure{v.summary(), v.explanation()}
		case !v.passed():
			c.Failure = &junitFailure{v.summary(), v.explanation()}
		}
		suites[len(suites)-1].add(c, v.duration)
	}
	return junitReport(suites)
}

func testJSON(results []*caseResult) map[string]any {
	rows := []map[string]any{}
	passed := 0
	for _, v := range results {
		mismatches := []map[string]string{}
		for _, m := range v.found {
			mismatches = append(mismatches, map[string]string{"what": m.What, "want": m.Want, "got": m.Got})
		}
		row := map[string]any{
			"file": v.job.file.Path, "name": v.job.test.Name, "line": v.job.test.Pos.Line, "passed": v.passed(),
			"duration": v.duration.Seconds(), "mismatches": mismatches, "error": nil,
		}
		if v.err != nil {
			row["error"] = v.err.Error()
		}
		if v.passed() {
			passed++
		}
		rows = append(rows, row)
	}
	return map[string]any{"success": passed == len(results), "passed": passed, "failed": len(results) - passed, "cases": rows}
}
