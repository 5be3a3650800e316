package document

import (
	"time"

	"github.com/brickoven/brickoven/runner/journal"
	"github.com/invopop/jsonschema"
)

// Journal is one line of journal.jsonl, the record of a run. Each line carries
// the hash of the one before, so that a line that was changed, dropped or moved
// shows.
type Journal struct {
	// The version of the form.
	V int `json:"v" jsonschema:"enum=1"`
	// The number of the line, from 1.
	Seq int64 `json:"seq"`
	// When it was written, in UTC.
	At time.Time `json:"at"`
	// What the record announces or reports.
	Kind string `json:"kind"`
	// The hash of the line before; empty in the first.
	Prev string `json:"prev"`
	// What there is to say, by kind.
	Data map[string]any `json:"data"`
	// The SHA-256 of the line in front of this member, in hex.
	Sum string `json:"sum" jsonschema:"pattern=^[0-9a-f]{64}$"`
}

// payloads are the types of the data, by kind.
var payloads = []struct {
	kind journal.Kind
	data any
	name string
}{
	{journal.KindRunStarted, journal.RunStarted{}, "RunStarted"},
	{journal.KindActionStarted, journal.ActionStarted{}, "ActionStarted"},
	{journal.KindProcessStarted, journal.ProcessStarted{}, "ProcessStarted"},
	{journal.KindActionFinished, ActionFinished{}, "ActionFinished"},
	{journal.KindNote, Note{}, "Note"},
	{journal.KindGuardRefused, journal.GuardRefused{}, "GuardRefused"},
	{journal.KindSignal, Signal{}, "Signal"},
	{journal.KindUsed, Used{}, "Used"},
	{journal.KindWait, journal.Wait{}, "Wait"},
	{journal.KindResumed, journal.Resumed{}, "Resumed"},
	{journal.KindStalled, journal.Stalled{}, "Stalled"},
	{journal.KindRunFinished, journal.RunFinished{}, "RunFinished"},
}

func payloadTypes() []any {
	list := make([]any, len(payloads))
	for i, p := range payloads {
		list[i] = p.data
	}
	return list
}

// JSONSchemaExtend joins each kind with its data.
func (Journal) JSONSchemaExtend(s *jsonschema.Schema) {
	kind, _ := s.Properties.Get("kind")
	for _, p := range payloads {
		kind.Enum = append(kind.Enum, string(p.kind))
		is, has := jsonschema.NewProperties(), jsonschema.NewProperties()
		is.Set("kind", &jsonschema.Schema{Const: string(p.kind)})
		has.Set("data", &jsonschema.Schema{Ref: "#/$defs/" + p.name})
		s.AllOf = append(s.AllOf, &jsonschema.Schema{
			If: &jsonschema.Schema{Properties: is}, Then: &jsonschema.Schema{Properties: has},
		})
	}
}

// ActionFinished is the end of an action, as it was fed to the decisions.
type ActionFinished struct {
	// The action.
	ID string `json:"id"`
	// When it ended, in UTC.
	At time.Time `json:"at"`
	// What it gave.
	Result map[string]any `json:"result"`
}

// Used is what an agent call has used so far, while it goes on.
type Used struct {
	// The action.
	ID string `json:"id"`
	// When it was told, in UTC.
	At time.Time `json:"at"`
	// What the call has used since it began, as far as the agent tells; null where
	// it is about tools alone.
	Usage map[string]any `json:"usage"`
	// The tool calls that have ended since the record before, as hashes.
	Tools []map[string]any `json:"tools,omitempty"`
}

// Signal is an interrupt or a kill that reached the run.
type Signal struct {
	// Which of the two.
	Kind string `json:"kind" jsonschema:"enum=interrupt,enum=kill"`
	// The number of the signal.
	Number int `json:"number"`
	// When it came, in UTC.
	At time.Time `json:"at"`
}

// Note is a fact for those who watch; it carries no decision.
type Note struct {
	// What the note is about.
	Kind string `json:"kind" jsonschema:"enum=run_started,enum=step_started,enum=step_finished,enum=variable_set,enum=warning,enum=waiting,enum=loop_round,enum=verdict,enum=run_finished"`
	// The step, by the ids from the root recipe down to it.
	Path string `json:"path,omitempty"`
	// The type of the step that started.
	Type string `json:"type,omitempty"`
	// How the step ended.
	Outcome map[string]any `json:"outcome,omitempty"`
	// The variable that was set.
	Name string `json:"name,omitempty"`
	// Its value, or a reference where it is large.
	Value any `json:"value,omitempty"`
	// The text of a warning, or the reason for the end or for a wait.
	Text string `json:"text,omitempty"`
	// When a wait ends, in UTC.
	Due *time.Time `json:"due,omitempty"`
	// The status of the run that ended; moved, on a verdict, where the judge saw
	// something move.
	Status string `json:"status,omitempty"`
	// When it happened, in UTC.
	At time.Time `json:"at"`
	// How long the step took, in nanoseconds.
	Duration int64 `json:"duration,omitempty"`
}
