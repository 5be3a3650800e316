package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/runner/exit"
	"github.com/spf13/cobra"
)

// run is the whole program; main only hands it the process.
func run(ctx context.Context, args, environ []string, in io.Reader, out, errOut io.Writer) int {
	a := &app{environ: environ, in: in, out: out, err: errOut}
	name := "brickoven"
	if len(args) > 0 {
		name = strings.TrimSuffix(filepath.Base(args[0]), ".exe")
		args = args[1:]
	}
	var err error
	if name == "amplihack" {
		err = a.amplihack(ctx, args)
	} else {
		err = a.execute(ctx, args)
	}
	return a.report(args, err)
}

// execute runs the command line of brickoven itself. A first argument that is
// no command is a recipe.
func (a *app) execute(ctx context.Context, args []string) error {
	if isRecipe(args) {
		args = append([]string{"run"}, args...)
	}
	only := ""
	if len(args) > 0 && isCommand(args[0]) {
		only = args[0]
	}
	root := a.rootCommand(only)
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// isRecipe tells whether a command line leaves out the word run.
func isRecipe(args []string) bool {
	known := []string{
		"-h", "--help", "--version", "-v", "help", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd,
	}
	return len(args) > 0 && !isCommand(args[0]) && !slices.Contains(known, args[0])
}

// rootCommand builds the command line; only that of one command where it is
// named, because building them all would slow every start.
func (a *app) rootCommand(only string) *cobra.Command {
	root := &cobra.Command{
		Use:   "brickoven [command] or [RECIPE]",
		Short: "Run recipes for agent loops, and know when a loop should stop",
		Long: `brickoven runs declarative YAML recipes: shell commands, agent calls, other
recipes and built-in bricks. A recipe is named or given as a file;
"brickoven NAME" is short for "brickoven run NAME".
` + exitStatus(),
		Version:       version(),
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(*cobra.Command, []string) error {
			return &failure{exit.Usage, errors.New("name a recipe or a command; see brickoven --help")}
		},
	}
	root.ValidArgsFunction = a.completeRecipes(&place{workDir: "."})
	root.SetVersionTemplate("brickoven {{.Version}}\n")
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &failure{exit.Usage, err} })
	root.CompletionOptions.DisableDefaultCmd = only != ""
	for _, c := range commands() {
		if only == "" || c.name == only {
			root.AddCommand(c.build(a))
		}
	}
	return root
}

// exitStatus is the table of exit codes as every help shows it.
func exitStatus() string {
	var b strings.Builder
	b.WriteString("\nEXIT STATUS\n")
	for _, code := range exit.Codes() {
		fmt.Fprintf(&b, "  %3d  %s\n", code.Number, code.Meaning)
	}
	return b.String()
}

// report prints what ended the command and gives the exit code. Where JSON is
// asked for, the error is one document on standard output, unless the command
// printed its own.
func (a *app) report(args []string, err error) int {
	if err == nil {
		return exit.Success
	}
	code := exit.Usage
	var fail *failure
	if errors.As(err, &fail) {
		code = fail.Code
		if fail.Err == nil {
			return code
		}
	}
	fmt.Fprintf(a.err, "Error: %v\n", err)
	if wantsJSON(args) {
		a.printJSON(map[string]any{"success": false, "error": err.Error(), "exit_code": code})
	}
	return code
}

// wantsJSON looks for --output-format json in the raw command line, because a
// command line with a fault must answer in JSON too.
func wantsJSON(args []string) bool {
	for i, arg := range args {
		if arg == "--output-format=json" || arg == "--output-format" && i+1 < len(args) && args[i+1] == "json" {
			return true
		}
	}
	return false
}

// printJSON prints one document on standard output. A standard output that is
// closed cannot be told anything; the exit code says the rest.
func (a *app) printJSON(doc any) {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		fmt.Fprintf(a.err, "Error: printing the result: %v\n", err)
	}
}
