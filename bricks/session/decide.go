package session

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// record takes an iteration into history, counters and totals. Success is taken
// as it is: no evidence and no control file changes it.
func (c *Coordinator) record(task Task, it Iteration) {
	s := &c.state
	s.CurrentTask = nil
	s.IterationCount = task.Iteration
	if it.Observation.Evidence.Kind == "" {
		it.Observation.Evidence.Kind = EvidenceAbsent
	}
	if !it.Success && it.FailureKind == "" {
		it.FailureKind = Unknown
	}
	s.History = append(s.History, Past{
		Iteration: task.Iteration, Workflow: task.Workflow, Success: it.Success, Error: it.Error, FailureKind: it.FailureKind,
		GoalCheck: it.Observation.Evidence.Kind, StartedAt: task.StartedAt, FinishedAt: it.FinishedAt,
	})
	if it.Success {
		delete(s.WorkflowFailures, task.Workflow)
	} else {
		s.WorkflowFailures[task.Workflow]++
	}
	s.Usage = s.Usage.plus(it.Usage)
	c.emit(TaskFinished, it.FinishedAt, map[string]any{
		"iteration": task.Iteration, "workflow_id": task.Workflow, "success": it.Success, "error": it.Error,
		"failure_kind": string(it.FailureKind),
	})
	if s.Config.Workflows.Emits(task.Workflow) {
		c.countEvidence(task, it)
	}
}

// countEvidence counts goal checks that are missing or invalid, in a row; one
// that is valid starts the count again (seed 001, "goal_check_broken").
func (c *Coordinator) countEvidence(task Task, it Iteration) {
	evidence := it.Observation.Evidence
	if evidence.Valid() {
		c.state.GoalCheckFailures = 0
	} else {
		c.state.GoalCheckFailures++
	}
	c.emit(GoalCheckSeen, it.FinishedAt, map[string]any{
		"iteration": task.Iteration, "workflow_id": task.Workflow, "kind": string(evidence.Kind), "reason": evidence.Reason,
		"consecutive_failures": c.state.GoalCheckFailures,
	})
}

// claim judges a goal_met by the check and counts the rejections in a row. A row
// is broken by an iteration after which the same author could have claimed the
// goal and did not; iterations of other workflows in between leave it.
func (c *Coordinator) claim(workflow string, control Reading, check CheckOutcome) (rejected bool) {
	row := c.state.Rejected
	switch {
	case control.claimed() && check == CheckRed:
		next := Rejection{Count: 1, Author: control.Author, Workflow: workflow}
		if row != nil {
			next.Count = row.Count + 1
		}
		c.state.Rejected = &next
		return true
	case control.claimed():
		c.state.Rejected = nil
		return check == CheckBarred
	case row != nil && (row.Author == ByJudge || row.Workflow == workflow):
		c.state.Rejected = nil
	}
	return false
}

func (r Reading) claimed() bool { return !r.Invalid && r.StopReason == GoalMet }

// maxRejections is how many claims in a row the check may reject.
const maxRejections = 2

// decide orders what may end the loop. A brake has been weighed against
// everything else. Integrity comes before every claim; then
// the order is goal_met, stop_requested, unresolvable_error, max_rounds where
// nothing else was derived, max_cost, and what was derived.
func (c *Coordinator) decide(it Iteration, rejected bool) *Stop {
	control := it.Observation.Control
	if b := it.Brake; b != nil {
		return &Stop{StopReason: StopFor(b.Halt), HaltReason: b.Halt, Author: ByCoordinator, Reason: b.Why}
	}
	switch stop := broken(it.Observation); {
	case stop != nil:
		return stop
	case control.claimed() && !rejected:
		return met(control, it.Check)
	}
	if stop := requested(it.Observation); stop != nil {
		return stop
	}
	if control.StopReason == UnresolvableError {
		return &Stop{StopReason: UnresolvableError, Author: control.Author, Reason: control.Reason}
	}
	return c.derived()
}

// met is a goal_met that stands; only a check makes it a proven one.
func met(control Reading, check CheckOutcome) *Stop {
	stop := &Stop{StopReason: GoalMet, HaltReason: HaltJudgedDone, Author: control.Author, Reason: control.Reason}
	if check == CheckGreen {
		stop.HaltReason = HaltSuccess
	}
	return stop
}

// broken is a stop because the folder can not be trusted or understood.
func broken(o Observation) *Stop {
	switch {
	case len(o.Tampered) > 0:
		return &Stop{StopReason: HarnessTampered, Author: ByCoordinator, Reason: describe(o.Tampered), Difference: o.Tampered}
	case o.Control.Invalid:
		return &Stop{StopReason: InvalidControlOutput, Author: ByCoordinator, Reason: o.Control.Problem}
	}
	return nil
}

