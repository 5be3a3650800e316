package ledger

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// Text is a text whose absence is JSON's null: the empty Text prints as null,
// and null reads as the empty Text. Absent is not blank (seed 002, Absent is
// not zero).
type Text string

// MarshalJSON prints null for the empty text.
func (t Text) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

// UnmarshalJSON reads null as the empty text.
func (t *Text) UnmarshalJSON(data []byte) error {
	var text *string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	*t = ""
	if text != nil {
		*t = Text(*text)
	}
	return nil
}

// The six outcomes of an iteration (seed 002, The six outcomes). Only Continue
// permits another iteration.
const (
	Continue Text = "continue"
	Complete Text = "complete"
	Revise   Text = "revise"
	Escalate Text = "escalate"
	Pause    Text = "pause"
	Stop     Text = "stop"
)

// Outcomes lists the six outcomes.
func Outcomes() []Text { return []Text{Continue, Complete, Revise, Escalate, Pause, Stop} }

// CriticVerdicts lists what a critic can say (seed 002, The iteration record).
func CriticVerdicts() []Text { return []Text{"PASS", "FAIL", "REVISE", "REVERT", "ESCALATE"} }

// Decisions lists what can be decided about a change.
func Decisions() []Text { return []Text{"retain", "revert", "revise", "escalate"} }

const retain Text = "retain"

func oneOf(words []Text, word Text) bool { return slices.Contains(words, word) }

func list(words []Text) string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return strings.Join(texts, ", ")
}

// The states of a ledger.
const (
	Open   = "open"
	Closed = "closed"
)

// The ways of counting identical errors.
const (
	// Consecutive counts the iterations in a row that ended with the error, so
	// that errors which were overcome long ago do not stop a loop.
	Consecutive = "consecutive"
	// Total counts all iterations of the epoch that ended with the error.
	Total = "total"
)

// The provenance of a dimension's baseline.
const (
	Declared = "declared"
	Measured = "measured"
)

var sessionID = pattern.Pattern{Source: `^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`}

// CheckSession refuses (code [Unusable]) a session id that is not a plain name:
// up to 128 letters, digits, dots, hyphens and underscores, beginning with a
// letter or a digit and not ending in a dot. So an id is always one file name.
func CheckSession(id string) error {
	if !sessionID.Get().MatchString(id) || strings.HasSuffix(id, ".") || strings.Contains(id, "..") {
		return refuse(Unusable, "the session id %q is not a plain name of letters, digits, dots, hyphens and underscores", id)
	}
	return nil
}
