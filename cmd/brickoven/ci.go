package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/step"
	"github.com/spf13/pflag"
)

// ciOptions are the flags of run for CI jobs.
type ciOptions struct {
	ci    bool
	junit string
}

func (o *ciOptions) flags(a *app, flags *pflag.FlagSet) {
	flags.BoolVar(&o.ci, "ci", a.inCI(), "report for a CI job: progress, and on GitHub groups, annotations and a step summary (detected from $CI)")
	flags.StringVar(&o.junit, "junit", "", "write a JUnit report of the steps to this file")
}

// inCI tells whether the environment says that a CI job runs the program.
func (a *app) inCI() bool {
	text := strings.ToLower(a.getenv("CI"))
	return text != "" && text != "false" && text != "0"
}

// annotateFaults shows a job on GitHub where the recipe has the faults for which
// it was not run.
func (a *app) annotateFaults(o *runOptions, err error) {
	var found recipes.Findings
	if !o.ci || !a.onGitHub() || !errors.As(err, &found) {
		return
	}
	for _, f := range found.Errors() {
		fmt.Fprintln(a.err, annotation(a.workspace(), f))
	}
}

func (a *app) onGitHub() bool { return a.getenv("GITHUB_ACTIONS") == "true" }

// workspace is the folder that a job's annotations are relative to.
func (a *app) workspace() string {
	if dir := a.getenv("GITHUB_WORKSPACE"); dir != "" {
		return dir
	}
	return "."
}

// ciLog reports a run to the CI system around it. On GitHub it owns the workflow
// commands of the log: what steps print can hold such commands too, so they are
// switched off for all but its own lines.
type ciLog struct {
	app     *app
	tree    *recipes.Tree
	machine *local.Machine
	junit   string
	github  bool
	token   string // switches commands on again; empty where they are not off
}

func (a *app) newCI(o *ciOptions, tree *recipes.Tree, machine *local.Machine) *ciLog {
	c := &ciLog{app: a, tree: tree, machine: machine, junit: o.junit}
	c.github = o.ci && a.onGitHub()
	if !c.github {
		return c
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		c.github = false // without a secret word what steps print could speak for us
		return c
	}
	c.token = hex.EncodeToString(random)
	fmt.Fprintf(a.err, "::stop-commands::%s\n", c.token)
	return c
}

// command prints one workflow command.
func (c *ciLog) command(text string) {
	fmt.Fprintf(c.app.err, "::%s::\n%s\n::stop-commands::%s\n", c.token, text, c.token)
}

// close gives the workflow commands back to the job.
func (c *ciLog) close() {
	if c.github {
		fmt.Fprintf(c.app.err, "::%s::\n", c.token)
	}
}

// note shows the output of a step in a group of its own, and what went wrong as
// an annotation at the step's place in the recipe.
func (c *ciLog) note(n step.Note) {
	if !c.github || n.Kind != step.StepFinished {
		return
	}
	o := n.Outcome
	if len(o.Children) == 0 && o.Status != step.Skipped {
		c.group(o)
	}
	switch {
	case o.Status != step.Failed && o.Status != step.Degraded || blamed(o.Children):
	case o.Status == step.Failed && !o.Tolerated:
		c.annotate("error", o)
	default:
		c.annotate("warning", o)
	}
}

// blamed tells whether the failure was already reported further down.
func blamed(children []*step.Outcome) bool {
	for _, o := range children {
		if o.Status == step.Failed && !o.Tolerated {
			return true
		}
	}
	return false
}

// maxGroup bounds in bytes what the log shows of one step's output.
const maxGroup = 256 << 10

func (c *ciLog) group(o *step.Outcome) {
	text, err := c.machine.Text(o.Output)
	if err != nil {
		text = err.Error()
	}
	if c.machine.Mask != nil {
		text = c.machine.Mask.Text(text)
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	if len(text) > maxGroup {
		cut := len(text) - maxGroup
		for cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut++
		}
		text = fmt.Sprintf("… %d bytes are left out\n%s", cut, text[cut:])
	}
	c.command("::group::output of " + message(o.Path))
	fmt.Fprintln(c.app.err, printable(strings.TrimRight(text, "\n")))
	c.command("::endgroup::")
}

func (c *ciLog) annotate(kind string, o *step.Outcome) {
	properties := []string{"title=" + property("step "+o.Path+" "+string(o.Status))}
	if s, ok := c.tree.Step(unindexedPath(o.Path)); ok && s.Pos.Line > 0 && !strings.HasPrefix(s.Pos.File, "builtin:") {
		properties = append(properties, "file="+property(relative(c.app.workspace(), s.Pos.File)), fmt.Sprintf("line=%d", s.Pos.Line))
	}
	c.command("::" + kind + " " + strings.Join(properties, ",") + "::" + message(o.Error))
}

// unindexedPath leaves the elements of foreach out of a step's path.
func unindexedPath(path string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(path, "[") {
		_, rest, indexed := strings.Cut(part, "]")
		if b.Len() > 0 && indexed {
			part = rest
		}
		b.WriteString(part)
	}
	return b.String()
}

// end writes the reports that outlive the log.
func (c *ciLog) end(res *result) error {
	if path := c.app.getenv("GITHUB_STEP_SUMMARY"); c.github && path != "" {
		if err := appendText(path, ciSummary(res)); err != nil {
			return fmt.Errorf("the step summary: %w", err)
		}
	}
	if c.junit == "" {
		return nil
	}
	return runJUnit(res).writeFile(c.junit)
}

func appendText(path, text string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}
