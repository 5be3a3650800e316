package recipes

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Tree is a recipe with every recipe that a run of it may enter. It is
// immutable and safe for concurrent use.
type Tree struct {
	Root *Recipe
	// All holds each recipe of the tree once, the root first and the others in
	// the order in which they are first called.
	All []*Recipe
	// Warnings are those of all documents, in the order of All.
	Warnings []*Finding
	// Recording is what was read for the tree; see [Restore].
	Recording *Recording
}

// Resolve reads the recipe that a command line names, its parents, and all
// recipes that it calls, and compiles conditions and commands. A called recipe
// that does not exist is a warning and stands in [Step.Missing]; one that is
// invalid, or a circle of calls, is a fault. The error is a [*NotFoundError] or
// [*RefusedError] for the recipe itself, [Findings] with every fault of every
// document, or that of the file system.
func (r *Resolver) Resolve(arg string, opts LoadOptions) (*Tree, error) {
	source, err := r.FindRoot(arg)
	if err != nil {
		return nil, err
	}
	return r.ResolveSource(source, opts)
}

// ResolveSource is Resolve for a recipe that was already found.
func (r *Resolver) ResolveSource(source Source, opts LoadOptions) (*Tree, error) {
	rec := &Recording{Root: Source{Path: source.Path, Dir: source.Dir}}
	return load(source, live{r, rec}, rec, opts)
}

// load makes a tree of the documents that a library gives.
func load(source Source, from library, rec *Recording, opts LoadOptions) (*Tree, error) {
	l := &loader{
		library: from, opts: opts, docs: map[string]*document{}, recipes: map[string][]variant{},
		faulty: map[string]bool{}, tree: &Tree{Recording: rec},
	}
	root, err := l.load(source, knownAtStart(opts.Vars), nil)
	if err != nil {
		return nil, err
	}
	l.tree.Root = root
	l.compile()
	l.found.sort()
	l.found = l.found.unique()
	if err := l.found.err(); err != nil {
		return nil, err
	}
	for _, recipe := range l.tree.All {
		l.tree.Warnings = append(l.tree.Warnings, recipe.Warnings...)
	}
	l.tree.Warnings = Findings(append(l.tree.Warnings, l.found...)).unique()
	return l.tree, nil
}

// loader reads the documents of one tree, each once.
type loader struct {
	library library
	opts    LoadOptions
	docs    map[string]*document
	// recipes are those that were read, by their source; several of one source
	// where a variable names what it calls.
	recipes map[string][]variant
	// faulty are the recipes that were read and found invalid.
	faulty map[string]bool
	tree   *Tree
	found  Findings
}

// call is a recipe on the path from the root, with the step that calls on.
type call struct {
	recipe *Recipe
	id     string // of the recipe's source
	step   *Step
	known  known // what the recipe was called with
}

func (l *loader) read(source Source) (*document, error) {
	id := source.identity()
	if doc := l.docs[id]; doc != nil {
		return doc, nil
	}
	data, err := l.library.document(source)
	if err != nil {
		return nil, err
	}
	doc, err := readDocument(source, data)
	if err != nil {
		return nil, err
	}
	l.docs[id] = doc
	return doc, nil
}

// load reads one recipe, with the variables that its caller has, and what it
// calls. Faults of called recipes are collected; the error is about the recipe
// itself.
func (l *loader) load(source Source, incoming known, path []call) (*Recipe, error) {
	doc, err := l.inherited(source, nil)
	if err != nil {
		return nil, err
	}
	recipe, found := decodeDocument(doc, l.opts)
	if err := found.err(); err != nil {
		return nil, err
	}
	recipe.Extends = ""
	recipe.Warnings = found
	recipe.id = source.identity()
	l.recipes[recipe.id] = append(l.recipes[recipe.id], variant{recipe, incoming})
	l.tree.All = append(l.tree.All, recipe)
	l.children(recipe, incoming, path)
	return recipe, nil
}

// children resolves what the steps of a recipe call.
func (l *loader) children(recipe *Recipe, incoming known, path []call) {
	inside := recipe.within(incoming)
	for _, s := range recipe.withParts() {
		if s.Type != Call {
			continue
		}
		on := call{recipe, recipe.id, s, incoming}
		if s.Child != nil {
			s.Child.id = recipe.id + "#" + s.ID
			l.tree.All = append(l.tree.All, s.Child)
			l.children(s.Child, inside.passed(s), append(path[:len(path):len(path)], on))
		} else {
			l.child(on, inside, path)
		}
	}
	for _, s := range recipe.allSteps() {
		if s.Type == Loop {
			s.Child = s.Loop.Rounds[0].Child
		}
	}
}

// child resolves the recipe that a step calls, where the variables inside are
// those that the step sees.
func (l *loader) child(on call, inside known, path []call) {
	s := on.step
	path = append(path[:len(path):len(path)], on)
	err := s.choose(inside)
	if s.Chosen != "" {
		choosing(path)
	}
	if err != nil {
		l.unresolved(path, err)
		return
	}
	source, err := l.find(s, path)
	if err != nil {
		l.unresolved(path, err)
		return
	}
	id, incoming := source.identity(), inside.passed(s)
	for i, before := range path {
		if before.id == id && circular(path[i:], incoming) {
			l.report(path, "recipe-cycle", "the recipes call each other in a circle: "+chain(path[i:], before.recipe))
			return
		}
	}
	for _, read := range l.recipes[id] {
		if read.fits(incoming) {
			s.Child = read.recipe
			if s.Child.choosing {
				choosing(path)
			}
			return
		}
	}
	if l.faulty[id] {
		return
	}
	child, err := l.load(source, incoming, path)
	if err != nil {
		l.faulty[id] = true
		if found, ok := errors.AsType[Findings](err); ok {
			l.found = append(l.found, found...)
			return
		}
		l.unresolved(path, err)
		return
	}
	s.Child = child
}

