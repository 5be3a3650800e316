package comprehension

import (
	"fmt"
	"strings"
	"time"
)

// Namespace is the SSH signature namespace of acknowledgements. It keeps a
// signature that was made for something else from counting as one.
const Namespace = "brickoven-ack"

// Statement is what a reviewer signs.
type Statement struct {
	// Repository is the project's id.
	Repository string
	// Previous is the last change that was acknowledged before; empty for the
	// first. It makes a statement good for one moment only.
	Previous string
	// Through is the commit of the last change that was read.
	Through  string
	Reviewer string
	// At is when it was signed, to the second.
	At time.Time
}

// firstLine names the format and its version.
const firstLine = "brickoven acknowledgement 1"

// String is the signed text. It is one line a field, so that a reviewer can
// read what is signed, and `ssh-keygen -Y sign -n brickoven-ack` can sign it.
func (s Statement) String() string {
	return fmt.Sprintf("%s\nrepository: %s\nprevious: %s\nthrough: %s\nreviewer: %s\nat: %s\n",
		firstLine, s.Repository, orNone(s.Previous), s.Through, s.Reviewer, s.At.UTC().Format(time.RFC3339))
}

// Check refuses a statement whose fields would not survive being written as
// lines.
func (s Statement) Check() error {
	for _, field := range []struct{ name, text string }{
		{"repository", s.Repository}, {"through", s.Through}, {"reviewer", s.Reviewer},
	} {
		if field.text == "" || field.text != strings.TrimSpace(field.text) || strings.ContainsFunc(field.text, isControl) {
			return fmt.Errorf("%s %q must be one line of text", field.name, field.text)
		}
	}
	if strings.ContainsFunc(s.Previous, isControl) || s.Previous == "none" {
		return fmt.Errorf("previous %q is no commit", s.Previous)
	}
	return nil
}

func isControl(c rune) bool { return c < ' ' || c == 0x7f }

// ParseStatement reads a signed text. Only the exact form that String writes is
// one, so that no two texts say the same.
func ParseStatement(text string) (Statement, error) {
	lines := strings.Split(text, "\n")
	names := []string{"repository: ", "previous: ", "through: ", "reviewer: ", "at: "}
	if len(lines) != len(names)+2 || lines[0] != firstLine {
		return Statement{}, fmt.Errorf("not %q", firstLine)
	}
	var fields [5]string
	for i, name := range names {
		field, ok := strings.CutPrefix(lines[i+1], name)
		if !ok {
			return Statement{}, fmt.Errorf("line %d must begin with %q", i+2, name)
		}
		fields[i] = field
	}
	at, err := time.Parse(time.RFC3339, fields[4])
	if err != nil {
		return Statement{}, fmt.Errorf("line 6: %w", err)
	}
	s := Statement{Repository: fields[0], Previous: fields[1], Through: fields[2], Reviewer: fields[3], At: at}
	if s.Previous == orNone("") {
		s.Previous = ""
	}
	if err := s.Check(); err != nil {
		return Statement{}, err
	}
	if s.String() != text {
		return Statement{}, fmt.Errorf("not in the form that is signed")
	}
	return s, nil
}

// Ack is an acknowledgement as it stands in the journal.
type Ack struct {
	// Statement is the text that was signed.
	Statement string `json:"statement"`
	// Signature is the armoured signature, as ssh-keygen -Y sign writes it.
	Signature string `json:"signature"`
}

// Verified is an acknowledgement that holds.
type Verified struct {
	Ack       Ack       `json:"ack"`
	Statement Statement `json:"-"`
	// Fingerprint is that of the key, as ssh-keygen prints it: SHA256:….
	Fingerprint string `json:"fingerprint"`
}

// Refusal says why an acknowledgement does not count.
type Refusal string

// The refusals.
const (
	Malformed    Refusal = "malformed"        // not a statement, or not a signature
	Forged       Refusal = "forged"           // the signature is not of this statement
	UnknownKey   Refusal = "unknown key"      // the key is not one of this reviewer's
	ExpiredKey   Refusal = "expired key"      // the key is not valid now
	Expired      Refusal = "expired"          // the statement is too old
	Future       Refusal = "from the future"  // the statement is dated after now
	OtherProject Refusal = "other repository" // it was signed for another repository
	Replayed     Refusal = "replayed"         // it was signed at another state of the debt
)

// RefusedError is an acknowledgement that does not count.
type RefusedError struct {
	Reason Refusal
	Detail string
	Err    error
}

func (e *RefusedError) Error() string {
	text := "the acknowledgement is refused: " + string(e.Reason)
	if e.Detail != "" {
		text += ", " + e.Detail
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *RefusedError) Unwrap() error { return e.Err }
