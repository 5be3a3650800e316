package halt

import (
	"fmt"
	"strconv"
	"strings"
)

// Evidence is what a reason was computed from.
type Evidence struct {
	// Rounds are the rounds that show it, ascending; 0 is the state before the
	// first round. Empty where no round is concerned.
	Rounds []int `json:"rounds"`
	// IDs are the tests, paths, workflows or commits concerned; never nil.
	IDs []string `json:"ids"`
	// Period is the length in rounds of an oscillation, else 0.
	Period int `json:"period,omitempty"`
	// Detail is one sentence with the numbers.
	Detail string `json:"detail,omitempty"`
}

// Halt is the computed end of a loop.
type Halt struct {
	Reason Reason `json:"reason"`
	Class  Class  `json:"class"`
	// Round is the last round that was observed, from 1; 0 is a loop that did
	// not start one.
	Round    int      `json:"round"`
	Evidence Evidence `json:"evidence"`
	Remedy   Remedy   `json:"remedy"`
	Advice   string   `json:"advice"`
}

// New computes class and advice of a reason. shrinking tells that the failing
// set was still shrinking in the last rounds; it turns the remedy of a spent
// fuse or budget into RaiseTheLimit.
func New(reason Reason, round int, evidence Evidence, shrinking bool) Halt {
	row, found := Lookup(reason)
	if !found {
		evidence.Detail = strings.TrimSpace(fmt.Sprintf("unknown reason %q. %s", reason, evidence.Detail))
		row, _ = Lookup(InternalError)
	}
	if evidence.Rounds == nil {
		evidence.Rounds = []int{}
	}
	if evidence.IDs == nil {
		evidence.IDs = []string{}
	}
	h := Halt{Reason: row.Reason, Class: row.Class, Round: round, Evidence: evidence, Remedy: row.Remedy, Advice: row.Advice}
	if shrinking && (row.Reason == MaxIterationsReached || row.Reason == BudgetExceeded) {
		h.Remedy = RaiseTheLimit
		h.Advice = "the failing set was still shrinking in the last rounds: raise the limit with `brickoven resume --raise` and go on"
	}
	return h
}

// Succeeded tells a loop that met its goal from one that was ended.
func (h Halt) Succeeded() bool { return h.Class == Success }

// String explains the halt to a person: what ended the loop, the evidence and
// what to do, a line each, without a final line end.
func (h Halt) String() string {
	row, _ := Lookup(h.Reason)
	var b strings.Builder
	fmt.Fprintf(&b, "%s (class %d, %s) after round %d: %s\n", h.Reason, h.Class, row.Kind, h.Round, row.Meaning)
	if h.Evidence.Detail != "" {
		fmt.Fprintf(&b, "evidence: %s\n", h.Evidence.Detail)
	}
	if len(h.Evidence.Rounds) > 0 {
		fmt.Fprintf(&b, "rounds: %s\n", joinInts(h.Evidence.Rounds))
	}
	if h.Evidence.Period > 0 {
		fmt.Fprintf(&b, "period: %d\n", h.Evidence.Period)
	}
	for _, id := range h.Evidence.IDs {
		fmt.Fprintf(&b, "  - %s\n", id)
	}
	fmt.Fprintf(&b, "%s: %s", h.Remedy, h.Advice)
	return b.String()
}

func joinInts(numbers []int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ", ")
}
