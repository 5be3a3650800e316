package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/local"
)

// door is what an agent reaches over MCP.
type door struct {
	app      *app
	place    place
	stateDir string
	// allowed are the recipes that may run, with the digest of all that was read
	// for each when the server started.
	allowed map[string]string

	life context.Context // ends the runs that are under way
	runs sync.WaitGroup
}

func newMCPCommand(a *app) *cobra.Command {
	d, names := &door{app: a}, []string{}
	cmd := &cobra.Command{
		Use: "mcp", Short: "Let an agent look at recipes and runs over MCP, and run what is allowed",
		Long: `Serve the Model Context Protocol on standard input and output, until the client
goes away: list, explain and validate recipes, read runs, and run the recipes
that --allow-run names.

An allowed recipe is pinned as it is when the server starts, with all recipes
that it calls: after a change it is refused until the server is started again.
Recipes are named, or are files below the working directory. Runs that are under
way when the client goes away are interrupted.
` + exitStatus(),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return d.serve(cmd.Context(), names) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&d.place.workDir, "working-dir", "C", ".", "work in this folder")
	flags.StringArrayVarP(&d.place.recipeDirs, "recipe-dir", "R", nil, "look for recipes in this folder first (repeatable)")
	flags.StringVar(&d.stateDir, "state-dir", "", "the state folder")
	flags.StringArrayVar(&names, "allow-run", nil, "let this recipe run (repeatable)")
	return cmd
}

func (d *door) serve(ctx context.Context, names []string) error {
	if err := d.allow(names); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	var end context.CancelFunc
	d.life, end = context.WithCancel(ctx)
	defer d.runs.Wait()
	defer end()
	err := d.server().Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(d.app.in), Writer: unclosed{d.app.out}})
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return &failure{exit.Failed, err}
	}
	return nil
}

// unclosed is a writer that stays open when the client goes away.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// allow pins the recipes that may run.
func (d *door) allow(names []string) error {
	d.allowed = map[string]string{}
	for _, name := range names {
		tree, err := d.resolve(name)
		if err != nil {
			return err
		}
		if d.allowed[name], err = digestOf(tree); err != nil {
			return &failure{exit.Failed, err}
		}
	}
	return nil
}

// digestOf names all that was read for a tree.
func digestOf(tree *recipes.Tree) (string, error) {
	text, err := json.Marshal(tree.Recording)
	if err != nil {
		return "", err
	}
	return local.Digest(string(text)), nil
}

// errOutside refuses a file that is not of this project.
var errOutside = errors.New("name a recipe, or a file below the working directory")

// resolve reads a recipe by its name, or a file below the working directory.
func (d *door) resolve(name string) (*recipes.Tree, error) {
	if name == "" || filepath.IsAbs(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, &failure{exit.Usage, fmt.Errorf("%q: %w", name, errOutside)}
	}
	return d.app.resolve(&d.place, name, nil)
}

// server offers the tools. What only reads says so, for clients that ask before
// anything else.
func (d *door) server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "brickoven", Version: version()}, &mcp.ServerOptions{
		Instructions: "Recipes are sequences of steps; a run is one execution of a recipe, with a record that stays. Use explain_recipe before run_recipe, and show_run to see why a run ended and what to do.",
	})
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(s, &mcp.Tool{Name: "list_recipes", Description: "List the recipes of this project by name, with the folder each comes from and whether it may be run here.", Annotations: reads}, d.listRecipes)
	mcp.AddTool(s, &mcp.Tool{Name: "explain_recipe", Description: "Say what a recipe would do, step by step, with its inputs. Nothing is run.", Annotations: reads}, d.explainRecipe)
	mcp.AddTool(s, &mcp.Tool{Name: "validate_recipe", Description: "Find before a run what would fail in a recipe.", Annotations: reads}, d.validateRecipe)
	mcp.AddTool(s, &mcp.Tool{Name: "list_runs", Description: "List the runs of this project, the newest first.", Annotations: reads}, d.listRuns)
	mcp.AddTool(s, &mcp.Tool{Name: "show_run", Description: "Show how a run went: whether it ended well, why not and what to do now, its steps, and each round of its loops with verdict and evidence.", Annotations: reads}, d.showRun)
	mcp.AddTool(s, &mcp.Tool{Name: "read_output", Description: "Read what a step of a run printed; the middle of a long output is left out.", Annotations: reads}, d.readOutput)
	mcp.AddTool(s, &mcp.Tool{Name: "run_recipe", Description: "Run a recipe that this server was started to allow. Returns how the run went, or after wait_seconds that it is still running; show_run tells more."}, d.runRecipe)
	return s
}
