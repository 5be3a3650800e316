package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	sessions "github.com/brickoven/brickoven/bricks/session"
	"github.com/brickoven/brickoven/bricks/session/folder"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/spf13/cobra"
)

// sessionOptions say which session is meant.
type sessionOptions struct {
	app      *app
	now      func() time.Time
	workDir  string
	stateDir string
	format   string
	id       string
}

func newSessionCommand(a *app) *cobra.Command {
	o := &sessionOptions{app: a, now: time.Now}
	cmd := &cobra.Command{
		Use: "session", Short: "Look at the sessions of loops, stop them, tell them something",
		Long: "Look at the sessions of the loops of the project that the working directory\nbelongs to, and ask something of them. A session is named by its id or by a\n" +
			"beginning of it that no other session has.\n" + exitStatus(),
		RunE: func(*cobra.Command, []string) error {
			return &failure{exit.Usage, errors.New("name what to do: list, show, explain, stop, update or retry-now")}
		},
	}
	flags := cmd.PersistentFlags()
	flags.StringVarP(&o.workDir, "working-dir", "C", ".", "the folder whose sessions are looked at")
	flags.StringVar(&o.stateDir, "state-dir", "", "the state folder")
	flags.StringVar(&o.format, "output-format", "text", "text or json; json prints exactly one document on stdout")
	flags.StringVar(&o.id, "session", "", "the session (default: the newest, or the one that runs)")
	cmd.AddCommand(o.listCommand(), o.showCommand(), o.explainCommand(), o.stopCommand(), o.updateCommand(), o.retryCommand())
	return cmd
}

// optionalSession lets the session be named without its flag.
func (o *sessionOptions) optionalSession(_ *cobra.Command, args []string) error {
	switch {
	case len(args) > 1:
		return &failure{exit.Usage, fmt.Errorf("one session at a time, but there are %d arguments: %q", len(args), args)}
	case len(args) == 1 && o.id != "":
		return &failure{exit.Usage, errors.New("the session is named twice")}
	case len(args) == 1:
		o.id = args[0]
	}
	return nil
}

func (o *sessionOptions) store() (folder.Store, error) {
	if err := checkFormat(o.format); err != nil {
		return folder.Store{}, err
	}
	locations, err := o.app.locations(o.stateDir, o.workDir)
	if err != nil {
		return folder.Store{}, &failure{exit.Usage, err}
	}
	return folder.Store{Dir: locations.Sessions()}, nil
}

func (o *sessionOptions) listCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the sessions, the newest first", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			store, err := o.store()
			if err != nil {
				return err
			}
			ids, err := store.IDs()
			if err != nil {
				return &failure{exit.Failed, err}
			}
			slices.Reverse(ids)
			return o.list(store, ids)
		},
	}
}

// list prints one line or object for each session; one that can not be read is
// listed with what is wrong.
func (o *sessionOptions) list(store folder.Store, ids []string) error {
	rows := []map[string]any{}
	table := tabwriter.NewWriter(o.app.out, 0, 4, 2, ' ', 0)
	for _, id := range ids {
		view, err := store.Look(id)
		if err != nil {
			rows = append(rows, map[string]any{"session_id": id, "error": err.Error()})
			fmt.Fprintf(table, "%s\tunreadable\t\t%s\n", id, err)
			continue
		}
		rows = append(rows, sessionRow(view))
		rounds := 0
		if view.State != nil {
			rounds = view.State.IterationCount
		}
		fmt.Fprintf(table, "%s\t%s\t%d rounds\t%s\n", id, sessionStanding(view), rounds, firstLine(view.Goal))
	}
	if o.format == "json" {
		o.app.printJSON(rows)
		return nil
	}
	return table.Flush()
}

func sessionRow(v folder.View) map[string]any {
	row := map[string]any{
		"session_id": v.ID, "dir": v.Dir, "created_at": v.Meta.CreatedAt, "recipe": v.Meta.Recipe, "step": v.Meta.Step,
		"run_id": v.Meta.RunID, "standing": sessionStanding(v), "iteration_count": 0, "stop_reason": nil, "halt_reason": nil,
		"held_by": nil, "error": nil,
	}
	if v.State != nil {
		row["iteration_count"] = v.State.IterationCount
		if stop := v.State.Stop; stop != nil {
			row["stop_reason"], row["halt_reason"] = stop.StopReason, stop.HaltReason
		}
	}
	if v.Held {
		row["held_by"] = v.Holder
	}
	return row
}

// sessionStanding is one or two words for how a session stands.
func sessionStanding(v folder.View) string {
	switch {
	case v.State != nil && v.State.Stop != nil:
		return string(v.State.Stop.StopReason)
	case v.Held:
		return string(sessions.StatusRunning)
	}
	return "interrupted"
}

// find picks the session that a command is about. Without a name it is the
// newest, or where the command is for a live one the only one that has not
// stopped, and among several of those the only one that runs.
func (o *sessionOptions) find(live bool) (folder.Store, folder.View, error) {
	store, err := o.store()
	if err != nil {
		return store, folder.View{}, err
	}
	ids, err := store.IDs()
	if err != nil {
		return store, folder.View{}, &failure{exit.Failed, err}
	}
	if o.id != "" || !live {
		id, err := o.named(ids)
		if err != nil {
			return store, folder.View{}, err
		}
		view, err := store.Look(id)
		return store, view, lookFailure(err)
	}
	view, err := onlyLive(store, ids)
	return store, view, err
}

func (o *sessionOptions) named(ids []string) (string, error) {
	if len(ids) == 0 {
		return "", &failure{exit.NotFound, errors.New("this project has no sessions")}
	}
	if o.id == "" {
		return ids[len(ids)-1], nil
	}
	var matching []string
	for _, id := range ids {
		if strings.HasPrefix(id, o.id) {
			matching = append(matching, id)
		}
	}
	switch len(matching) {
	case 0:
		return "", &failure{exit.NotFound, fmt.Errorf("no session of this project begins with %q", o.id)}
	case 1:
		return matching[0], nil
	}
	return "", &failure{exit.Usage, fmt.Errorf("%d sessions begin with %q: %s", len(matching), o.id, strings.Join(matching, ", "))}
}

func onlyLive(store folder.Store, ids []string) (folder.View, error) {
	var open, held []folder.View
	for _, id := range ids {
		view, err := store.Look(id)
		if err != nil {
			return folder.View{}, lookFailure(err)
		}
		if view.State != nil && view.State.Stop != nil {
			continue
		}
		open = append(open, view)
		if view.Held {
			held = append(held, view)
		}
	}
	if len(held) > 0 {
		open = held
	}
	switch len(open) {
	case 0:
		return folder.View{}, &failure{exit.NotFound, errors.New("no session of this project is running")}
	case 1:
		return open[0], nil
	}
	names := make([]string, len(open))
	for i, view := range open {
		names[i] = view.ID
	}
	return folder.View{}, &failure{exit.Usage, fmt.Errorf("name one of the sessions that run: %s", strings.Join(names, ", "))}
}

// lookFailure gives the exit code for a session that could not be read.
func lookFailure(err error) error {
	var invalid *sessions.Invalid
	switch {
	case err == nil:
		return nil
	case errors.As(err, &invalid):
		return &failure{exit.Invalid, err}
	case errors.Is(err, fs.ErrNotExist):
		return &failure{exit.NotFound, err}
	}
	return &failure{exit.Failed, err}
}
