package main

import (
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner"
)

// mermaid draws a recipe as a flowchart in Mermaid's language: steps as nodes,
// groups and called recipes as subgraphs, and arrows for what waits for what.
func mermaid(root *recipes.Recipe) string {
	d := &drawing{}
	d.b.WriteString("flowchart TD\n")
	d.recipe(root, "", "  ")
	return d.b.String()
}

type drawing struct{ b strings.Builder }

func (d *drawing) line(indent, format string, args ...any) {
	fmt.Fprintf(&d.b, indent+format+"\n", args...)
}

// recipe draws the steps of a recipe whose caller has the path prefix; the
// steps that run at the end hang on dotted arrows.
func (d *drawing) recipe(r *recipes.Recipe, prefix, indent string) {
	units := runner.Units(r.Steps)
	last := d.units(units, prefix, indent)
	if len(r.Finally) == 0 {
		return
	}
	end := nodeName("f", prefix)
	d.line(indent, `subgraph %s["finally"]`, end)
	var chain []runner.Unit
	for i := range r.Finally {
		u := runner.Unit{Steps: r.Finally[i : i+1]}
		if i > 0 {
			u.After = []int{i - 1}
		}
		chain = append(chain, u)
	}
	d.units(chain, prefix, indent+"  ")
	d.line(indent, "end")
	for _, from := range last {
		d.line(indent, "%s -.-> %s", from, end)
	}
}

// units draws units with the arrows between them, and gives the names of those
// that nothing waits for.
func (d *drawing) units(units []runner.Unit, prefix, indent string) (last []string) {
	names := make([]string, len(units))
	awaited := make([]bool, len(units))
	for i, u := range units {
		names[i] = d.unit(u, i, prefix, indent)
	}
	for i, u := range units {
		for _, on := range u.After {
			awaited[on] = true
			d.line(indent, "%s --> %s", names[on], names[i])
		}
	}
	for i, name := range names {
		if !awaited[i] {
			last = append(last, name)
		}
	}
	return last
}

// unit draws a step, or a group around its steps, and gives the name that
// arrows lead to.
func (d *drawing) unit(u runner.Unit, index int, prefix, indent string) string {
	if len(u.Steps) == 1 {
		d.step(u.Steps[0], prefix, indent)
		return nodeName("s", prefix+u.Steps[0].ID)
	}
	name := nodeName("g", fmt.Sprintf("%s%d", prefix, index))
	d.line(indent, `subgraph %s["%s"]`, name, mermaidText("group "+u.Steps[0].ParallelGroup))
	for _, st := range u.Steps {
		d.step(st, prefix, indent+"  ")
	}
	d.line(indent, "end")
	return name
}

func (d *drawing) step(st *recipes.Step, prefix, indent string) {
	name := nodeName("s", prefix+st.ID)
	label := mermaidText(strings.Join(append([]string{st.ID, "(" + string(st.Type) + ")"}, facts(st)...), " "))
	if st.Child == nil {
		d.line(indent, `%s["%s"]`, name, label)
		return
	}
	d.line(indent, `subgraph %s["%s"]`, name, label)
	d.recipe(st.Child, prefix+st.ID+"/", indent+"  ")
	d.line(indent, "end")
}

// nodeName is a step's path in the letters that Mermaid allows for a node's
// name; what is not a letter or digit becomes its code point, so that no two
// paths share a name.
func nodeName(kind, path string) string {
	var b strings.Builder
	b.WriteString(kind + "_")
	for _, r := range path {
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
	return strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "\n", " ", "`", "#96;").Replace(text)
}
