package step

// SessionOp says what is asked of the session of a loop.
type SessionOp string

// What a loop asks of its session, in this order. The result of each is said
// with it.
const (
	// SessionOpen makes the session and holds the loop's working tree: a map with
	// id, dir, and watch_manifest as JSON. Where another loop has the tree the
	// cause is [CauseHeld].
	SessionOpen SessionOp = "open"
	// SessionBegin writes that a round begins; no value.
	SessionBegin SessionOp = "begin"
	// SessionObserve reads what a round left: an observation.
	SessionObserve SessionOp = "observe"
	// SessionFinish writes how a round ended; no value.
	SessionFinish SessionOp = "finish"
	// SessionClose lets go of session and tree, whose state is the load: a map with
	// SessionStatus. Where a person has an ended loop go on, both stay held, and
	// SessionReopened holds an observation.
	SessionClose SessionOp = "close"
)

// The keys of the value of SessionClose.
const (
	SessionStatus   = "session_status"
	SessionReopened = "session_reopened"
	// SessionHanded are the work trees that a person accepted since the loop had
	// ended, where there are any.
	SessionHanded = "session_handed"
	// SessionRaised are the limits of the brakes that a person raised, by key,
	// where there are any.
	SessionRaised = "session_raised"
)

// SessionCall is one thing that a loop asks of its session.
type SessionCall struct {
	Op SessionOp
	// ID is the session; empty for SessionOpen.
	ID string
	// Iteration is the name of the round's folder; empty where it is about none.
	Iteration string
	// Load is what is opened or written; its type is for the two sides to know.
	Load any
}
