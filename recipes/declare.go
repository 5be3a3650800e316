package recipes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
	"gopkg.in/yaml.v3"
)

var (
	inputTypes      = []string{"string", "number", "boolean", "choice", "json"}
	validationRules = []string{"nonempty", "git_repo", "path", "optional"}
)

// inputs reads the declarations, a mapping by name or a list of {name, …}. A
// list entry that is only a name, or has neither type nor required, documents.
func (d *decoder) inputs(key string, node *yaml.Node) {
	switch node.Kind {
	case yaml.MappingNode:
		for name, val := range entries(node) {
			input := Input{Name: name.Value, Pos: d.doc.position(name)}
			d.checkName(name, "the input")
			d.input(&input, val, true)
			d.addInput(input, name)
		}
	case yaml.SequenceNode:
		for _, item := range node.Content {
			input := Input{Pos: d.doc.position(item)}
			if item.Kind == yaml.ScalarNode {
				input.Name = item.Value
			} else {
				d.input(&input, item, false)
			}
			if input.Name == "" {
				d.fail(item, "missing-name", "the input has no name", "write - name: … for each input")
				continue
			}
			d.addInput(input, item)
		}
	default:
		d.sequence("inputs", node)
	}
}

func (d *decoder) addInput(input Input, node *yaml.Node) {
	for _, other := range d.recipe.Inputs {
		if other.Name == input.Name {
			d.fail(node, "duplicate-input", fmt.Sprintf("the input %s is already declared in line %d", quoteShort(input.Name), other.Pos.Line), "")
			return
		}
	}
	d.recipe.Inputs = append(d.recipe.Inputs, input)
}

func (d *decoder) input(input *Input, node *yaml.Node, keyed bool) {
	if keyed && node.Kind == yaml.ScalarNode {
		d.shortInput(input, node)
		return
	}
	d.keys(node, inputScope, func(key string, node *yaml.Node) {
		switch key {
		case "name":
			if !keyed {
				input.Name = d.text(key, node)
				d.checkName(node, "the input")
			}
		case "type":
			input.Type = d.inputType(node)
		case "options":
			input.Options = d.texts(key, node)
		case "required":
			input.Required = d.flag(key, node)
		case "default":
			input.Default, input.HasDefault = d.value(node), true
		case "description":
			input.Description = d.text(key, node)
		}
	})
	if input.Type == "choice" && len(input.Options) == 0 {
		d.fail(node, "missing-options", "a choice needs options: with the allowed values", "")
	}
	if input.HasDefault && input.Default != nil {
		if fault := typeFault(*input, input.Default); fault != "" {
			d.fail(node, "wrong-default", "the default of "+input.Name+" "+fault, "")
		}
	}
}

// shortInput reads name: type, or name: with a text that describes it.
func (d *decoder) shortInput(input *Input, node *yaml.Node) {
	text := d.text("the input", node)
	for _, known := range inputTypes {
		if text == known && text != "choice" {
			input.Type = text
			return
		}
	}
	input.Description = text
}

// typeAliases are the names of types in the dialects that people come from.
var typeAliases = map[string]string{
	"str": "string", "text": "string", "path": "string", "file": "string",
	"int": "number", "integer": "number", "float": "number",
	"bool": "boolean", "enum": "choice", "select": "choice",
	"object": "json", "array": "json", "list": "json", "map": "json",
}

func (d *decoder) inputType(node *yaml.Node) string {
	text := d.text("type", node)
	if known, ok := typeAliases[strings.ToLower(text)]; ok {
		return known
	}
	return d.choice("the type of an input", node, inputTypes)
}

func (d *decoder) validations(key string, node *yaml.Node) {
	if !d.mapping(key, node) {
		return
	}
	for name, val := range entries(node) {
		for _, rule := range d.rules(name.Value, val) {
			d.recipe.Validation = append(d.recipe.Validation,
				Validation{Name: name.Value, Rule: rule, Pos: d.doc.position(name)})
		}
	}
}

// rules are those of a variable. Recipes in the wild have defaults of the
// context below the key by mistake, so what is no rule, and is not a misspelt
// one either, is only warned of.
func (d *decoder) rules(name string, node *yaml.Node) []string {
	if node.Kind == yaml.SequenceNode {
		var rules []string
		for _, item := range node.Content {
			rules = append(rules, d.rules(name, item)...)
		}
		return rules
	}
	if node.Kind == yaml.ScalarNode && !slices.Contains(validationRules, node.Value) && nearest(node.Value, validationRules) == "" {
		d.warn(node, "wrong-value", fmt.Sprintf("the rule for %s is %s, not %s; it is not checked", name, quoteShort(node.Value), orList(validationRules)),
			"a default belongs under context:")
		return nil
	}
	return []string{d.choice("the rule for "+name, node, validationRules)}
}

// env reads a map of environment variables whose values are templates.
func (d *decoder) env(key string, node *yaml.Node) []EnvEntry {
	if !d.mapping(key, node) {
		return nil
	}
	var list []EnvEntry
	for name, val := range entries(node) {
		if name.Value == "" || strings.ContainsAny(name.Value, "=\x00\n") {
			d.fail(name, "bad-env-name", quoteShort(name.Value)+" cannot be the name of an environment variable", "")
			continue
		}
		list = append(list, EnvEntry{Name: name.Value, Value: d.template(key+"."+name.Value, val, false), Pos: d.doc.position(name)})
	}
	return list
}

// outputs reads which outputs of a called recipe come back: a mapping from the
// caller's name to the child's, or a list of names.
func (d *decoder) outputs(key string, node *yaml.Node) *Outputs {
	outputs := &Outputs{Pairs: []Rename{}}
	if node.Kind == yaml.MappingNode {
		for name, child := range entries(node) {
			d.checkName(name, "the variable")
			outputs.Pairs = append(outputs.Pairs, Rename{Name: name.Value, Child: d.text(key+"."+name.Value, child)})
		}
		return outputs
	}
	if d.foreignOutputs(key, node) {
		return nil
	}
	for _, name := range d.texts(key, node) {
		outputs.Pairs = append(outputs.Pairs, Rename{Name: name, Child: name})
	}
	return outputs
}

// arguments reads the context of a step: values whose texts are templates, at
// every depth.
func (d *decoder) arguments(key string, node *yaml.Node) []Argument {
	if !d.mapping(key, node) {
		return nil
	}
	var list []Argument
	for name, val := range entries(node) {
		d.checkName(name, "the variable")
		list = append(list, Argument{Name: name.Value, Value: d.templated(key+"."+name.Value, val), Pos: d.doc.position(name)})
	}
	return list
}

func (d *decoder) templated(key string, node *yaml.Node) any {
	switch node.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(node.Content)/2)
		for name, item := range entries(node) {
			m[name.Value] = d.templated(key+"."+name.Value, item)
		}
		return m
	case yaml.SequenceNode:
		list := make([]any, len(node.Content))
		for i, item := range node.Content {
			list[i] = d.templated(key, item)
		}
		return list
	}
	if v := d.value(node); value.Kind(v) != "string" {
		return v
	}
	if t := d.template(key, node, false); t != nil {
		return t
	}
	return ""
}

func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
