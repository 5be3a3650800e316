package main

import (
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/spf13/cobra"
)

func newShowCommand(a *app) *cobra.Command {
	var p place
	var resolved bool
	cmd := &cobra.Command{
		Use: "show NAME", Short: "Print a recipe's document", Args: oneArg("name a recipe"),
		Long: "Print a recipe's document as it was written; with --resolved as it is after\nextends, its parents merged in.\n" + exitStatus(),
		RunE: func(_ *cobra.Command, args []string) error {
			if !resolved {
				return a.showSource(&p, args[0])
			}
			tree, err := a.resolve(&p, args[0], nil)
			if err != nil {
				return err
			}
			return a.print(tree.Root.Document())
		},
	}
	cmd.ValidArgsFunction = a.completeRecipes(&p)
	p.flags(cmd.Flags())
	cmd.Flags().BoolVar(&resolved, "resolved", false, "after extends")
	return cmd
}

func (a *app) showSource(p *place, arg string) error {
	resolver, err := a.resolver(p)
	if err != nil {
		return err
	}
	source, err := resolver.FindRoot(arg)
	if err != nil {
		return a.loadFailure(err)
	}
	text, err := resolver.Read(source)
	if err != nil {
		return a.loadFailure(err)
	}
	return a.print(string(text))
}

// print writes a text with exactly one line end behind it.
func (a *app) print(text string) error {
	_, err := fmt.Fprintln(a.out, strings.TrimRight(text, "\n"))
	return err
}

func newExplainCommand(a *app) *cobra.Command {
	var p place
	var graph bool
	cmd := &cobra.Command{
		Use: "explain NAME", Short: "Say what a recipe would do, step by step", Args: oneArg("name a recipe"),
		Long: "Say what a recipe would do, step by step, with the recipes it calls. Nothing\nis run. --graph prints a Mermaid flowchart.\n" + exitStatus(),
		RunE: func(_ *cobra.Command, args []string) error {
			tree, err := a.resolve(&p, args[0], nil)
			if err != nil {
				return err
			}
			if graph {
				return a.print(mermaid(tree.Root))
			}
			return a.print(explain(tree))
		},
	}
	cmd.ValidArgsFunction = a.completeRecipes(&p)
	p.flags(cmd.Flags())
	cmd.Flags().BoolVar(&graph, "graph", false, "print a Mermaid flowchart")
	return cmd
}

// explain describes a recipe for people.
func explain(tree *recipes.Tree) string {
	var b strings.Builder
	root := tree.Root
	fmt.Fprintf(&b, "Recipe: %s", root.Name)
	if root.Version != "" {
		fmt.Fprintf(&b, " (v%s)", root.Version)
	}
	b.WriteString("\n")
	if root.Description != "" {
		fmt.Fprintf(&b, "%s\n", strings.TrimSpace(root.Description))
	}
	fmt.Fprintf(&b, "From: %s\n", root.Source.Path)
	for _, in := range root.Inputs {
		fmt.Fprintf(&b, "Input: %s%s\n", in.Name, inputRemark(in))
	}
	b.WriteString("Steps:\n")
	explainSteps(&b, root, "  ")
	if len(root.Finally) > 0 {
		b.WriteString("Finally:\n")
		for _, st := range root.Finally {
			explainStep(&b, st, "  ")
		}
	}
	return b.String()
}

func inputRemark(in recipes.Input) string {
	remark := ""
	if in.Type != "" {
		remark += " " + in.Type
	}
	if in.Required {
		remark += ", required"
	}
	if in.Description != "" {
		remark += " - " + firstLine(in.Description)
	}
	return remark
}

func explainSteps(b *strings.Builder, r *recipes.Recipe, indent string) {
	for _, st := range r.Steps {
		explainStep(b, st, indent)
		if st.Child != nil {
			explainSteps(b, st.Child, indent+"  ")
		}
	}
}

func explainStep(b *strings.Builder, st *recipes.Step, indent string) {
	fmt.Fprintf(b, "%s%s [%s]", indent, st.ID, st.Type)
	for _, fact := range facts(st) {
		b.WriteString(" " + fact)
	}
	b.WriteString("\n")
}

// facts lists what decides about a step, in short.
func facts(st *recipes.Step) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if st.Recipe != "" {
		add("runs %s", st.Recipe)
	}
	if st.Uses != "" {
		add("uses %s", st.Uses)
	}
	if st.Condition != nil {
		add("if %s", firstLine(st.Condition.Source()))
	}
	if st.Foreach != nil {
		add("for each of %s", st.Foreach.Source())
	}
	if st.ParallelGroup != "" {
		add("in group %s", st.ParallelGroup)
	}
	if len(st.DependsOn) > 0 {
		add("after %s", strings.Join(st.DependsOn, ", "))
	}
	if st.Output != "" {
		add("-> %s", st.Output)
	}
	switch {
	case st.IsOpen():
		add("(named when it is run)")
	case st.Missing != nil:
		add("(not found)")
	}
	return list
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
