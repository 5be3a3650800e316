package recipes

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/brickoven/brickoven/recipes/template"
	"github.com/brickoven/brickoven/recipes/value"
	"gopkg.in/yaml.v3"
)

// A step may call the recipe that a variable names: recipe: "{{producer}}". The
// whole tree is still known before the run starts, because the variable has to
// have its value by then: from the command line, from a default, or from the
// context of the calling steps. What a step of the run makes is no such value.

// known are the variables whose values, as texts, are fixed when the run starts.
// A name that is absent has no value yet; one that is not fixed gets its value
// in the run.
type known map[string]knownText

type knownText struct {
	text  string
	fixed bool
}

// knownAtStart are the variables that the caller of the root recipe supplies.
func knownAtStart(vars []Variable) known {
	k := known{}
	for _, v := range vars {
		k.set(v.Name, v.Value)
	}
	return k
}

func (k known) set(name string, v any) {
	switch value.Kind(v) {
	case "null":
	case "string", "number", "bool":
		k[name] = knownText{value.Text(v), true}
	default:
		k[name] = knownText{}
	}
}

// within are the variables that the steps of a recipe see, where incoming come
// from its caller.
func (r *Recipe) within(incoming known) known {
	k := maps.Clone(incoming)
	fill := func(name string, v any) {
		if _, has := k[name]; !has {
			k.set(name, v)
		}
	}
	for _, def := range r.Context {
		fill(def.Name, def.Value)
	}
	for _, in := range r.Inputs {
		if in.HasDefault {
			fill(in.Name, in.Default)
		}
	}
	for _, s := range r.allSteps() {
		for _, name := range s.sets() {
			k[name] = knownText{}
		}
	}
	return k
}

// sets are the variables that the step itself names as its results.
func (s *Step) sets() []string {
	var names []string
	add := func(name string) {
		if name != "" {
			names = append(names, name)
		}
	}
	add(s.Output)
	add(s.Collect)
	if s.Foreach != nil {
		add(s.element())
	}
	if s.Outputs != nil {
		for _, pair := range s.Outputs.Pairs {
			add(pair.Name)
		}
	}
	return names
}

// passed are the variables that the recipe of a step starts with.
func (k known) passed(s *Step) known {
	below := maps.Clone(k)
	for _, arg := range s.Context {
		delete(below, arg.Name)
		t, isText := arg.Value.(*template.Template)
		switch {
		case !isText:
			below.set(arg.Name, arg.Value)
		case t.Literal():
			below.set(arg.Name, t.Source())
		default:
			name := chosenBy(t.Source())
			from, has := k[name]
			if has || name == "" {
				below[arg.Name] = from
			}
		}
	}
	return below
}

// declares tells whether the variable is an input of the recipe, which whoever
// runs it is asked for.
func (r *Recipe) declares(name string) bool {
	for _, in := range r.Inputs {
		if in.Name == name {
			return true
		}
	}
	return false
}

// choose settles which recipe a step calls whose name is a variable. The error
// is an [*unchosenError] where the variable has no value yet.
func (s *Step) choose(k known) error {
	s.Chosen = chosenBy(s.Recipe)
	if s.Chosen == "" {
		return nil
	}
	v, has := k[s.Chosen]
	switch {
	case !has || v.fixed && v.text == "":
		return &unchosenError{s.Chosen}
	case !v.fixed:
		return &RefusedError{s.Recipe, "which recipe is called must be known before the run, and the variable " + s.Chosen +
			" is not; write one step for each, with a condition"}
	}
	s.Recipe = v.text
	return nil
}

// chosenBy is the variable that a recipe's name is, and empty for any other name.
func chosenBy(name string) string {
	t, err := template.Parse(name, template.Options{})
	if err != nil {
		return ""
	}
	path, single := t.Path()
	if parts, ok := value.SplitPath(path); !single || !ok || len(parts) != 1 || parts[0] == "steps" {
		return ""
	}
	return path
}

// unchosenError says that a variable that names a recipe has no value yet.
type unchosenError struct{ variable string }

func (e *unchosenError) Error() string {
	return fmt.Sprintf("no recipe is named: the variable %s has no value when the run starts", e.variable)
}

// CheckChosen tells whether the variable that named the recipe of the step still
// names it; steps that name their recipe themselves are always right.
func (s *Step) CheckChosen(lookup func(name string) (v any, found bool)) error {
	if s.Chosen == "" {
		return nil
	}
	if v, _ := lookup(s.Chosen); value.Text(v) != s.Recipe {
		return fmt.Errorf("the variable %s named the recipe %s when the run started and must not change; it is %s now",
			s.Chosen, quoteShort(s.Recipe), quoteShort(value.Text(v)))
	}
	return nil
}

// IsOpen tells that the variable which names the recipe of the step has no value
// yet.
func (s *Step) IsOpen() bool {
	_, open := errors.AsType[*unchosenError](s.Missing)
	return open
}

// variant is a recipe as it is with certain variables. Where no name below it
// is a variable it is the same with all of them.
type variant struct {
	recipe *Recipe
	known  known
}

func (v variant) fits(k known) bool { return !v.recipe.choosing || maps.Equal(v.known, k) }

// circular tells whether a call of a recipe with these variables comes back to
// one under way. A recipe that is entered again because a variable chose it is
// no circle as long as the variables differ.
func circular(path []call, k known) bool {
	if maps.Equal(path[0].known, k) {
		return true
	}
	for _, on := range path {
		if on.step.Chosen != "" {
			return false
		}
	}
	return true
}

// choosing marks the recipes on a path as such whose calls depend on variables.
func choosing(path []call) {
	for _, on := range path {
		on.recipe.choosing = true
	}
}

// named is where the name of the recipe that the last step of a path calls is
// written: at the step, or where a caller gave the variable its value.
func named(path []call) (*document, *yaml.Node) {
	last := path[len(path)-1].step
	doc, node, variable := last.doc, last.recipeNode, last.Chosen
	for _, caller := range slices.Backward(path[:len(path)-1]) {
		if !slices.ContainsFunc(caller.step.Context, func(arg Argument) bool { return arg.Name == variable }) {
			continue
		}
		for _, key := range []string{"context", "sub_context"} {
			arguments := lookup(caller.step.node, key)
			if arguments == nil {
				continue
			}
			if given := lookup(arguments, variable); given != nil {
				doc, node, variable = caller.step.doc, given, chosenBy(given.Value)
				break
			}
		}
	}
	return doc, node
}
