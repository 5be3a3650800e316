package recipes

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// AgentCheck reads agents: of a recipe, nil where it has none, and gives the names
// that cli: may have; none where that cannot be told. The error is what is wrong
// with it, and at the keys that lead there, such as agents.mine.prompt.
type AgentCheck func(agents map[string]any) (names []string, at string, err error)

// CheckAgents gives agents: of every recipe to check, and looks for the agents
// that steps name where the name is no template. Nothing is checked of a recipe
// that says nothing about agents.
func (t *Tree) CheckAgents(check AgentCheck) Findings {
	var found Findings
	for _, r := range t.All {
		if r.Agents == nil && !slices.ContainsFunc(r.allSteps(), func(s *Step) bool { return s.CLI != "" }) {
			continue
		}
		names, at, err := check(r.Agents)
		if err != nil {
			if !r.inline && r.agentsNode != nil {
				found = append(found, r.doc.finding(within(r.agentsNode, at), "bad-agents", err.Error()))
			}
			continue
		}
		for _, s := range r.allSteps() {
			if len(names) == 0 || s.CLI == "" || strings.Contains(s.CLI, "{{") || slices.Contains(names, s.CLI) {
				continue
			}
			fault := s.doc.finding(s.value("cli"), "bad-agents", "cli: there is no agent "+quoteShort(s.CLI)+"; there are "+strings.Join(names, ", "))
			if near := nearest(s.CLI, names); near != "" {
				fault.Hint = "did you mean " + near + "?"
			}
			found = append(found, fault)
		}
	}
	return found
}

// within is the node that dotted keys lead to, or the last one on the way that is
// there. The first key names the node itself.
func within(node *yaml.Node, keys string) *yaml.Node {
	parts := strings.Split(keys, ".")
	for _, key := range parts[1:] {
		below := lookup(node, key)
		if below == nil {
			return node
		}
		node = below
	}
	return node
}
