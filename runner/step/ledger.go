package step

// LedgerOp says what is asked of the work ledger of a loop.
type LedgerOp string

// What a loop asks of its ledger. The result of each is a map with next, the
// number of the next iteration.
const (
	// LedgerOpen opens the ledger under the loop's contract, or opens a closed one
	// again.
	LedgerOpen LedgerOp = "open"
	// LedgerRecord records a round: outcome, stall, and evaluation, which is null
	// without measurements. A round that is recorded already stays as it is.
	LedgerRecord LedgerOp = "record"
	// LedgerClose ends a ledger between two rounds; one that is closed stays so.
	LedgerClose LedgerOp = "close"
)

// LedgerCall is one thing that a loop asks of its ledger.
type LedgerCall struct {
	Op LedgerOp
	// ID is the ledger's, which is that of the loop's session.
	ID string
	// Number is the round's own in the ledger.
	Number int64
	// Load is the contract, the facts, or the ending; its type is for the two
	// sides to know.
	Load any
}
