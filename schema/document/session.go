package document

import (
	"time"

	"github.com/invopop/jsonschema"
)

// Control is control.json in the folder of a session, the only stop switch of a
// loop. A workflow may write goal_met or unresolvable_error; stop_requested
// counts only when a person asked for it with brickoven session stop.
type Control struct {
	// Whether the loop goes on.
	State string `json:"state" jsonschema:"enum=running,enum=stopped"`
	// Why the file says what it says, for people.
	Reason string `json:"reason"`
	// Why the loop stops; null while it runs.
	StopReason *string `json:"stop_reason,omitempty" jsonschema:"enum=goal_met,enum=unresolvable_error,enum=stop_requested"`
	// The version of the form.
	SchemaVersion int `json:"schema_version" jsonschema:"enum=1"`
}

// JSONSchemaExtend demands a reason to stop exactly where the state is stopped.
func (Control) JSONSchemaExtend(s *jsonschema.Schema) {
	nullable(s, "stop_reason")
	running, none := jsonschema.NewProperties(), jsonschema.NewProperties()
	running.Set("state", &jsonschema.Schema{Const: "running"})
	none.Set("stop_reason", null())
	some := jsonschema.NewProperties()
	some.Set("stop_reason", &jsonschema.Schema{Type: "string"})
	s.If = &jsonschema.Schema{Properties: running}
	s.Then = &jsonschema.Schema{Properties: none}
	s.Else = &jsonschema.Schema{Properties: some, Required: []string{"stop_reason"}}
}

// GoalCheck is goal_check.json of one iteration: evidence whether the goal looks
// met, which alone never stops a loop.
type GoalCheck struct {
	// Whether the goal looks met.
	GoalMet bool `json:"goal_met"`
	// What that rests on.
	Reason string `json:"reason"`
	// The version of the form.
	SchemaVersion *int `json:"schema_version,omitempty" jsonschema:"enum=1"`
}

// Event is one line of events.jsonl in the folder of a session.
type Event struct {
	// The id of the event; of two lines with one id the second is a repetition.
	ID string `json:"event_id" jsonschema:"pattern=^[0-9a-f]{12}$"`
	// The version of the form.
	SchemaVersion int `json:"schema_version"`
	// When it happened, in UTC.
	At time.Time `json:"ts"`
	// The session.
	SessionID string `json:"session_id"`
	// What happened.
	Type string `json:"type" jsonschema:"enum=session_started,enum=session_resumed,enum=session_stopped,enum=task_dispatched,enum=task_finished,enum=iteration_abandoned,enum=goal_check,enum=waiting,enum=wait_ended"`
	// What there is to say about it.
	Payload map[string]any `json:"payload"`
}
