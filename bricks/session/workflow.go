package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// GoalCheckWorkflow is the reserved workflow that judges the goal. It emits a
// goal check, and it waits until another workflow has had a success, if the set
// has another one.
const GoalCheckWorkflow = "goal_check"

// Workflow is one workflow of a loop and the rules of its cadence. Cadence is
// keyed on mechanical success (seed 001, 'Success means "the assignment ran"').
type Workflow struct {
	// ID is unique in the set: letters, digits, '.', '_' and '-', beginning with
	// a letter or digit, at most 64 bytes.
	ID string `json:"id"`
	// Recipe is the recipe of one iteration.
	Recipe      string `json:"recipe"`
	Description string `json:"description,omitempty"`
	Enabled     bool   `json:"enabled"`
	// Priority: a larger one goes first.
	Priority int `json:"priority"`
	// RunEvery is the distance between two successes of this workflow, counted
	// in successful iterations of the session; 1 lets it run every time.
	RunEvery int `json:"run_every"`
	// MustFollow is the workflow that must have had the session's last success.
	MustFollow string `json:"must_follow,omitempty"`
	// RunAfterSuccesses makes the workflow wait for successes of another since
	// its own last success; nil means that it does not.
	RunAfterSuccesses *AfterSuccesses `json:"run_after_successes,omitempty"`
	// NotBefore is how many iterations must have finished before.
	NotBefore int `json:"not_before"`
	// RunOnStart lifts the rules that wait for another workflow, as long as the
	// session has had no success.
	RunOnStart bool `json:"run_on_start"`
	// EmitsGoalCheck says that each of its iterations owes a goal_check.json.
	EmitsGoalCheck bool `json:"emits_goal_check"`
}

// AfterSuccesses counts successes of another workflow.
type AfterSuccesses struct {
	Workflow string `json:"workflow"`
	Every    int    `json:"every"`
}

// Workflows is the set of a loop. The order in it decides nothing.
type Workflows []Workflow

// Single is the set of a loop with one recipe.
func Single(id, recipe string) Workflows {
	return Workflows{{ID: id, Recipe: recipe, Enabled: true, RunEvery: 1, EmitsGoalCheck: id == GoalCheckWorkflow}}
}

// Find returns the workflow with an id, or nil.
func (s Workflows) Find(id string) *Workflow {
	if i := slices.IndexFunc(s, func(w Workflow) bool { return w.ID == id }); i >= 0 {
		return &s[i]
	}
	return nil
}

// Emits tells whether iterations of a workflow owe a goal check.
func (s Workflows) Emits(id string) bool {
	w := s.Find(id)
	return id == GoalCheckWorkflow || w != nil && w.EmitsGoalCheck
}

const workflowsKey = "workflows"

// DecodeWorkflows reads the workflows: of a loop: a list of maps with id and
// recipe, of which one may stand for the other, or a map from ids to the rest.
// Defaults are enabled: true, priority: 0, run_every: 1, not_before: 0. The
// error is an [*Invalid] with everything that is wrong.
func DecodeWorkflows(v any) (Workflows, error) {
	invalid := &Invalid{Document: workflowsKey}
	var set Workflows
	switch v := v.(type) {
	case []any:
		root := &object{invalid: invalid, fields: map[string]any{workflowsKey: v}}
		for _, o := range root.objects(workflowsKey) {
			set = append(set, authored(o, ""))
		}
	case map[string]any:
		root := &object{invalid: invalid, path: workflowsKey, fields: v}
		for id := range v {
			if o := root.object(id, true); o != nil {
				set = append(set, authored(o, id))
			}
		}
	default:
		invalid.add(workflowsKey, "is a %s, not a list of workflows", value.Kind(v))
	}
	slices.SortStableFunc(set, func(a, b Workflow) int { return strings.Compare(a.ID, b.ID) })
	if len(invalid.Findings) == 0 {
		set.check(invalid)
	}
	if err := invalid.err(); err != nil {
		return nil, err
	}
	return set, nil
}

// authored reads a workflow as people write it, with one of id and recipe for
// both.
func authored(o *object, id string) Workflow {
	w := decodeWorkflow(o, id)
	switch {
	case w.ID == "" && w.Recipe == "":
		o.fail("recipe", "is missing, and so is id")
	case w.ID == "":
		w.ID = w.Recipe
	case w.Recipe == "":
		w.Recipe = w.ID
	}
	w.EmitsGoalCheck = w.EmitsGoalCheck || w.ID == GoalCheckWorkflow
	return w
}

func decodeWorkflow(o *object, id string) Workflow {
	w := Workflow{
		ID: id, Recipe: o.textOr("recipe"), Description: o.textOr("description"), Enabled: o.truthOr("enabled", true),
		Priority: o.whole("priority", 0), RunEvery: o.whole("run_every", 1), MustFollow: o.textOr("must_follow"),
		NotBefore: o.whole("not_before", 0), RunOnStart: o.truthOr("run_on_start", false),
		EmitsGoalCheck: o.truthOr("emits_goal_check", false),
	}
	if after := o.object("run_after_successes", false); after != nil {
		w.RunAfterSuccesses = &AfterSuccesses{Workflow: after.text("workflow"), Every: after.whole("every", 1)}
		after.done()
	}
	if id == "" {
		w.ID = o.textOr("id")
	}
	o.done()
	return w
}

var workflowID = pattern.Pattern{Source: `^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`}

// Check returns an [*Invalid] with everything that makes the set unusable: names
// that lead nowhere, numbers out of range, and rules that can never be met.
func (s Workflows) Check() error {
	invalid := &Invalid{Document: workflowsKey}
	s.check(invalid)
	return invalid.err()
}

func (s Workflows) check(invalid *Invalid) {
	if !slices.ContainsFunc(s, func(w Workflow) bool { return w.Enabled }) {
		invalid.add(workflowsKey, "holds no enabled workflow")
	}
	seen := map[string]bool{}
	for _, w := range s {
		fail := func(key, format string, args ...any) {
			invalid.add(workflowsKey+"."+w.ID+key, format, args...)
		}
		if seen[w.ID] {
			fail("", "is there twice")
		}
		seen[w.ID] = true
		if !workflowID.Get().MatchString(w.ID) {
			fail("", "an id has letters, digits, '.', '_' and '-', begins with a letter or digit, and is at most 64 bytes long")
		}
		if w.RunEvery < 1 {
			fail(".run_every", "must be at least 1")
		}
		if w.NotBefore < 0 {
			fail(".not_before", "must be at least 0")
		}
		if w.MustFollow != "" {
			s.checkOther(w, w.MustFollow, func(reason string) { fail(".must_follow", "%s", reason) })
		}
		if after := w.RunAfterSuccesses; after != nil {
			if after.Every < 1 {
				fail(".run_after_successes.every", "must be at least 1")
			}
			s.checkOther(w, after.Workflow, func(reason string) { fail(".run_after_successes.workflow", "%s", reason) })
		}
	}
	if _, ok := s.Next(nil); !ok && len(invalid.Findings) == 0 {
		invalid.add(workflowsKey, "no workflow can run first: each waits for another; run_on_start lifts that")
	}
}

// checkOther tests a reference from one workflow to another.
func (s Workflows) checkOther(w Workflow, id string, fail func(reason string)) {
	other := s.Find(id)
	switch {
	case other == nil:
		fail(fmt.Sprintf("there is no workflow %q", id))
	case id == w.ID:
		fail("a workflow that waits for itself never runs")
	case !other.Enabled && w.Enabled:
		fail(fmt.Sprintf("the workflow %q is not enabled, so this one would never run", id))
	}
}
