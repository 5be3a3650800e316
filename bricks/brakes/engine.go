// Package brakes decides when a loop must end although nobody says so, and
// what becomes of a round's changes (seed 004, "The Four Deaths").
//
// An [Engine] is fed with what was observed and answers with a [Decision]. It
// holds no clock, no chance and no file: the same observations give the same
// decisions, so a journal can be replayed, and its [State] is JSON from which
// another process goes on. An Engine is not safe for concurrent use.
package brakes

import (
	"fmt"
	"slices"
	"time"

	"github.com/brickoven/brickoven/bricks/brakes/failing"
	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/brakes/integrity"
	"github.com/brickoven/brickoven/bricks/brakes/progress"
	"github.com/brickoven/brickoven/bricks/brakes/ratchet"
)

// State is all that an engine remembers.
type State struct {
	// Round is the last round that was observed.
	Round int   `json:"round"`
	Total Total `json:"total"`
	// Spent is the spending of each observed round.
	Spent []Spend        `json:"spent,omitempty"`
	Walk  progress.State `json:"walk"`
	// Last is the failing set of the last round, accepted or not.
	Last failing.Set `json:"last"`
	// Reverts is how many rounds the ratchet took back.
	Reverts int `json:"reverts,omitempty"`
	// RedClaim is the last round in which DONE was claimed over a red check.
	RedClaim int `json:"red_claim,omitempty"`
	// Halted is the end, if there is one.
	Halted *halt.Halt `json:"halted,omitempty"`
}

// Engine watches one loop.
type Engine struct {
	config Config
	state  State
}

// New starts with the zero State, or takes a loop up again from the State of
// another engine. To take up a halted loop is a person's decision and lets it
// go on, under the limits of config, unless a guard refused for good.
func New(config Config, state State) *Engine {
	if h := state.Halted; h != nil && h.Reason != halt.TerminalRefusal {
		state.Halted = nil
	}
	return &Engine{config, state}
}

// State is a copy to store; it shares nothing that the engine changes.
func (e *Engine) State() State {
	s := e.state
	s.Spent = slices.Clone(s.Spent)
	s.Walk = s.Walk.Clone()
	return s
}

func (e *Engine) halt(reason halt.Reason, evidence halt.Evidence) *halt.Halt {
	h := halt.New(reason, e.state.Round, evidence, e.state.Walk.Shrinking())
	return &h
}

// end records the halt of a decision.
func (e *Engine) end(d Decision) Decision {
	if d.Halt != nil {
		e.state.Halted = d.Halt
	}
	return d
}

// Halted is the end of the loop, or nil while it goes on.
func (e *Engine) Halted() *halt.Halt { return e.state.Halted }

// Round is the last round that was observed, or was ended in its middle.
func (e *Engine) Round() int { return e.state.Round }

// Pass takes in that a round was ended in its middle, so that no Observe follows
// for it.
func (e *Engine) Pass(round int) { e.state.Round = max(e.state.Round, round) }

// End ends the loop for a reason that was found outside of the rounds, such as
// workspace_invalid or execution_failure. The tree stays as it is.
func (e *Engine) End(reason halt.Reason, evidence halt.Evidence) Decision {
	return e.end(Decision{Tree: Keep, Halt: e.halt(reason, evidence)})
}

// Start takes in what was observed before the first round, and halts where the
// loop must not begin.
func (e *Engine) Start(b Baseline) Decision {
	e.state.Total.Spend = e.state.Total.Add(b.Spend)
	e.state.Total.Elapsed += b.Elapsed
	if b.Failing.State != failing.Unset {
		e.walk(func(t *progress.Tracker) progress.Finding { return t.Accept(0, b.Failing) })
		e.state.Last = b.Failing
	}
	if reason, evidence := integrity.Probe(b.Trials); reason != "" {
		return e.End(reason, evidence)
	}
	if detail := e.config.infeasible(b); detail != "" {
		return e.End(halt.InfeasibleSuspected, halt.Evidence{Detail: detail})
	}
	d := Decision{Tree: Accept}
	if b.Failing.State == failing.Unknown {
		d.Warnings = append(d.Warnings, "the failing set before the first round is unknown: "+b.Failing.Why)
	}
	return d
}

