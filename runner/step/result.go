package step

import (
	"time"

	"github.com/brickoven/brickoven/recipes/value"
)

// Status is how a step ended.
type Status string

// The statuses of a step; existing callers of recipe-runner-rs know these four.
const (
	Completed Status = "completed"
	Skipped   Status = "skipped"
	Failed    Status = "failed"
	// Degraded is a step that went on with less than it was asked for: raw text
	// instead of JSON, some elements of a foreach failed.
	Degraded Status = "degraded"
)

// Cause says why an action failed, for the decisions that depend on it. Empty
// means that it did not fail, or that only its exit code says so.
type Cause string

// The causes of failure.
const (
	// CauseStart means that nothing ran: a missing program or folder, a value
	// that is refused in its place of the command, no agent configured.
	CauseStart Cause = "start"
	// CauseTimeout and CauseIdle mean that a limit of the step ended it.
	CauseTimeout Cause = "timeout"
	CauseIdle    Cause = "idle_timeout"
	// CauseStale means that it was silent for longer than its loop allows.
	CauseStale Cause = "stale"
	// CauseCancelled means that the run ended it: a signal, or a sibling's
	// fatal failure.
	CauseCancelled Cause = "cancelled"
	// CauseInterrupted means that the run stopped while the action was under way
	// and its step says not to run it again; with OK the step is skipped.
	CauseInterrupted Cause = "interrupted"
	// CauseGuard means that a structural guard refused to start a child.
	CauseGuard Cause = "guard"
	// CauseJSON means that parse_json found no answer, or one that its schema
	// does not allow.
	CauseJSON Cause = "parse_json"
	// CauseHeld means that another loop works in the same tree.
	CauseHeld Cause = "held"
	// CauseLoop means that a loop ended without its goal.
	CauseLoop Cause = "loop"
	// CauseState means that the run's own files could not be written or read.
	CauseState Cause = "state"
)

// ExitRefused is the exit code with which a structural guard refuses to start a
// child. It is final: never retried, recovered from or tolerated (seed 000,
// "Exit code 79 is terminal").
const ExitRefused = 79

// ExitTimeout is the exit code of a step that its timeout ended.
const ExitTimeout = 124

// Result is what became of an action.
type Result struct {
	// OK tells that the action did what it was asked for.
	OK bool `json:"ok"`
	// Cause says why not, where more is known than the exit code.
	Cause Cause `json:"cause,omitempty"`
	// ExitCode is the code of the process; 124 after a timeout, 128+n after
	// signal n, -1 where nothing ran.
	ExitCode int    `json:"exit_code"`
	Signal   string `json:"signal,omitempty"`
	// Value is the output as a variable gets it, or the answer to a question;
	// a [value.Ref] where it is too large to carry.
	Value any `json:"value"`
	// Text is the output as text; a [value.Ref] where it is large.
	Text any `json:"text"`
	// Stdout and Stderr say where the raw bytes of the outputs lie; nil where
	// nothing was kept.
	Stdout *value.Ref `json:"stdout,omitempty"`
	Stderr *value.Ref `json:"stderr,omitempty"`
	// Truncated tells that the output was longer than a variable may be.
	Truncated bool `json:"truncated,omitempty"`
	// Error is the message of the failure with the last lines of output.
	Error string `json:"error,omitempty"`
	// Warnings are remarks for the author.
	Warnings []string `json:"warnings,omitempty"`
	// Duration is the wall-clock time that the action took.
	Duration time.Duration `json:"duration"`
	// Usage is what an agent call cost; nil where no agent was called.
	Usage *Usage `json:"usage,omitempty"`
	// Agent is how an agent call ended; nil for everything else.
	Agent *Answered `json:"agent,omitempty"`
}

// Refused reports whether a structural guard said no, here or in a child.
func (r Result) Refused() bool {
	return !r.OK && (r.Cause == CauseGuard || r.ExitCode == ExitRefused)
}

// EventKind says what happened outside.
type EventKind string

// The kinds of event.
const (
	// Done brings the result of the action with the event's ID.
	Done EventKind = "done"
	// Interrupt is the first signal at the runner: nothing new starts, running
	// steps are asked to end, finally steps still run.
	Interrupt EventKind = "interrupt"
	// Kill is the second signal: finally steps are cut short too.
	Kill EventKind = "kill"
	// Used tells what the agent call with the event's ID has used so far, while
	// it goes on.
	Used EventKind = "used"
)

// Event is what the world tells the decisions.
type Event struct {
	Kind   EventKind `json:"kind"`
	ID     string    `json:"id,omitempty"`
	Result *Result   `json:"result,omitempty"`
	// Usage is what a Used event reports: the call's own usage since it began; nil
	// where it is only about tools.
	Usage *Usage `json:"usage,omitempty"`
	// Tools are the tool calls that have ended since the Used event before.
	Tools []ToolUse `json:"tools,omitempty"`
	// Signal is the number of the signal of an Interrupt.
	Signal int `json:"signal,omitempty"`
	// At is when it happened; the only clock that the decisions have.
	At time.Time `json:"at"`
	// Attempt counts the owners of the run up to the one that saw it, from 1 on.
	// It is not recorded, because it follows from where the record says that the
	// run was resumed.
	Attempt int `json:"-"`
}

// Batch is what the decisions want after an event.
type Batch struct {
	// Notes are to be recorded before the actions start, in this order.
	Notes []Note
	// Actions are to be started.
	Actions []*Action
	// Cancels are the IDs of running actions to be ended.
	Cancels []string
}
