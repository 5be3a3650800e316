package recipes

import (
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// LoadOptions tell [Parse], [Load] and [Resolver.Resolve] how to read.
type LoadOptions struct {
	// Strict makes unknown keys and unknown names errors, as strict: true in
	// the recipe does.
	Strict bool
	// AllowForeign lists keys of other tools that are let through with a
	// warning although they would change control there.
	AllowForeign []string
	// Names are variables that the caller supplies; conditions may use them.
	Names []string
	// Vars are those variables with their values, for recipes whose names are
	// variables; see [Step.Chosen].
	Vars []Variable
}

// Parse reads one recipe document. Path stands in the positions and may be
// anything; relative paths in the recipe start from its folder. A parent named
// by extends is not looked at; see [Resolver.Resolve]. The error is [Findings]
// with every fault of the document; warnings are in [Recipe.Warnings].
func Parse(path string, data []byte, opts LoadOptions) (*Recipe, error) {
	doc, err := readDocument(Source{Path: path, Dir: filepath.Dir(path)}, data)
	if err != nil {
		return nil, err
	}
	recipe, found := decodeDocument(doc, opts)
	for _, r := range append([]*Recipe{recipe}, recipe.inlined()...) {
		r.compileConditions(opts.Names, &found)
	}
	found.sort()
	if err := found.err(); err != nil {
		return nil, err
	}
	recipe.Warnings = found
	return recipe, nil
}

// Load reads the recipe document in the file at path; see [Parse]. The error is
// [Findings], or that of the file system.
func Load(path string, opts LoadOptions) (*Recipe, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, opts)
}

// readFile reads one byte more than allowed, so that the size is refused
// without reading a file that has no end.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the recipe: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFileSize+1))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("read the recipe: %w", err)
	}
	return data, nil
}

// decoder turns the nodes of one document into a recipe and notes every fault.
type decoder struct {
	doc    *document
	opts   LoadOptions
	recipe *Recipe
	found  Findings
	// fields collects the places of the step, or of the recipe, that is being
	// read.
	fields []*field
}

// decodeDocument reads everything but the conditions, which are compiled when
// all names are known.
func decodeDocument(doc *document, opts LoadOptions) (*Recipe, Findings) {
	d := &decoder{doc: doc, opts: opts, recipe: &Recipe{Source: doc.source, doc: doc}}
	if node := lookup(doc.root, "strict"); node != nil && node.Kind == yaml.ScalarNode && strings.EqualFold(node.Value, "true") {
		d.opts.Strict = true
	}
	d.recipe.Strict = d.opts.Strict
	d.keys(doc.root, recipeScope(), func(key string, node *yaml.Node) {
		recipeKeys()[key](d, key, node)
	})
	d.recipe.fields = d.fields
	d.finish()
	d.found.sort()
	return d.recipe, d.found
}

// finish checks what takes the whole document to know.
func (d *decoder) finish() {
	r := d.recipe
	if r.Name == "" && !d.reported("name") {
		d.fail(d.doc.root, "missing-name", "the recipe has no name", "add name: at the top")
	}
	d.checkSteps()
	d.checkIDs(r.allSteps())
	d.checkGraph(r.Steps)
	d.checkGraph(r.Finally)
	d.inlineRounds(r)
}

// inlineRounds makes recipes of the steps that loops hold, at every depth.
func (d *decoder) inlineRounds(r *Recipe) {
	for _, s := range r.allSteps() {
		if s.Type == Loop && s.Loop != nil && len(s.Loop.inline) > 0 && len(s.Loop.Rounds) > 0 {
			child := r.inlineRound(s)
			s.Loop.Rounds[0].Child = child
			d.inlineRounds(child)
		}
	}
}

// checkIDs refuses ids that steps of one list share.
func (d *decoder) checkIDs(steps []*Step) {
	ids := map[string]*Step{}
	for _, s := range steps {
		if s.ID == "" {
			continue
		}
		if first, repeated := ids[s.ID]; repeated {
			d.fail(s.idNode, "duplicate-step", fmt.Sprintf("the step id %s is already used in line %d", quoteShort(s.ID), first.Pos.Line),
				"give each step an id of its own")
			continue
		}
		ids[s.ID] = s
	}
}

// checkSteps refuses a recipe that does nothing, unless its steps come from a
// parent or another fault already says where they are.
func (d *decoder) checkSteps() {
	if len(d.recipe.Steps) > 0 || d.recipe.Extends != "" || d.reported("extends") || slices.Contains(d.found.Errors().Codes(), "foreign-key") {
		return
	}
	node := lookup(d.doc.root, "steps")
	switch {
	case node == nil:
		d.fail(d.doc.root, "missing-steps", "the recipe has no steps", "add steps: with a list of steps")
	case isNull(node) || node.Kind == yaml.SequenceNode && len(node.Content) == 0:
		d.fail(node, "missing-steps", "the recipe has no steps", "")
	}
}

// reported tells whether the value of a top-level key is already a fault.
func (d *decoder) reported(key string) bool {
	node := lookup(d.doc.root, key)
	if node == nil {
		return false
	}
	for _, found := range d.found {
		if found.Pos == d.doc.position(node) {
			return true
		}
	}
	return false
}

func (d *decoder) fail(node *yaml.Node, code, message, hint string) {
	found := d.doc.finding(node, code, message)
	found.Hint = hint
	d.found = append(d.found, found)
}

func (d *decoder) warn(node *yaml.Node, code, message, hint string) {
	d.fail(node, code, message, hint)
	d.found[len(d.found)-1].Warning = true
}

// entries yields the keys and values of a mapping.
func entries(node *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(*yaml.Node, *yaml.Node) bool) {
		for i := 0; i+1 < len(node.Content); i += 2 {
			if !yield(node.Content[i], node.Content[i+1]) {
				return
			}
		}
	}
}

func lookup(mapping *yaml.Node, key string) *yaml.Node {
	for k, v := range entries(mapping) {
		if k.Value == key {
			return v
		}
	}
	return nil
}

// mapping reports whether node is a mapping; nothing is an empty one, anything
// else is a fault.
func (d *decoder) mapping(key string, node *yaml.Node) bool {
	if node.Kind == yaml.MappingNode {
		return true
	}
	if !isNull(node) {
		d.fail(node, "wrong-type", key+" must be a mapping, not "+kindName(node), "")
	}
	return false
}

// sequence is mapping for lists.
func (d *decoder) sequence(key string, node *yaml.Node) bool {
	if node.Kind == yaml.SequenceNode {
		return true
	}
	if !isNull(node) {
		d.fail(node, "wrong-type", key+" must be a list, not "+kindName(node), "")
	}
	return false
}
