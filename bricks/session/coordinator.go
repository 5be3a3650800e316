package session

import (
	"errors"
	"maps"
	"slices"
	"time"
)

// Coordinator decides after each iteration whether the loop goes on. It is a
// state machine without clock, randomness or files: the same calls give the same
// decisions, and [Coordinator.State] and [Restore] carry it over a restart. It
// is not safe for concurrent use.
type Coordinator struct {
	state  State
	events []Event
}

// Start begins a session at a point in time. The error is an [*Invalid] about
// the workflows or limits.
func Start(sessionID, goalHash string, config Config, at time.Time) (*Coordinator, error) {
	config = config.withDefaults()
	if err := config.check(); err != nil {
		return nil, err
	}
	c := &Coordinator{state: State{
		SchemaVersion: SchemaVersion, SessionID: sessionID, Status: StatusRunning, GoalHash: goalHash,
		WorkflowFailures: map[string]int{}, Usage: UsageTotal{CostUSD: "0"}, History: []Past{}, Config: config,
	}}
	c.emit(SessionStarted, at, map[string]any{"goal_hash": goalHash, "workflows": config.Workflows.ids()})
	return c, nil
}

// Restore continues from a state that was read back.
func Restore(s State) *Coordinator { return &Coordinator{state: s.clone()} }

// State is a copy of all that the coordinator knows.
func (c *Coordinator) State() State { return c.state.clone() }

func (s State) clone() State {
	s.WorkflowFailures = maps.Clone(s.WorkflowFailures)
	s.History = slices.Clone(s.History)
	s.Config.Workflows = slices.Clone(s.Config.Workflows)
	return s
}

// TakeEvents returns the events since the last call, to be appended to
// events.jsonl.
func (c *Coordinator) TakeEvents() []Event {
	taken := c.events
	c.events = nil
	return taken
}

func (c *Coordinator) emit(kind EventType, at time.Time, payload map[string]any) {
	c.state.Events++
	c.state.Updated = at
	c.events = append(c.events, newEvent(c.state.SessionID, c.state.Events, kind, at, payload))
}

// Explain says which workflow would run next, and why.
func (c *Coordinator) Explain() Explanation { return c.state.Explain() }

// Explain says which workflow would run next, and why.
func (s State) Explain() Explanation { return s.Config.Workflows.Explain(s.runs()) }

func (s State) runs() []Run {
	runs := make([]Run, len(s.History))
	for i, p := range s.History {
		runs[i] = Run{Workflow: p.Workflow, Success: p.Success}
	}
	return runs
}

// Next chooses the workflow of the next iteration. Where the loop may not go on
// (a limit that is reached already, no eligible workflow) the decision stops it
// and the workflow is empty.
func (c *Coordinator) Next(at time.Time) (workflow string, d Decision) {
	if c.state.Stop != nil {
		return "", Decision{Stop: c.state.Stop}
	}
	if stop := c.limits(); stop != nil {
		return "", c.stop(*stop, at)
	}
	workflow, ok := c.state.Config.Workflows.Next(c.state.runs())
	if !ok {
		return "", c.stop(Stop{StopReason: NoEligibleWorkflow, Author: ByCoordinator, Reason: "no workflow may run next"}, at)
	}
	return workflow, Decision{}
}

// Begin starts the next iteration and returns its number, from 1. A task that
// was running is abandoned, as [Coordinator.Abandon] does.
func (c *Coordinator) Begin(workflow, attemptID string, at time.Time) int {
	if c.state.CurrentTask != nil {
		c.Abandon("another iteration was started", at)
	}
	task := &Task{Iteration: c.state.IterationCount + 1, Workflow: workflow, StartedAt: at, AttemptID: attemptID}
	c.state.CurrentTask = task
	c.emit(TaskDispatched, at, map[string]any{"iteration": task.Iteration, "workflow_id": workflow, "attempt_id": attemptID})
	return task.Iteration
}

// Abandon closes the running iteration, if there is one, as crashed: nobody
// knows what it did, so neither control nor goal check are looked at.
func (c *Coordinator) Abandon(why string, at time.Time) Decision {
	if c.state.CurrentTask == nil || c.state.Stop != nil {
		return Decision{Stop: c.state.Stop}
	}
	task := *c.state.CurrentTask
	c.emit(IterationAbandoned, at, map[string]any{"iteration": task.Iteration, "workflow_id": task.Workflow, "reason": why})
	c.record(task, Iteration{FailureKind: Crash, Error: why, FinishedAt: at, Observation: Observation{Evidence: Evidence{Kind: EvidenceAbsent}}})
	if stop := c.derived(); stop != nil {
		return c.stop(*stop, at)
	}
	return Decision{}
}

// Finish takes in how the running iteration ended and decides. After a stop, and
// where no iteration runs, it changes nothing and repeats the decision.
func (c *Coordinator) Finish(it Iteration) Decision {
	if c.state.CurrentTask == nil || c.state.Stop != nil {
		return Decision{Stop: c.state.Stop}
	}
	task := *c.state.CurrentTask
	c.record(task, it)
	rejected := c.claim(task.Workflow, it.Observation.Control, it.Check)
	c.see(it.Observation)
	if stop := c.decide(it, rejected); stop != nil {
		c.stop(*stop, it.FinishedAt)
	}
	return Decision{Stop: c.state.Stop, Rejected: rejected}
}

