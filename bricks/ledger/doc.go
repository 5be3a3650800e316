// Package ledger keeps the cycle contract of a loop and its resumable ledger
// (seed 002): a contract of twelve fields declared before the first iteration,
// iterations that each end in exactly one of six outcomes, a rubric that turns
// "better" into a number, and a critic whose verdict is bound to a packet.
//
// The package is pure: values in, values out. A [Ledger] is immutable; every
// operation returns a new one, so ledgers may be shared between goroutines. Time
// is handed in, commands are parsed and never run, and the file system is
// reached only through the [Places] a caller supplies. Package ledger/store
// keeps ledgers in files.
//
// Operations that refuse return a [*Refusal], which carries the exit code of
// seed 002.
package ledger
