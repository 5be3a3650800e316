package recipes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// Check looks through the tree for what would fail or surprise in a run: names
// that nothing supplies, variables with one name in the environment, conditions
// that read as something else than they do, commands that need a second look.
// Names are the variables that the caller supplies. Names that nothing supplies
// are faults in strict recipes and warnings elsewhere; a name of the root
// recipe without a default may still come from a caller.
func (t *Tree) Check(names []string) Findings {
	c := checker{supplied: map[*Recipe]nameSet{t.Root: newNameSet(names)}, outputs: map[*Recipe]nameSet{}}
	var found Findings
	for _, recipe := range t.callersFirst() {
		c.found = nil
		c.recipe(recipe)
		found = append(found, c.found...)
		found = append(found, recipe.collisions()...)
		found = append(found, recipe.advice()...)
	}
	return found
}

// nameSet is what a place may read. It is open where something unknown, such as
// a recipe that was not found, may have added to it.
type nameSet struct {
	names map[string]bool
	open  bool
}

func newNameSet(names []string) nameSet {
	set := nameSet{names: map[string]bool{}}
	set.add(names...)
	return set
}

func (n *nameSet) add(names ...string) {
	for _, name := range names {
		if name != "" {
			n.names[name] = true
		}
	}
}

func (n *nameSet) merge(other nameSet) {
	maps.Copy(n.names, other.names)
	n.open = n.open || other.open
}

func sorted(names map[string]bool) []string { return slices.Sorted(maps.Keys(names)) }

// callersFirst orders the recipes so that each comes after all that call it.
func (t *Tree) callersFirst() []*Recipe {
	var order []*Recipe
	seen := map[*Recipe]bool{}
	var visit func(r *Recipe)
	visit = func(r *Recipe) {
		if seen[r] {
			return
		}
		seen[r] = true
		for _, s := range slices.Backward(r.withParts()) {
			if s.Child != nil {
				visit(s.Child)
			}
		}
		order = append(order, r)
	}
	visit(t.Root)
	slices.Reverse(order)
	return order
}

// checker follows the variables through the recipes.
type checker struct {
	supplied map[*Recipe]nameSet
	outputs  map[*Recipe]nameSet
	found    Findings

	current *Recipe
	known   nameSet // so far
	later   map[string]bool
	ids     map[string]bool
}

func (c *checker) recipe(r *Recipe) {
	c.current = r
	c.known = newNameSet([]string{"steps", "loop", "run"})
	c.known.merge(c.supplied[r])
	for _, v := range r.Context {
		c.known.add(v.Name)
	}
	for _, input := range r.Inputs {
		c.known.add(input.Name)
	}
	for _, v := range r.Validation {
		c.known.add(v.Name)
	}
	c.later, c.ids = map[string]bool{}, map[string]bool{}
	for _, s := range r.allSteps() {
		c.ids[s.ID] = true
		for name := range c.results(s).names {
			c.later[name] = true
		}
	}
	c.steps(r.Steps)
	c.steps(r.Finally)
	for _, f := range r.fields {
		c.field(f, nil)
	}
}

func (c *checker) steps(steps []*Step) {
	units := unitsOf(steps)
	for i := 0; i < len(steps); {
		end := i + 1
		for end < len(steps) && units[end] == units[i] {
			end++
		}
		for _, s := range steps[i:end] {
			c.step(s)
		}
		for _, s := range steps[i:end] {
			c.known.merge(c.results(s))
		}
		i = end
	}
}

func (c *checker) step(s *Step) {
	own := map[string]bool{}
	if s.Foreach != nil {
		own[s.element()] = true
	}
	if s.Type == Loop {
		c.loop(s, own)
		return
	}
	for _, f := range s.fields {
		c.field(f, own)
	}
	c.supply(s, own)
}

// loop checks the parts of a loop. Each round reads what the rounds before it
// gave, and so do the loop's own fields.
func (c *checker) loop(s *Step, own map[string]bool) {
	outside := c.known
	defer func() { c.known = outside }()
	c.known = newNameSet(nil)
	c.known.merge(outside)
	c.known.merge(c.results(s))
	for _, f := range s.fields {
		c.field(f, own)
	}
	for _, round := range s.Loop.Rounds {
		c.supply(round, own)
	}
	c.known.add(loopInputs...)
	c.supply(s.Loop.Judge, own)
}

// loopInputs are the variables that a loop gives its judge.
var loopInputs = []string{
	"loop_name", "loop_round_label", "loop_history", "loop_last_round_output", "loop_baseline_ref", "loop_child_exit_code",
	"loop_findings_current", "loop_findings_previous", "loop_test_signal", "loop_test_signal_previous", "loop_ci_signal",
	"loop_ci_signal_previous", "loop_repo_path", "loop_watch_paths", "loop_watch_manifest", "loop_progress",
	"loop_progress_previous", "loop_goal_met",
}

