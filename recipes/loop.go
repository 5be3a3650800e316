package recipes

import (
	"github.com/brickoven/brickoven/recipes/expression"
	"github.com/brickoven/brickoven/recipes/template"
	"gopkg.in/yaml.v3"
)

// LoopSpec is what a loop step repeats, and what decides when it ends. Its
// parts are steps that the document does not hold as such: each has its loop's
// document, and an id that begins with its loop's.
type LoopSpec struct {
	// Rounds are the recipes of which each round runs one, as steps of type
	// recipe; there are several only with workflows:. Their context is the
	// loop's.
	Rounds []*Step
	// Workflows is the value of workflows:, and nil for a loop of one recipe.
	// The names of its rounds are in the same order as Rounds.
	Workflows any
	// Judge calls the recipe that sets loop_health.loop_verdict after a round.
	Judge *Step
	// Check is the command that has to exit with 0 for a goal to count; nil for
	// a loop without one.
	Check *Step
	// Progress is the command whose output is the loop's own measure; nil for a
	// loop without one.
	Progress *Step
	// Brakes is the value of brakes:; nil without any. Failing is the command in
	// it that prints the failing set.
	Brakes  any
	Failing *Step
	// Contract opens a work ledger, and Measures give the numbers of its rubric
	// after each round; nil for a loop without one.
	Contract *Contract
	Measures []Measure
	// Findings, TestSignal, CISignal and GoalMet are asked after each round over
	// what it gave; nil where the loop says nothing of it.
	Findings, TestSignal, CISignal, GoalMet *expression.Program
	// Repos are the repositories that count as the loop's work, and Paths the
	// watched files outside of git.
	Repos, Paths []*template.Template

	nodes  map[string]*yaml.Node
	inline []*Step // steps:, before they are a recipe
}

// Parts are the loop's own steps; none for a step of another type.
func (s *Step) Parts() []*Step {
	if s.Type != Loop || s.Loop == nil {
		return nil
	}
	parts := append([]*Step(nil), s.Loop.Rounds...)
	for _, part := range []*Step{s.Loop.Judge, s.Loop.Check, s.Loop.Progress, s.Loop.Failing} {
		if part != nil {
			parts = append(parts, part)
		}
	}
	for _, m := range s.Loop.Measures {
		parts = append(parts, m.Step)
	}
	return parts
}

// withParts are all steps of the recipe, each loop followed by its parts.
func (r *Recipe) withParts() []*Step {
	var list []*Step
	for _, s := range r.allSteps() {
		list = append(append(list, s), s.Parts()...)
	}
	return list
}

// inlined are the recipes that the recipe's loops hold as steps:.
func (r *Recipe) inlined() []*Recipe {
	var list []*Recipe
	for _, s := range r.withParts() {
		if s.Child != nil && s.Child.inline {
			list = append(append(list, s.Child), s.Child.inlined()...)
		}
	}
	return list
}

// inlineRound makes a recipe of the steps that a loop holds itself. It is named
// by the loop and has the settings of the recipe around it.
func (r *Recipe) inlineRound(s *Step) *Recipe {
	return &Recipe{
		Name: s.ID, Description: s.Description, Steps: s.Loop.inline, Source: r.Source, doc: r.doc, inline: true,
		Env: r.Env, Secrets: r.Secrets, Hooks: r.Hooks, Defaults: r.Defaults, DefaultStepTimeout: r.DefaultStepTimeout,
		MaxParallel: r.MaxParallel, Strict: r.Strict, Agents: r.Agents, MaxEnvBytes: r.MaxEnvBytes,
	}
}

// CheckLoops gives the workflows: of every loop to check, whose error is what is
// wrong with it.
func (t *Tree) CheckLoops(check func(workflows any) error) Findings {
	var found Findings
	for _, r := range t.All {
		for _, s := range r.allSteps() {
			if s.Type != Loop || s.Loop.Workflows == nil {
				continue
			}
			if err := check(s.Loop.Workflows); err != nil {
				found = append(found, s.doc.finding(s.value("workflows"), "bad-workflows", err.Error()))
			}
		}
	}
	return found
}