// Foresee is what [Coordinator.Finish] would decide; nothing is changed.
func (c *Coordinator) Foresee(it Iteration) Decision { return Restore(c.State()).Finish(it) }

// Resume decides whether a session goes on that was closed or died, from what
// its folder holds now; control is read here too. check is what the loop's check
// says about a goal_met, where [Coordinator.Unchecked] asks for it.
//
// A stop that no file holds any more (a control file set back to running, a
// limit that was raised) is taken back, and the counts of failures in a row begin
// again. The refusal of a structural guard is final. An iteration that was running stays the current task.
func (c *Coordinator) Resume(o Observation, check CheckOutcome, at time.Time) Decision {
	previous, rejected := c.state.Stop, false
	if c.Unchecked(o) {
		rejected = c.claim(c.lastWorkflow(), o.Control, check)
	}
	c.state.Stop = nil
	c.state.Status = StatusRunning
	stop := c.decideResumed(o, check, previous, rejected)
	c.see(o)
	if stop != nil {
		c.stop(*stop, at)
		return Decision{Stop: c.state.Stop, Rejected: rejected}
	}
	if previous != nil {
		c.state.GoalCheckFailures = 0
		c.state.WorkflowFailures = map[string]int{}
		c.state.Rejected = nil
	}
	c.emit(SessionResumed, at, map[string]any{"iteration_count": c.state.IterationCount})
	return Decision{Rejected: rejected}
}

// Unchecked tells that a session that is resumed holds a goal_met that no check
// has seen yet, because the engine died before it came to it.
func (c *Coordinator) Unchecked(o Observation) bool {
	return o.Control.claimed() && (c.state.Stop == nil || c.state.Stop.StopReason != GoalMet)
}

// lastWorkflow is the workflow of the iteration that runs or ran last.
func (c *Coordinator) lastWorkflow() string {
	if c.state.CurrentTask != nil {
		return c.state.CurrentTask.Workflow
	}
	if n := len(c.state.History); n > 0 {
		return c.state.History[n-1].Workflow
	}
	return ""
}

// Reconfigure replaces workflows and limits, which a recipe may have changed
// before a session is resumed.
func (c *Coordinator) Reconfigure(config Config) error {
	config = config.withDefaults()
	if err := config.check(); err != nil {
		return err
	}
	c.state.Config = config
	return nil
}

// Halt ends the session for a reason from outside: a brake ([StopFor] its halt
// reason, and that) or a guard that refused a child ([GuardRefused], halt
// may be empty). A session that has stopped stays as it is.
func (c *Coordinator) Halt(stop StopReason, halt HaltReason, why string, at time.Time) Decision {
	if c.state.Stop != nil {
		return Decision{Stop: c.state.Stop}
	}
	return c.stop(Stop{StopReason: stop, HaltReason: halt, Author: ByCoordinator, Reason: why}, at)
}

// see counts the requests that have been dealt with.
func (c *Coordinator) see(o Observation) {
	for _, r := range o.Requests {
		c.state.Requests = max(c.state.Requests, r.Number)
	}
}

// stop records the decision.
func (c *Coordinator) stop(s Stop, at time.Time) Decision {
	row, _ := Lookup(s.StopReason, s.Author, s.HaltReason == HaltSuccess)
	if s.HaltReason == "" {
		s.HaltReason = row.Halt
	}
	c.state.Stop = &s
	c.state.Status = row.Status
	c.state.CurrentTask = nil
	c.emit(SessionStopped, at, map[string]any{
		"stop_reason": string(s.StopReason), "halt_reason": string(s.HaltReason), "author": string(s.Author), "reason": s.Reason,
	})
	return Decision{Stop: &s}
}

func (c Config) withDefaults() Config {
	if c.GoalCheckCap == 0 {
		c.GoalCheckCap = DefaultGoalCheckCap
	}
	if c.FailureCap == 0 {
		c.FailureCap = DefaultFailureCap
	}
	return c
}

func (c Config) check() error {
	invalid := &Invalid{Document: "loop"}
	var workflows *Invalid
	if errors.As(c.Workflows.Check(), &workflows) {
		invalid.Findings = append(invalid.Findings, workflows.Findings...)
	}
	if c.MaxRounds < 0 || c.GoalCheckCap < 0 || c.FailureCap < 0 {
		invalid.add("", "the limits must be at least 0")
	}
	if _, ok := dollars(c.MaxCostUSD); c.MaxCostUSD != "" && !ok {
		invalid.add("max_cost_usd", "%s is not a number of at least 0", c.MaxCostUSD)
	}
	return invalid.err()
}

func (s Workflows) ids() []any {
	ids := make([]any, len(s))
	for i, w := range s {
		ids[i] = w.ID
	}
	return ids
}
