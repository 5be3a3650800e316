package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/runner/step"
)

var statusMarks = map[step.Status]string{step.Completed: "✓", step.Skipped: "⊘", step.Failed: "✗", step.Degraded: "⚠"}

// ciSummary is the run as Markdown, for the page of a CI job.
func ciSummary(res *result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s: %s (%.1fs)\n\n", markdown(res.RecipeName), res.Status, res.Duration)
	if res.Reason != "" {
		fmt.Fprintf(&b, "%s\n\n", markdown(firstLine(res.Reason)))
	}
	b.WriteString("| step | status | time | remark |\n|---|---|---|---|\n")
	eachStep(slices.Concat(res.StepResults, res.Finally), func(st stepResult) {
		remark := firstLine(st.Error)
		if st.Tolerated {
			remark = "tolerated: " + remark
		}
		fmt.Fprintf(&b, "| %s | %s %s | %.1fs | %s |\n", markdown(st.Path), statusMarks[st.Status], st.Status, st.Duration, markdown(remark))
	})
	b.WriteByte('\n')
	return b.String()
}

// eachStep goes through steps and, below each, the steps of the recipe that it
// called.
func eachStep(list []stepResult, yield func(stepResult)) {
	for _, st := range list {
		yield(st)
		eachStep(st.Steps, yield)
	}
}

// markdown shows a text as it is inside a table: nothing in it is markup.
func markdown(text string) string {
	const special = "\\`*_{}[]<>()#+-.!|~$@&:"
	var b strings.Builder
	for _, r := range printable(text) {
		switch {
		case r == '\n' || r == '\t':
			r = ' '
		case r == '<':
			b.WriteString("&lt;")
			continue
		case r == '&':
			b.WriteString("&amp;")
			continue
		case strings.ContainsRune(special, r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// runJUnit is a run as a suite whose cases are its steps. A tolerated failure is
// none.
func runJUnit(res *result) junitSuites {
	suite := junitSuite{Name: xmlText(res.RecipeName)}
	eachStep(slices.Concat(res.StepResults, res.Finally), func(st stepResult) {
		c := junitCase{Name: st.Path, Class: res.RecipeName}
		switch {
		case st.Status == step.Skipped:
			c.Skipped = &struct{}{}
		case st.Status == step.Failed && st.Tolerated:
			c.Err = "tolerated: " + st.Error
		case st.Status == step.Failed:
			c.Failure = &junitFailure{firstLine(st.Error), st.Error}
		case st.Status == step.Degraded:
			c.Err = st.Error
		}
		suite.add(c, time.Duration(st.Duration*float64(time.Second)))
	})
	return junitReport([]junitSuite{suite})
}
