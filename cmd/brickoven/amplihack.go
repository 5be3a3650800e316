package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/brickoven/brickoven/runner/exit"
	"github.com/spf13/cobra"
)

// newOrchCommand is orch helper …, the name under which existing bricks call
// the helpers.
func newOrchCommand(a *app) *cobra.Command {
	orch := &cobra.Command{
		Use: "orch", Short: "The helpers under the name that existing bricks use", Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			return &failure{exit.HelperUsage, errors.New("usage: orch helper NAME")}
		},
	}
	orch.AddCommand(newHelperCommand(a))
	return orch
}

// amplihack serves a link of that name to this program: the helpers and recipe
// run. Everything else is for the next amplihack on PATH.
func (a *app) amplihack(ctx context.Context, args []string) error {
	if len(args) >= 2 {
		switch {
		case args[0] == "orch" && args[1] == "helper":
			return a.execute(ctx, args)
		case args[0] == "recipe" && args[1] == "run":
			return a.execute(ctx, args[1:])
		}
	}
	next, err := a.nextAmplihack()
	if err != nil {
		return &failure{exit.Missing, err}
	}
	err = become(next, args, a.environ)
	return &failure{exit.Missing, fmt.Errorf("%s: %w", next, err)}
}

// nextAmplihack finds the amplihack that comes after this program on PATH; the
// first one where this program is not on PATH. It never looks back, so that two
// copies of this program do not hand over to each other forever.
func (a *app) nextAmplihack() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	own, err := os.Stat(self)
	if err != nil {
		return "", err
	}
	next := ""
	for _, dir := range filepath.SplitList(a.getenv("PATH")) {
		path := filepath.Join(dir, "amplihack")
		info, err := os.Stat(path)
		switch {
		case err != nil || info.IsDir() || info.Mode()&0o111 == 0:
		case os.SameFile(info, own):
			next = ""
		case next == "":
			next = path
		}
	}
	if next != "" {
		return next, nil
	}
	return "", errors.New("amplihack: only orch helper and recipe run are served here, and there is no other amplihack on PATH")
}
