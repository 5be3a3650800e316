package session

import (
	"cmp"
	"fmt"
	"slices"
)

// Run is one finished iteration as the scheduler sees it.
type Run struct {
	Workflow string
	// Success is mechanical success.
	Success bool
}

// Rule is one rule of a workflow's cadence and how it stands.
type Rule struct {
	// Name is the workflow's key: enabled, not_before, goal_check, must_follow,
	// run_after_successes or run_every.
	Name string `json:"rule"`
	Met  bool   `json:"met"`
	// Text says why, in words.
	Text string `json:"text"`
	// Wait is how many iterations are missing, for a rule that only counts them.
	Wait int `json:"wait,omitempty"`
}

// Standing says whether a workflow may run next, and why.
type Standing struct {
	Workflow string `json:"workflow"`
	Eligible bool   `json:"eligible"`
	Chosen   bool   `json:"chosen"`
	Priority int    `json:"priority"`
	// LastRun is the number of its last iteration; 0 means never.
	LastRun int    `json:"last_run"`
	Rules   []Rule `json:"rules"`
}

// Explanation is the scheduler's choice with all its reasons.
type Explanation struct {
	// Iteration is the number of the iteration that the choice is for.
	Iteration int `json:"iteration"`
	// Chosen is empty when no workflow can run.
	Chosen    string     `json:"chosen"`
	Reason    string     `json:"reason"`
	Workflows []Standing `json:"workflows"`
}

// Next chooses the workflow of the next iteration; ok is false when none can
// run. It depends on the set and the past only.
func (s Workflows) Next(past []Run) (id string, ok bool) {
	e := s.Explain(past)
	return e.Chosen, e.Chosen != ""
}

// Explain chooses like [Workflows.Next] and says why each workflow is or is not
// eligible. Of the eligible ones the highest priority wins, then the one that
// has not run for longest, then the first by its id.
//
// When none is eligible, but some wait for nothing except more iterations, the
// wait is cut short: no iteration would ever come otherwise. So a set of one
// workflow keeps running whatever its run_every is.
func (s Workflows) Explain(past []Run) Explanation {
	sorted := slices.Clone(s)
	slices.SortStableFunc(sorted, func(a, b Workflow) int { return cmp.Compare(a.ID, b.ID) })
	history := newCadence(past)
	e := Explanation{Iteration: len(past) + 1, Reason: "no workflow is eligible"}
	for _, w := range sorted {
		e.Workflows = append(e.Workflows, history.standing(sorted, w))
	}
	best, cut := choose(e.Workflows)
	if best == nil {
		return e
	}
	best.Chosen = true
	e.Chosen = best.Workflow
	e.Reason = "the highest priority, then the longest wait, then the id"
	if cut {
		e.Reason = "no workflow is eligible; this one waits only for more iterations, and the shortest"
	}
	return e
}

// choose picks from standings in the order of their ids; cut tells that a wait
// was cut short.
func choose(standings []Standing) (best *Standing, cut bool) {
	waiting := -1
	for i := range standings {
		s := &standings[i]
		if s.Eligible && (best == nil || cut || s.before(best)) {
			best, cut = s, false
			continue
		}
		wait, onlyCounting := s.wait()
		if s.Eligible || !onlyCounting || best != nil && !cut {
			continue
		}
		if best == nil || wait < waiting || wait == waiting && s.before(best) {
			best, cut, waiting = s, true, wait
		}
	}
	return best, cut
}

// before tells that s goes before other, both being equally eligible.
func (s *Standing) before(other *Standing) bool {
	return cmp.Or(-cmp.Compare(s.Priority, other.Priority), cmp.Compare(s.LastRun, other.LastRun), cmp.Compare(s.Workflow, other.Workflow)) < 0
}

// wait is how many iterations a workflow waits for; onlyCounting is false when
// it waits for something else too.
func (s *Standing) wait() (iterations int, onlyCounting bool) {
	for _, r := range s.Rules {
		if !r.Met && r.Wait == 0 {
			return 0, false
		}
		iterations = max(iterations, r.Wait)
	}
	return iterations, true
}

