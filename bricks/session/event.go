package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// EventsFile is the name of the file: one JSON object a line, oldest first.
const EventsFile = "events.jsonl"

// EventType says what happened.
type EventType string

// The types of event.
const (
	SessionStarted     EventType = "session_started"
	SessionResumed     EventType = "session_resumed"
	SessionStopped     EventType = "session_stopped"
	TaskDispatched     EventType = "task_dispatched"
	TaskFinished       EventType = "task_finished"
	IterationAbandoned EventType = "iteration_abandoned"
	GoalCheckSeen      EventType = "goal_check"
	// Waiting and WaitEnded enclose a pause that spends no round; the payload of
	// the first has due, the time at which it ends by itself.
	Waiting   EventType = "waiting"
	WaitEnded EventType = "wait_ended"
)

// Event is one line of events.jsonl.
type Event struct {
	// ID is 12 hex digits. The same event of a replay has the same id, so a
	// reader drops the second of two lines with one id.
	ID            string         `json:"event_id"`
	SchemaVersion int            `json:"schema_version"`
	At            time.Time      `json:"ts"`
	SessionID     string         `json:"session_id"`
	Type          EventType      `json:"type"`
	Payload       map[string]any `json:"payload"`
}

func newEvent(sessionID string, number int, kind EventType, at time.Time, payload map[string]any) Event {
	sum := sha256.Sum256([]byte(sessionID + "/" + strconv.Itoa(number)))
	return Event{
		ID: hex.EncodeToString(sum[:6]), SchemaVersion: SchemaVersion, At: at.UTC(), SessionID: sessionID, Type: kind,
		Payload: value.From(payload).(map[string]any),
	}
}

// Wait reports a pause that begins: what it waits for and when it ends by
// itself; a zero due means that nobody knows.
func (c *Coordinator) Wait(why string, due, at time.Time) {
	payload := map[string]any{"reason": why, "due": nil}
	if !due.IsZero() {
		payload["due"] = due.UTC().Format(time.RFC3339)
	}
	c.emit(Waiting, at, payload)
}

// WaitOver reports the end of a pause; cut tells that a person cut it short.
func (c *Coordinator) WaitOver(cut bool, at time.Time) {
	c.emit(WaitEnded, at, map[string]any{"cut_short": cut})
}

// Encode prints the event as one line.
func (e Event) Encode() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, fmt.Errorf("printing an event: %w", err)
	}
	return out.Bytes(), nil
}

var eventID = pattern.Pattern{Source: `^[0-9a-f]{12}$`}

// ParseEvent reads one line strictly; the error is an [*Invalid].
func ParseEvent(line []byte) (Event, error) {
	o := openDocument(EventsFile, line)
	e := Event{
		ID: o.text("event_id"), SchemaVersion: SchemaVersion, At: o.instant("ts", true), SessionID: o.text("session_id"),
		Type: oneOf(o, "type", true, SessionStarted, SessionResumed, SessionStopped, TaskDispatched, TaskFinished,
			IterationAbandoned, GoalCheckSeen, Waiting, WaitEnded),
		Payload: take[map[string]any](o, "payload", true, "map"),
	}
	o.version(false)
	o.done()
	if e.ID != "" && !eventID.Get().MatchString(e.ID) {
		o.fail("event_id", "%q is not 12 hex digits", e.ID)
	}
	if err := o.invalid.err(); err != nil {
		return Event{}, err
	}
	return e, nil
}

// ParseEvents reads events.jsonl. Of two events with one id only the first
// counts. A last line that was cut short is left out, and torn says so; any
// other line that can not be read is an error that names its number.
func ParseEvents(data []byte) (events []Event, torn bool, err error) {
	seen := map[string]bool{}
	for number := 1; len(data) > 0; number++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		data = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		e, err := ParseEvent(line)
		if err != nil && !whole {
			return events, true, nil
		}
		if err != nil {
			return events, false, fmt.Errorf("line %d of %w", number, err)
		}
		if !seen[e.ID] {
			seen[e.ID] = true
			events = append(events, e)
		}
	}
	return events, false, nil
}
