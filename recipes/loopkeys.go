package recipes

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// LoopSpec holds the keys of a loop step as they were written.
type LoopSpec struct {
	// Nodes has the value of each written key: judge, check, evidence, brakes,
	// contract, measure, workflows, steps and, on a loop, recipe.
	Nodes map[string]*yaml.Node
}

func (d *decoder) loopKey(s *Step, key string, node *yaml.Node) {
	if s.Loop == nil {
		s.Loop = &LoopSpec{Nodes: map[string]*yaml.Node{}}
	}
	s.Loop.Nodes[key] = node
}

// checkLoop refuses what a later version runs, so that no loop runs as a single
// round without its judge.
func (d *decoder) checkLoop(s *Step) {
	if s.Type == Loop {
		if s.recipeNode != nil {
			d.loopKey(s, "recipe", s.recipeNode)
		}
		d.fail(lookup(s.node, "type"), "not-yet", "type: loop is not available in this version", "")
		return
	}
	d.checkAvailable(s)
	if s.Loop == nil {
		return
	}
	for key := range entries(s.node) {
		if s.Loop.Nodes[key.Value] != nil {
			d.fail(key, "misplaced-key", key.Value+": belongs to a step of type: loop", "")
		}
	}
}

// checkAvailable refuses the keys whose feature is not there yet, so that no
// step runs as if it had not been asked for.
func (d *decoder) checkAvailable(s *Step) {
	for _, key := range []string{"files", "session"} {
		if s.has(key) {
			d.fail(lookup(s.node, key), "not-yet", key+": is not available in this version", "")
		}
	}
	if s.Shell.IsBuiltin() {
		d.fail(lookup(s.node, "shell"), "not-yet", "shell: builtin is not available in this version", "leave it out for bash")
	}
	if s.CLI != "" && s.CLI != "auto" && s.CLI != "rules" && !strings.Contains(s.CLI, "{{") {
		d.fail(lookup(s.node, "cli"), "not-yet", "cli: presets of agent CLIs are not available in this version",
			"configure the agent's command line with --agent, or use auto or rules")
	}
}
