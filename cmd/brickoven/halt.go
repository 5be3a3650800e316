package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/runner/exit"
)

// loopEnd is how one loop of a run ended.
type loopEnd struct {
	// Loop is the path of the loop's step in the run.
	Loop string `json:"loop"`
	// Halt is nil for a loop that has not ended.
	Halt *halt.Halt `json:"halt"`
}

// haltSource finds how the loops of a run ended. An empty run is the latest one
// of the folder. errNoRun, possibly wrapped, tells that there is none.
type haltSource interface {
	LoopEnds(ctx context.Context, run string) (id string, ends []loopEnd, err error)
}

// errNoRun is a run that does not exist.
var errNoRun = errors.New("no such run")

// haltExplanation is one call of explain-halt.
type haltExplanation struct {
	app    *app
	source haltSource
	list   bool
	format string
}

// newExplainHaltCommand returns the explain-halt command; a nil source knows no
// run and leaves --list.
func newExplainHaltCommand(a *app, source haltSource) *cobra.Command {
	x := &haltExplanation{app: a, source: source}
	cmd := &cobra.Command{
		Use:   "explain-halt [RUN]",
		Short: "Tell why a loop ended, with the evidence, and what to do",
		Long: `Tell what ended the loops of a run (default: the latest one), which rounds and
ids show it, and what to do. "Raise the limit" is said only if the failing set
was still shrinking in the last rounds.

With --list, print every halt reason with its class instead.`,
		Args: cobra.MaximumNArgs(1),
		RunE: x.run,
	}
	cmd.Flags().BoolVar(&x.list, "list", false, "list all halt reasons")
	cmd.Flags().StringVar(&x.format, "output-format", "text", "text or json")
	placeFlags(source, cmd.Flags())
	return cmd
}

func (x *haltExplanation) run(cmd *cobra.Command, args []string) error {
	if err := checkFormat(x.format); err != nil {
		return err
	}
	if x.list {
		if len(args) > 0 {
			return &failure{exit.Usage, errors.New("--list takes no run")}
		}
		return x.printTable()
	}
	run := ""
	if len(args) > 0 {
		run = args[0]
	}
	if x.source == nil {
		return &failure{exit.NotFound, errNoRun}
	}
	id, ends, err := x.source.LoopEnds(cmd.Context(), run)
	if err != nil {
		return runFailure(err)
	}
	if x.format == "json" {
		if ends == nil {
			ends = []loopEnd{}
		}
		x.app.printJSON(map[string]any{"run": id, "loops": ends})
		return nil
	}
	return writeEnds(x.app.out, id, ends)
}

// runFailure gives an error about a run its exit code.
func runFailure(err error) error {
	var fail *failure
	switch {
	case errors.Is(err, errNoRun):
		return &failure{exit.NotFound, err}
	case errors.As(err, &fail):
		return err
	}
	return &failure{exit.Failed, err}
}

func writeEnds(w io.Writer, id string, ends []loopEnd) error {
	var b strings.Builder
	if len(ends) == 0 {
		fmt.Fprintf(&b, "run %s has no loop\n", id)
	}
	for _, end := range ends {
		fmt.Fprintf(&b, "run %s, loop %s\n", id, end.Loop)
		if end.Halt == nil {
			b.WriteString("has not ended\n")
			continue
		}
		b.WriteString(end.Halt.String() + "\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return &failure{exit.Failed, err}
	}
	return nil
}

func (x *haltExplanation) printTable() error {
	if x.format == "json" {
		x.app.printJSON(map[string]any{"reasons": halt.Table(), "not_applicable": halt.NotApplicable()})
		return nil
	}
	w := tabwriter.NewWriter(x.app.out, 0, 0, 2, ' ', 0)
	for _, row := range halt.Table() {
		fmt.Fprintf(w, "%d\t%s\t%s\n", row.Class, row.Reason, row.Meaning)
	}
	if err := w.Flush(); err != nil {
		return &failure{exit.Failed, err}
	}
	return nil
}
