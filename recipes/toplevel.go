package recipes

import (
	"slices"
	"sync"

	"github.com/brickoven/brickoven/recipes/value"
	"gopkg.in/yaml.v3"
)

// recipeKeys reads the keys at the top of a recipe.
var recipeKeys = sync.OnceValue(func() map[string]func(d *decoder, key string, node *yaml.Node) {
	return map[string]func(d *decoder, key string, node *yaml.Node){
		"name":                 func(d *decoder, key string, node *yaml.Node) { d.recipe.Name = d.text(key, node) },
		"description":          func(d *decoder, key string, node *yaml.Node) { d.recipe.Description = d.text(key, node) },
		"version":              func(d *decoder, key string, node *yaml.Node) { d.recipe.Version = d.text(key, node) },
		"author":               func(d *decoder, key string, node *yaml.Node) { d.recipe.Author = d.text(key, node) },
		"tags":                 func(d *decoder, key string, node *yaml.Node) { d.recipe.Tags = d.texts(key, node) },
		"context":              (*decoder).contextDefaults,
		"context_validation":   (*decoder).validations,
		"inputs":               (*decoder).inputs,
		"env":                  func(d *decoder, key string, node *yaml.Node) { d.recipe.Env = d.env(key, node) },
		"secrets":              func(d *decoder, key string, node *yaml.Node) { d.recipe.Secrets = d.texts(key, node) },
		"recursion":            (*decoder).recursion,
		"hooks":                (*decoder).hooks,
		"extends":              func(d *decoder, key string, node *yaml.Node) { d.recipe.Extends = d.text(key, node) },
		"defaults":             (*decoder).defaults,
		"default_step_timeout": func(d *decoder, key string, node *yaml.Node) { d.recipe.DefaultStepTimeout = d.duration(key, node) },
		"max_parallel":         func(d *decoder, key string, node *yaml.Node) { d.recipe.MaxParallel = d.count(key, node) },
		"max_env_bytes":        func(d *decoder, key string, node *yaml.Node) { d.recipe.MaxEnvBytes = d.count(key, node) },
		"strict":               func(d *decoder, key string, node *yaml.Node) { d.flag(key, node) },
		"output":               (*decoder).report,
		"steps":                func(d *decoder, key string, node *yaml.Node) { d.recipe.Steps = d.steps(key, node) },
		"finally":              func(d *decoder, key string, node *yaml.Node) { d.recipe.Finally = d.steps(key, node) },
		"agents":               (*decoder).agents,
	}
})

func (d *decoder) contextDefaults(key string, node *yaml.Node) {
	if !d.mapping(key, node) {
		return
	}
	for name, val := range entries(node) {
		d.checkName(name, "the variable")
		d.recipe.Context = append(d.recipe.Context,
			Variable{Name: name.Value, Value: d.value(val), Pos: d.doc.position(name)})
	}
}

// checkName warns about names that templates and conditions cannot spell.
func (d *decoder) checkName(node *yaml.Node, what string) {
	if node.Value != "" && !value.IsName(node.Value) {
		d.warn(node, "odd-name", what+" "+quoteShort(node.Value)+" cannot be named in templates and conditions",
			"use letters, digits, _ and -, beginning with a letter or _")
	}
}

func (d *decoder) recursion(key string, node *yaml.Node) {
	d.keys(node, recursionScope, func(key string, node *yaml.Node) {
		n := d.count(key, node)
		if n == 0 && node.Value == "0" {
			d.fail(node, "wrong-type", key+" must be at least 1", "leave it out for the default")
		}
		if key == "max_depth" {
			d.recipe.Recursion.MaxDepth = n
		} else {
			d.recipe.Recursion.MaxTotalSteps = n
		}
	})
}

func (d *decoder) hooks(key string, node *yaml.Node) {
	d.keys(node, hooksScope, func(key string, node *yaml.Node) {
		command := d.command("hooks."+key, node)
		switch key {
		case "pre_step":
			d.recipe.Hooks.PreStep = command
		case "post_step":
			d.recipe.Hooks.PostStep = command
		case "on_error":
			d.recipe.Hooks.OnError = command
		}
	})
}

func (d *decoder) defaults(key string, node *yaml.Node) {
	d.keys(node, defaultsScope, func(key string, node *yaml.Node) {
		d.recipe.Defaults.Shell = d.shell("defaults.shell", node)
	})
}

var reportFormats = []string{"text", "json", "markdown"}

func (d *decoder) report(key string, node *yaml.Node) {
	report := &Report{Format: "text"}
	if node.Kind != yaml.MappingNode {
		d.warn(node, "unused-key", "output at the top is a mapping with format and template; "+kindName(node)+" is ignored", "")
		return
	}
	d.keys(node, outputScope, func(key string, node *yaml.Node) {
		if key == "template" {
			report.Template = d.template("output.template", node, false)
			return
		}
		report.Format = d.choice("output.format", node, reportFormats)
	})
	d.recipe.Output = report
}

// choice reads one of a few words.
func (d *decoder) choice(key string, node *yaml.Node, words []string) string {
	text := d.text(key, node)
	if node.Kind == yaml.ScalarNode && !slices.Contains(words, text) {
		hint := ""
		if near := nearest(text, words); near != "" {
			hint = "did you mean " + near + "?"
		}
		d.fail(node, "wrong-value", key+" must be "+orList(words)+", not "+quoteShort(text), hint)
	}
	return text
}

func (d *decoder) agents(key string, node *yaml.Node) {
	if !d.mapping(key, node) {
		return
	}
	m, _ := d.value(node).(map[string]any)
	d.recipe.Agents, d.recipe.agentsNode = m, node
}
