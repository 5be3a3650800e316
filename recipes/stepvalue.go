package recipes

import (
	"errors"
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/recipes/template"
	"gopkg.in/yaml.v3"
)

// template reads a text with placeholders. Lenient keeps what does not parse as
// it stands, with a warning.
func (d *decoder) template(key string, node *yaml.Node, lenient bool) *template.Template {
	if node.Kind != yaml.ScalarNode {
		d.fail(node, "wrong-type", key+" must be a text, not "+kindName(node), "")
		return nil
	}
	where := d.doc.spot(node)
	source := d.text(key, node)
	t, err := template.Parse(source, template.Options{Lenient: lenient})
	if err != nil {
		d.found = append(d.found, templateFinding(where, key, err))
		return nil
	}
	for _, warning := range t.Warnings() {
		line, column, message := cutPlace(warning)
		found := where.finding(where.offset(line, column), "foreign-template", key+": "+message)
		found.Warning = true
		d.found = append(d.found, found)
	}
	if !t.Literal() {
		d.fields = append(d.fields, &field{key: key, spot: where, template: t})
	}
	return t
}

// cutPlace takes the place off a warning that begins with one.
func cutPlace(warning string) (line, column int, message string) {
	place, message, found := strings.Cut(warning, ": ")
	if n, err := fmt.Sscanf(place, "line %d, column %d", &line, &column); !found || n < 2 || err != nil {
		return 0, 0, warning
	}
	return line, column, message
}

func templateFinding(where spot, key string, err error) *Finding {
	fault, ok := errors.AsType[*template.Error](err)
	if !ok {
		return where.finding(0, "template-syntax", key+": "+err.Error())
	}
	found := where.finding(where.offset(fault.Line, fault.Column), "template-syntax", key+": "+fault.Message)
	found.Hint = fault.Hint
	return found
}

// command reads a shell command; it is compiled when the tree is resolved.
func (d *decoder) command(key string, node *yaml.Node) *Command {
	if node.Kind != yaml.ScalarNode {
		d.fail(node, "wrong-type", key+" must be a text, not "+kindName(node), "write several lines as a block after |")
		return nil
	}
	c := &Command{Source: d.text(key, node), Pos: d.doc.position(node), spot: d.doc.spot(node)}
	d.fields = append(d.fields, &field{key: key, spot: c.spot, command: c})
	return c
}

// shell reads an interpreter: a name, or a list of the program and its options.
func (d *decoder) shell(key string, node *yaml.Node) Shell {
	if node.Kind == yaml.SequenceNode && len(node.Content) == 0 {
		d.fail(node, "wrong-type", key+" is an empty list", "write bash, sh, or a list such as [bash, -euo, pipefail]")
		return nil
	}
	list := Shell(d.texts(key, node))
	if node.Kind == yaml.ScalarNode && strings.ContainsAny(node.Value, " \t") {
		d.fail(node, "wrong-value", key+" with options is written as a list",
			"write ["+strings.Join(strings.Fields(node.Value), ", ")+"]")
	}
	if len(list) > 0 && list[0] == "" {
		d.fail(node, "wrong-value", key+" names no program", "write bash, sh, or a list such as [bash, -euo, pipefail]")
	}
	return list
}

func (d *decoder) files(s *Step, key string, node *yaml.Node) {
	if node.Kind == yaml.ScalarNode {
		s.Files = []*template.Template{d.template(key, node, false)}
		return
	}
	if !d.sequence(key, node) {
		return
	}
	for _, item := range node.Content {
		s.Files = append(s.Files, d.template(key, item, false))
	}
}

func (d *decoder) stepContext(s *Step, key string, node *yaml.Node) {
	s.Context = append(s.Context, d.arguments(key, node)...)
}

// condition notes the text; it is compiled when all names are known.
func (d *decoder) condition(s *Step, key string, node *yaml.Node) {
	text := d.text(key, node)
	if node.Kind != yaml.ScalarNode {
		return
	}
	if strings.TrimSpace(text) == "" {
		d.warn(node, "empty-condition", "the condition is empty; the step always runs", "remove it")
		return
	}
	d.fields = append(d.fields, &field{key: key, spot: d.doc.spot(node), program: &s.Condition})
}

func (d *decoder) outputSchema(s *Step, key string, node *yaml.Node) {
	switch {
	case node.Kind == yaml.MappingNode:
		s.OutputSchema = d.value(node)
	case node.Kind == yaml.ScalarNode && node.Value != "":
		s.schemaFile = d.doc.spot(node)
	default:
		d.fail(node, "wrong-type", key+" must be a JSON Schema or the path of one, not "+kindName(node), "")
	}
}

func (d *decoder) retry(s *Step, key string, node *yaml.Node) {
	s.Retry = &Retry{Attempts: 1}
	if node.Kind == yaml.ScalarNode && !isNull(node) {
		s.Retry.Attempts = d.count(key, node)
		return
	}
	d.keys(node, retryScope, func(key string, node *yaml.Node) {
		switch key {
		case "attempts":
			s.Retry.Attempts = d.count(key, node)
			if node.Value == "0" {
				d.fail(node, "wrong-type", "attempts counts the first one too and must be at least 1", "")
			}
		case "delay":
			s.Retry.Delay = d.duration(key, node)
		case "backoff":
			s.Retry.Backoff = d.factor(key, node)
		case "max_delay":
			s.Retry.MaxDelay = d.duration(key, node)
		case "on_exit":
			s.Retry.OnExit = d.exitCodes(key, node)
		}
	})
}

func (d *decoder) exitCodes(key string, node *yaml.Node) []int {
	items := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		items = node.Content
	}
	var codes []int
	for _, item := range items {
		code := d.count(key, item)
		if code > 255 {
			d.fail(item, "wrong-value", key+" takes exit codes from 0 to 255", "")
		}
		if code == 79 {
			d.warn(item, "never-retried", "79 is a structural refusal and is never retried", "")
		}
		codes = append(codes, code)
	}
	return codes
}

// tolerate notes one of the three spellings; any of them is enough.
func (d *decoder) tolerate(s *Step, yes bool) { s.Tolerate = s.Tolerate || yes }

func (d *decoder) dependsOn(s *Step, key string, node *yaml.Node) {
	s.DependsOn, s.dependsNode = d.texts(key, node), node
}

// foreach reads the list to go through: a template, or the list itself.
func (d *decoder) foreach(s *Step, key string, node *yaml.Node) {
	if node.Kind == yaml.SequenceNode {
		d.fail(node, "wrong-type", "foreach must be a template that gives a list, such as \"{{files}}\"",
			"put the list under context: and name it here")
		return
	}
	s.Foreach = d.template(key, node, false)
	if s.Foreach != nil && s.Foreach.Literal() {
		d.fail(node, "wrong-value", "foreach must be a template that gives a list, such as \"{{files}}\", not "+kindName(node), "")
	}
}

func (d *decoder) parallel(s *Step, key string, node *yaml.Node) {
	s.Parallel = d.count(key, node)
}
