// Package exit is the one table of exit codes. The commands take their codes
// from here, and so do the documents that list them.
package exit

// The exit codes of brickoven run (DESIGN section 8).
const (
	Success  = 0 // the recipe did what it was asked for
	Failed   = 1 // a step failed
	Invalid  = 2 // the recipe is invalid
	NotFound = 3 // the recipe was not found
	Usage    = 4 // bad arguments
	Held     = 5 // held by another process

	// The classes of the reasons for which a loop ends without its goal.
	NeedsPerson = 11
	Fuse        = 12
	Integrity   = 13
	BadCheck    = 14
	BadClaim    = 16
	RandomWalk  = 17
	Spent       = 18
	Silent      = 19
	Workspace   = 30
	Execution   = 40
	Internal    = 50

	Refused     = 79  // a structural guard refused to start a child; terminal
	Timeout     = 124 // only as a step's code
	Missing     = 127 // a command that was to be run in our place is not there
	HungUp      = 129 // HUP
	Interrupted = 130 // INT
	Terminated  = 143 // TERM
)

// HelperUsage is the code of usage errors in ledger, score and helper, whose
// other codes are those of the seeds they come from.
const HelperUsage = 2

// Code is one row of the table.
type Code struct {
	Number  int
	Meaning string
}

// Codes lists the codes of brickoven run in ascending order.
func Codes() []Code {
	return []Code{
		{Success, "success"},
		{Failed, "a step failed"},
		{Invalid, "the recipe is invalid"},
		{NotFound, "the recipe was not found"},
		{Usage, "bad arguments"},
		{Held, "held by another process"},
		{NeedsPerson, "a loop halted: a person is needed"},
		{Fuse, "a loop halted: its fuse on rounds is spent"},
		{Integrity, "a loop halted: what it is measured by was changed"},
		{BadCheck, "a loop halted: its check cannot be relied on"},
		{BadClaim, "a loop halted: what claims its goal cannot be relied on"},
		{RandomWalk, "a loop halted: it gets no nearer to its goal"},
		{Spent, "a loop halted: its budget is spent"},
		{Silent, "a loop halted: it fell silent, or nobody reads what it does"},
		{Workspace, "a loop halted: its work tree cannot be used"},
		{Execution, "a loop halted: running its rounds fails"},
		{Internal, "a loop halted: an error of brickoven"},
		{Refused, "refused by a structural guard (terminal, never retried)"},
		{Timeout, "only as a step's code: its timeout ended it"},
		{Missing, "amplihack link: no other amplihack on PATH"},
		{HungUp, "interrupted (HUP): the terminal is gone"},
		{Interrupted, "interrupted (INT)"},
		{Terminated, "interrupted (TERM)"},
	}
}

// Signal is the code of a run that a signal ended: 128 and its number.
func Signal(number int) int { return 128 + number }
