package recipes

import (
	"fmt"
	"strings"
)

// checkGraph looks for dependencies that name nothing and for circles, in which
// no step could ever start (issue "Control flow").
func (d *decoder) checkGraph(steps []*Step) {
	ids := make([]string, len(steps))
	at := make(map[string]int, len(steps))
	graph := false
	for i, s := range steps {
		ids[i], at[s.ID] = s.ID, i
		graph = graph || len(s.DependsOn) > 0
	}
	d.checkGroups(steps)
	if !graph {
		return
	}
	units := unitsOf(steps)
	sound := true
	for i, s := range steps {
		for _, id := range s.DependsOn {
			on, known := at[id]
			switch {
			case !known:
				hint := ""
				if near := nearest(id, ids); near != "" {
					hint = "did you mean " + near + "?"
				}
				d.fail(s.dependsNode, "unknown-step", fmt.Sprintf("depends_on names %s, which is no step of this recipe", quoteShort(id)), hint)
			case on == i:
				d.fail(s.dependsNode, "dependency-cycle", fmt.Sprintf("the step %s depends on itself", quoteShort(id)), "")
			case units[on] == units[i]:
				d.fail(s.dependsNode, "group-dependency", fmt.Sprintf("the step %s starts together with %s, which it depends on", quoteShort(s.ID), quoteShort(id)),
					"take it out of parallel_group: "+s.ParallelGroup)
			default:
				continue
			}
			sound = false
		}
	}
	if sound {
		d.checkCircles(steps, units, at)
	}
}

// unitsOf numbers what starts together: neighbours of one group, or one step.
func unitsOf(steps []*Step) []int {
	units := make([]int, len(steps))
	for i, s := range steps {
		switch {
		case i == 0:
		case s.ParallelGroup != "" && s.ParallelGroup == steps[i-1].ParallelGroup:
			units[i] = units[i-1]
		default:
			units[i] = units[i-1] + 1
		}
	}
	return units
}

// checkGroups warns where a group is cut in two, because only neighbours run
// together.
func (d *decoder) checkGroups(steps []*Step) {
	last := map[string]int{}
	for i, s := range steps {
		if s.ParallelGroup == "" {
			continue
		}
		if before, seen := last[s.ParallelGroup]; seen && before != i-1 {
			d.warn(lookup(s.node, "parallel_group"), "split-group",
				fmt.Sprintf("the group %s is interrupted by other steps; its parts do not run together", quoteShort(s.ParallelGroup)),
				"put the steps of a group one below the other")
		}
		last[s.ParallelGroup] = i
	}
}

// circle searches the graph of units. A unit without depends_on waits for
// everything above it, which is one edge to the prefix that ends there: node
// units+n stands for the first n units.
type circle struct {
	edges  [][]int
	state  []byte // 0 new, 1 on the path, 2 done
	path   []int
	closed []int
}

func (d *decoder) checkCircles(steps []*Step, units []int, at map[string]int) {
	n := units[len(units)-1] + 1
	c := circle{edges: make([][]int, 2*n+1), state: make([]byte, 2*n+1)}
	first := make([]*Step, n)
	for i, s := range steps {
		unit := units[i]
		if first[unit] == nil || len(first[unit].DependsOn) == 0 {
			first[unit] = s
		}
		for _, id := range s.DependsOn {
			c.edges[unit] = append(c.edges[unit], units[at[id]])
		}
	}
	for unit := range n {
		if len(c.edges[unit]) == 0 {
			c.edges[unit] = []int{n + unit}
		}
		c.edges[n+unit+1] = []int{n + unit, unit}
	}
	for unit := range n {
		if c.search(unit) {
			d.reportCircle(first, c.closed, n)
			return
		}
	}
}

func (c *circle) search(node int) bool {
	switch c.state[node] {
	case 1:
		for i, on := range c.path {
			if on == node {
				c.closed = append(append([]int(nil), c.path[i:]...), node)
			}
		}
		return true
	case 2:
		return false
	}
	c.state[node] = 1
	c.path = append(c.path, node)
	for _, next := range c.edges[node] {
		if c.search(next) {
			return true
		}
	}
	c.path = c.path[:len(c.path)-1]
	c.state[node] = 2
	return false
}

func (d *decoder) reportCircle(first []*Step, closed []int, n int) {
	var names []string
	var fault *Step
	for _, unit := range closed {
		if unit >= n {
			continue
		}
		names = append(names, first[unit].ID)
		if fault == nil && first[unit].dependsNode != nil {
			fault = first[unit]
		}
	}
	if closed[0] >= n {
		names = append(names, names[0])
	}
	d.fail(fault.dependsNode, "dependency-cycle", "the steps wait for each other in a circle: "+strings.Join(names, " → "),
		"a step without depends_on waits for every step above it")
}