// cadence is what the rules ask of the past.
type cadence struct {
	past []Run
	// clock counts the successes of the session.
	clock int
	// lastSuccess is the workflow of the last success.
	lastSuccess string
	// success is the clock at a workflow's last success, and lastRun the number
	// of its last iteration.
	success, lastRun map[string]int
}

func newCadence(past []Run) *cadence {
	c := &cadence{past: past, success: map[string]int{}, lastRun: map[string]int{}}
	for i, r := range past {
		c.lastRun[r.Workflow] = i + 1
		if r.Success {
			c.clock++
			c.lastSuccess = r.Workflow
			c.success[r.Workflow] = c.clock
		}
	}
	return c
}

// successesSince counts the successes of a workflow since another one's last.
func (c *cadence) successesSince(id, since string) int {
	count := 0
	for _, r := range slices.Backward(c.past) {
		if r.Success && r.Workflow == since {
			break
		}
		if r.Success && r.Workflow == id {
			count++
		}
	}
	return count
}

func (c *cadence) standing(set Workflows, w Workflow) Standing {
	s := Standing{Workflow: w.ID, Priority: w.Priority, LastRun: c.lastRun[w.ID], Eligible: true}
	s.Rules = append(s.Rules, enabledRule(w), c.notBefore(w))
	s.Rules = append(s.Rules, c.waitsForOthers(set, w)...)
	s.Rules = append(s.Rules, c.runEvery(w))
	for _, r := range s.Rules {
		s.Eligible = s.Eligible && r.Met
	}
	return s
}

func enabledRule(w Workflow) Rule {
	if !w.Enabled {
		return Rule{Name: "enabled", Text: "it is not enabled"}
	}
	return Rule{Name: "enabled", Met: true, Text: "it is enabled"}
}

func (c *cadence) notBefore(w Workflow) Rule {
	missing := max(0, w.NotBefore-len(c.past))
	return Rule{
		Name: "not_before", Met: missing == 0, Wait: missing,
		Text: fmt.Sprintf("%d iterations have finished, and it waits for %d", len(c.past), w.NotBefore),
	}
}

func (c *cadence) runEvery(w Workflow) Rule {
	last, ran := c.success[w.ID]
	if !ran {
		return Rule{Name: "run_every", Met: true, Text: "it has had no success yet"}
	}
	distance := c.clock + 1 - last
	missing := max(0, w.RunEvery-distance)
	return Rule{
		Name: "run_every", Met: missing == 0, Wait: missing,
		Text: fmt.Sprintf("it would be success %d since its last, and it runs on every %d", distance, w.RunEvery),
	}
}

// waitsForOthers lists the rules that another workflow's success meets.
func (c *cadence) waitsForOthers(set Workflows, w Workflow) []Rule {
	var rules []Rule
	add := func(name string, met bool, text string) {
		if !met && w.RunOnStart && c.clock == 0 {
			met, text = true, text+"; run_on_start lifts this until the first success"
		}
		rules = append(rules, Rule{Name: name, Met: met, Text: text})
	}
	if w.ID == GoalCheckWorkflow {
		alone := !slices.ContainsFunc(set, func(o Workflow) bool { return o.Enabled && o.ID != w.ID })
		others := slices.ContainsFunc(c.past, func(r Run) bool { return r.Success && r.Workflow != w.ID })
		switch {
		case others:
			add("goal_check", true, "another workflow has had a success")
		case alone:
			add("goal_check", true, "there is no other workflow to wait for")
		default:
			add("goal_check", false, "no other workflow has had a success yet")
		}
	}
	if w.MustFollow != "" {
		text := "no workflow has had a success yet, and it follows " + w.MustFollow
		if c.lastSuccess != "" {
			text = fmt.Sprintf("the last success was %s, and it follows %s", c.lastSuccess, w.MustFollow)
		}
		add("must_follow", c.lastSuccess == w.MustFollow, text)
	}
	if after := w.RunAfterSuccesses; after != nil {
		count := c.successesSince(after.Workflow, w.ID)
		add("run_after_successes", count >= after.Every,
			fmt.Sprintf("%s has had %d successes since its last, and it waits for %d", after.Workflow, count, after.Every))
	}
	return rules
}