// requested is a stop that a person asked for.
func requested(o Observation) *Stop {
	if r := o.StopRequest(); r != nil {
		return &Stop{StopReason: StopRequested, Author: ByPerson, Reason: r.Text}
	}
	if o.Control.StopReason == StopRequested {
		return &Stop{StopReason: StopRequested, Author: ByPerson, Reason: o.Control.Reason}
	}
	return nil
}

// derived is a stop that comes from limits and counters.
func (c *Coordinator) derived() *Stop {
	existing := c.existing()
	if existing == nil {
		return c.limits()
	}
	if over := c.overCost(); over != nil {
		return over
	}
	return existing
}

// existing is a stop because something failed too often in a row.
func (c *Coordinator) existing() *Stop {
	if stop := c.rejectedTooOften(); stop != nil {
		return stop
	}
	s := &c.state
	if s.GoalCheckFailures >= s.Config.GoalCheckCap {
		return &Stop{StopReason: GoalCheckBroken, Author: ByCoordinator, Reason: fmt.Sprintf("%d goal checks in a row were missing or invalid", s.GoalCheckFailures)}
	}
	for _, w := range s.Config.Workflows {
		if n := s.WorkflowFailures[w.ID]; n >= s.Config.FailureCap {
			return &Stop{StopReason: WorkflowFailureCap, Author: ByCoordinator, Reason: fmt.Sprintf("running %s failed %d times in a row", w.ID, n)}
		}
	}
	return nil
}

func (c *Coordinator) rejectedTooOften() *Stop {
	row := c.state.Rejected
	if row == nil || row.Count < maxRejections {
		return nil
	}
	return &Stop{StopReason: DoneButCheckRed, Author: ByCoordinator, Reason: fmt.Sprintf("the goal was claimed %d times in a row while the check is red", row.Count)}
}

// limits is a stop because a limit of the loop is reached.
func (c *Coordinator) limits() *Stop {
	s := &c.state
	if limit := s.Config.MaxRounds; limit > 0 && s.IterationCount >= limit {
		return &Stop{StopReason: MaxRounds, Author: ByCoordinator, Reason: fmt.Sprintf("%d rounds have finished", s.IterationCount)}
	}
	return c.overCost()
}

func (c *Coordinator) overCost() *Stop {
	limit, limited := dollars(c.state.Config.MaxCostUSD)
	spent, known := dollars(c.state.Usage.CostUSD)
	if !limited || !known || spent.Cmp(limit) < 0 {
		return nil
	}
	return &Stop{StopReason: MaxCost, Author: ByCoordinator, Reason: fmt.Sprintf("%s USD of %s are spent", c.state.Usage.CostUSD, c.state.Config.MaxCostUSD)}
}

// decideResumed orders what may keep a session from being resumed.
func (c *Coordinator) decideResumed(o Observation, check CheckOutcome, previous *Stop, rejected bool) *Stop {
	if stop := broken(o); stop != nil {
		return stop
	}
	if previous != nil && (previous.StopReason == GuardRefused || previous.StopReason == o.Control.StopReason && !rejected) {
		return previous
	}
	if o.Control.claimed() && !rejected {
		return met(o.Control, check)
	}
	if stop := requested(o); stop != nil {
		return stop
	}
	if o.Control.StopReason == UnresolvableError {
		return &Stop{StopReason: UnresolvableError, Author: o.Control.Author, Reason: o.Control.Reason}
	}
	if rejected {
		return c.rejectedTooOften()
	}
	return nil
}

// dollars reads an amount; ok is false for one that is missing or no amount.
func dollars(n value.Number) (amount *big.Rat, ok bool) {
	if n == "" {
		return nil, false
	}
	amount, ok = value.Rational(n)
	return amount, ok && amount.Sign() >= 0
}

func (t UsageTotal) plus(u Usage) UsageTotal {
	add := func(total *int64, n *int64) {
		if n != nil {
			*total += *n
		}
	}
	add(&t.PromptTokens, u.PromptTokens)
	add(&t.CompletionTokens, u.CompletionTokens)
	add(&t.Turns, u.Turns)
	t.TurnsWithoutUsage += u.TurnsWithoutUsage
	cost, known := dollars(u.CostUSD)
	if !known {
		t.IterationsWithoutCost++
		return t
	}
	if total, ok := dollars(t.CostUSD); ok {
		cost = new(big.Rat).Add(total, cost)
	}
	t.CostUSD = decimal(cost)
	return t
}

// decimal prints a sum of decimals exactly.
func decimal(r *big.Rat) value.Number {
	digits, exact := r.FloatPrec()
	if !exact {
		digits = 12
	}
	return value.Number(r.FloatString(digits))
}

// describe lists differences in one line.
func describe(found []Difference) string {
	texts := make([]string, len(found))
	for i, d := range found {
		texts[i] = d.Path + " was " + string(d.Change)
	}
	return strings.Join(texts, ", ")
}
