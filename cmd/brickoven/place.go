package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/brickoven/brickoven/bricks"
	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/spf13/pflag"
)

// place is where a command looks for recipes.
type place struct {
	workDir    string
	recipeDirs []string
	strict     bool
	foreign    []string
}

func (p *place) flags(flags *pflag.FlagSet) {
	flags.StringVarP(&p.workDir, "working-dir", "C", ".", "run in this folder")
	flags.StringArrayVarP(&p.recipeDirs, "recipe-dir", "R", nil, "look for recipes in this folder first (repeatable)")
	flags.BoolVar(&p.strict, "strict", false, "unknown names and unknown keys are errors")
	flags.StringArrayVar(&p.foreign, "allow-foreign", nil, "let this key of another tool through (repeatable)")
}

// resolver finds recipes for this place.
func (a *app) resolver(p *place) (*recipes.Resolver, error) {
	work, err := filepath.Abs(p.workDir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(work); err != nil || !info.IsDir() {
		return nil, &failure{exit.Usage, fmt.Errorf("--working-dir %s is not a folder", p.workDir)}
	}
	search := recipes.Search{
		Explicit:         p.recipeDirs,
		WorkDir:          work,
		RepoRoot:         repositoryRoot(work),
		EnvDirs:          append(filepath.SplitList(a.getenv("BRICKOVEN_RECIPE_DIRS")), filepath.SplitList(a.getenv("RECIPE_RUNNER_RECIPE_DIRS"))...),
		ConfigDir:        a.configDir(),
		Home:             a.getenv("HOME"),
		AmplihackHome:    a.getenv("AMPLIHACK_HOME"),
		PackageRecipeDir: a.getenv("AMPLIHACK_PACKAGE_RECIPE_DIR"),
		Builtin:          bricks.Builtin,
		BuiltinNames:     bricks.Names,
	}
	return recipes.NewResolver(search), nil
}

// configDir is the user's configuration folder; empty without a home.
func (a *app) configDir() string {
	if dir := a.getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "brickoven")
	}
	if home := a.getenv("HOME"); home != "" {
		return filepath.Join(home, ".config", "brickoven")
	}
	return ""
}

// repositoryRoot is the nearest folder upwards that holds .git; empty without.
func repositoryRoot(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// resolve reads a recipe and all it calls, with the variables that it is given;
// its errors carry their exit codes.
func (a *app) resolve(p *place, arg string, vars []recipes.Variable) (*recipes.Tree, error) {
	resolver, err := a.resolver(p)
	if err != nil {
		return nil, err
	}
	tree, err := resolver.Resolve(arg, recipes.LoadOptions{Strict: p.strict, AllowForeign: p.foreign, Names: names(vars), Vars: vars})
	if err != nil {
		return nil, a.loadFailure(err)
	}
	return tree, nil
}

// loadFailure gives an error of loading its exit code.
func (a *app) loadFailure(err error) error {
	var missing *recipes.NotFoundError
	var refused *recipes.RefusedError
	switch {
	case errors.As(err, &missing):
		return &failure{exit.NotFound, err}
	case errors.As(err, &refused):
		return &failure{exit.Usage, err}
	}
	return &failure{exit.Invalid, err}
}
