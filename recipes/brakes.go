package recipes

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// brakes reads brakes: of a loop. Its command becomes a step of the loop; the
// other values are for [Tree.CheckBrakes].
func (d *decoder) brakes(loop *LoopSpec, node *yaml.Node) {
	loop.Brakes = d.value(node)
	if command := at(node, "failing.command"); command != nil && command.Kind == yaml.ScalarNode {
		loop.Failing = &Step{Type: Bash, Command: d.command("brakes.failing.command", command)}
	}
}

// at finds the node at a dotted path, or the last one on the way to it.
func at(node *yaml.Node, path string) *yaml.Node {
	for part := range strings.SplitSeq(path, ".") {
		inner := lookup(node, part)
		if i, err := strconv.Atoi(part); err == nil && node.Kind == yaml.SequenceNode && i < len(node.Content) {
			inner = node.Content[i]
		}
		if inner == nil {
			return node
		}
		node = inner
	}
	return node
}

// BrakeFault is one thing that is wrong with a loop's brakes:.
type BrakeFault struct {
	// Path is the key, dotted from brakes on; a list's items have their index.
	Path    string
	Message string
	// Warning tells that the loop can be run all the same, and ends at once.
	Warning bool
}

// CheckBrakes gives the brakes: of every loop to check. checked tells that the
// loop has a check.
func (t *Tree) CheckBrakes(check func(brakes any, checked bool) []BrakeFault) Findings {
	var found Findings
	for _, r := range t.All {
		for _, s := range r.allSteps() {
			if s.Type != Loop || s.Loop == nil || !s.has("brakes") {
				continue
			}
			node := s.value("brakes")
			for _, fault := range check(s.Loop.Brakes, s.Loop.Check != nil) {
				key := strings.TrimSuffix("brakes."+fault.Path, ".")
				if fault.Warning {
					found = append(found, s.remark(at(node, fault.Path), "brakes-end-it", key+": "+fault.Message, ""))
					continue
				}
				found = append(found, s.doc.finding(at(node, fault.Path), "bad-brakes", key+": "+fault.Message))
			}
		}
	}
	return found
}
