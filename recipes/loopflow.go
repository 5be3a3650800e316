package recipes

import (
	"fmt"
	"slices"

	"github.com/brickoven/brickoven/recipes/template"
)

// loops reports what is wrong with the recipe's loops although each could run: a
// judge without a verdict, and loops that would read each other's work as their
// own progress.
func (r *Recipe) loops() Findings {
	var found Findings
	for _, s := range r.allSteps() {
		if s.Type == Loop && s.Loop != nil {
			found = append(found, s.speechless()...)
		}
		found = append(found, s.elementsInOneTree()...)
	}
	// Only the few steps with loops are compared with each other.
	working := slices.DeleteFunc(slices.Clone(r.Steps), func(s *Step) bool { return len(s.workplaces(nil)) == 0 })
	for i, s := range working {
		for _, earlier := range working[:i] {
			if r.beside(earlier, s) && shareTree(earlier, s) {
				found = append(found, s.remark(s.idNode, "loops-in-one-tree", fmt.Sprintf(
					"the loops of %s and %s run at once in one working tree; the second one is refused (exit 5)", earlier.ID, s.ID),
					"let one wait for the other with depends_on:, or give them different working_dir:"))
			}
		}
	}
	return found
}

// speechless reports a judge that sets no loop_health, which is STUCK after the
// first round.
func (s *Step) speechless() Findings {
	judge := s.Loop.Judge
	if judge == nil || judge.Child == nil || judge.gives("loop_health", nil) {
		return nil
	}
	return Findings{s.remark(s.value("judge"), "judge-without-verdict",
		fmt.Sprintf("the judge %s sets no loop_health, so that every round is STUCK", judge.Recipe),
		"let a step of it have output: loop_health with the field loop_verdict")}
}

// gives tells whether a call brings a variable back, from whatever depth.
func (s *Step) gives(name string, above []*Recipe) bool {
	if s.Child == nil || slices.Contains(above, s.Child) {
		return false
	}
	above = append(above, s.Child)
	return slices.ContainsFunc(s.Child.Steps, func(inner *Step) bool {
		return inner.Output == name || inner.gives(name, above)
	})
}

// elementsInOneTree reports a parallel foreach over a loop that works in the
// same tree for each element.
func (s *Step) elementsInOneTree() Findings {
	if s.Foreach == nil || s.Parallel < 2 {
		return nil
	}
	places := s.workplaces(nil)
	if len(places) == 0 || slices.ContainsFunc(places, varies) {
		return nil
	}
	return Findings{s.remark(s.idNode, "loops-in-one-tree", fmt.Sprintf(
		"the elements of %s run their loops at once in one working tree; all but the first are refused (exit 5)", s.ID),
		"take parallel: away, or give each element a working_dir: of its own")}
}

// workplace is where a loop works: the folders that its step and the calls above
// it name, the outermost first; nil for the one of the run.
type workplace []*template.Template

func varies(w workplace) bool {
	return slices.ContainsFunc(w, func(t *template.Template) bool { return !t.Literal() })
}

func (w workplace) text() string {
	text := ""
	for _, t := range w {
		text += t.Source() + "\x00"
	}
	return text
}

// workplaces lists where the loops of a step work, those of called recipes
// included. A loop inside a loop works with it.
func (s *Step) workplaces(around workplace) []workplace {
	if s.WorkingDir != nil {
		around = append(around[:len(around):len(around)], s.WorkingDir)
	}
	if s.Type == Loop {
		return []workplace{around}
	}
	var list []workplace
	if s.Child != nil {
		for _, inner := range s.Child.Steps {
			list = append(list, inner.workplaces(around)...)
		}
	}
	return list
}

func shareTree(a, b *Step) bool {
	places := b.workplaces(nil)
	return slices.ContainsFunc(a.workplaces(nil), func(one workplace) bool {
		return slices.ContainsFunc(places, func(other workplace) bool { return one.text() == other.text() })
	})
}

// beside tells whether two steps, the earlier one first, may run at once.
func (r *Recipe) beside(a, b *Step) bool {
	between := r.Steps[slices.Index(r.Steps, a):slices.Index(r.Steps, b)]
	if b.ParallelGroup != "" && !slices.ContainsFunc(between, func(s *Step) bool { return s.ParallelGroup != b.ParallelGroup }) {
		return true
	}
	return !r.waits(b, a, map[*Step]bool{})
}

// waits tells whether a step waits for an earlier one. One without depends_on
// waits for all above it, and a group waits as one for what its steps wait for.
func (r *Recipe) waits(s, on *Step, seen map[*Step]bool) bool {
	if seen[s] {
		return false
	}
	seen[s] = true
	group := func(step *Step) bool {
		return step == s || s.ParallelGroup != "" && step.ParallelGroup == s.ParallelGroup
	}
	var after []string
	for _, step := range r.Steps {
		if group(step) {
			after = append(after, step.DependsOn...)
		}
	}
	if len(after) == 0 {
		return slices.Index(r.Steps, on) < slices.Index(r.Steps, s)
	}
	for _, id := range after {
		step := r.step(id)
		if step == nil {
			continue
		}
		same := on.ParallelGroup != "" && step.ParallelGroup == on.ParallelGroup
		if step == on || same || r.waits(step, on, seen) {
			return true
		}
	}
	return false
}
