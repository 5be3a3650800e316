package session

import "time"

// CheckOutcome is what the loop's check said about a goal_met.
type CheckOutcome string

// The outcomes of a check. A check that could not be run is red: it proved
// nothing.
const (
	CheckNone  CheckOutcome = ""
	CheckGreen CheckOutcome = "green"
	CheckRed   CheckOutcome = "red"
	// CheckBarred is a claim that cannot count whatever the check says, because a
	// brake took the round back. It is no claim over a red check.
	CheckBarred CheckOutcome = "barred"
)

// Observation is what an iteration left in the session's folder. It travels as
// JSON from the executor to the decisions; see [ObservationFrom].
type Observation struct {
	// Tampered is what was changed that an iteration may not change.
	Tampered []Difference `json:"tampered"`
	Control  Reading      `json:"control"`
	Evidence Evidence     `json:"goal_check"`
	// Requests are the requests from the command line that are new, oldest
	// first.
	Requests []Request `json:"requests"`
}

// StopRequest is the first new request to stop, or nil.
func (o Observation) StopRequest() *Request {
	for i := range o.Requests {
		if o.Requests[i].Kind == RequestStop {
			return &o.Requests[i]
		}
	}
	return nil
}

// Iteration is everything that decides about the session after an iteration.
type Iteration struct {
	// Success means that the iteration ran to its end, whatever its steps'
	// codes. Where it is false, FailureKind and Error say how running it failed.
	Success     bool
	FailureKind FailureKind
	Error       string
	// Observation is what the iteration left behind. Where a judge spoke,
	// Observation.Control is the reading that [Judged] gave.
	Observation Observation
	// Check is what the loop's check said; it is asked only about a goal_met.
	Check CheckOutcome
	// Brake is the brake that ends the session now; nil where none does. The
	// brakes have weighed everything else that the iteration left.
	Brake *Brake
	// Usage includes judge and check.
	Usage Usage
	// FinishedAt is the time of the event that ended the iteration.
	FinishedAt time.Time
}

// Brake is a loop's brake that took hold.
type Brake struct {
	Halt HaltReason
	Why  string
}

// Decision is what becomes of the session.
type Decision struct {
	// Stop is nil when the loop goes on.
	Stop *Stop
	// Rejected means that a goal_met was not accepted because the check is red:
	// the control file is to be kept as control.rejected.json and a running one
	// put in its place, and the next round is shown the check's output.
	Rejected bool
}

// Continues tells that another iteration may start.
func (d Decision) Continues() bool { return d.Stop == nil }
