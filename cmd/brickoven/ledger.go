package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/bricks/ledger"
	"github.com/brickoven/brickoven/bricks/ledger/store"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/state"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ledgerCommand is what the ledger's subcommands share: the flags in front of
// all of them and the one way to answer.
type ledgerCommand struct {
	app      *app
	now      func() time.Time
	session  string
	stateDir string
	root     string
	json     bool
}

// answer is what a subcommand found out: a value for --json, and a text for
// people. A code other than 0 ends the command with it although the answer is
// whole; why then says so on stderr.
type answer struct {
	value any
	text  string
	code  ledger.Code
	why   string
}

type ledgerRun func(ctx context.Context, args []string) (answer, error)

// newLedgerCommand is brickoven ledger: the cycle contract and its ledger (seed
// 002). With --json every path, faults of the command line included, prints
// exactly one JSON document on stdout.
func newLedgerCommand(a *app) *cobra.Command {
	l := &ledgerCommand{app: a, now: time.Now}
	cmd := l.command("ledger", "Keep a loop's contract and its resumable ledger", nil,
		func(_ context.Context, args []string) (answer, error) {
			if len(args) > 0 {
				return answer{}, usageError("there is no ledger command %q; see brickoven ledger --help", args[0])
			}
			return answer{}, usageError("name a ledger command: open, iterate, brief, score, resume, status, close or check")
		})
	flags := cmd.PersistentFlags()
	flags.StringVar(&l.session, "session", "", "the id of the loop's session")
	flags.StringVar(&l.stateDir, "state-dir", "", "the state folder (default: the project's, see the documentation)")
	flags.StringVar(&l.root, "root", ".", "the project's folder")
	flags.BoolVar(&l.json, "json", false, "print exactly one JSON document on stdout")
	cmd.AddCommand(l.openCommand(), l.iterateCommand(), l.closeCommand(), l.briefCommand(), l.scoreCommand(),
		l.resumeCommand(), l.statusCommand(), l.checkCommand())
	return cmd
}

// command builds a command that parses its own flags, because cobra would
// answer a fault in them before it is known whether JSON was asked for.
func (l *ledgerCommand) command(use, short string, flags func(*pflag.FlagSet), run ledgerRun) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.ArbitraryArgs,
		DisableFlagParsing: true, SilenceErrors: true, SilenceUsage: true, DisableFlagsInUseLine: true,
	}
	if flags != nil {
		flags(cmd.Flags())
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		rest, help, err := l.parse(cmd, args)
		switch {
		case err != nil:
			return l.refuse(usageError("%s", err))
		case help:
			return l.print(answer{value: map[string]any{"usage": cmd.UsageString()}, text: cmd.Short + "\n\n" + cmd.UsageString()})
		}
		found, err := run(cmd.Context(), rest)
		if err != nil {
			return l.refuse(err)
		}
		return l.print(found)
	}
	return cmd
}

func (l *ledgerCommand) parse(cmd *cobra.Command, args []string) (rest []string, help bool, err error) {
	cmd.DisableFlagParsing = false
	defer func() { cmd.DisableFlagParsing = true }()
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(args); err != nil {
		l.json = asksForJSON(args)
		return nil, false, err
	}
	help, err = cmd.Flags().GetBool("help")
	return cmd.Flags().Args(), help, err
}

// asksForJSON looks for --json in a command line that does not parse.
func asksForJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// noArgs is run without positional arguments.
func noArgs(run func(context.Context) (answer, error)) ledgerRun {
	return func(ctx context.Context, args []string) (answer, error) {
		if len(args) > 0 {
			return answer{}, usageError("the argument %q is not understood", args[0])
		}
		return run(ctx)
	}
}

func usageError(format string, args ...any) error {
	return &ledger.Refusal{Code: ledger.Unusable, Message: fmt.Sprintf(format, args...)}
}

// print gives an answer on stdout.
func (l *ledgerCommand) print(a answer) error {
	text := strings.TrimRight(a.text, "\n") + "\n"
	if l.json {
		var err error
		if text, err = document(a.value); err != nil {
			return &failure{Code: int(ledger.Unusable), Err: err}
		}
	}
	if _, err := fmt.Fprint(l.app.out, text); err != nil {
		return &failure{Code: int(ledger.Unusable), Err: fmt.Errorf("printing the answer: %w", err)}
	}
	if a.code == ledger.Done {
		return nil
	}
	return &failure{Code: int(a.code), Err: errors.New(a.why)}
}

// refuse ends the command with an error and, when JSON was asked for, prints it
// as a document too.
func (l *ledgerCommand) refuse(err error) error {
	code, findings := ledger.Unusable, []ledger.Finding{}
	var refusal *ledger.Refusal
	if errors.As(err, &refusal) {
		code = refusal.Code
		findings = append(findings, refusal.Findings...)
	}
	if l.json {
		text, printErr := document(map[string]any{"error": err.Error(), "exit_code": int(code), "findings": findings})
		if printErr == nil {
			_, printErr = fmt.Fprint(l.app.out, text)
		}
		err = errors.Join(err, printErr)
	}
	return &failure{Code: int(code), Err: err}
}

// document prints a value as JSON with sorted keys and an indent of two.
func document(v any) (string, error) {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value.From(v)); err != nil {
		return "", fmt.Errorf("printing JSON: %w", err)
	}
	return out.String(), nil
}

// project is the absolute path of the project's folder.
func (l *ledgerCommand) project() (string, error) {
	root, err := filepath.Abs(l.root)
	if err != nil {
		return "", usageError("--root: %s", err)
	}
	return root, nil
}

// locations are the folders of the project's state.
func (l *ledgerCommand) locations() (state.Locations, error) {
	root, err := l.project()
	if err != nil {
		return state.Locations{}, err
	}
	dir, err := state.Resolve(state.Options{Flag: l.stateDir, Getenv: l.app.getenv, Dir: root})
	if err != nil {
		return state.Locations{}, usageError("%s", err)
	}
	return state.Locations{Dir: dir}, nil
}

// store opens the folder of the project's ledgers.
func (l *ledgerCommand) store() (store.Store, error) {
	locations, err := l.locations()
	return store.Store{Dir: locations.Ledgers()}, err
}

// sessionStore is store for the commands that act on one session.
func (l *ledgerCommand) sessionStore() (store.Store, error) {
	if l.session == "" {
		return store.Store{}, usageError("--session is missing")
	}
	if err := ledger.CheckSession(l.session); err != nil {
		return store.Store{}, err
	}
	return l.store()
}

// update changes the session's ledger.
func (l *ledgerCommand) update(ctx context.Context, change func(*ledger.Ledger) (*ledger.Ledger, error)) error {
	s, err := l.sessionStore()
	if err != nil {
		return err
	}
	return s.Update(ctx, l.session, change)
}

// read reads the session's ledger.
func (l *ledgerCommand) read() (*ledger.Ledger, error) {
	s, err := l.sessionStore()
	if err != nil {
		return nil, err
	}
	return s.Read(l.session)
}
