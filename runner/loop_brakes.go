package runner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/bricks/brakes"
	reasons "github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/session"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// braking is the brakes of one loop at work. The rules are those of package
// brakes; here stands what they are fed with, and what becomes of their word.
type braking struct {
	config brakes.Config
	engine *brakes.Engine
	braced bool // what comes before the first round was taken in

	accepted []Tree   // the last accepted state
	changed  []string // by what was captured last
	begun    []Tree   // the state that the round began with
	ended    []Tree   // the state that it left

	inside *halt         // what a brake may end in the middle
	used   *step.Usage   // by the round so far, without what is metered now
	mark   time.Time     // up to when the time is counted
	waited time.Duration // since then, for used-up limits; it spends nothing
	root   string        // where the loop works, absolute; empty where not known
	broke  []string      // the passing tests that the last round broke
	said   []string      // warnings that were given already
	handed any           // the trees that a person accepted while the loop lay still
	raised any           // the limits that they raised

	circling circling // what its steps do over and over
}

// brace reads the loop's brakes.
func (l *loop) brace(root string) error {
	config, err := brakes.ParseConfig(l.st.Loop.Brakes)
	if err != nil {
		return err
	}
	if lacks := config.Lacks(l.st.Loop.Check != nil); len(lacks) > 0 {
		return &brakes.ConfigError{Findings: lacks}
	}
	l.braking = braking{config: config, engine: brakes.New(config, brakes.State{}), root: root}
	if stale := config.StaleAfter; stale > 0 && (l.fr.loops.stale == 0 || stale < l.fr.loops.stale) {
		l.fr.loops.stale = stale
	}
	return l.circle()
}

// ready asks the brakes whether another round may begin, and before the first
// one how things stand. Where it may not the coordinator has its reason. The
// result is what kept the brakes from knowing.
func (l *loop) ready(f *flow) *step.Result {
	b := &l.braking
	if l.co.State().Stop != nil {
		return nil
	}
	if !b.braced {
		if broken := l.begin(f); broken != nil || b.engine.Halted() != nil {
			return broken
		}
		b.braced = true
	}
	unread, broken := l.unread(f)
	if broken != nil {
		return broken
	}
	d := b.engine.Before(unread)
	l.warnOnce(d.Warnings)
	l.brakeBetween(d.Halt)
	return nil
}

// brakeBetween ends the loop while no round runs.
func (l *loop) brakeBetween(h *reasons.Halt) {
	if h != nil {
		l.co.Halt(session.StopFor(h.Reason), h.Reason, h.Evidence.Detail, l.fr.run.now)
	}
}

// release lets a loop that had ended go on, for a person wants it to. A tree
// that was accepted by hand is the accepted one from then on.
func (l *loop) release() error {
	b := &l.braking
	var byHand []Tree
	if err := decode(b.handed, &byHand); err != nil {
		return err
	}
	if raised, given := b.raised.(map[string]any); given {
		config, err := b.config.Raised(raised)
		if err != nil {
			return err
		}
		b.config = config
	}
	state := b.engine.State()
	if !b.braced {
		state = brakes.State{Total: state.Total}
	}
	b.engine = brakes.New(b.config, state)
	b.count(l.fr.run.now)
	if len(byHand) > 0 {
		b.engine.AcceptByHand()
		b.accepted = byHand
	}
	return l.circle()
}

// warnOnce gives each warning of the brakes once.
func (l *loop) warnOnce(warnings []string) {
	for _, text := range warnings {
		if !slices.Contains(l.braking.said, text) {
			l.braking.said = append(l.braking.said, text)
			l.fr.run.warn(l.path, text)
		}
	}
}

// halted is why the loop ended, in the words of the halt table.
func (l *loop) halted(stop session.Stop) reasons.Halt {
	engine := l.braking.engine
	if h := engine.Halted(); h != nil && h.Reason == stop.HaltReason {
		return *h
	}
	evidence := reasons.Evidence{Detail: strings.TrimSpace(stop.Reason)}
	if l.round > 0 {
		evidence.Rounds = []int{l.round}
	}
	h := *engine.End(stop.HaltReason, evidence).Halt
	h.Round = l.round
	return h
}

// collapse gives a loop whose rounds could not be run an end that is in the halt
// table. One that was interrupted, or held by another process, has none.
func (l *loop) collapse(o *step.Outcome) {
	switch o.Cause {
	case step.CauseCancelled, step.CauseInterrupted, step.CauseHeld:
		return
	}
	evidence := reasons.Evidence{Detail: o.Error}
	if l.round > 0 {
		evidence.Rounds = []int{l.round}
	}
	h := reasons.New(reasons.ExecutionFailure, l.round, evidence, false)
	l.noteEnd(h)
	o.Cause, o.ExitCode = step.CauseLoop, h.Class.ExitCode()
	o.Error = fmt.Sprintf("the loop ended after %s: %s: %s", rounds(l.round), h.Reason, o.Error)
}

// spending is what calls used, as the brakes count it. Unknown is not zero.
func spending(u *step.Usage) brakes.Spend {
	if u == nil {
		return brakes.Spend{}
	}
	s := brakes.Spend{UnknownUSD: int(u.UnknownCost), UnknownTokens: int(u.UnknownTokens)}
	if u.CostUSD != nil {
		s.USD = *u.CostUSD
	}
	for _, n := range []*int64{u.InputTokens, u.OutputTokens} {
		if n != nil {
			s.Tokens += *n
		}
	}
	return s
}

// braked are the variables and the result of a loop that come from its brakes.
func (b *braking) braked() map[string]any {
	state := b.engine.State()
	spent := map[string]any{
		"usd": value.From(state.Total.USD), "tokens": value.From(state.Total.Tokens),
		"unknown_usd": value.From(state.Total.UnknownUSD), "unknown_tokens": value.From(state.Total.UnknownTokens),
	}
	var failures any
	if state.Last.IsKnown() {
		failures = list(state.Last.Tests())
	}
	return map[string]any{
		"failing": failures, "reverts": value.From(state.Reverts), "spent": spent, "accepted": commits(b.accepted),
	}
}

func list(texts []string) []any {
	items := make([]any, len(texts))
	for i, text := range texts {
		items[i] = text
	}
	return items
}

// takenBack tells the next round what the last one broke; empty where it was
// not taken back.
func (b *braking) takenBack() string {
	if len(b.broke) == 0 {
		return ""
	}
	return fmt.Sprintf("The changes of the last round were taken back, because they broke tests that passed:\n- %s",
		strings.Join(b.broke, "\n- "))
}
