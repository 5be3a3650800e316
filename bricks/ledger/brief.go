package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brickoven/brickoven/bricks/ledger/diff"
	"github.com/brickoven/brickoven/recipes/value"
)

// Packet is everything a critic is shown about one change (seed 002, The critic
// pass). Bytes of the inputs that are not UTF-8 are shown as U+FFFD; the hashes
// are those of the inputs as they were.
type Packet struct {
	// BriefID is the hash of all the other fields but CompatID: the first 16 hex
	// digits of the SHA-256 of their compact JSON with sorted keys.
	BriefID string `json:"brief_id"`
	// CompatID is the id that the original engine computes, from four fields.
	CompatID           string                  `json:"compat_id"`
	Session            string                  `json:"session"`
	Epoch              int                     `json:"epoch"`
	Iteration          int                     `json:"iteration"`
	Rubric             []Dimension             `json:"rubric"`
	Baseline           map[string]value.Number `json:"baseline"`
	Diff               string                  `json:"diff"`
	DiffSHA256         string                  `json:"diff_sha256"`
	Verification       string                  `json:"verification"`
	VerificationSHA256 string                  `json:"verification_sha256"`
	Scope              Scope                   `json:"scope"`
	Verdicts           []Text                  `json:"verdicts"`
	Asks               []string                `json:"asks"`
}

// Scope says how far the diff is the declared change. It proves that every
// declared path is in the diff, not that the declaration is true.
type Scope struct {
	// Provenance is verified when a scope was declared and the diff covers it,
	// otherwise unverified, which says nothing either way.
	Provenance string `json:"provenance"`
	// DeclaredPaths is null when no scope was declared.
	DeclaredPaths []string `json:"declared_paths"`
	DiffPaths     []string `json:"diff_paths"`
	// UndeclaredPaths are in the diff and not in the declared scope.
	UndeclaredPaths []string `json:"undeclared_paths"`
	// Incomplete lists sections of the diff that are cut off.
	Incomplete []string `json:"incomplete"`
}

// The provenance of a packet's scope.
const (
	Verified   = "verified"
	Unverified = "unverified"
)

// Exhibits are the inputs of a packet.
type Exhibits struct {
	Session   string
	Epoch     int
	Iteration int
	Rubric    []Dimension
	Baseline  map[string]value.Number
	// Diff is the unified diff of the change, Verification the output that shows
	// it works. Neither may be blank.
	Diff, Verification []byte
	// Scope is the transcript that declares the changed paths; nil when none is
	// declared.
	Scope []byte
}

func asks() []string {
	return []string{
		"Does the diff do what the rubric asks for, and nothing that works against it?",
		"Does the verification output show it, and could that output be there without the change being right?",
		"Which readings are worse than the baseline, and is a gate, test or threshold weakened?",
		"What in the change is missing, unsafe or unrelated, and does the scope cover all of it?",
		"Which one of the verdicts follows from this evidence?",
		"What is the single most valuable next improvement?",
	}
}

// Brief assembles the packet for the change at hand and makes it the pending
// brief; a brief that was pending before is replaced. replaced is its id, empty
// when there was none. A closed ledger is refused ([WrongState]); see
// [Assemble] for the rest.
func (l *Ledger) Brief(diffText, verification, scope []byte) (next *Ledger, p Packet, replaced string, err error) {
	if l.Status != Open {
		return nil, Packet{}, "", refuse(WrongState, "the ledger %s is closed with %s", l.Session, l.FinalOutcome)
	}
	p, err = Assemble(Exhibits{
		Session: l.Session, Epoch: l.Epoch, Iteration: l.NextIteration(), Rubric: l.Contract.Rubric,
		Baseline: l.Baseline(), Diff: diffText, Verification: verification, Scope: scope,
	})
	if err != nil {
		return nil, Packet{}, "", err
	}
	if l.Pending != nil && l.Pending.BriefID != p.BriefID {
		replaced = l.Pending.BriefID
	}
	next = l.next()
	next.Pending = &Pending{BriefID: p.BriefID}
	return next, p, replaced, nil
}

// Assemble builds a packet. A blank input is refused with code
// [InputUnreadable] and a diff that does not show every declared path in full
// with code [NotCovered].
func Assemble(e Exhibits) (Packet, error) {
	if blank(e.Diff) {
		return Packet{}, refuse(InputUnreadable, "the diff is empty")
	}
	if blank(e.Verification) {
		return Packet{}, refuse(InputUnreadable, "the verification output is empty")
	}
	scope, err := judgeScope(e.Diff, e.Scope)
	if err != nil {
		return Packet{}, err
	}
	p := Packet{
		Session: e.Session, Epoch: e.Epoch, Iteration: e.Iteration, Rubric: e.Rubric, Baseline: e.Baseline,
		Diff: shown(string(e.Diff)), DiffSHA256: hashBytes(e.Diff),
		Verification: shown(string(e.Verification)), VerificationSHA256: hashBytes(e.Verification),
		Scope: scope, Verdicts: CriticVerdicts(), Asks: asks(),
	}
	if p.Rubric == nil {
		p.Rubric = []Dimension{}
	}
	p.CompatID = compatID(p)
	p.BriefID = packetID(p)
	return p, nil
}

// packetID hashes all that the critic is shown, so that no part of a packet can
// change under its id.
func packetID(p Packet) string {
	fields, ok := value.From(p).(map[string]any)
	if !ok {
		return ""
	}
	delete(fields, "brief_id")
	delete(fields, "compat_id")
	return shortHash(value.JSON(fields))
}

func judgeScope(diffText, transcript []byte) (Scope, error) {
	patch := diff.Parse(string(diffText))
	scope := Scope{
		Provenance: Unverified, DiffPaths: shownAll(patch.Paths()), UndeclaredPaths: []string{},
		Incomplete: shownAll(patch.Faults()),
	}
	if transcript == nil {
		return scope, nil
	}
	if blank(transcript) {
		return scope, refuse(InputUnreadable, "the change scope is empty")
	}
	declarations := parseScope(string(transcript))
	if len(declarations) == 0 {
		return scope, refuse(NotCovered, "the change scope names no path")
	}
	covered := patch.Covers()
	named, unresolved := resolveAll(declarations, covered)
	var missing findings
	for _, d := range unresolved {
		missing.add(shown(d.text), "is declared by the change scope, and the diff does not show its change in full")
	}
	if len(missing) > 0 {
		return scope, &Refusal{Code: NotCovered, Message: "the diff does not cover the declared change", Findings: missing}
	}
	scope.Provenance = Verified
	scope.DeclaredPaths = shownAll(sortedKeys(named))
	for _, path := range patch.Paths() {
		if !named[path] {
			scope.UndeclaredPaths = append(scope.UndeclaredPaths, shown(path))
		}
	}
	return scope, nil
}

func blank(data []byte) bool { return len(bytes.TrimSpace(data)) == 0 }

func shown(text string) string { return strings.ToValidUTF8(text, string(utf8.RuneError)) }

func shownAll(texts []string) []string {
	all := make([]string, 0, len(texts))
	for _, text := range texts {
		all = append(all, shown(text))
	}
	slices.Sort(all)
	return all
}

func hashBytes(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