// infeasible says why no green state is known; empty if one is, or if the
// author goes without.
func (c Config) infeasible(b Baseline) string {
	switch {
	case c.NoReference:
		return ""
	case c.Reference != "" && b.Reference != ReferenceGreen:
		return fmt.Sprintf("the reference %s is %s: %s", c.Reference, orUnverified(b.Reference), b.ReferenceDetail)
	case c.Reference == "" && c.FailingCommand != "":
		return "there is a failing set and no reference"
	}
	return ""
}

func orUnverified(r Reference) string {
	if r == Unverified {
		return "not verified"
	}
	return string(r)
}

// Before decides whether another round may start. unread are the accepted
// commits that nobody has acknowledged, oldest first.
func (e *Engine) Before(unread []string) Decision {
	if e.state.Halted != nil {
		return Decision{Tree: Keep, Halt: e.state.Halted}
	}
	d := Decision{Tree: Keep, Warnings: e.unknownCost()}
	if limit := e.config.MaxUnread; limit > 0 && len(unread) >= limit {
		d.Halt = e.halt(halt.ComprehensionDebtExceeded, halt.Evidence{
			IDs: unread, Detail: fmt.Sprintf("%d accepted changes are unread, and the limit is %d", len(unread), limit),
		})
		return e.end(d)
	}
	if detail, over := e.config.overBudget(e.state.Total); over {
		d.Halt = e.halt(halt.BudgetExceeded, halt.Evidence{Rounds: e.observed(), Detail: detail})
		return e.end(d)
	}
	d.Halt = e.fuse()
	return e.end(d)
}

// During decides whether a round that runs may go on. Where it halts, the
// round and its spending so far count, and no Observe follows.
func (e *Engine) During(m Meter) Decision {
	if e.state.Halted != nil {
		return Decision{Tree: Keep, Halt: e.state.Halted}
	}
	round := e.state.Round + 1
	total := Total{e.state.Total.Add(m.Spend), e.state.Total.Elapsed + m.Elapsed}
	d := Decision{Tree: Keep, Halt: e.runaway([]int{round}, total, e.state.Spent, m.Spend)}
	if d.Halt == nil && e.config.StaleAfter > 0 && m.Silent >= e.config.StaleAfter {
		d.Halt = e.halt(halt.HeartbeatStale, halt.Evidence{
			Rounds: []int{round}, Detail: fmt.Sprintf("%s was silent for %s, and stale_after is %s", phase(m.Phase), m.Silent, e.config.StaleAfter),
		})
	}
	if d.Halt != nil {
		e.state.Round, e.state.Total = round, total
	}
	return e.end(d)
}

func phase(name string) string {
	if name == "" {
		return "the round"
	}
	return name
}

// AcceptByHand makes the last round's tree and failing set the accepted ones,
// although they broke tests: a person overrides the ratchet. The caller
// journals it.
func (e *Engine) AcceptByHand() {
	e.state.Walk.Override(e.state.Last)
}

// walk runs a step of the tracker over the stored state.
func (e *Engine) walk(step func(*progress.Tracker) progress.Finding) *halt.Halt {
	t := progress.Tracker{
		Limits: progress.Limits{NoProgress: e.config.NoProgress, SameFailure: e.config.SameFailure},
		State:  e.state.Walk,
	}
	finding := step(&t)
	e.state.Walk = t.State
	if finding.Reason == "" {
		return nil
	}
	return e.halt(finding.Reason, finding.Evidence)
}

// regressed lists what a round broke, unless regressions are ignored.
func (e *Engine) regressed(set failing.Set) []string {
	if e.config.OnRegression == Ignore || e.config.OnRegression == "" {
		return nil
	}
	return ratchet.Regressed(e.state.Walk.Accepted, set)
}

// fuse halts when the allowed rounds are used up.
func (e *Engine) fuse() *halt.Halt {
	if e.config.Rounds == 0 || e.state.Round < e.config.Rounds {
		return nil
	}
	return e.halt(halt.MaxIterationsReached, halt.Evidence{
		Rounds: e.observed(), Detail: fmt.Sprintf("%d of %d rounds used", e.state.Round, e.config.Rounds),
	})
}

func (e *Engine) observed() []int {
	rounds := make([]int, e.state.Round)
	for i := range rounds {
		rounds[i] = i + 1
	}
	return rounds
}

func (e *Engine) unknownCost() []string {
	if unknown := e.config.unknown(e.state.Total.Spend); unknown != "" {
		return []string{unknown + "; the budget counts only what is known"}
	}
	return nil
}

// Elapsed is the time that was counted so far.
func (e *Engine) Elapsed() time.Duration { return e.state.Total.Elapsed }
