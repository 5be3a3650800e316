package journal

import (
	"errors"
	"fmt"
)

// Why says in which way a journal is damaged.
type Why string

// The kinds of damage.
const (
	NotJSON    Why = "not_json"   // the line is no JSON object
	BadVersion Why = "version"    // the line has a version that this program does not know
	Changed    Why = "changed"    // the line is not what its own hash says
	Chain      Why = "hash"       // the line was written after another line than the one before it
	Dropped    Why = "dropped"    // lines in front of this one are missing
	Reordered  Why = "reordered"  // this line stands in another line's place
	Duplicated Why = "duplicated" // the line repeats an earlier one
	TooLong    Why = "too_long"   // the line is longer than MaxLine
)

// DamageError tells that a journal is not what was written. Nothing repairs it.
type DamageError struct {
	RunID string // the name of the run's folder
	Path  string // of the journal
	Line  int64  // counts from 1
	Seq   int64  // of the record on that line as far as it can be read, else 0
	Why   Why
	// Detail is one sentence for people.
	Detail string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("the journal of run %s is damaged at line %d: %s", e.RunID, e.Line, e.Detail)
}

// Torn describes the torn last line of a journal, which is not part of it: the
// writer died, or the disk was full, before the record was complete.
type Torn struct {
	Path   string // of the journal
	Line   int64  // counts from 1
	Offset int64  // in bytes, where the torn line begins
	Length int64  // in bytes
	// Kept is the file that the torn line was moved to; empty as long as it was
	// only read.
	Kept string
}

// String is the notice for people.
func (t *Torn) String() string {
	text := fmt.Sprintf("%s: the last line (line %d, %d bytes) is torn and was dropped", t.Path, t.Line, t.Length)
	if t.Kept != "" {
		text += "; it is kept in " + t.Kept
	}
	return text
}

// ErrNoRecord is returned by [Continue] for a journal without a complete
// record: the run died before anything of it was done.
var ErrNoRecord = errors.New("the journal holds no complete record")

// StorageError tells that a journal, or a file beside it, could not be written
// or read: a full disk (ENOSPC), a read-only folder (EROFS, EACCES), one that is
// gone (ENOENT). It unwraps to the cause.
type StorageError struct {
	Op   string // what was tried, such as "write"
	Path string
	Err  error
	// Torn tells that the end of the journal could not be brought back to the
	// last complete record, which the next [Continue] does.
	Torn bool
}

func (e *StorageError) Error() string { return fmt.Sprintf("%s %s: %v", e.Op, e.Path, e.Err) }

// Unwrap gives the cause.
func (e *StorageError) Unwrap() error { return e.Err }

// RefusedError tells that [Writer.Append] did not accept a record.
type RefusedError struct {
	Kind   Kind
	Reason string
	// Err is the earlier failure that is the reason, or nil.
	Err error
}

func (e *RefusedError) Error() string {
	text := fmt.Sprintf("the journal refuses a %s record: %s", e.Kind, e.Reason)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap gives the earlier failure.
func (e *RefusedError) Unwrap() error { return e.Err }
