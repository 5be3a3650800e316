package recipes

import (
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

// stepKeys reads the keys of a step.
var stepKeys = sync.OnceValue(func() map[string]func(d *decoder, s *Step, key string, node *yaml.Node) {
	return map[string]func(d *decoder, s *Step, key string, node *yaml.Node){
		"id":          func(d *decoder, s *Step, key string, node *yaml.Node) { s.ID, s.idNode = d.text(key, node), node },
		"name":        func(d *decoder, s *Step, key string, node *yaml.Node) { s.Name = d.text(key, node) },
		"description": func(d *decoder, s *Step, key string, node *yaml.Node) { s.Description = d.text(key, node) },
		"type":        func(d *decoder, s *Step, key string, node *yaml.Node) { s.Type = Type(d.choice(key, node, stepTypes)) },
		"command":     func(d *decoder, s *Step, key string, node *yaml.Node) { s.Command = d.command(key, node) },
		"shell":       func(d *decoder, s *Step, key string, node *yaml.Node) { s.Shell = d.shell(key, node) },
		"agent":       func(d *decoder, s *Step, key string, node *yaml.Node) { s.Persona = d.text(key, node) },
		"cli":         func(d *decoder, s *Step, key string, node *yaml.Node) { s.CLI = d.text(key, node) },
		"prompt":      func(d *decoder, s *Step, key string, node *yaml.Node) { s.Prompt = d.template(key, node, true) },
		"model":       func(d *decoder, s *Step, key string, node *yaml.Node) { s.Model = d.template(key, node, false) },
		"mode":        func(d *decoder, s *Step, key string, node *yaml.Node) { s.Mode = d.text(key, node) },
		"files":       (*decoder).files,
		"max_bytes":   func(d *decoder, s *Step, key string, node *yaml.Node) { s.MaxBytes = d.count(key, node) },
		"session":     func(d *decoder, s *Step, key string, node *yaml.Node) { s.Session = d.text(key, node) },
		"continue_session": func(d *decoder, s *Step, key string, node *yaml.Node) {
			s.ContinueSession = d.flag(key, node)
		},
		"inherit_user_config": func(d *decoder, s *Step, key string, node *yaml.Node) {
			inherit := d.flag(key, node)
			s.InheritUserConfig = &inherit
		},
		"recipe": func(d *decoder, s *Step, key string, node *yaml.Node) {
			s.Recipe = d.text(key, node)
			s.recipeNode = node
		},
		"context":     (*decoder).stepContext,
		"sub_context": (*decoder).stepContext,
		"outputs":     func(d *decoder, s *Step, key string, node *yaml.Node) { s.Outputs = d.outputs(key, node) },
		"uses":        func(d *decoder, s *Step, key string, node *yaml.Node) { s.Uses = d.text(key, node) },
		"output": func(d *decoder, s *Step, key string, node *yaml.Node) {
			s.Output = d.text(key, node)
			d.checkName(node, "the variable")
		},
		"condition":           (*decoder).condition,
		"parse_json":          func(d *decoder, s *Step, key string, node *yaml.Node) { s.ParseJSON = d.flag(key, node) },
		"parse_json_required": func(d *decoder, s *Step, key string, node *yaml.Node) { s.ParseJSONRequired = d.flag(key, node) },
		"require_field":       func(d *decoder, s *Step, key string, node *yaml.Node) { s.RequireField = d.text(key, node) },
		"output_schema":       (*decoder).outputSchema,
		"working_dir":         func(d *decoder, s *Step, key string, node *yaml.Node) { s.WorkingDir = d.template(key, node, false) },
		"env":                 func(d *decoder, s *Step, key string, node *yaml.Node) { s.Env = d.env(key, node) },
		"stdin":               func(d *decoder, s *Step, key string, node *yaml.Node) { s.Stdin = d.template(key, node, false) },
		"timeout":             func(d *decoder, s *Step, key string, node *yaml.Node) { s.Timeout = d.duration(key, node) },
		"timeout_seconds":     func(d *decoder, s *Step, key string, node *yaml.Node) { s.Timeout = d.duration(key, node) },
		"idle_timeout":        func(d *decoder, s *Step, key string, node *yaml.Node) { s.IdleTimeout = d.duration(key, node) },
		"retry":               (*decoder).retry,
		"on_interrupt": func(d *decoder, s *Step, key string, node *yaml.Node) {
			s.OnInterrupt = d.choice(key, node, interruptModes)
		},
		"continue_on_error": func(d *decoder, s *Step, key string, node *yaml.Node) { d.tolerate(s, d.flag(key, node)) },
		"nonfatal":          func(d *decoder, s *Step, key string, node *yaml.Node) { d.tolerate(s, d.flag(key, node)) },
		"fatal":             func(d *decoder, s *Step, key string, node *yaml.Node) { d.tolerate(s, !d.flag(key, node)) },
		"parallel_group":    func(d *decoder, s *Step, key string, node *yaml.Node) { s.ParallelGroup = d.text(key, node) },
		"depends_on":        (*decoder).dependsOn,
		"foreach":           (*decoder).foreach,
		"as": func(d *decoder, s *Step, key string, node *yaml.Node) {
			s.As = d.text(key, node)
			d.checkName(node, "the variable")
		},
		"collect": func(d *decoder, s *Step, key string, node *yaml.Node) {
			s.Collect = d.text(key, node)
			d.checkName(node, "the variable")
		},
		"parallel":            (*decoder).parallel,
		"when_tags":           func(d *decoder, s *Step, key string, node *yaml.Node) { s.WhenTags = d.texts(key, node) },
		"auto_stage":          func(d *decoder, s *Step, key string, node *yaml.Node) { s.AutoStage = d.flag(key, node) },
		"recovery_on_failure": func(d *decoder, s *Step, key string, node *yaml.Node) { s.RecoveryOnFailure = d.flag(key, node) },
		"max_env_value_bytes": func(d *decoder, s *Step, key string, node *yaml.Node) { s.MaxEnvValueBytes = d.count(key, node) },
		"allow_reparse":       func(d *decoder, s *Step, key string, node *yaml.Node) { s.AllowReparse = d.flag(key, node) },
		"detach":              func(d *decoder, s *Step, key string, node *yaml.Node) { s.Detach = d.flag(key, node) },
		"steps":               (*decoder).loopKey,
		"judge":               (*decoder).loopKey,
		"check":               (*decoder).loopKey,
		"evidence":            (*decoder).loopKey,
		"brakes":              (*decoder).loopKey,
		"contract":            (*decoder).loopKey,
		"measure":             (*decoder).loopKey,
		"workflows":           (*decoder).loopKey,
	}
})

var (
	stepTypes      = []string{string(Bash), string(Agent), string(Call), string(Native), string(Loop)}
	interruptModes = []string{"rerun", "fail", "skip"}
)

// steps reads a list of steps.
func (d *decoder) steps(key string, node *yaml.Node) []*Step {
	if !d.sequence(key, node) {
		return nil
	}
	list := make([]*Step, 0, len(node.Content))
	outer := d.fields
	for _, item := range node.Content {
		if item.Kind != yaml.MappingNode {
			d.fail(item, "wrong-type", "a step is a mapping with an id, not "+kindName(item), "")
			continue
		}
		d.fields = nil
		list = append(list, d.step(item))
	}
	d.fields = outer
	return list
}

func (d *decoder) step(node *yaml.Node) *Step {
	s := &Step{Pos: d.doc.position(node), node: node, idNode: node, doc: d.doc.of(node)}
	before := len(d.found)
	d.keys(node, stepScope(), func(key string, node *yaml.Node) { stepKeys()[key](d, s, key, node) })
	s.fields = d.fields
	if s.ID == "" {
		d.fail(s.idNode, "missing-id", "the step has no id", "add id: with a name of its own")
	}
	if s.Type == "" {
		s.Type = inferType(s)
	}
	if clean := len(d.found.Errors()) == len(d.found[:before].Errors()); clean {
		d.checkStep(s)
	}
	return s
}

// has reports whether the key is written on the step.
func (s *Step) has(key string) bool { return lookup(s.node, key) != nil }

// lacks reports whether the key is not written, or has nothing for its value.
func (s *Step) lacks(key string) bool {
	node := lookup(s.node, key)
	return node == nil || strings.TrimSpace(node.Value) == "" || isNull(node)
}

// inferType decides what kind of step it is where type is not given (issue "The
// runner", "Recipe document").
func inferType(s *Step) Type {
	switch {
	case s.has("uses"):
		return Native
	case s.has("recipe"):
		return Call
	case s.has("agent"):
		return Agent
	case s.has("prompt") && !s.has("command"):
		return Agent
	}
	return Bash
}

// misspelt is a hint where the step has a key that is no key but nearly the
// wanted one.
func (s *Step) misspelt(key string) string {
	for written := range entries(s.node) {
		if _, known := stepKeys()[written.Value]; !known && nearest(written.Value, []string{key}) != "" {
			return "did you mean " + key + " where it says " + written.Value + "?"
		}
	}
	return ""
}

// need is the key that a step of each type cannot do without.
var need = map[Type]string{Bash: "command", Agent: "prompt", Call: "recipe", Native: "uses"}

// onlyFor lists the keys that steps of other types do not look at.
var onlyFor = map[string][]Type{
	"command": {Bash}, "shell": {Bash}, "allow_reparse": {Bash},
	"agent": {Agent}, "cli": {Agent}, "prompt": {Agent, Loop}, "model": {Agent, Loop}, "mode": {Agent}, "files": {Agent},
	"max_bytes": {Agent}, "session": {Agent}, "continue_session": {Agent}, "inherit_user_config": {Agent},
	"recipe": {Call, Loop}, "sub_context": {Call, Loop}, "outputs": {Call, Loop}, "recovery_on_failure": {Call},
	"uses": {Native},
}

// checkStep looks for what is missing and for what the step's type ignores.
func (d *decoder) checkStep(s *Step) {
	d.checkLoop(s)
	if key := need[s.Type]; key != "" && s.lacks(key) {
		d.fail(s.node, "missing-"+key, "the "+string(s.Type)+" step "+quoteShort(s.ID)+" has no "+key, s.misspelt(key))
	}
	for key := range entries(s.node) {
		types, limited := onlyFor[key.Value]
		if limited && !slices.Contains(types, s.Type) {
			d.warn(key, "unused-key", key.Value+": is not used by a step of type "+string(s.Type), "")
		}
	}
	if s.Foreach == nil {
		for _, key := range []string{"as", "collect", "parallel"} {
			if s.has(key) {
				d.warn(lookup(s.node, key), "unused-key", key+": means nothing without foreach:", "")
			}
		}
	}
	if s.has("timeout") && s.has("timeout_seconds") {
		d.fail(lookup(s.node, "timeout_seconds"), "duplicate-key", "timeout and timeout_seconds are the same setting", "keep timeout")
	}
	if s.Session != "" && s.ContinueSession {
		d.fail(lookup(s.node, "continue_session"), "duplicate-key", "session and continue_session each name a conversation", "keep one of them")
	}
	if s.has("context") && s.has("sub_context") {
		d.fail(lookup(s.node, "sub_context"), "duplicate-key", "context and sub_context are the same key", "keep context")
	}
}
