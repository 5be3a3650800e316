package session

import (
	"time"

	"github.com/brickoven/brickoven/recipes/value"
)

// Status is the first word of state.json.
type Status string

// The statuses of a session.
const (
	StatusRunning   Status = "running"
	StatusGoalMet   Status = "goal_met"
	StatusStopped   Status = "stopped"
	StatusFailed    Status = "failed"
	StatusMaxRounds Status = "max_rounds"
)

// StateFile is the name of the file.
const StateFile = "state.json"

// State is state.json: everything that a [Coordinator] knows. It is written by
// the engine only.
type State struct {
	SchemaVersion int    `json:"schema_version"`
	SessionID     string `json:"session_id"`
	Status        Status `json:"status"`
	GoalHash      string `json:"goal_hash"`
	// IterationCount counts finished iterations, abandoned ones included.
	IterationCount int `json:"iteration_count"`
	// GoalCheckFailures counts the emitting iterations in a row that left no
	// valid goal check.
	GoalCheckFailures int `json:"goal_check_consecutive_failures"`
	// WorkflowFailures counts the failed iterations in a row of each workflow.
	WorkflowFailures map[string]int `json:"workflow_consecutive_failures"`
	// Rejected is the goal_met that the check did not accept; nil when the row
	// is broken.
	Rejected *Rejection `json:"rejected"`
	Usage    UsageTotal `json:"usage_totals"`
	// CurrentTask is the iteration that runs; nil between two.
	CurrentTask *Task `json:"current_task"`
	// Stop is why the session stopped; nil while it runs.
	Stop *Stop `json:"stop"`
	// Requests is how many requests from the command line were seen.
	Requests int `json:"requests"`
	// Events counts the events so far; their ids come from it.
	Events  int       `json:"events"`
	History []Past    `json:"history"`
	Config  Config    `json:"config_snapshot"`
	Updated time.Time `json:"updated_at"`
}

// Rejection counts the claims in a row that the check did not accept.
type Rejection struct {
	Count    int    `json:"count"`
	Author   Author `json:"author"`
	Workflow string `json:"workflow"`
}

// Task is the iteration that runs.
type Task struct {
	Iteration int       `json:"iteration"`
	Workflow  string    `json:"workflow_id"`
	StartedAt time.Time `json:"started_at"`
	AttemptID string    `json:"attempt_id"`
}

// Stop is the decision that ended a session.
type Stop struct {
	StopReason StopReason `json:"stop_reason"`
	HaltReason HaltReason `json:"halt_reason"`
	Author     Author     `json:"author"`
	Reason     string     `json:"reason"`
	// Difference is what was changed, for harness_tampered.
	Difference []Difference `json:"difference,omitempty"`
}

// Past is one finished iteration.
type Past struct {
	Iteration   int          `json:"iteration"`
	Workflow    string       `json:"workflow_id"`
	Success     bool         `json:"success"`
	Error       string       `json:"error"`
	FailureKind FailureKind  `json:"failure_kind"`
	GoalCheck   EvidenceKind `json:"goal_check"`
	StartedAt   time.Time    `json:"started_at"`
	FinishedAt  time.Time    `json:"finished_at"`
}

// UsageTotal sums what iterations reported. What is unknown is left out of the
// sums and counted.
type UsageTotal struct {
	PromptTokens      int64 `json:"prompt_tokens"`
	CompletionTokens  int64 `json:"completion_tokens"`
	Turns             int64 `json:"turns"`
	TurnsWithoutUsage int   `json:"turns_without_usage"`
	// CostUSD is an exact decimal.
	CostUSD value.Number `json:"cost_usd"`
	// IterationsWithoutCost counts the iterations whose cost is unknown.
	IterationsWithoutCost int `json:"iterations_without_cost"`
}

// Config is what a coordinator goes by.
type Config struct {
	Workflows Workflows `json:"workflows"`
	// MaxRounds is how many iterations may finish; 0 means any number.
	MaxRounds int `json:"max_rounds"`
	// MaxCostUSD ends the session when the known costs reach it; empty means
	// that there is no such limit.
	MaxCostUSD value.Number `json:"-"`
	// GoalCheckCap is how many emitting iterations in a row may leave no valid
	// goal check; 0 means [DefaultGoalCheckCap].
	GoalCheckCap int `json:"goal_check_consecutive_failures_cap"`
	// FailureCap is how many iterations of one workflow may fail in a row; 0
	// means [DefaultFailureCap].
	FailureCap int `json:"workflow_failure_cap"`
}

// The defaults of a [Config] (seed 001, "goal_check_broken").
const (
	DefaultGoalCheckCap = 3
	DefaultFailureCap   = 5
)
