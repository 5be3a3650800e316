package session

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// The names of a session's other files and of the folder of its iterations.
const (
	MetaFile      = "session.json"
	GoalFile      = "goal.md"
	PromptFile    = "prompt.txt"
	IterationsDir = "iterations"
)

// Meta is session.json: what a session is. It is written once.
type Meta struct {
	SessionID     string    `json:"session_id"`
	SchemaVersion int       `json:"schema_version"`
	CreatedAt     time.Time `json:"created_at"`
	GoalHash      string    `json:"goal_hash"`
	// RunID is the run that made the session, Recipe its recipe and Step the
	// path of its loop.
	RunID  string `json:"run_id"`
	Recipe string `json:"recipe"`
	Step   string `json:"step"`
	// WorkDir is the working tree of the loop, absolute.
	WorkDir string `json:"work_dir"`
	// ParentSessionID is the session whose iteration runs this loop; empty for a
	// loop of its own.
	ParentSessionID string `json:"parent_session_id"`
}

// Encode prints session.json.
func (m Meta) Encode() ([]byte, error) {
	m.SchemaVersion = SchemaVersion
	m.CreatedAt = m.CreatedAt.UTC()
	return encode(MetaFile, m)
}

// ParseMeta reads session.json strictly; the error is an [*Invalid].
func ParseMeta(data []byte) (Meta, error) {
	o := openDocument(MetaFile, data)
	m := Meta{
		SessionID: o.text("session_id"), SchemaVersion: SchemaVersion, CreatedAt: o.instant("created_at", true),
		GoalHash: o.text("goal_hash"), RunID: o.textOr("run_id"), Recipe: o.textOr("recipe"), Step: o.textOr("step"),
		WorkDir: o.textOr("work_dir"), ParentSessionID: o.textOr("parent_session_id"),
	}
	o.version(false)
	o.done()
	if m.SessionID != "" && CheckID(m.SessionID) != nil {
		o.fail("session_id", "%q is not the name of a session", m.SessionID)
	}
	if err := o.invalid.err(); err != nil {
		return Meta{}, err
	}
	return m, nil
}

// GoalHash is the first 12 hex digits of the SHA-256 of a goal.
func GoalHash(goal string) string {
	sum := sha256.Sum256([]byte(goal))
	return hex.EncodeToString(sum[:])[:12]
}

// NewID is the name of a session and of its folder: the time in UTC to the
// second, the hash of the goal, and four random bytes in hex, so that the names
// sort by time and two sessions never meet.
func NewID(at time.Time, goal string, random [4]byte) string {
	return fmt.Sprintf("%s_%s_%s", at.UTC().Format("20060102_150405"), GoalHash(goal), hex.EncodeToString(random[:]))
}

var sessionID = pattern.Pattern{Source: `^[0-9]{8}_[0-9]{6}_[0-9a-f]{12}_[0-9a-f]{8}$`}

// CheckID refuses what is not the name of a session; a name that passes is safe
// as one part of a path.
func CheckID(id string) error {
	if !sessionID.Get().MatchString(id) {
		return fmt.Errorf("%q is not the name of a session, such as 20260102_030405_0123456789ab_01234567", id)
	}
	return nil
}

// maxWorkflowName keeps the name of an iteration's folder readable.
const maxWorkflowName = 64

// IterationName is the name of an iteration's folder, NNNN_workflow. What could
// not stand in the name of a folder becomes a hyphen.
func IterationName(number int, workflow string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, workflow)
	return fmt.Sprintf("%04d_%s", number, name[:min(len(name), maxWorkflowName)])
}
