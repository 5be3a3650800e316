package session

// ControlState is the first word of control.json.
type ControlState string

// The states of a control file.
const (
	Running ControlState = "running"
	Stopped ControlState = "stopped"
)

// Control is control.json, the only stop switch of a session (seed 001,
// "control.json is the only stop switch").
type Control struct {
	State  ControlState
	Reason string
	// StopReason is empty while running, and one of goal_met,
	// unresolvable_error and, from a person only, stop_requested when stopped.
	StopReason StopReason
}

// ControlFile, RejectedFile and InvalidFile are the names of the control file,
// of a goal_met that the check did not accept, and of the last control file that
// could not be understood.
const (
	ControlFile  = "control.json"
	RejectedFile = "control.rejected.json"
	InvalidFile  = "control.invalid.json"
)

// NewControl is the control file of a new session.
func NewControl() Control { return Control{State: Running, Reason: "session active"} }

type controlWire struct {
	State         ControlState `json:"state"`
	Reason        string       `json:"reason"`
	StopReason    *StopReason  `json:"stop_reason"`
	SchemaVersion int          `json:"schema_version"`
}

// Encode prints the file with the keys and in the order of seed 001.
func (c Control) Encode() ([]byte, error) {
	wire := controlWire{State: c.State, Reason: c.Reason, SchemaVersion: SchemaVersion}
	if c.StopReason != "" {
		wire.StopReason = &c.StopReason
	}
	return encode(ControlFile, wire)
}

// ParseControl reads control.json strictly. The error is an [*Invalid]. A file
// that is empty, cut short, has an unknown or repeated key, or is stopped
// without a valid stop_reason, is not a control file and never means running.
func ParseControl(data []byte) (Control, error) {
	o := openDocument(ControlFile, data)
	c := Control{
		State:      oneOf(o, "state", true, Running, Stopped),
		Reason:     o.text("reason"),
		StopReason: oneOf(o, "stop_reason", false, GoalMet, UnresolvableError, StopRequested),
	}
	o.version(false)
	o.done()
	if c.State == Running && c.StopReason != "" {
		o.fail("stop_reason", "must be null while the state is running")
	}
	if _, given := o.fields["stop_reason"].(string); c.State == Stopped && c.StopReason == "" && !given {
		o.fail("stop_reason", "is missing, but the state is stopped")
	}
	if err := o.invalid.err(); err != nil {
		return Control{}, err
	}
	return c, nil
}

// File is a file of the session as it was found.
type File struct {
	Present bool
	// Irregular says what stands in the file's place instead, such as a
	// symbolic link, or why it could not be read; empty for a plain file.
	Irregular string
	Data      []byte
}

// Reading is what a control file said after an iteration.
type Reading struct {
	// Invalid means that the file is missing or can not be understood.
	Invalid bool `json:"invalid,omitempty"`
	// Problem says why it is invalid.
	Problem string `json:"problem,omitempty"`
	// StopReason is empty while running.
	StopReason StopReason `json:"stop_reason,omitempty"`
	Reason     string     `json:"reason,omitempty"`
	// Author is who wrote the stop.
	Author Author `json:"author,omitempty"`
}

// Running tells that the file is valid and lets the loop go on.
func (r Reading) Running() bool { return !r.Invalid && r.StopReason == "" }

// ReadControl applies the reading rules to the control file as an iteration
// left it. stop_requested counts only when a person asked for it through the
// command line, which is what stopRequested says; from a workflow it is invalid.
// A missing file is invalid too.
func ReadControl(f File, stopRequested bool) Reading {
	switch {
	case !f.Present:
		return Reading{Invalid: true, Problem: ControlFile + ": is missing"}
	case f.Irregular != "":
		return Reading{Invalid: true, Problem: ControlFile + ": " + f.Irregular}
	}
	c, err := ParseControl(f.Data)
	switch {
	case err != nil:
		return Reading{Invalid: true, Problem: err.Error()}
	case c.State == Running:
		return Reading{Reason: c.Reason}
	case c.StopReason.WorkflowMayWrite():
		return Reading{StopReason: c.StopReason, Reason: c.Reason, Author: ByWorkflow}
	case stopRequested:
		return Reading{StopReason: c.StopReason, Reason: c.Reason, Author: ByPerson}
	}
	return Reading{Invalid: true, Problem: ControlFile + ": stop_reason: a workflow may write goal_met or unresolvable_error only, not " + string(c.StopReason)}
}

// Verdict is what a judge said after an iteration.
type Verdict string

// The verdicts of a judge.
const (
	Continue Verdict = "CONTINUE"
	Done     Verdict = "DONE"
	Stuck    Verdict = "STUCK"
)

// Judged turns a verdict into the control file that the engine writes for the
// judge, and into its reading: DONE is goal_met, STUCK is unresolvable_error.
// write is false where nothing is to be written, because the judge said
// CONTINUE or the file already says something.
func Judged(found Reading, v Verdict, reason string) (c Control, r Reading, write bool) {
	stops := map[Verdict]StopReason{Done: GoalMet, Stuck: UnresolvableError}
	stop, ends := stops[v]
	if !found.Running() || !ends {
		return Control{}, found, false
	}
	return Control{State: Stopped, Reason: reason, StopReason: stop},
		Reading{StopReason: stop, Reason: reason, Author: ByJudge}, true
}
