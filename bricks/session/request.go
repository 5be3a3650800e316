package session

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// RequestKind says what a person asks of a session.
type RequestKind string

// The kinds of request.
const (
	// RequestStop ends the loop after the round that runs, or with Now at once.
	RequestStop RequestKind = "stop"
	// RequestUpdate is a text for the next round.
	RequestUpdate RequestKind = "update"
	// RequestRetryNow cuts a wait short.
	RequestRetryNow RequestKind = "retry_now"
)

// Request is one file requests/NNNN.json: what a person asked for through the
// command line. The engine deals with it between iterations.
type Request struct {
	// Number counts the session's requests from 1.
	Number int         `json:"number"`
	Kind   RequestKind `json:"kind"`
	// Now makes a stop interrupt the round that runs.
	Now bool `json:"now"`
	// Text is the reason of a stop, or the update.
	Text string    `json:"text"`
	At   time.Time `json:"created_at"`
}

// RequestsDir is the folder of the requests, and RequestName the name of one.
const RequestsDir = "requests"

// RequestName is the file name of a request.
func RequestName(number int) string { return fmt.Sprintf("%04d.json", number) }

type requestWire struct {
	Request
	SchemaVersion int    `json:"schema_version"`
	Seal          string `json:"seal"`
}

// Seal prints a request with a seal that only who has the session's key can
// make. The key lies outside of the session's folder, so that a file that an
// agent put into the folder is told apart from one of the command line.
func (r Request) Seal(key []byte) ([]byte, error) {
	r.At = r.At.UTC()
	seal, err := r.seal(key)
	if err != nil {
		return nil, err
	}
	return encode("request", requestWire{Request: r, SchemaVersion: SchemaVersion, Seal: hex.EncodeToString(seal)})
}

func (r Request) seal(key []byte) ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("printing a request: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return mac.Sum(nil), nil
}

// ErrSeal is returned by [ParseRequest] for a request that the command line did
// not make, or that was changed since.
var ErrSeal = errors.New("the request's seal is not that of the command line")

// ParseRequest reads a request strictly and checks its seal.
func ParseRequest(data, key []byte) (Request, error) {
	o := openDocument("request", data)
	r := Request{
		Number: o.count("number", true), Kind: oneOf(o, "kind", true, RequestStop, RequestUpdate, RequestRetryNow),
		Now: o.truth("now"), Text: o.textOr("text"), At: o.instant("created_at", true),
	}
	seal, err := hex.DecodeString(o.text("seal"))
	if err != nil {
		o.fail("seal", "is not hex")
	}
	o.version(false)
	o.done()
	if err := o.invalid.err(); err != nil {
		return Request{}, err
	}
	want, err := r.seal(key)
	if err != nil {
		return Request{}, err
	}
	if !hmac.Equal(seal, want) {
		return Request{}, ErrSeal
	}
	return r, nil
}

// UpdatesFile is what people told a session, oldest first; the engine writes it
// from the requests.
const UpdatesFile = "updates.md"

// Updates prints updates.md: each update below a heading with its time.
func Updates(requests []Request) []byte {
	var out strings.Builder
	out.WriteString("# Updates\n")
	for _, r := range requests {
		if r.Kind == RequestUpdate {
			fmt.Fprintf(&out, "\n## %s\n\n%s\n", r.At.UTC().Format(time.RFC3339), strings.TrimSpace(r.Text))
		}
	}
	return []byte(out.String())
}
