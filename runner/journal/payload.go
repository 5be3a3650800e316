package journal

import (
	"encoding/json"
	"time"

	"github.com/brickoven/brickoven/runner/process"
)

// takes reports whether the payload is what records of the kind hold. Types that
// are not known here would pass [Options.Seal] by.
func (k Kind) takes(payload any) bool {
	switch payload.(type) {
	case RunStarted:
		return k == KindRunStarted
	case ActionStarted:
		return k == KindActionStarted
	case ProcessStarted:
		return k == KindProcessStarted
	case finished:
		return k == KindActionFinished
	case noted:
		return k == KindNote
	case GuardRefused:
		return k == KindGuardRefused
	case signal:
		return k == KindSignal
	case used:
		return k == KindUsed
	case Wait:
		return k == KindWait
	case Resumed:
		return k == KindResumed
	case Stalled:
		return k == KindStalled
	case RunFinished:
		return k == KindRunFinished
	}
	return false
}

// RunStarted is the first record: all that it takes to run the same again.
type RunStarted struct {
	RunID  string `json:"run_id"`
	Recipe string `json:"recipe"` // the recipe's name
	// Start is the time that the run's decisions were started with, which a
	// replay must start with too.
	Start time.Time `json:"start"`
	// Dir is the working directory, absolute.
	Dir string `json:"dir"`
	// Owner is the process that runs it, Host the machine's name.
	Owner process.Ident `json:"owner"`
	Host  string        `json:"host,omitempty"`
	// Versions names what took part: brickoven, bash, git.
	Versions map[string]string `json:"versions,omitempty"`
	// Options are the options of the command line, in the command's own form.
	Options json.RawMessage `json:"options,omitempty"`
	// Vars are the variables from outside, in the order they were given.
	Vars []Variable `json:"vars,omitempty"`
	// Sources are the texts of the whole recipe tree after extends, the root
	// first.
	Sources []Source `json:"sources,omitempty"`
}

// Variable is a variable from outside of the recipe.
type Variable struct {
	Name  string `json:"name"`
	Value Value  `json:"value"`
}

// Source is one recipe of the tree as the run uses it.
type Source struct {
	// Path is the file, or the name of a built-in recipe.
	Path string `json:"path"`
	// SHA256 is the hash of the file as it was read, in lower-case hex, by which
	// a changed file is noticed.
	SHA256 string `json:"sha256"`
	// Text is the recipe after extends.
	Text string `json:"text"`
}

// ActionStarted announces an action; it is written before the action starts.
type ActionStarted struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Path    string `json:"path"`
	Attempt int    `json:"attempt"` // counts from 1
	// Args is a hash of what the step reads of its variables; empty where that
	// is nothing.
	Args string `json:"args,omitempty"`
	// Stale is the silence that its loop allows, in nanoseconds; 0 where no loop
	// bounds it.
	Stale time.Duration `json:"stale,omitempty"`
}

// ProcessStarted reports the process of a running action.
type ProcessStarted struct {
	ID      string        `json:"id"`
	Process process.Ident `json:"process"`
}

// GuardRefused reports that a structural guard did not let a child start.
type GuardRefused struct {
	ID    string `json:"id,omitempty"`
	Path  string `json:"path,omitempty"`
	Guard string `json:"guard"` // which one: depth, width, memory …
	Text  string `json:"text"`
}

// Wait announces that an action, or the run where ID is empty, will show no
// progress before Due. A later Wait for the same ID replaces it.
type Wait struct {
	ID     string    `json:"id,omitempty"`
	Due    time.Time `json:"due"`
	Reason string    `json:"reason"`
}

// Resumed reports that another process took the run over.
type Resumed struct {
	Owner process.Ident `json:"owner"`
	Host  string        `json:"host,omitempty"`
	// Attempt counts the owners of the run; the first resume is 2.
	Attempt int `json:"attempt"`
	// Reruns are the actions that were under way and run again.
	Reruns []string `json:"reruns,omitempty"`
	// From and Only are the steps of --from and --only.
	From string `json:"from,omitempty"`
	Only string `json:"only,omitempty"`
	// GoOn tells that loops that had ended without their goal went on.
	GoOn bool `json:"go_on,omitempty"`
	// ByHand says what a person did to the run in this attempt, which did nothing
	// else: ratchet_restore, ratchet_accept or ack.
	ByHand string `json:"by_hand,omitempty"`
	// Accepted are the paths of changed recipe files that --accept-changed let
	// pass, with the hash that they have now.
	Accepted map[string]string `json:"accepted,omitempty"`
}

// Stalled reports that the watchdog found an action silent, and what it did.
type Stalled struct {
	ID      string         `json:"id,omitempty"`
	Path    string         `json:"path,omitempty"`
	Process *process.Ident `json:"process,omitempty"`
	Silent  time.Duration  `json:"silent"` // nanoseconds
	Killed  bool           `json:"killed"`
}

// RunFinished is the end of a run, or of one attempt of it. Nothing but a
// [Resumed] may follow.
type RunFinished struct {
	Status   string `json:"status"`
	Reason   string `json:"reason"` // computed, never declared (seed 004)
	ExitCode int    `json:"exit_code"`
}