// find looks beside the calling recipe and then, for a step that was inherited,
// beside the recipe that the step was written in; a path starts from the latter.
// A name that a variable holds was written by one of the callers, so that it is
// looked for beside them as well, the nearest first.
func (l *loader) find(s *Step, path []call) (Source, error) {
	if err := checkRecipeName(s.Recipe); err != nil {
		return l.library.follow(s.Recipe, s.doc.source)
	}
	from := []string{path[len(path)-1].recipe.Source.Dir, s.doc.source.Dir}
	if s.Chosen != "" {
		for _, caller := range slices.Backward(path[:len(path)-1]) {
			from = append(from, caller.recipe.Source.Dir)
		}
	}
	return l.library.find(s.Recipe, from...)
}

func (l *loader) unresolved(path []call, err error) {
	s := path[len(path)-1].step
	if unchosen, ok := errors.AsType[*unchosenError](err); ok {
		s.Missing = err
		if !slices.ContainsFunc(path, func(on call) bool { return on.recipe.declares(unchosen.variable) }) {
			l.report(path, "recipe-not-found", err.Error())
			l.found[len(l.found)-1].Warning = true
		}
		return
	}
	if _, missing := errors.AsType[*NotFoundError](err); missing {
		s.Missing = err
		l.report(path, "recipe-not-found", err.Error())
		l.found[len(l.found)-1].Warning = true
		return
	}
	code := "recipe-unreadable"
	if _, refused := errors.AsType[*RefusedError](err); refused {
		code = "bad-recipe-name"
	}
	l.report(path, code, err.Error())
}

// report notes what is wrong with a call, where the recipe's name is written.
func (l *loader) report(path []call, code, message string) {
	doc, node := named(path)
	l.found = append(l.found, doc.finding(node, code, message))
}

// chain prints the calls with the place of each: a (a.yaml:3:5) → b … → a.
func chain(path []call, end *Recipe) string {
	var b strings.Builder
	for _, on := range path {
		fmt.Fprintf(&b, "%s (%s) → ", on.recipe.Name, on.step.doc.position(on.step.recipeNode))
	}
	return b.String() + end.Name
}

// identity is the same for two sources that are one file.
func (s Source) identity() string {
	if strings.HasPrefix(s.Path, builtinFolder) {
		return s.Path
	}
	path := s.file()
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return path
}

func sameSource(a, b Source) bool { return a.identity() == b.identity() }

// Step finds a step by its path: an id of the root; recipe/step with the name
// of a recipe in the tree; or the ids of the calling steps and then its own.
func (t *Tree) Step(path string) (*Step, bool) {
	if s := t.Root.step(path); s != nil {
		return s, true
	}
	for i := len(path) - 1; i > 0; i-- {
		if path[i] != '/' {
			continue
		}
		for _, recipe := range t.All {
			if recipe.Name == path[:i] {
				if s := recipe.step(path[i+1:]); s != nil {
					return s, true
				}
			}
		}
	}
	return t.Root.nested(path)
}

// nested follows the ids of calling steps; ids may hold slashes of their own.
func (r *Recipe) nested(path string) (*Step, bool) {
	for i := 1; i < len(path); i++ {
		if path[i] != '/' {
			continue
		}
		caller := r.step(path[:i])
		if caller == nil || caller.Child == nil {
			continue
		}
		if s := caller.Child.step(path[i+1:]); s != nil {
			return s, true
		}
		if s, ok := caller.Child.nested(path[i+1:]); ok {
			return s, true
		}
	}
	return nil, false
}

func (r *Recipe) step(id string) *Step {
	for _, list := range [][]*Step{r.Steps, r.Finally} {
		for _, s := range list {
			if s.ID == id {
				return s
			}
		}
	}
	return nil
}

// StepCount counts the steps of all recipes in the tree, those of finally
// included; a recipe that is called twice counts once.
func (t *Tree) StepCount() int {
	n := 0
	for _, recipe := range t.All {
		n += len(recipe.Steps) + len(recipe.Finally)
	}
	return n
}

// Texts returns the documents of the tree after inheritance, in the order of
// All, for recording beside a run.
func (t *Tree) Texts() []Source {
	var texts []Source
	for _, recipe := range t.All {
		if recipe.inline {
			continue
		}
		text := recipe.Source
		text.Text = recipe.Document()
		texts = append(texts, text)
	}
	return texts
}

// Document is the recipe as YAML: the text as it was read or, where it extends
// another, the whole of both.
func (r *Recipe) Document() string {
	if r.doc == nil || r.doc.owners == nil {
		return r.Source.Text
	}
	var b strings.Builder
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(r.doc.root); err != nil {
		return r.Source.Text
	}
	return b.String()
}
