package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	sessions "github.com/brickoven/brickoven/bricks/session"
	"github.com/brickoven/brickoven/bricks/session/folder"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/spf13/cobra"
)

func (o *sessionOptions) stopCommand() *cobra.Command {
	var now bool
	var reason string
	cmd := &cobra.Command{
		Use: "stop [SESSION]", Short: "Ask a loop to stop after the round that runs", Args: o.optionalSession,
		Long: "Ask a loop to stop. The round that runs finishes first; --now interrupts it.\nThe control file of the session says so afterwards, for whoever reads it.\n" + exitStatus(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.ask(cmd.Context(), sessions.Request{Kind: sessions.RequestStop, Now: now, Text: reason})
		},
	}
	cmd.Flags().BoolVar(&now, "now", false, "interrupt the round that runs")
	cmd.Flags().StringVar(&reason, "reason", "a person asked for it", "why, for the control file")
	return cmd
}

func (o *sessionOptions) updateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "update TEXT...", Short: "Tell the next round of a loop something",
		Args: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, " ")) == "" {
				return &failure{exit.Usage, errors.New("say what the next round is to know")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.ask(cmd.Context(), sessions.Request{Kind: sessions.RequestUpdate, Text: strings.Join(args, " ")})
		},
	}
}

func (o *sessionOptions) retryCommand() *cobra.Command {
	return &cobra.Command{
		Use: "retry-now [SESSION]", Short: "Cut short the wait of a loop, such as one for a limit to reset", Args: o.optionalSession,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.ask(cmd.Context(), sessions.Request{Kind: sessions.RequestRetryNow})
		},
	}
}

// ask files a request. It is for people: a step that wants its loop to end
// writes the control file, which says who decided.
func (o *sessionOptions) ask(ctx context.Context, r sessions.Request) error {
	if o.app.getenv("BRICKOVEN_SESSION_DIR") != "" {
		return &failure{exit.Usage, fmt.Errorf("this is for people; a step of a loop says that it is over in $BRICKOVEN_CONTROL_FILE (%s)", o.app.getenv("BRICKOVEN_CONTROL_FILE"))}
	}
	store, view, err := o.find(true)
	if err != nil {
		return err
	}
	if r.Kind == sessions.RequestRetryNow && !view.Held {
		return &failure{exit.Failed, fmt.Errorf("session %s is not running, so it waits for nothing", view.ID)}
	}
	r.At = o.now()
	number, err := store.Ask(ctx, view.ID, r)
	if err != nil {
		return askFailure(err)
	}
	if r.Kind == sessions.RequestRetryNow {
		if err := o.retryRun(view.Meta.RunID); err != nil {
			return &failure{exit.Failed, err}
		}
	}
	if o.format == "json" {
		o.app.printJSON(map[string]any{"session_id": view.ID, "request": number, "kind": r.Kind, "now": r.Now, "held": view.Held})
		return nil
	}
	return o.app.print(fmt.Sprintf("session %s: %s", view.ID, answerTo(r, view.Held)))
}

// retryRun cuts short what the run of a session waits for, its judge and the
// loops inside it included. A session that no run keeps has the request alone.
func (o *sessionOptions) retryRun(id string) error {
	locations, err := o.app.locations(o.stateDir, o.workDir)
	if err != nil {
		return err
	}
	dir := filepath.Join(locations.Runs(), id)
	if _, err := os.Stat(dir); id == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return local.RetryNow(dir, o.now())
}

func askFailure(err error) error {
	if errors.Is(err, folder.ErrOver) {
		return &failure{exit.Failed, err}
	}
	return lookFailure(err)
}

// answerTo says what will happen.
func answerTo(r sessions.Request, held bool) string {
	switch {
	case r.Kind == sessions.RequestUpdate:
		return "the next round is told"
	case r.Kind == sessions.RequestRetryNow:
		return "the wait is cut short"
	case !held:
		return "it is not running, and will not be resumed while its control file says stopped"
	case r.Now:
		return "the round that runs is interrupted"
	}
	return "it stops when the round that runs has finished"
}
