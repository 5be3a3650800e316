package recipes

import (
	"fmt"
	"slices"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/brickoven/brickoven/recipes/value/pattern"
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
		found = append(found, r.loops()...)
	}
	return append(found, t.unusedOutputs()...)
}

// Functions reports the native steps whose function is not among the known
// ones, which are asked for when there is such a step. They would fail when
// they are reached.
func (t *Tree) Functions(known func() []string) Findings {
	var found Findings
	known = sync.OnceValue(known)
	for _, r := range t.All {
		for _, s := range r.allSteps() {
			if s.Type != Native || slices.Contains(known(), s.Uses) {
				continue
			}
			fault := s.doc.finding(s.value("uses"), "unknown-function", "uses: there is no function "+quoteShort(s.Uses))
			if near := nearest(s.Uses, known()); near != "" {
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
	uses := t.uses()
	for _, s := range t.Root.Steps[:max(len(t.Root.Steps)-1, 0)] {
		for _, key := range []string{"output", "collect"} {
			node := lookup(s.node, key)
			if node == nil || node.Value == "" || uses.reads(node.Value, node) {
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

var alwaysFails = pattern.Pattern{Source: `^\s*(false|exit +[1-9][0-9]*)\s*;?\s*$`, Needs: []string{"false", "exit"}}

// unreached reports steps behind one that always ends the recipe, and
// conditions that look at what is not there yet or never will be.
func (r *Recipe) unreached() Findings {
	var found Findings
	graph := slices.ContainsFunc(r.Steps, func(s *Step) bool { return len(s.DependsOn) > 0 })
	places := make(map[string]int, len(r.Steps))
	for i, s := range r.Steps {
		places[s.ID] = i
	}
	for i, s := range r.Steps {
		if !graph && i+1 < len(r.Steps) && s.alwaysFails() {
			next := r.Steps[i+1]
			found = append(found, next.remark(next.idNode, "never-reached",
				fmt.Sprintf("the step %s is never reached, because the step %s always fails", next.ID, s.ID),
				"give "+s.ID+" a condition, or put what must run anyway under finally:"))
		}
		if !graph {
			found = append(found, s.later(r, i, places)...)
		}
	}
	return found
}

func (s *Step) alwaysFails() bool {
	return s.Type == Bash && s.Command != nil && len(alwaysFails.FindAll(s.Command.Source)) > 0 &&
		s.Condition == nil && s.Foreach == nil && s.ParallelGroup == "" && !s.Tolerate && len(s.WhenTags) == 0
}

// stepRead is how a condition reads the outcome of a step.
var stepRead = pattern.Pattern{Source: `\bsteps(?:\.|\[["'])([\pL\pM\pN_-]+)`, Needs: []string{"steps"}}

// later reports the conditions that read the outcome of the step itself or of
// one below it. places are the steps' places by their ids.
func (s *Step) later(r *Recipe, place int, places map[string]int) Findings {
	var found Findings
	for _, f := range s.fields {
		if f.condition == nil {
			continue
		}
		source, told := f.condition.Source(), map[int]bool{}
		for _, at := range stepRead.FindAll(source) {
			other, known := places[source[at[2]:at[3]]]
			if !known || other < place || told[other] {
				continue
			}
			told[other] = true
			id := r.Steps[other].ID
			remark := f.spot.finding(at[0], "later-step",
				fmt.Sprintf("the condition reads the step %s, which has not run by then", id))
			remark.Hint, remark.Warning = "put this step below "+id, true
			found = append(found, remark)
		}
	}
	return found
}
