package recipes

import (
	"errors"
	"path/filepath"

	"github.com/brickoven/brickoven/recipes/value"
	"gopkg.in/yaml.v3"
)

// Contract is the contract: of a loop, which opens a work ledger.
type Contract struct {
	// Path is the file that holds it; empty for one that stands in the recipe.
	Path string
	// Text is the contract: the file's, or JSON.
	Text []byte

	file *spot
}

// Measure is a command of measure:, whose output is one number of the contract's
// rubric.
type Measure struct {
	Dimension string
	Step      *Step
}

// contract reads contract: of a loop, a map or the path of a file.
func (d *decoder) contract(loop *LoopSpec, node *yaml.Node) {
	switch node.Kind {
	case yaml.MappingNode:
		loop.Contract = &Contract{Text: []byte(value.JSON(d.value(node)))}
	case yaml.ScalarNode:
		if path := d.text("contract", node); path != "" {
			spot := d.doc.spot(node)
			loop.Contract = &Contract{Path: path, file: &spot}
		}
	default:
		d.fail(node, "wrong-type", "contract must be a map, or the path of a file", "")
	}
}

// measures reads measure: of a loop, a map from dimensions to commands.
func (d *decoder) measures(loop *LoopSpec, node *yaml.Node) {
	if node.Kind != yaml.MappingNode {
		d.fail(node, "wrong-type", "measure must be a map from dimensions of the rubric to commands", "")
		return
	}
	for key, item := range entries(node) {
		loop.Measures = append(loop.Measures, Measure{
			Dimension: key.Value, Step: &Step{Type: Bash, Command: d.command("measure."+key.Value, item)},
		})
	}
}

// completeLedger makes the parts of a loop's ledger complete.
func (d *decoder) completeLedger(s *Step) {
	for _, m := range s.Loop.Measures {
		d.part(s, m.Step, ".measure."+workName(m.Dimension))
	}
	if len(s.Loop.Measures) > 0 && s.Loop.Contract == nil {
		d.fail(s.value("measure"), "misplaced-key", "measure: needs a contract: whose rubric it measures", "")
	}
}

// workName makes a dimension fit into the id of a step.
func workName(dimension string) string {
	name := []rune(dimension)
	for i, r := range name {
		if !(r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			name[i] = '-'
		}
	}
	return string(name)
}

// readContract reads the contract that the loop names by path, relative to the
// recipe that the step was written in.
func (s *Step) readContract(from library) Findings {
	c := s.Loop.Contract
	path := c.Path
	if !filepath.IsAbs(path) {
		if s.doc.source.Dir == "" {
			return Findings{c.file.finding(0, "bad-contract", "contract: a built-in recipe has no folder that a path could start from")}
		}
		path = filepath.Join(s.doc.source.Dir, path)
	}
	data, err := from.file(path)
	if err != nil {
		if cause := errors.Unwrap(err); cause != nil {
			err = cause // without the words for recipes
		}
		return Findings{c.file.finding(0, "bad-contract", "contract: "+err.Error())}
	}
	c.Path, c.Text = path, data
	return nil
}

// CheckContracts gives the contract: of every loop to check, with the dimensions
// that it measures; nil for a loop that measures nothing. The faults of a file
// are reported where it is named.
func (t *Tree) CheckContracts(check func(c *Contract, dimensions []string) []string) Findings {
	var found Findings
	for _, r := range t.All {
		for _, s := range r.allSteps() {
			if s.Type != Loop || s.Loop == nil || s.Loop.Contract == nil || s.Loop.Contract.Text == nil {
				continue
			}
			var dimensions []string
			for _, m := range s.Loop.Measures {
				dimensions = append(dimensions, m.Dimension)
			}
			for _, fault := range check(s.Loop.Contract, dimensions) {
				found = append(found, s.doc.finding(s.value("contract"), "bad-contract", "contract: "+fault))
			}
		}
	}
	return found
}
