package runner

import (
	"fmt"

	"github.com/brickoven/brickoven/bricks/brakes"
	reasons "github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// maxNoted is how many ids a note of the brakes lists.
const maxNoted = 200

// BrakeNote is the text of a [step.Braked] note, as JSON.
type BrakeNote struct {
	Round int         `json:"round"` // 0 is before the first round
	Tree  brakes.Tree `json:"tree"`
	// Session is the loop's, and Accepted the last accepted state after the
	// decision.
	Session  string      `json:"session"`
	Accepted []Tree      `json:"accepted"`
	Failing  FailingNote `json:"failing"`
	// Reverts is how many rounds were taken back so far.
	Reverts int           `json:"reverts"`
	Broke   []string      `json:"broke,omitempty"`
	Halt    *reasons.Halt `json:"halt"`
	Total   brakes.Total  `json:"total"`
	// AcceptedRound is the round of the accepted failing set, and Left and Passing
	// count its tests; nil where that is not known.
	AcceptedRound int  `json:"accepted_round"`
	Left          *int `json:"left"`
	Passing       *int `json:"passing"`
}

// FailingNote is a failing set as a note has it.
type FailingNote struct {
	// State is known, unknown or empty for a loop without one.
	State string `json:"state"`
	Why   string `json:"why,omitempty"`
	Size  int    `json:"size"`
	// Tests are the first of the failing tests.
	Tests  []string `json:"tests"`
	Passed *int     `json:"passed"` // nil where the report does not tell
}

// noteBrakes tells those who watch what the brakes decided.
func (l *loop) noteBrakes(round int, d brakes.Decision) {
	b := &l.braking
	state := b.engine.State()
	n := BrakeNote{
		Round: round, Tree: d.Tree, Session: l.sessionID(), Accepted: b.accepted, Reverts: state.Reverts, Broke: clipped(d.Broke),
		Halt: d.Halt, Total: state.Total, AcceptedRound: state.Walk.AcceptedRound,
		Failing: FailingNote{State: string(state.Last.State), Why: state.Last.Why, Size: state.Last.Size(), Tests: clipped(state.Last.Tests())},
	}
	if state.Last.Complete {
		n.Failing.Passed = count(state.Last.Passed)
	}
	if accepted := state.Walk.Accepted; accepted.IsKnown() {
		n.Left = count(accepted.Tests())
		if accepted.Complete {
			n.Passing = count(accepted.Passed)
		}
	}
	l.fr.run.note(step.Note{Kind: step.Braked, Path: l.path, Name: string(d.Tree), Text: value.JSON(value.From(n))})
}

// noteEnd tells how the loop ended.
func (l *loop) noteEnd(h reasons.Halt) {
	h.Evidence.IDs = clipped(h.Evidence.IDs)
	l.fr.run.note(step.Note{Kind: step.LoopEnded, Path: l.path, Name: string(h.Reason), Text: value.JSON(value.From(h))})
}

func count(ids []string) *int {
	n := len(ids)
	return &n
}

// clipped keeps a note within bounds; the result tells everything.
func clipped(ids []string) []string {
	if len(ids) <= maxNoted {
		return ids
	}
	rest := fmt.Sprintf("… %d more", len(ids)-maxNoted)
	return append(ids[:maxNoted:maxNoted], rest)
}