// supply notes what a step's recipe may read.
func (c *checker) supply(s *Step, own map[string]bool) {
	if s.Child == nil {
		return
	}
	incoming := c.supplied[s.Child]
	if incoming.names == nil {
		incoming = newNameSet(nil)
	}
	incoming.merge(c.known)
	for name := range own {
		incoming.add(name)
	}
	for _, argument := range s.Context {
		incoming.add(argument.Name)
	}
	c.supplied[s.Child] = incoming
}

// element is the name of foreach's element.
func (s *Step) element() string {
	if s.As == "" {
		return "item"
	}
	return s.As
}

// results are the variables that a step sets in its recipe.
func (c *checker) results(s *Step) nameSet {
	set := newNameSet([]string{s.Output, s.Collect})
	switch {
	case s.Type == Loop && s.Outputs == nil:
		for _, round := range s.Loop.Rounds {
			set.merge(c.results(round))
		}
	case s.Outputs != nil:
		for _, pair := range s.Outputs.Pairs {
			set.add(pair.Name)
		}
	case s.Child != nil:
		set.merge(c.returned(s.Child))
	case s.Type == Call:
		set.open = true
	}
	return set
}

// returned are the variables that come back from a call of the recipe.
func (c *checker) returned(r *Recipe) nameSet {
	if set, known := c.outputs[r]; known {
		return set
	}
	set := newNameSet(nil)
	for _, s := range r.allSteps() {
		set.merge(c.results(s))
	}
	c.outputs[r] = set
	return set
}

// field checks every path that a place reads.
func (c *checker) field(f *field, own map[string]bool) {
	for _, path := range f.paths() {
		parts, ok := value.SplitPath(path)
		if !ok {
			continue
		}
		if parts[0] == "steps" {
			c.stepPath(f, path, parts)
			continue
		}
		if !own[parts[0]] && !c.known.names[parts[0]] && !c.known.open && !f.guarded(parts[0]) {
			c.unknown(f, parts[0])
		}
	}
	if f.command != nil && f.command.Script != nil {
		c.mentions(f)
	}
}

func (c *checker) unknown(f *field, name string) {
	message := fmt.Sprintf("%s: nothing supplies the name %s", f.key, name)
	hint := ""
	if c.later[name] {
		message = fmt.Sprintf("%s: the name %s is only set by a later step", f.key, name)
	} else if near := nearest(name, sorted(c.known.names)); near != "" {
		hint = "did you mean " + near + "?"
	}
	c.report(f, name, name, message, hint)
}

// report adds a finding at a path of the field, or at the part of it that is
// wrong.
func (c *checker) report(f *field, path, part, message, hint string) {
	offset := f.find(path) + max(strings.LastIndex(path, part), 0)
	finding := f.spot.finding(offset, "unknown-name", message)
	finding.Hint, finding.Warning = hint, !c.current.Strict
	c.found = append(c.found, finding)
}

var stepFields = []string{"status", "exit_code", "output", "error", "duration", "outputs", "failed", "usage"}

// stepPath checks steps.<id>.<field>.
func (c *checker) stepPath(f *field, path string, parts []string) {
	if len(parts) < 2 {
		return
	}
	if !c.ids[parts[1]] {
		hint := ""
		if near := nearest(parts[1], sorted(c.ids)); near != "" {
			hint = "did you mean " + near + "?"
		}
		c.report(f, path, parts[1], fmt.Sprintf("%s: %s names no step of this recipe", f.key, path), hint)
		return
	}
	if len(parts) > 2 && !slices.Contains(stepFields, parts[2]) {
		hint := "a step has " + strings.Join(stepFields, ", ")
		if near := nearest(parts[2], stepFields); near != "" {
			hint = "did you mean " + near + "?"
		}
		c.report(f, path, parts[2], fmt.Sprintf("%s: %s is nothing that a step has", f.key, path), hint)
	}
}

// mentions checks the environment variables that a command reads by itself. One
// that resembles no known variable may come from anywhere and is left alone.
func (c *checker) mentions(f *field) {
	var exported map[string]bool
	for _, mention := range f.command.Script.Mentions() {
		name, ours := strings.CutPrefix(mention, "RECIPE_VAR_")
		if !ours || c.known.open || c.later[name] {
			continue
		}
		if exported == nil {
			exported = map[string]bool{}
			for known := range c.known.names {
				exported[environmentName(known)] = true
			}
		}
		name = strings.TrimSuffix(name, "_FILE")
		root, _, _ := strings.Cut(name, "__")
		if exported[name] || exported[root] {
			continue
		}
		if near := nearest(name, sorted(exported)); near != "" {
			c.report(f, mention, mention, fmt.Sprintf("%s: nothing supplies %s", f.key, mention), "did you mean RECIPE_VAR_"+near+"?")
		}
	}
}
