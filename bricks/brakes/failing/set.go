// Package failing reads what fails: the failing set F of a round, from the
// structured report of a test runner (seed 004, "Progress over a set").
//
// A set is unset (no round has been read), unknown (it could not be read) or
// known, and a known set may be empty. The three never stand for each other: an
// unreadable report is no progress, no regression and no success.
//
// The functions are pure and safe for concurrent use; sets are not changed
// after they were made.
package failing

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/bricks/signature"
)

// State tells what a set is.
type State string

// The states of a set. The zero Set is unset.
const (
	Unset   State = ""
	Unknown State = "unknown"
	Known   State = "known"
)

// Failure is one failing assertion. Two failures are the same if all three
// fields are equal.
type Failure struct {
	// Test is the test's id: container::name, or the normalised line.
	Test string `json:"test"`
	// Location is file:line of the assertion; empty if the report has none.
	Location string `json:"location,omitempty"`
	// Message is the [signature.Of] the failure's text; empty without a text.
	Message string `json:"message,omitempty"`
}

// Set is the failing set of one round.
type Set struct {
	State State `json:"state,omitempty"`
	// Why says what made the set unknown.
	Why string `json:"why,omitempty"`
	// Failures are sorted and unique.
	Failures []Failure `json:"failures,omitempty"`
	// Complete tells that the format also lists the tests that pass, so that
	// Passed and Skipped can be relied on.
	Complete bool `json:"complete,omitempty"`
	// Passed and Skipped are ids, sorted and unique.
	Passed  []string `json:"passed,omitempty"`
	Skipped []string `json:"skipped,omitempty"`
	// Broken are the containers (packages, files, parent tests) that failed as a
	// whole. Tests in them that are not listed did not run; they did not vanish.
	Broken []string `json:"broken,omitempty"`
}

// unknown is a set that could not be read.
func unknown(format string, args ...any) Set {
	return Set{State: Unknown, Why: fmt.Sprintf(format, args...)}
}

// IsKnown tells that the set could be read.
func (s Set) IsKnown() bool { return s.State == Known }

// Size is |F|, the number of failures of a known set.
func (s Set) Size() int { return len(s.Failures) }

// Tests lists the ids of the failing tests, sorted and unique.
func (s Set) Tests() []string {
	tests := make([]string, 0, len(s.Failures))
	for _, f := range s.Failures {
		tests = append(tests, f.Test)
	}
	return sorted(tests)
}

// Key is equal for known sets with the same failures, and only for those. It
// carries the version of the signatures in it.
func (s Set) Key() string {
	sum := sha256.New()
	for _, f := range s.Failures {
		fmt.Fprintf(sum, "%q %q %q\n", f.Test, f.Location, f.Message)
	}
	return fmt.Sprintf("v%d:%s", signature.Version, hex.EncodeToString(sum.Sum(nil)[:16]))
}

// IsBroken tells that a test belongs to a container that failed as a whole.
func (s Set) IsBroken(test string) bool {
	return slices.ContainsFunc(s.Broken, func(container string) bool {
		rest, inside := strings.CutPrefix(test, container)
		return inside && (rest == "" || strings.HasPrefix(rest, "::") || strings.HasPrefix(rest, "/"))
	})
}

func sorted(ids []string) []string {
	slices.Sort(ids)
	return slices.Compact(ids)
}
