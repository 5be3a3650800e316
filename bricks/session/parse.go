package session

import (
	"encoding/json"
	"fmt"

	"github.com/brickoven/brickoven/recipes/value"
)

// ObservationFrom reads an observation back from the value that an action's
// result carries.
func ObservationFrom(v any) (Observation, error) {
	var o Observation
	if err := json.Unmarshal([]byte(value.JSON(v)), &o); err != nil {
		return Observation{}, fmt.Errorf("the observation of an iteration: %w", err)
	}
	return o, nil
}

// MarshalJSON prints the limits, with null for no limit on costs.
func (c Config) MarshalJSON() ([]byte, error) {
	type plain Config
	return json.Marshal(struct {
		plain
		MaxCostUSD *value.Number `json:"max_cost_usd"`
	}{plain(c), orNull(c.MaxCostUSD)})
}

// Encode prints state.json.
func (s State) Encode() ([]byte, error) {
	s.SchemaVersion = SchemaVersion
	return encode(StateFile, s)
}

// ParseState reads state.json strictly; the error is an [*Invalid].
func ParseState(data []byte) (State, error) {
	o := openDocument(StateFile, data)
	s := State{
		SchemaVersion: SchemaVersion, SessionID: o.text("session_id"),
		Status:   oneOf(o, "status", true, StatusRunning, StatusGoalMet, StatusStopped, StatusFailed, StatusMaxRounds),
		GoalHash: o.text("goal_hash"), IterationCount: o.count("iteration_count", true),
		GoalCheckFailures: o.count("goal_check_consecutive_failures", true), WorkflowFailures: parseCounts(o),
		Rejected: parseRejection(o.object("rejected", false)), Usage: parseTotal(o.object("usage_totals", true)),
		CurrentTask: parseTask(o.object("current_task", false)), Stop: parseStop(o.object("stop", false)),
		Requests: o.count("requests", true), Events: o.count("events", true), History: []Past{},
		Config: parseConfig(o.object("config_snapshot", true)), Updated: o.instant("updated_at", true),
	}
	for _, past := range o.objects("history") {
		s.History = append(s.History, parsePast(past))
	}
	o.version(false)
	o.done()
	s.consistent(o)
	if err := o.invalid.err(); err != nil {
		return State{}, err
	}
	return s, nil
}

// consistent reports what no coordinator would have written.
func (s State) consistent(o *object) {
	if len(s.History) != s.IterationCount {
		o.fail("iteration_count", "%d does not fit the history of %d", s.IterationCount, len(s.History))
	}
	if (s.Stop == nil) != (s.Status == StatusRunning) {
		o.fail("status", "a session that is %q does not fit the stop that is recorded", s.Status)
	}
}

func parseCounts(o *object) map[string]int {
	counts := map[string]int{}
	if failures := o.object("workflow_consecutive_failures", true); failures != nil {
		for id := range failures.fields {
			counts[id] = failures.count(id, true)
		}
	}
	return counts
}

var allAuthors = []Author{ByWorkflow, ByJudge, ByPerson, ByCoordinator}

func parseRejection(o *object) *Rejection {
	if o == nil {
		return nil
	}
	defer o.done()
	return &Rejection{Count: o.count("count", true), Author: oneOf(o, "author", true, allAuthors...), Workflow: o.text("workflow")}
}

func parseTask(o *object) *Task {
	if o == nil {
		return nil
	}
	defer o.done()
	return &Task{
		Iteration: o.count("iteration", true), Workflow: o.text("workflow_id"), StartedAt: o.instant("started_at", true),
		AttemptID: o.textOr("attempt_id"),
	}
}

func parseStop(o *object) *Stop {
	if o == nil {
		return nil
	}
	defer o.done()
	s := &Stop{
		StopReason: StopReason(o.text("stop_reason")), HaltReason: HaltReason(o.text("halt_reason")),
		Author: oneOf(o, "author", true, allAuthors...), Reason: o.textOr("reason"),
	}
	if s.StopReason != "" && !s.StopReason.known() {
		o.fail("stop_reason", "%q is no stop reason", s.StopReason)
	}
	for _, d := range o.objects("difference") {
		s.Difference = append(s.Difference, Difference{
			Path: d.text("path"), Change: oneOf(d, "change", true, Added, Removed, Changed), Before: d.textOr("before"), After: d.textOr("after"),
		})
		d.done()
	}
	return s
}

func parsePast(o *object) Past {
	defer o.done()
	return Past{
		Iteration: o.count("iteration", true), Workflow: o.text("workflow_id"), Success: o.truth("success"), Error: o.textOr("error"),
		FailureKind: oneOf(o, "failure_kind", false, "", Transient, Deterministic, Crash, Unknown),
		GoalCheck:   oneOf(o, "goal_check", true, EvidenceAbsent, EvidenceInvalid, EvidenceNotMet, EvidenceMet),
		StartedAt:   o.instant("started_at", true), FinishedAt: o.instant("finished_at", true),
	}
}

func parseTotal(o *object) UsageTotal {
	if o == nil {
		return UsageTotal{}
	}
	defer o.done()
	return UsageTotal{
		PromptTokens: int64(o.count("prompt_tokens", true)), CompletionTokens: int64(o.count("completion_tokens", true)),
		Turns: int64(o.count("turns", true)), TurnsWithoutUsage: o.count("turns_without_usage", true),
		CostUSD: o.number("cost_usd"), IterationsWithoutCost: o.count("iterations_without_cost", true),
	}
}

func parseConfig(o *object) Config {
	if o == nil {
		return Config{}
	}
	defer o.done()
	c := Config{
		MaxRounds: o.count("max_rounds", true), MaxCostUSD: o.number("max_cost_usd"),
		GoalCheckCap: o.count("goal_check_consecutive_failures_cap", true), FailureCap: o.count("workflow_failure_cap", true),
	}
	for _, w := range o.objects(workflowsKey) {
		c.Workflows = append(c.Workflows, decodeWorkflow(w, ""))
	}
	return c
}
