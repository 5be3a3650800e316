package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The stall predicates, in the order in which they are asked (seed 002, The
// four stall predicates).
const (
	DependencyUnavailable Text = "dependency-unavailable" // becomes escalate
	RepeatedError         Text = "repeated-error"         // becomes escalate
	CircularState         Text = "circular-state"         // becomes revise
	RetriesExhausted      Text = "retries-exhausted"      // becomes stop
)

// stallOutcome is what each predicate turns a reported continue into.
func stallOutcome(predicate Text) Text {
	switch predicate {
	case DependencyUnavailable, RepeatedError:
		return Escalate
	case CircularState:
		return Revise
	case RetriesExhausted:
		return Stop
	}
	return ""
}

// Report is what an iteration tells the stall predicates.
type Report struct {
	// ErrorSignature and StateHash are empty when the iteration reported none.
	ErrorSignature    Text
	StateHash         Text
	DependencyMissing Text
}

// Limits are the bounds that the predicates compare with.
type Limits struct {
	Iterations     int    // of the contract
	StallThreshold int    // identical errors
	StallCount     string // Consecutive or Total
}

// Stalled asks the predicates about an iteration that would continue, over the
// iterations of the current epoch only. The first that holds is returned, empty
// when none does.
func Stalled(p Progress, limits Limits, r Report) Text {
	errors := p.consecutive(r.ErrorSignature)
	if limits.StallCount == Total {
		errors = p.total(r.ErrorSignature)
	}
	switch {
	case r.DependencyMissing != "":
		return DependencyUnavailable
	case r.ErrorSignature != "" && errors >= limits.StallThreshold:
		return RepeatedError
	case r.StateHash != "" && slices.Contains(p.States, string(r.StateHash)):
		return CircularState
	case p.Recorded+1 >= limits.Iterations:
		return RetriesExhausted
	}
	return ""
}

// consecutive counts the iterations in a row with this signature, the one that
// reports it included.
func (p Progress) consecutive(signature Text) int {
	switch signature {
	case "":
		return 0
	case p.LastError:
		return p.Run + 1
	}
	return 1
}

// total counts all iterations with this signature, the one that reports it
// included.
func (p Progress) total(signature Text) int {
	if signature == "" {
		return 0
	}
	return p.Errors[string(signature)] + 1
}

func emptyProgress() Progress {
	return Progress{Errors: map[string]int{}, States: []string{}}
}

// with returns the progress after one more iteration.
func (p Progress) with(i Iteration) Progress {
	p.Run, p.LastError = p.consecutive(i.ErrorSignature), i.ErrorSignature
	p.Recorded++
	if i.ErrorSignature != "" {
		p.Errors = maps.Clone(p.Errors)
		if p.Errors == nil {
			p.Errors = map[string]int{}
		}
		p.Errors[string(i.ErrorSignature)]++
	}
	if i.StateHash != "" {
		p.States = append(slices.Clip(p.States), string(i.StateHash))
	}
	if i.Measurements != nil {
		p.Readings = i.Measurements
	}
	return p
}

// HashState is the hash of a state text: 16 hex digits of the SHA-256 of its
// lower-case form with white space runs as one space; empty for a blank text.
func HashState(text string) Text {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	if text == "" {
		return ""
	}
	return Text(shortHash(text))
}

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:16]
}

// promote turns a reported continue into the outcome of a stall, and writes
// what an escalate needs where the author has not.
func (i *Iteration) promote(predicate Text) {
	i.Stall, i.Outcome = predicate, stallOutcome(predicate)
	var blocker, evidence, next string
	switch predicate {
	case DependencyUnavailable:
		blocker = fmt.Sprintf("the declared dependency %q could not be reached", i.DependencyMissing)
		evidence = fmt.Sprintf("iteration %d reported the dependency %q as missing", i.N, i.DependencyMissing)
		next = fmt.Sprintf("make %q reachable, then open the contract again", i.DependencyMissing)
	case RepeatedError:
		blocker = fmt.Sprintf("the same error came back %d times in a row, %d times in this epoch", i.ErrorConsecutive, i.ErrorTotal)
		evidence = fmt.Sprintf("error signature %s in iteration %d", i.ErrorSignature, i.N)
		next = "find the cause of the repeated error before another iteration"
	default:
		return
	}
	i.fill(&i.Blocker, "blocker", blocker)
	i.fill(&i.Evidence, "evidence", evidence)
	i.fill(&i.RecommendedNext, "recommended_next", next)
}

func (i *Iteration) fill(field *Text, name, text string) {
	if *field == "" {
		*field = Text(text)
		i.EngineWritten = append(i.EngineWritten, name)
	}
}
