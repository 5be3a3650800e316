package recipes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Flow looks through the tree for what runs and yet does not do what its author
// meant: outputs that nobody reads, steps that never start, gates that open for
// what is no verdict. Everything it finds is a warning, because the recipe
// would run.
func (t *Tree) Flow() Findings {
	var found Findings
	for _, r := range t.All {
		found = append(found, r.unreached()...)
		found = append(found, r.gates()...)
	}
	return append(found, t.unusedOutputs()...)
}

// Functions reports the native steps whose function is not among the known
// ones. They would fail when they are reached.
func (t *Tree) Functions(known []string) Findings {
	var found Findings
	for _, r := range t.All {
		for _, s := range r.allSteps() {
			if s.Type != Native || slices.Contains(known, s.Uses) {
				continue
			}
			fault := s.doc.finding(s.value("uses"), "unknown-function", "uses: there is no function "+quoteShort(s.Uses))
			if near := nearest(s.Uses, known); near != "" {
				fault.Hint = "did you mean " + near + "?"
			}
			found = append(found, fault)
		}
	}
	return found
}

// value is the node of a key of the step, or the step itself where the key is
// not written.
func (s *Step) value(key string) *yaml.Node {
	if node := lookup(s.node, key); node != nil {
		return node
	}
	return s.node
}

func (s *Step) remark(node *yaml.Node, code, message, hint string) *Finding {
	found := s.doc.finding(node, code, message)
	found.Hint, found.Warning = hint, true
	return found
}

// unusedOutputs reports variables of the root that no recipe of the tree reads.
// What the last step sets is the recipe's result. A native function may read
// any variable, so a tree that calls one is left alone.
func (t *Tree) unusedOutputs() Findings {
	if t.opaque() || t.Root.Output != nil && t.Root.Output.Template == nil {
		return nil
	}
	var found Findings
	for i, s := range t.Root.Steps {
		if i == len(t.Root.Steps)-1 {
			break
		}
		for _, key := range []string{"output", "collect"} {
			node := lookup(s.node, key)
			if node == nil || node.Value == "" || t.reads(node.Value, node) {
				continue
			}
			found = append(found, s.remark(node, "unused-output", fmt.Sprintf("nothing reads the variable %s", node.Value),
				"take "+key+": away, or say with # brickoven: ignore unused-output who reads it"))
		}
	}
	return found
}

func (t *Tree) opaque() bool {
	for _, r := range t.All {
		for _, s := range r.allSteps() {
			if s.Type == Native || s.Missing != nil || s.Loop != nil || s.Type == Loop {
				return true
			}
		}
	}
	return false
}

// reads tells whether a name stands in any text of the tree but the one that
// defines it, in one of the forms in which a step reads a variable.
func (t *Tree) reads(name string, definition *yaml.Node) bool {
	exported := environmentName(name)
	word := regexp.MustCompile(`(^|[^\w-])(` + regexp.QuoteMeta(name) + `|` + regexp.QuoteMeta(strings.ToUpper(exported)) +
		`)([^\w-]|$)|RECIPE_VAR_` + regexp.QuoteMeta(exported))
	for _, r := range t.All {
		if r.doc != nil && mentions(r.doc.root, definition, word) {
			return true
		}
	}
	return false
}

// mentions looks through the values below a node. A mapping's keys are looked
// at where they rename outputs or pass context on.
func mentions(node, except *yaml.Node, word *regexp.Regexp) bool {
	if node == except {
		return false
	}
	if node.Kind == yaml.ScalarNode {
		return word.MatchString(node.Value)
	}
	for i, item := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 {
			continue
		}
		if mentions(item, except, word) {
			return true
		}
	}
	return false
}

var alwaysFails = regexp.MustCompile(`^\s*(false|exit +[1-9][0-9]*)\s*;?\s*$`)

// unreached reports steps behind one that always ends the recipe, and
// conditions that look at what is not there yet or never will be.
func (r *Recipe) unreached() Findings {
	var found Findings
	graph := slices.ContainsFunc(r.Steps, func(s *Step) bool { return len(s.DependsOn) > 0 })
	for i, s := range r.Steps {
		if !graph && i+1 < len(r.Steps) && s.alwaysFails() {
			next := r.Steps[i+1]
			found = append(found, next.remark(next.idNode, "never-reached",
				fmt.Sprintf("the step %s is never reached, because the step %s always fails", next.ID, s.ID),
				"give "+s.ID+" a condition, or put what must run anyway under finally:"))
		}
		if !graph {
			found = append(found, s.later(r.Steps[i:])...)
		}
	}
	return found
}

func (s *Step) alwaysFails() bool {
	return s.Type == Bash && s.Command != nil && alwaysFails.MatchString(s.Command.Source) &&
		s.Condition == nil && s.Foreach == nil && s.ParallelGroup == "" && !s.Tolerate && len(s.WhenTags) == 0
}

// later reports a condition that reads the outcome of the step itself or of one
// below it.
func (s *Step) later(rest []*Step) Findings {
	var found Findings
	for _, f := range s.fields {
		if f.condition == nil {
			continue
		}
		for _, other := range rest {
			at := regexp.MustCompile(`\bsteps(\.|\[["'])` + regexp.QuoteMeta(other.ID) + `([^\w-]|$)`).FindStringIndex(f.condition.Source())
			if at == nil {
				continue
			}
			remark := f.spot.finding(at[0], "later-step",
				fmt.Sprintf("the condition reads the step %s, which has not run by then", other.ID))
			remark.Hint, remark.Warning = "put this step below "+other.ID, true
			found = append(found, remark)
		}
	}
	return found
}
