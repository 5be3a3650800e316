package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// Value is a value as the journal carries it: by itself, or as a reference
// where it is too large (DESIGN section 1). The two stay apart whatever the
// value looks like.
type Value struct {
	Inline *any       `json:"inline,omitempty"`
	Ref    *value.Ref `json:"ref,omitempty"`
}

// Carry wraps a value.
func Carry(v any) Value {
	switch v := v.(type) {
	case nil:
		return Value{}
	case value.Ref:
		return Value{Ref: &v}
	}
	return Value{Inline: &v}
}

// Get unwraps the value.
func (v Value) Get() any {
	switch {
	case v.Ref != nil:
		return *v.Ref
	case v.Inline != nil:
		return *v.Inline
	}
	return nil
}

// finished is the data of action_finished.
type finished struct {
	ID     string       `json:"id"`
	At     time.Time    `json:"at"`
	Result finishResult `json:"result"`
}

// finishResult is a step.Result whose value and text know what they are. Value
// is left out where it is the same string as the text.
type finishResult struct {
	step.Result
	Value *Value `json:"value,omitempty"`
	Text  Value  `json:"text"`
}

// signal is the data of a signal.
type signal struct {
	Kind   step.EventKind `json:"kind"` // interrupt or kill
	Number int            `json:"number"`
	At     time.Time      `json:"at"`
}

// used is the data of a report of usage.
type used struct {
	ID    string      `json:"id"`
	At    time.Time   `json:"at"`
	Usage *step.Usage `json:"usage"`
	// Tools are the tool calls that have ended since the record before.
	Tools []step.ToolUse `json:"tools,omitempty"`
}

// noted is the data of a note.
type noted struct {
	step.Note
	// Duration is that of the outcome, in nanoseconds.
	Duration time.Duration `json:"duration,omitempty"`
}

// Event appends what was fed to the decisions: the end of an action as
// action_finished, an interrupt or kill as signal, and what an agent call has
// used so far as used. [Record.Event] gives it back. The time loses its monotonic reading and its zone; feed the decisions
// with such a time (at.UTC().Round(0)) if a replay is to count the same
// durations.
func (w *Writer) Event(ev step.Event) error {
	at := ev.At.UTC().Round(0)
	switch {
	case ev.Kind == step.Interrupt, ev.Kind == step.Kill:
		return w.Append(KindSignal, signal{ev.Kind, ev.Signal, at})
	case ev.Kind == step.Used:
		return w.Append(KindUsed, used{ev.ID, at, ev.Usage, ev.Tools})
	case ev.Kind != step.Done || ev.Result == nil:
		return fmt.Errorf("the journal knows no event %q without a result", ev.Kind)
	}
	data := finished{ID: ev.ID, At: at, Result: finishResult{Result: *ev.Result, Text: Carry(ev.Result.Text)}}
	text, isText := ev.Result.Text.(string)
	if v, same := ev.Result.Value.(string); !isText || !same || v != text {
		carried := Carry(ev.Result.Value)
		data.Result.Value = &carried
	}
	return w.Append(KindActionFinished, data)
}

// Event gives the event of an action_finished, signal or used record as it was
// appended. unseal undoes [Options.Seal]; nil leaves the values as they were
// recorded. ok is false for records of other kinds.
func (r Record) Event(unseal func(v any) (any, error)) (ev step.Event, ok bool, err error) {
	switch r.Kind {
	case KindActionFinished:
		data, err := decode[finished](r, unseal)
		if err != nil {
			return step.Event{}, false, err
		}
		result := data.Result.Result
		result.Text = data.Result.Text.Get()
		result.Value = result.Text
		if data.Result.Value != nil {
			result.Value = data.Result.Value.Get()
		}
		return step.Event{Kind: step.Done, ID: data.ID, Result: &result, At: data.At}, true, nil
	case KindSignal:
		var data signal
		if err := r.Decode(&data); err != nil {
			return step.Event{}, false, err
		}
		return step.Event{Kind: data.Kind, Signal: data.Number, At: data.At}, true, nil
	case KindUsed:
		var data used
		if err := r.Decode(&data); err != nil {
			return step.Event{}, false, err
		}
		return step.Event{Kind: step.Used, ID: data.ID, Usage: data.Usage, Tools: data.Tools, At: data.At}, true, nil
	}
	return step.Event{}, false, nil
}

