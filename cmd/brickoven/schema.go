package main

import (
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/runner/exit"
	"github.com/brickoven/brickoven/schema"
	"github.com/spf13/cobra"
)

func newSchemaCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "schema [NAME]", Short: "Print the JSON Schema of a document",
		Long: `Print the JSON Schema (draft 2020-12) of a document that brickoven reads or
writes. Without a name, the one of recipes.

Schemas: ` + strings.Join(schema.Names(), ", ") + "\n" + exitStatus(),
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: schema.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			name := "recipe"
			if len(args) == 1 {
				name = args[0]
			}
			document, ok := schema.Get(name)
			if !ok {
				return &failure{exit.Usage, fmt.Errorf("there is no schema %q; there are %s", name, strings.Join(schema.Names(), ", "))}
			}
			_, err := a.out.Write(document)
			return err
		},
	}
}
