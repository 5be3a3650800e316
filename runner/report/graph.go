package report

import (
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner"
)

// Graph is a recipe as a graph, with what became of each step.
type Graph struct {
	// Layers hold what may run side by side; a layer waits for those before it.
	Layers [][]*Node
	// Chain tells that each layer waits for all of the one before, so that the
	// order of the layers says everything.
	Chain bool
	// Finally are the steps that run at the end whatever happened.
	Finally []*Node
}

// Node is one step of a [Graph], or a parallel group of them.
type Node struct {
	ID     string
	Type   string
	Status Status
	// Step is its last occurrence in the run; nil where it has none.
	Step *Step
	// Times counts the occurrences, such as one for each round of a loop.
	Times int
	// After names the nodes that it waits for.
	After []*Node
	Layer int
	// Group are the members of a parallel group; empty for a step.
	Group []*Node
	// Inner is the recipe that the step runs, or one round of a loop; nil for
	// none.
	Inner *Graph
	// Judge is the recipe that judges a loop's rounds; nil for none.
	Judge *Graph
}

// grapher draws the recipes of a run.
type grapher struct {
	last  map[string]*Step // by unindexed path
	times map[string]int
	over  bool
	depth int
}

// graph draws the recipe.
func (r *Run) graph(root *recipes.Recipe) *Graph {
	g := &grapher{last: map[string]*Step{}, times: map[string]int{}, over: r.End.Over}
	for _, st := range r.All {
		if st.Part == PartAuthored {
			path := unindexed(st.Path)
			g.last[path] = st
			g.times[path]++
		}
	}
	return g.recipe(root, "")
}

// maxDepth is how deep recipes within recipes are drawn.
const maxDepth = 6

func (g *grapher) recipe(r *recipes.Recipe, prefix string) *Graph {
	if r == nil || g.depth >= maxDepth {
		return nil
	}
	g.depth++
	defer func() { g.depth-- }()
	graph := &Graph{Chain: true}
	units := runner.Units(r.Steps)
	nodes := make([]*Node, len(units))
	for i, u := range units {
		nodes[i] = g.unit(u, prefix)
		nodes[i].Layer = unplaced
	}
	for i, u := range units {
		for _, on := range u.After {
			nodes[i].After = append(nodes[i].After, nodes[on])
		}
	}
	for _, n := range nodes {
		for layer := n.place(); layer >= len(graph.Layers); {
			graph.Layers = append(graph.Layers, nil)
		}
		graph.Layers[n.Layer] = append(graph.Layers[n.Layer], n)
	}
	for _, n := range nodes {
		if n.Layer > 0 && len(n.After) != len(graph.Layers[n.Layer-1]) {
			graph.Chain = false
		}
	}
	for _, st := range r.Finally {
		graph.Finally = append(graph.Finally, g.step(st, prefix))
	}
	return graph
}

// unplaced is the layer of a node that has none yet.
const unplaced = -1

// place puts a node behind all that it waits for, which its author may have
// written further down.
func (n *Node) place() int {
	if n.Layer == unplaced {
		n.Layer = 0
		for _, on := range n.After {
			n.Layer = max(n.Layer, on.place()+1)
		}
	}
	return n.Layer
}

func (g *grapher) unit(u runner.Unit, prefix string) *Node {
	if len(u.Steps) == 1 {
		return g.step(u.Steps[0], prefix)
	}
	group := &Node{ID: u.Steps[0].ParallelGroup, Type: "group"}
	for _, st := range u.Steps {
		group.Group = append(group.Group, g.step(st, prefix))
	}
	group.Status = worst(group.Group)
	return group
}

func (g *grapher) step(st *recipes.Step, prefix string) *Node {
	path := join(strings.TrimSuffix(prefix, "/"), st.ID)
	n := &Node{ID: st.ID, Type: string(st.Type), Step: g.last[path], Times: g.times[path], Status: Unreached}
	switch {
	case n.Step != nil:
		n.Status = n.Step.Status
	case !g.over:
		n.Status = Waiting
	}
	if st.Type != recipes.Loop || st.Loop == nil {
		n.Inner = g.recipe(st.Child, path)
		return n
	}
	if len(st.Loop.Rounds) == 1 {
		n.Inner = g.recipe(st.Loop.Rounds[0].Child, path)
	}
	if st.Loop.Judge != nil {
		n.Judge = g.recipe(st.Loop.Judge.Child, path+".judge")
	}
	return n
}

// severity orders statuses by what a glance should see first.
var severity = []Status{Failed, Interrupted, Running, Degraded, Waiting, Unreached, Completed, Skipped}

// worst is the status of a group of steps.
func worst(nodes []*Node) Status {
	at := len(severity) - 1
	for _, n := range nodes {
		if i := slices.Index(severity, n.Status); i >= 0 {
			at = min(at, i)
		}
	}
	return severity[at]
}