// noteValue is the size in bytes up to which a note repeats a value.
const noteValue = 1 << 10

// Note appends a note. Notes carry no decision, and most values in them stand
// in the result of an action already: a value of more than 1 KiB appears as a
// [value.Ref] with its hash and size and no place.
func (w *Writer) Note(n step.Note) error { return w.Append(KindNote, newNoted(n)) }

func newNoted(n step.Note) noted {
	n.At = n.At.UTC().Round(0)
	n.Value = brief(n.Value)
	data := noted{Note: n}
	if n.Outcome != nil {
		data.Note.Outcome = briefOutcome(n.Outcome)
		data.Duration = n.Outcome.Duration
	}
	return data
}

// Note gives the note of a note record; unseal is as for [Record.Event]. A map
// that looks exactly like a [value.Ref] comes back as one.
func (r Record) Note(unseal func(v any) (any, error)) (step.Note, error) {
	if r.Kind != KindNote {
		return step.Note{}, fmt.Errorf("record %d of the journal is a %s and no note", r.Seq, r.Kind)
	}
	data, err := decode[noted](r, unseal)
	if err != nil {
		return step.Note{}, err
	}
	data.Note.Value = reference(data.Note.Value)
	if data.Note.Outcome != nil {
		data.Note.Outcome.Duration = data.Duration
		referOutcome(data.Note.Outcome)
	}
	return data.Note, nil
}

// RunStarted gives the data of a run_started record; unseal is as for
// [Record.Event].
func (r Record) RunStarted(unseal func(v any) (any, error)) (RunStarted, error) {
	if r.Kind != KindRunStarted {
		return RunStarted{}, fmt.Errorf("record %d of the journal is a %s and no run_started", r.Seq, r.Kind)
	}
	return decode[RunStarted](r, unseal)
}

// RunFinished gives the data of a run_finished record; unseal is as for
// [Record.Event].
func (r Record) RunFinished(unseal func(v any) (any, error)) (RunFinished, error) {
	if r.Kind != KindRunFinished {
		return RunFinished{}, fmt.Errorf("record %d of the journal is a %s and no run_finished", r.Seq, r.Kind)
	}
	return decode[RunFinished](r, unseal)
}

// decode reads a record's data and undoes its sealing.
func decode[T texts](r Record, unseal func(v any) (any, error)) (T, error) {
	var data T
	if err := r.Decode(&data); err != nil || unseal == nil {
		return data, err
	}
	changed, err := data.texts(unseal)
	if err != nil {
		return data, fmt.Errorf("record %d (%s) of the journal: %w", r.Seq, r.Kind, err)
	}
	whole, _ := changed.(T)
	return whole, nil
}

func brief(v any) any {
	if _, is := v.(value.Ref); is || v == nil {
		return v
	}
	text := value.Text(v)
	if len(text) <= noteValue {
		return v
	}
	sum := sha256.Sum256([]byte(text))
	_, isText := v.(string)
	return value.Ref{Hash: hex.EncodeToString(sum[:]), Size: int64(len(text)), JSON: !isText}
}

func briefOutcome(o *step.Outcome) *step.Outcome {
	short := *o
	short.Output = brief(o.Output)
	if o.Outputs != nil {
		short.Outputs = make(map[string]any, len(o.Outputs))
		for name, v := range o.Outputs {
			short.Outputs[name] = brief(v)
		}
	}
	// The children had notes of their own.
	short.Children = nil
	return &short
}

func referOutcome(o *step.Outcome) {
	o.Output = reference(o.Output)
	for name, v := range o.Outputs {
		o.Outputs[name] = reference(v)
	}
}

// reference recognises the JSON form of a value.Ref.
func reference(v any) any {
	m, isMap := v.(map[string]any)
	if !isMap {
		return v
	}
	hash, ok1 := m["sha256"].(string)
	size, ok2 := m["size"].(value.Number)
	place, ok3 := m["place"].(string)
	isJSON, ok4 := m["json"].(bool)
	members := 3
	if ok4 {
		members = 4
	}
	length, err := size.Int64()
	if !ok1 || !ok2 || !ok3 || err != nil || len(m) != members {
		return v
	}
	return value.Ref{Hash: hash, Size: length, Place: place, JSON: isJSON}
}
