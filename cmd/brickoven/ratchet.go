package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brickoven/brickoven/bricks/brakes/ratchet"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/exit"
)

// frontier is the ground that a loop has gained.
type frontier struct {
	Run  string `json:"run"`
	Loop string `json:"loop"`
	// Accepted is the last accepted state, which is the best one too, because a
	// round is accepted only if it keeps what was gained.
	Accepted ratchet.Snapshot `json:"accepted"`
	// Trees are the accepted states of all work trees; the first is Accepted.
	Trees []runner.Tree `json:"trees,omitempty"`
	Round int           `json:"round"` // 0 is the state before the first round
	// Failing and Passing count tests; nil is unknown.
	Failing *int `json:"failing"`
	Passing *int `json:"passing"`
	// Reverts is how many rounds were taken back.
	Reverts int `json:"reverts"`
	// Rescues are the refs of what was in the tree before each restore.
	Rescues []string `json:"rescues"`
}

// ratchetSource reads and moves the frontier of a run's loop. An empty run is
// the latest one of the folder. errNoRun, possibly wrapped, tells that there is
// none, or none with a ratchet. Restore and Accept hold the run's lock, and
// write what they did into its journal.
type ratchetSource interface {
	Frontier(ctx context.Context, run string) (frontier, error)
	Restore(ctx context.Context, run string) ([]ratchet.Restored, error)
	// Accept makes the work tree as it is the accepted state.
	Accept(ctx context.Context, run, reason string) (ratchet.Snapshot, error)
}

// newRatchetCommand returns the ratchet command; a nil source knows no run.
func newRatchetCommand(a *app, source ratchetSource) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ratchet",
		Short: "Inspect or move the last accepted state of a loop",
		Long: `A loop with a failing set accepts a round only if every test that passed still
passes. The last accepted state is a commit on a private ref.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return &failure{exit.Usage, errors.New("name one of status, best, restore and accept")}
		},
	}
	cmd.AddCommand(newRatchetStatus(a, source), newRatchetBest(a, source), newRatchetRestore(a, source), newRatchetAccept(a, source))
	return cmd
}

// ratchetCommand builds one sub-command: do gives the JSON document and writes
// the text for people.
func ratchetCommand(a *app, source ratchetSource, use, short string, do func(ctx context.Context, run string, text io.Writer) (any, error)) *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:   use + " [RUN]",
		Short: short,
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			if source == nil {
				return &failure{exit.NotFound, errNoRun}
			}
			var text strings.Builder
			doc, err := do(cmd.Context(), strings.Join(args, ""), &text)
			if err != nil {
				return runFailure(err)
			}
			if format == "json" {
				a.printJSON(doc)
				return nil
			}
			if _, err := io.WriteString(a.out, text.String()); err != nil {
				return &failure{exit.Failed, err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "output-format", format, "text or json")
	placeFlags(source, cmd.Flags())
	return cmd
}

func newRatchetStatus(a *app, source ratchetSource) *cobra.Command {
	return ratchetCommand(a, source, "status", "Show the last accepted state, and what was taken back",
		func(ctx context.Context, run string, text io.Writer) (any, error) {
			f, err := source.Frontier(ctx, run)
			fmt.Fprintf(text, "run       %s, loop %s\naccepted  %s (round %d)\ntests     %s passing, %s failing\nreverts   %d\n",
				f.Run, f.Loop, f.Accepted.Commit, f.Round, orUnknown(f.Passing), orUnknown(f.Failing), f.Reverts)
			for _, ref := range f.Rescues {
				fmt.Fprintf(text, "rescue    %s\n", ref)
			}
			return f, err
		})
}

func orUnknown(n *int) string {
	if n == nil {
		return "unknown"
	}
	return fmt.Sprint(*n)
}

func newRatchetBest(a *app, source ratchetSource) *cobra.Command {
	return ratchetCommand(a, source, "best", "Print the commit of the best state so far",
		func(ctx context.Context, run string, text io.Writer) (any, error) {
			f, err := source.Frontier(ctx, run)
			fmt.Fprintln(text, f.Accepted.Commit)
			return map[string]any{"run": f.Run, "commit": f.Accepted.Commit, "round": f.Round}, err
		})
}

func newRatchetRestore(a *app, source ratchetSource) *cobra.Command {
	return ratchetCommand(a, source, "restore", "Put the work tree back to the last accepted state",
		func(ctx context.Context, run string, text io.Writer) (any, error) {
			done, err := source.Restore(ctx, run)
			for _, one := range done {
				writeRestored(text, one)
			}
			return map[string]any{"restored": done}, err
		})
}

func writeRestored(w io.Writer, done ratchet.Restored) {
	fmt.Fprintf(w, "put back %d paths\nwhat was there is in %s\n", len(done.Paths), done.RescueRef)
	for _, list := range []struct {
		word  string
		items []string
	}{
		{"kept, changed by somebody else", done.Kept},
		{"submodule, not touched", done.Submodules},
		{"commit taken back", done.Undone},
	} {
		for _, item := range list.items {
			fmt.Fprintf(w, "%s: %s\n", list.word, item)
		}
	}
	if done.HeadKept != "" {
		fmt.Fprintf(w, "the branch stays where it is: %s\n", done.HeadKept)
	}
}

func newRatchetAccept(a *app, source ratchetSource) *cobra.Command {
	var reason string
	cmd := ratchetCommand(a, source, "accept", "Accept the work tree as it is, although it broke tests",
		func(ctx context.Context, run string, text io.Writer) (any, error) {
			if strings.TrimSpace(reason) == "" {
				return nil, errNoReason
			}
			snapshot, err := source.Accept(ctx, run, reason)
			fmt.Fprintf(text, "accepted %s\n", snapshot.Commit)
			return snapshot, err
		})
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the journal (required)")
	if err := cmd.MarkFlagRequired("reason"); err != nil {
		panic(err) // the flag is defined on the line above
	}
	return cmd
}

var errNoReason = errors.New("--reason must say why, for the journal")
