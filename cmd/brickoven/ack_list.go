package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/bricks/brakes/comprehension"
	"github.com/brickoven/brickoven/runner/exit"
)

// backlog prints what there is to read.
func (k *acknowledging) backlog(state unreadState) error {
	if k.format == "json" {
		changes := state.Debt.Changes
		if changes == nil {
			changes = []comprehension.Change{}
		}
		k.app.printJSON(map[string]any{"repository": state.Repository, "through": state.Debt.Through, "unread": changes})
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d unread changes in %s\n", len(state.Debt.Changes), state.Repository)
	for _, c := range state.Debt.Changes {
		fmt.Fprintf(&b, "%s  run %s\n", c.Commit, c.Run)
		if c.Base != "" {
			fmt.Fprintf(&b, "    git diff %s %s\n", c.Base, c.Commit)
		}
	}
	if _, err := fmt.Fprint(k.app.out, b.String()); err != nil {
		return &failure{exit.Failed, err}
	}
	return nil
}

// debtFailure gives an error of reading the debt its exit code.
func debtFailure(err error) error {
	var fail *failure
	if errors.As(err, &fail) {
		return err
	}
	return &failure{exit.Failed, err}
}
