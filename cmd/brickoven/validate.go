package main

import (
	"errors"
	"fmt"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/spf13/cobra"
)

func newValidateCommand(a *app) *cobra.Command {
	var p place
	cmd := &cobra.Command{
		Use: "validate FILE...", Short: "Find before a run what would fail in it",
		Long: "Check recipes with all the recipes they call: syntax, templates, conditions,\nshell commands, names. Errors end with 2, with --strict warnings too.\n" + exitStatus(),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &failure{exit.Usage, errors.New("name the files to check")}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			bad := false
			for _, arg := range args {
				ok, err := a.validate(&p, arg)
				if err != nil {
					return err
				}
				bad = bad || !ok
			}
			if bad {
				return &failure{Code: exit.Invalid}
			}
			return nil
		},
	}
	p.flags(cmd.Flags())
	return cmd
}

// validate checks one recipe and prints what it found.
func (a *app) validate(p *place, arg string) (ok bool, err error) {
	tree, err := a.resolve(p, arg, nil)
	var found recipes.Findings
	if errors.As(err, &found) {
		fmt.Fprintf(a.err, "Error: %v\n", found)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	found = append(absentAsFaults(tree.Warnings), tree.Check(nil)...)
	faults, warnings := found.Errors(), found.Warnings()
	if len(faults) > 0 {
		fmt.Fprintf(a.err, "Error: %v\n", faults)
	}
	if len(faults) == 0 || len(warnings) > 0 {
		a.verdict(tree.Root, warnings)
	}
	return len(faults) == 0 && (!p.strict || len(warnings) == 0), nil
}

// absentAsFaults makes faults of called recipes that were not found. A run only
// warns of them, because the step that calls one may never be reached; whoever
// validates asks for what would fail if it is.
func absentAsFaults(found recipes.Findings) recipes.Findings {
	list := make(recipes.Findings, len(found))
	for i, f := range found {
		own := *f
		own.Warning = own.Warning && own.Code != "recipe-not-found"
		list[i] = &own
	}
	return list
}

// verdict prints whether a recipe is valid, in words that existing callers look
// for.
func (a *app) verdict(r *recipes.Recipe, warnings recipes.Findings) {
	if len(warnings) == 0 {
		fmt.Fprintf(a.out, "✓ Recipe '%s' is valid (%d steps)\n", r.Name, len(r.Steps))
		return
	}
	fmt.Fprintf(a.out, "⚠ Recipe '%s' has %d warning(s):\n", r.Name, len(warnings))
	for _, w := range warnings {
		fmt.Fprintf(a.out, "  - %s\n", w)
	}
}
