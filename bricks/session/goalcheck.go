package session

// GoalCheck is goal_check.json of one iteration: evidence whether the goal
// looks met, never control (seed 001, "goal_check.json is evidence, not
// control").
type GoalCheck struct {
	GoalMet bool   `json:"goal_met"`
	Reason  string `json:"reason"`
	// SchemaVersion is set by Encode and Parse; the file may leave it out.
	SchemaVersion int `json:"schema_version"`
}

// GoalCheckFile is the name of the file in the iteration's folder.
const GoalCheckFile = "goal_check.json"

// Encode prints the file.
func (g GoalCheck) Encode() ([]byte, error) {
	g.SchemaVersion = SchemaVersion
	return encode(GoalCheckFile, g)
}

// ParseGoalCheck reads goal_check.json strictly; the error is an [*Invalid].
func ParseGoalCheck(data []byte) (GoalCheck, error) {
	o := openDocument(GoalCheckFile, data)
	g := GoalCheck{GoalMet: o.truth("goal_met"), Reason: o.text("reason"), SchemaVersion: SchemaVersion}
	o.version(true)
	o.done()
	if err := o.invalid.err(); err != nil {
		return GoalCheck{}, err
	}
	return g, nil
}

// EvidenceKind says what an iteration left as its goal check.
type EvidenceKind string

// The kinds of evidence.
const (
	EvidenceAbsent  EvidenceKind = "absent"
	EvidenceInvalid EvidenceKind = "invalid"
	EvidenceNotMet  EvidenceKind = "not_met"
	EvidenceMet     EvidenceKind = "met"
)

// Evidence is what an iteration's goal check said.
type Evidence struct {
	Kind EvidenceKind `json:"kind"`
	// Reason is the file's own reason, or why it is invalid.
	Reason string `json:"reason,omitempty"`
}

// Valid tells that a goal check is there and can be understood.
func (e Evidence) Valid() bool { return e.Kind == EvidenceMet || e.Kind == EvidenceNotMet }

// ReadGoalCheck reads the goal check as an iteration left it.
func ReadGoalCheck(f File) Evidence {
	switch {
	case !f.Present:
		return Evidence{Kind: EvidenceAbsent}
	case f.Irregular != "":
		return Evidence{Kind: EvidenceInvalid, Reason: GoalCheckFile + ": " + f.Irregular}
	}
	g, err := ParseGoalCheck(f.Data)
	switch {
	case err != nil:
		return Evidence{Kind: EvidenceInvalid, Reason: err.Error()}
	case g.GoalMet:
		return Evidence{Kind: EvidenceMet, Reason: g.Reason}
	}
	return Evidence{Kind: EvidenceNotMet, Reason: g.Reason}
}
