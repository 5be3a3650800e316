package step

import "time"

// NoteKind says what a note announces or reports.
type NoteKind string

// The kinds of note.
const (
	RunStarted   NoteKind = "run_started"
	StepStarted  NoteKind = "step_started"
	StepFinished NoteKind = "step_finished"
	VariableSet  NoteKind = "variable_set"
	Warning      NoteKind = "warning"
	// Waiting is the beginning of a wait for an agent's fault or limit to pass.
	Waiting NoteKind = "waiting"
	// LoopRound is the beginning of a round, and Verdict what was made of it.
	LoopRound NoteKind = "loop_round"
	Verdict   NoteKind = "verdict"
	// Braked is what the brakes of a loop decided about a round, with the tree's
	// fate as its Name, and LoopEnded the end of a loop with its halt reason; the
	// Text of both is JSON.
	Braked    NoteKind = "braked"
	LoopEnded NoteKind = "loop_ended"
	// ByHand is what a person did to a run that no process had; its Name says
	// what, and its Text, as JSON, with which trees, reason or signature.
	ByHand      NoteKind = "by_hand"
	RunFinished NoteKind = "run_finished"
)

// Moved is the status of a [Verdict] of a round in which something moved.
const Moved = "moved"

// Note is a fact about the run for those who watch it: the journal, progress,
// the audit log. Notes carry no decision.
type Note struct {
	Kind NoteKind `json:"kind"`
	Path string   `json:"path,omitempty"`
	// Type is the step's type on StepStarted.
	Type string `json:"type,omitempty"`
	// Outcome is the step's end on StepFinished.
	Outcome *Outcome `json:"outcome,omitempty"`
	// Name and Value are the variable of VariableSet.
	Name  string `json:"name,omitempty"`
	Value any    `json:"value,omitempty"`
	// Text is the message of a Warning, the reason of Waiting, the reason of RunFinished or of a
	// Verdict, and the number of a LoopRound. The word of a Verdict is its Name.
	Text string `json:"text,omitempty"`
	// Due is when a wait ends, on Waiting.
	Due *time.Time `json:"due,omitempty"`
	// Status is the run's status on RunFinished, and on a Verdict [Moved] where
	// the judge saw something move.
	Status string    `json:"status,omitempty"`
	At     time.Time `json:"at"`
}

// Outcome is the end of one step, as reports and conditions see it.
type Outcome struct {
	ID     string `json:"step_id"`
	Path   string `json:"path"`
	Status Status `json:"status"`
	// Tolerated tells that the failure did not stop the recipe.
	Tolerated bool `json:"tolerated,omitempty"`
	// Output is the output as text; a [value.Ref] where it is large.
	Output any `json:"output"`
	// Value is the output as its variable has it.
	Value     any    `json:"-"`
	Error     string `json:"error"`
	ExitCode  int    `json:"exit_code"`
	Signal    string `json:"signal,omitempty"`
	Cause     Cause  `json:"cause,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
	Attempts  int    `json:"attempts,omitempty"`
	// Outputs holds what a called recipe gave back.
	Outputs map[string]any `json:"outputs,omitempty"`
	// Loop is the result of a loop: verdict, stop_reason, halt_reason, reason,
	// rounds, verdicts, usage, session and duration; nil for another step.
	Loop map[string]any `json:"loop,omitempty"`
	// Failures lists the failed elements of a foreach.
	Failures []any         `json:"failed,omitempty"`
	Duration time.Duration `json:"-"`
	Usage    *Usage        `json:"usage,omitempty"`
	// Agent is how the last agent call of the step ended; nil for other steps.
	Agent *Answered `json:"agent,omitempty"`
	// Children are the steps of a called recipe, in the order they ended.
	Children []*Outcome `json:"children,omitempty"`
}

// Refused reports whether a structural guard ended the step.
func (o *Outcome) Refused() bool {
	return o.Status == Failed && (o.Cause == CauseGuard || o.ExitCode == ExitRefused)
}
