// Package doomloop finds the loops that get nowhere in the step events of a
// run, or in the tool events of an agent: repeated actions, failures and
// outputs, cycles of any period, plans that go round, and no progress.
//
// The detectors are incremental. A [Detector] is fed one event after another,
// live as a brake or afterwards for a report, with the same findings either
// way. Nothing here reads a clock: the times are those of the events.
package doomloop

import "time"

// Status is how a step ended.
type Status string

// The statuses. Anything else is treated as unknown, which is neither a success
// nor a failure.
const (
	Unknown   Status = ""
	Succeeded Status = "ok"
	Failed    Status = "failed"
)

// Progress is what the caller itself knows about the worth of an event.
type Progress string

// Without a mark an event is progress when it shows something not seen before.
// What was made breaks every row of repeated actions and outputs, and every
// cycle: the same action on another state of the world is another action.
const (
	Unmarked Progress = ""
	Made     Progress = "made" // e.g. a commit, a test gone green
	Missing  Progress = "none" // nothing moved, however new the event looks
)

// Event is one step of a run, or one tool call of an agent. Hashes are opaque
// texts that are only compared; they should be taken after times, addresses
// and alike are normalised away.
type Event struct {
	// Action names the step or the tool.
	Action string
	// Label names the event among those with the same action, for people, such
	// as the step with the number of its round; empty means that only the number
	// of the event names it.
	Label string
	// Args is the hash of its arguments; empty means it has none.
	Args   string
	Status Status
	// Output is the hash of what came back; empty means empty or unknown.
	Output string
	// OutputSize is the length of what came back in bytes; 0 means unknown.
	OutputSize int64
	// Element tells that the event is one of several that do the same to the
	// elements of a list; that they say the same is no repeated output.
	Element bool
	// Error is the normalised signature of a failure; empty means unknown.
	Error string
	// Plan is the hash of the plan in force after the event; empty means that
	// the event has no plan.
	Plan     string
	Progress Progress
	// Waited is how long the loop waited on purpose before this event, such as
	// the delay of a retry. The time a model takes to think is not waiting.
	Waited time.Duration
	// At is when the event ended; zero means unknown.
	At time.Time
	// Tokens and CostUSD are what the event used; 0 means nothing or unknown.
	Tokens  int64
	CostUSD float64
}

// Kind names a detector. Except for Cycle the names are those of the guard
// events of seed 003.
type Kind string

// The detectors.
const (
	RepeatedAction     Kind = "repeated_action"
	RepeatedFailure    Kind = "repeated_failure"
	RepeatedOutput     Kind = "repeated_output"
	Cycle              Kind = "cycle"
	NoProgress         Kind = "no_progress"
	CircularPlan       Kind = "circular_plan"
	ResourceExhaustion Kind = "resource_exhaustion"
)

// Finding is one loop that was found. As JSON it is a guard event that package
// guard recognises by its loop_type.
type Finding struct {
	Kind Kind `json:"loop_type"`
	// Period is the length of the cycle in events; 0 for other kinds.
	Period int `json:"period,omitempty"`
	// Count is how often it happened: repetitions, events without progress,
	// returns to an old plan, or what the limit counts.
	Count int `json:"count"`
	// Witnesses are the numbers, from 1, of the events that made the detector
	// fire, at most [MaxWitnesses] of them.
	Witnesses []int `json:"witnesses"`
	// Names are the labels of the witnesses, in the same order; nil where the
	// events have none.
	Names []string `json:"witness_names,omitempty"`
	// Last is the number of the last event of this loop so far.
	Last int `json:"last"`
	// Reason says in one sentence what was found.
	Reason string `json:"reason"`
}

// MaxWitnesses bounds the witnesses of one finding; the last ones are kept.
const MaxWitnesses = 64
