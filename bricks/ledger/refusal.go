package ledger

import (
	"fmt"
	"strings"
)

// Code is an exit code of the ledger commands (seed 002, Quick reference).
type Code int

// The exit codes of the ledger commands.
const (
	Done            Code = 0 // success
	Malformed       Code = 1 // the contract or the iteration's facts are malformed
	Unusable        Code = 2 // usage error, or a ledger that can not be read
	WrongState      Code = 3 // the ledger is not in a state the command acts on
	NothingExamined Code = 4 // reported over a ledger with no iterations
	Repeated        Code = 5 // the action is already recorded complete
	Breached        Code = 6 // scored, and a hard gate breached its threshold
	RetainRefused   Code = 7 // a change was to be retained over a breached hard gate
	InputUnreadable Code = 8 // an input could not be read, or was empty
	NotCovered      Code = 9 // the diff does not cover the declared scope
)

// Finding is one fault in a contract, in an iteration's facts or in a ledger.
type Finding struct {
	// Field is the path of the faulty field, such as quality_rubric[0].weight.
	Field   string `json:"field"`
	Message string `json:"message"`
	// Line and Column count from 1; zero means that there is no place.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

// String prints the finding on one line, the field first.
func (f Finding) String() string {
	text := f.Field + ": " + f.Message
	if f.Line > 0 {
		text += fmt.Sprintf(" (line %d, column %d)", f.Line, f.Column)
	}
	return text
}

// Refusal is the error of every operation of this package: nothing was changed.
type Refusal struct {
	Code Code
	// Message says what was refused; empty when the findings say it.
	Message string
	// Findings are all faults found, not only the first.
	Findings []Finding
	// Err is the cause, when it came from elsewhere.
	Err error
}

// Error prints the message, if there is one, and the findings on a line each.
func (r *Refusal) Error() string {
	lines := make([]string, 0, len(r.Findings)+1)
	if r.Message != "" {
		lines = append(lines, r.Message)
	}
	for _, f := range r.Findings {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

func (r *Refusal) Unwrap() error { return r.Err }

func refuse(code Code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}

// findings gathers faults; its zero value is empty and ready.
type findings []Finding

func (f *findings) add(field, format string, args ...any) {
	*f = append(*f, Finding{Field: field, Message: fmt.Sprintf(format, args...)})
}

func (f *findings) at(n *node, field, format string, args ...any) {
	*f = append(*f, Finding{Field: field, Message: fmt.Sprintf(format, args...), Line: n.line, Column: n.column})
}

// refusal is nil when nothing was found.
func (f findings) refusal(code Code) error {
	if len(f) == 0 {
		return nil
	}
	return &Refusal{Code: code, Findings: f}
}
