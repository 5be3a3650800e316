package recipes

import (
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/expression"
	"github.com/brickoven/brickoven/recipes/template"
	"gopkg.in/yaml.v3"
)

// loopKey reads a key that only loops have.
func (d *decoder) loopKey(s *Step, key string, node *yaml.Node) {
	if s.Loop == nil {
		s.Loop = &LoopSpec{nodes: map[string]*yaml.Node{}}
	}
	s.Loop.nodes[key] = node
	switch key {
	case "workflows":
		s.Loop.Workflows = d.value(node)
	case "judge":
		s.Loop.Judge = &Step{Type: Call, Recipe: d.text(key, node), recipeNode: node}
	case "check":
		s.Loop.Check = &Step{Type: Bash, Command: d.command(key, node)}
	case "evidence":
		d.evidence(s.Loop, node)
	case "brakes":
		d.brakes(s.Loop, node)
	case "contract":
		d.contract(s.Loop, node)
	case "measure":
		d.measures(s.Loop, node)
	}
}

// evidence reads what the loop shows its judge of each round.
func (d *decoder) evidence(loop *LoopSpec, node *yaml.Node) {
	d.keys(node, evidenceScope, func(key string, node *yaml.Node) {
		switch key {
		case "findings":
			d.expression("evidence."+key, node, &loop.Findings)
		case "test_signal":
			d.expression("evidence."+key, node, &loop.TestSignal)
		case "ci_signal":
			d.expression("evidence."+key, node, &loop.CISignal)
		case "goal_met":
			d.expression("evidence."+key, node, &loop.GoalMet)
		case "repos":
			loop.Repos = d.templates("evidence."+key, node)
		case "paths":
			loop.Paths = d.templates("evidence."+key, node)
		case "progress":
			loop.Progress = &Step{Type: Bash, Command: d.command("evidence."+key, node)}
		}
	})
}

// expression notes a text that is compiled into a place when all names are
// known.
func (d *decoder) expression(key string, node *yaml.Node, into **expression.Program) {
	text := d.text(key, node)
	switch {
	case node.Kind != yaml.ScalarNode:
	case strings.TrimSpace(text) == "":
		d.warn(node, "empty-condition", key+" is empty", "remove it")
	default:
		d.fields = append(d.fields, &field{key: key, spot: d.doc.spot(node), program: into})
	}
}

// templates reads a list of templates, or one as a list of one.
func (d *decoder) templates(key string, node *yaml.Node) []*template.Template {
	items := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		items = node.Content
	}
	var list []*template.Template
	for _, item := range items {
		if t := d.template(key, item, false); t != nil {
			list = append(list, t)
		}
	}
	return list
}

// checkLoop completes the parts of a loop, and refuses loop keys elsewhere.
func (d *decoder) checkLoop(s *Step) {
	if s.Type == Loop {
		d.completeLoop(s)
		return
	}
	if s.Loop == nil {
		return
	}
	for key := range entries(s.node) {
		if s.Loop.nodes[key.Value] != nil {
			d.fail(key, "misplaced-key", key.Value+": belongs to a step of type: loop", "")
		}
	}
}

func (d *decoder) completeLoop(s *Step) {
	if s.Loop == nil {
		s.Loop = &LoopSpec{}
	}
	d.rounds(s)
	if s.Loop.Judge == nil {
		s.Loop.Judge = &Step{Type: Call, recipeNode: s.node}
	}
	s.Loop.Judge.Context = s.Context
	if s.Loop.Judge.Recipe == "" {
		s.Loop.Judge.Recipe = "loop-health-evaluator"
	}
	d.part(s, s.Loop.Judge, ".judge")
	d.part(s, s.Loop.Check, ".check")
	d.part(s, s.Loop.Progress, ".progress")
	d.part(s, s.Loop.Failing, ".failing")
	d.completeLedger(s)
	if s.has("evidence") && s.Loop.Progress != nil && s.Loop.Progress.Command == nil {
		s.Loop.Progress = nil
	}
}

// part makes a step of the loop's own complete. Commands work where the loop
// does and with its environment.
func (d *decoder) part(s, part *Step, suffix string) {
	if part == nil {
		return
	}
	part.ID, part.Pos, part.doc, part.node, part.idNode = s.ID+suffix, s.Pos, s.doc, s.node, s.idNode
	if part.Type == Bash {
		part.WorkingDir, part.Env, part.AllowReparse = s.WorkingDir, s.Env, s.AllowReparse
	}
}

// rounds makes the steps of which each round runs one.
func (d *decoder) rounds(s *Step) {
	given := 0
	for _, key := range []string{"recipe", "steps", "workflows"} {
		if s.has(key) {
			given++
		}
	}
	if given != 1 {
		d.fail(s.node, "missing-recipe", "the loop "+quoteShort(s.ID)+" needs exactly one of recipe:, steps: and workflows:", "")
		return
	}
	round := func(name string, node *yaml.Node) {
		step := &Step{Type: Call, Recipe: name, recipeNode: node, Context: s.Context, Outputs: s.Outputs}
		d.part(s, step, "")
		s.Loop.Rounds = append(s.Loop.Rounds, step)
	}
	switch {
	case s.has("recipe"):
		round(s.Recipe, s.recipeNode)
	case s.has("workflows"):
		d.workflows(s, round)
	default:
		s.Loop.inline = d.steps("steps", s.value("steps"))
		if len(s.Loop.inline) == 0 {
			d.fail(s.value("steps"), "missing-steps", "the loop "+quoteShort(s.ID)+" has no steps", "")
		}
		round(s.ID, s.value("steps"))
		d.checkIDs(s.Loop.inline)
		d.checkGraph(s.Loop.inline)
	}
}

// workflows finds the recipes of workflows:, a list of maps with id or recipe,
// or a map from ids.
func (d *decoder) workflows(s *Step, round func(name string, node *yaml.Node)) {
	node := s.Loop.nodes["workflows"]
	named := func(item *yaml.Node, id string) {
		for _, key := range []string{"recipe", "id"} {
			if at := lookup(item, key); at != nil && (key == "recipe" || id == "") {
				round(d.text(key, at), at)
				return
			}
		}
		round(id, node)
	}
	switch node.Kind {
	case yaml.SequenceNode:
		for _, item := range node.Content {
			named(item, "")
		}
	case yaml.MappingNode:
		for key, item := range entries(node) {
			named(item, key.Value)
		}
	}
	if len(s.Loop.Rounds) == 0 || slices.ContainsFunc(s.Loop.Rounds, func(r *Step) bool { return r.Recipe == "" }) {
		d.fail(node, "bad-workflows", "workflows: is a list of maps with id or recipe, or a map from ids", "")
	}
}
