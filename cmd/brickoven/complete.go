package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// completeRecipes offers the recipes that the resolver finds to a shell that
// completes the first argument; the shell offers files where none fits. A
// folder that cannot be read offers nothing: there is nobody to tell.
func (a *app) completeRecipes(p *place) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		resolver, err := a.resolver(p)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		entries, err := resolver.List()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var names []string
		for _, e := range entries {
			if e.Shadowed == "" && e.Err == nil && strings.HasPrefix(e.Name, begun) {
				names = append(names, cobra.CompletionWithDesc(e.Name, firstLine(e.Description)))
			}
		}
		return names, cobra.ShellCompDirectiveDefault
	}
}
