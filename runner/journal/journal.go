// Package journal is the append-only record of a run: one event a line in
// journal.jsonl of the run's folder, each line carrying the hash of the one
// before, so that a run survives its process and says what happened to it
// (seed 004, "Silent death").
//
// A [Writer] appends, a [Reader] streams the records back, [Continue] does both
// for a resume. [Verify] says which line breaks the chain. [Acquire] makes one
// process the owner of a run; [Summarize], [List] and [Judge] tell how a run
// stands; [Remove] and [Prune] bound what is kept.
//
// # Format
//
// A line is one JSON object with its members in this order and no white space
// between them:
//
//	{"v":1,"seq":7,"at":"2026-01-02T03:04:05.6Z","kind":"note","prev":"…","data":{…},"sum":"…"}
//
// sum is the SHA-256, in lower-case hex, of the line's bytes in front of the
// text ,"sum": and prev is the sum of the line before, empty in the first. A
// record is complete when its line ends with a line feed; what follows the last
// line feed of a file is a torn record whose effect never happened, because a
// record is written before the effect that it announces.
//
// A chain shows that a line was changed, dropped, repeated or moved. It cannot
// show that the end of the file was cut off between two lines: such a journal
// reads as interrupted, and its last hash differs from the one that
// [Report.Last] gave before.
package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Version is the version of the format that this package writes and reads.
const Version = 1

// The files of a run's folder that belong to this package.
const (
	// File is the journal itself.
	File = "journal.jsonl"
	// TornFile collects the torn last lines that [Continue] cut off.
	TornFile = "journal.torn"
	// LockFile is what [Acquire] locks.
	LockFile = "lock"
)

// MaxLine is the length in bytes that a line may have. A longer one is refused
// by [Writer.Append], and is damage where it is read.
const MaxLine = 256 << 20

// Kind says what a record announces or reports.
type Kind string

// The kinds of record, each with the type of its data.
const (
	KindRunStarted     Kind = "run_started"     // RunStarted
	KindActionStarted  Kind = "action_started"  // ActionStarted
	KindProcessStarted Kind = "process_started" // ProcessStarted
	KindActionFinished Kind = "action_finished" // see Event
	KindNote           Kind = "note"            // see Note
	KindGuardRefused   Kind = "guard_refused"   // GuardRefused
	KindSignal         Kind = "signal"          // see Event
	KindUsed           Kind = "used"            // see Event
	KindWait           Kind = "wait"            // Wait
	KindResumed        Kind = "resumed"         // Resumed
	KindStalled        Kind = "stalled"         // Stalled
	KindRunFinished    Kind = "run_finished"    // RunFinished
)

// Record is one line of a journal.
type Record struct {
	V    int             `json:"v"`
	Seq  int64           `json:"seq"` // counts from 1
	At   time.Time       `json:"at"`  // UTC
	Kind Kind            `json:"kind"`
	Prev string          `json:"prev"` // the Sum of the record before; empty in the first
	Data json.RawMessage `json:"data"`
	Sum  string          `json:"sum"`
}

// Decode reads the record's data into the struct that belongs to its kind.
// Numbers inside of values keep their literal text. What may be sealed is read
// by [Record.RunStarted], [Record.Event], [Record.Note] and
// [Record.RunFinished].
func (r Record) Decode(into any) error {
	decoder := json.NewDecoder(bytes.NewReader(r.Data))
	decoder.UseNumber()
	err := decoder.Decode(into)
	if err == nil {
		if _, more := decoder.Token(); more == io.EOF {
			return nil
		}
		err = fmt.Errorf("the data is not one JSON document")
	}
	return fmt.Errorf("record %d (%s) of the journal: %w", r.Seq, r.Kind, err)
}
