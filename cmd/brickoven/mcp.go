package main

import (
	"context"
	_ "embed" // the schemas of the tools
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/mcp"
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
	if err := d.server().Serve(ctx, d.app.in, d.app.out); err != nil && ctx.Err() == nil {
		return &failure{exit.Failed, err}
	}
	return nil
}

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

// toolSchemas are made of the types of the tools; go test ./cmd/brickoven -update
// writes them.
//
//go:embed mcp_schemas.json
var toolSchemas []byte

func (d *door) server() *mcp.Server {
	return &mcp.Server{
		Name: "brickoven", Version: version(), Tools: d.tools(), Schemas: toolSchemas,
		Instructions: "Recipes are sequences of steps; a run is one execution of a recipe, with a record that stays. Use explain_recipe before run_recipe, and show_run to see why a run ended and what to do.",
	}
}

func (d *door) tools() []mcp.Tool {
	const readOnly, changes = true, false
	return []mcp.Tool{
		mcp.NewTool("list_recipes", "List the recipes of this project by name, with the folder each comes from and whether it may be run here.", readOnly, d.listRecipes),
		mcp.NewTool("explain_recipe", "Say what a recipe would do, step by step, with its inputs. Nothing is run.", readOnly, d.explainRecipe),
		mcp.NewTool("validate_recipe", "Find before a run what would fail in a recipe.", readOnly, d.validateRecipe),
		mcp.NewTool("list_runs", "List the runs of this project, the newest first.", readOnly, d.listRuns),
		mcp.NewTool("show_run", "Show how a run went: whether it ended well, why not and what to do now, its steps, and each round of its loops with verdict and evidence.", readOnly, d.showRun),
		mcp.NewTool("read_output", "Read what a step of a run printed; the middle of a long output is left out.", readOnly, d.readOutput),
		mcp.NewTool("run_recipe", "Run a recipe that this server was started to allow. Returns how the run went, or after wait_seconds that it is still running; show_run tells more.", changes, d.runRecipe),
	}
}
