package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/exit"
	"github.com/spf13/cobra"
)

func newListCommand(a *app) *cobra.Command {
	var p place
	var format string
	cmd := &cobra.Command{
		Use: "list", Short: "List the recipes that run finds by name", Args: cobra.NoArgs,
		Long: "List the recipes that run finds by name, with the folder each comes from.\nA recipe that another of the same name hides is marked.\n" + exitStatus(),
		RunE: func(*cobra.Command, []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			resolver, err := a.resolver(&p)
			if err != nil {
				return err
			}
			entries, err := resolver.List()
			if err != nil {
				return &failure{exit.Failed, err}
			}
			if format == "json" {
				a.printJSON(listed(entries))
				return nil
			}
			return a.printList(entries)
		},
	}
	p.flags(cmd.Flags())
	formatFlag(cmd, &format)
	return cmd
}

func (a *app) printList(entries []recipes.Entry) error {
	table := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	for _, e := range entries {
		remark := e.Description
		switch {
		case e.Err != nil:
			remark = "(cannot be read: " + e.Err.Error() + ")"
		case e.Shadowed != "":
			remark = "(hidden by " + e.Shadowed + ")"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", e.Name, e.Path, firstLine(remark))
	}
	return table.Flush()
}

func listed(entries []recipes.Entry) []map[string]any {
	list := []map[string]any{}
	for _, e := range entries {
		row := map[string]any{
			"name": e.Name, "path": e.Path, "description": e.Description, "version": e.Version, "shadowed_by": nil, "error": nil,
		}
		if e.Shadowed != "" {
			row["shadowed_by"] = e.Shadowed
		}
		if e.Err != nil {
			row["error"] = e.Err.Error()
		}
		list = append(list, row)
	}
	return list
}
