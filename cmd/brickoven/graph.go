package main

import (
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/recipes"
)

// mermaid draws a recipe as a flowchart in Mermaid's language: steps as nodes,
// called recipes as subgraphs, and arrows for what waits for what.
func mermaid(root *recipes.Recipe) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	drawRecipe(&b, root, "", "  ")
	return b.String()
}

func drawRecipe(b *strings.Builder, r *recipes.Recipe, prefix, indent string) {
	for _, st := range r.Steps {
		drawStep(b, st, prefix, indent)
	}
	for _, edge := range edges(r.Steps) {
		fmt.Fprintf(b, "%s%s --> %s\n", indent, node(prefix, edge[0]), node(prefix, edge[1]))
	}
}

func drawStep(b *strings.Builder, st *recipes.Step, prefix, indent string) {
	label := mermaidText(strings.Join(append([]string{st.ID, "(" + string(st.Type) + ")"}, facts(st)...), " "))
	if st.Child == nil {
		fmt.Fprintf(b, "%s%s[\"%s\"]\n", indent, node(prefix, st.ID), label)
		return
	}
	fmt.Fprintf(b, "%ssubgraph %s[\"%s\"]\n", indent, node(prefix, st.ID), label)
	drawRecipe(b, st.Child, prefix+st.ID+"/", indent+"  ")
	fmt.Fprintf(b, "%send\n", indent)
}

// edges lists which step waits for which: what depends_on names, else the unit
// (a step or a group) above.
func edges(steps []*recipes.Step) (list [][2]string) {
	var above, current []string
	group := ""
	for _, st := range steps {
		if st.ParallelGroup == "" || st.ParallelGroup != group {
			if len(current) > 0 {
				above = current
			}
			current, group = nil, st.ParallelGroup
		}
		before := above
		if len(st.DependsOn) > 0 {
			before = st.DependsOn
		}
		for _, from := range before {
			list = append(list, [2]string{from, st.ID})
		}
		current = append(current, st.ID)
	}
	return list
}

// node is a step's path in the letters that Mermaid allows for a node's name;
// what is not a letter or digit becomes its code point, so that no two paths
// share a name.
func node(prefix, id string) string {
	var b strings.Builder
	b.WriteString("s_")
	for _, r := range prefix + id {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "_%x_", r)
		}
	}
	return b.String()
}

// mermaidText makes a text safe between the quotes of a label.
func mermaidText(text string) string {
	return strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "\n", " ", "`", "#96;").Replace(text)
}
