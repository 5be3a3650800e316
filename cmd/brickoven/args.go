package main

import (
	"errors"
	"fmt"

	"github.com/brickoven/brickoven/runner/exit"
	"github.com/spf13/cobra"
)

// oneArg demands exactly one argument and says what it would be.
func oneArg(missing string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch len(args) {
		case 0:
			return &failure{exit.Usage, errors.New(missing)}
		case 1:
			return nil
		}
		return &failure{exit.Usage, fmt.Errorf("one recipe at a time, but there are %d arguments: %q", len(args), args)}
	}
}

func formatFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "output-format", "text", "text or json; json prints exactly one document on stdout")
}

func checkFormat(format string) error {
	if format != "text" && format != "json" {
		return &failure{exit.Usage, fmt.Errorf("--output-format %q is not text or json", format)}
	}
	return nil
}
