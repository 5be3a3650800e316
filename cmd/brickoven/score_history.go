package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/brickoven/brickoven/bricks/brakes"
	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/doomloop"
	"github.com/brickoven/brickoven/bricks/guard"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/agent"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/step"
)

// scoreHistory is what the journal of a run tells of its loops.
type scoreHistory struct {
	show  local.Unseal
	whole func(v any) (any, error) // reads what is too large for the journal
	// stdout opens what an action printed.
	stdout  func(ref value.Ref) (io.ReadCloser, error)
	actions map[string]journal.ActionStarted
	waited  map[string]time.Duration // by the path of the step
	loops   []*scoredLoop            // as they began
	// scores are the last records of scores, by the step that gave them.
	scores []*scoreSource
	steps  []scoredStep
	calls  []scoredCall
	guards []scoredGuard
	ended  bool
}

// scoredLoop is one loop of the run.
type scoredLoop struct {
	path   string
	rounds map[int]*scoredRound
	last   int
	took   *time.Duration // nil while it goes on
	totals []measurement  // of a loop with a contract
}

// scoredRound is what a round used as far as its actions tell.
type scoredRound struct {
	duration time.Duration
	usage    *step.Usage
	accepted *bool
}

// scoreSource is a record of scores that a step printed.
type scoreSource struct {
	path, label string // label is without the numbers of rounds
	loop        string // the loop around it; empty without one
	value       any
}

type scoredStep struct {
	path  string
	event doomloop.Event
}

type scoredCall struct {
	path   string
	events []doomloop.Event
}

type scoredGuard struct {
	path  string
	event any
}

func (h *scoreHistory) add(rec journal.Record) error {
	switch rec.Kind {
	case journal.KindActionStarted:
		var started journal.ActionStarted
		if err := rec.Decode(&started); err != nil {
			return err
		}
		h.actions[started.ID] = started
	case journal.KindActionFinished:
		ev, ok, err := rec.Event(h.show)
		if err != nil || !ok {
			return err
		}
		return h.finished(ev)
	case journal.KindNote:
		n, err := rec.Note(h.show)
		if err != nil {
			return err
		}
		return h.note(n)
	case journal.KindGuardRefused:
		var g journal.GuardRefused
		if err := rec.Decode(&g); err != nil {
			return err
		}
		h.intervened(g.Path, "guard_refused", g.Text)
	case journal.KindStalled:
		var s journal.Stalled
		if err := rec.Decode(&s); err != nil {
			return err
		}
		h.intervened(s.Path, "stalled", "no sign of progress for "+s.Silent.Round(time.Second).String())
	case journal.KindRunFinished:
		h.ended = true
	case journal.KindResumed:
		h.ended = false
	}
	return nil
}

// intervened notes a guard of the runner that is none against doom loops.
func (h *scoreHistory) intervened(path, what, why string) {
	h.guards = append(h.guards, scoredGuard{path, map[string]any{"type": what, "reason": why}})
}

func (h *scoreHistory) note(n step.Note) error {
	switch n.Kind {
	case step.LoopRound:
		l := h.loop(n.Path)
		if l == nil {
			l = &scoredLoop{path: n.Path, rounds: map[int]*scoredRound{}}
			h.loops = append(h.loops, l)
		}
		l.took = nil
		if _, err := fmt.Sscan(n.Text, &l.last); err != nil {
			return fmt.Errorf("the round of the loop %s: %w", n.Path, err)
		}
	case step.Verdict:
		if l := h.loop(n.Path); l != nil && n.Status == step.Moved {
			round := fmt.Sprintf("%s[%d]", n.Path, l.last)
			h.steps = append(h.steps, scoredStep{round, doomloop.Moved(round, n.At)})
		}
	case step.Braked:
		return h.braked(n)
	case step.LoopEnded:
		var end halt.Halt
		if err := json.Unmarshal([]byte(n.Text), &end); err != nil {
			return fmt.Errorf("the end of the loop %s: %w", n.Path, err)
		}
		if event := guard.OfHalt(end); event != nil {
			h.guards = append(h.guards, scoredGuard{n.Path, event})
		}
	case step.StepFinished:
		if l := h.loop(n.Path); l != nil && n.Outcome != nil {
			l.took = &n.Outcome.Duration
		}
	}
	return nil
}

// braked notes whether the work of a round was accepted or taken back.
func (h *scoreHistory) braked(n step.Note) error {
	var decision struct {
		Round    int    `json:"round"`
		Tree     string `json:"tree"`
		Accepted []any  `json:"accepted"`
	}
	if err := json.Unmarshal([]byte(n.Text), &decision); err != nil {
		return fmt.Errorf("the brakes of the loop %s: %w", n.Path, err)
	}
	accepted := decision.Tree == string(brakes.Accept)
	// Brakes that watch no tree accept every round.
	watched := len(decision.Accepted) > 0 && decision.Round > 0
	if l := h.loop(n.Path); l != nil && watched && (accepted || decision.Tree == string(brakes.Restore)) {
		l.round(decision.Round).accepted = &accepted
	}
	return nil
}

// finished takes the end of an action. Native functions and the loop's own judge
// and measures are the loop's machinery: they count as what a round used, and
// not as what it did.
func (h *scoreHistory) finished(ev step.Event) error {
	a, res := h.actions[ev.ID], ev.Result
	switch step.Kind(a.Kind) {
	case step.Sleep, step.Wait:
		h.waited[a.Path] += res.Duration
		return nil
	case step.Ledger:
		h.measured(a.Path, res)
		return nil
	case step.Shell, step.Agent, step.Native:
	default:
		return nil
	}
	waited := h.waited[a.Path]
	delete(h.waited, a.Path)
	for _, l := range h.loops {
		if n := doomloop.RoundOf(a.Path, l.path); n > 0 {
			l.round(n).take(res)
		}
	}
	if step.Kind(a.Kind) == step.Agent && res.Stdout != nil {
		if err := h.toolCalls(a.Path, *res.Stdout, ev.At); err != nil {
			return err
		}
	}
	switch res.Cause {
	case step.CauseCancelled, step.CauseInterrupted, step.CauseGuard:
		return nil
	}
	if step.Kind(a.Kind) != step.Native && !doomloop.OwnWork(a.Path, h.isLoop) {
		s := doomloop.Step{
			Path: a.Path, Args: a.Args, Failed: !res.OK, Output: res.Text, Error: res.Error, Waited: waited, At: ev.At,
		}
		if u := res.Usage; u != nil {
			s.Tokens, s.CostUSD = known(u.InputTokens)+known(u.OutputTokens), known(u.CostUSD)
		}
		h.steps = append(h.steps, scoredStep{a.Path, s.Event(h.isLoop)})
	}
	if res.OK {
		return h.record(a.Path, res.Value)
	}
	return nil
}

// toolCalls reads the tool calls of an agent from what its CLI printed.
func (h *scoreHistory) toolCalls(path string, stdout value.Ref, at time.Time) (err error) {
	in, err := h.stdout(stdout)
	if err != nil {
		return fmt.Errorf("the output of %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	uses, err := agent.ReadTools(in)
	if err != nil || len(uses) == 0 {
		return err
	}
	call := scoredCall{path: path}
	for i, use := range uses {
		call.events = append(call.events, runner.ToolEvent(path, i+1, digestTool(use), at))
	}
	h.calls = append(h.calls, call)
	return nil
}

func known[T int64 | float64](n *T) T {
	if n == nil {
		return 0
	}
	return *n
}

// record keeps an output that is a record of scores: an object with
// score_history. The last one of a step counts.
func (h *scoreHistory) record(path string, v any) error {
	if ref, large := v.(value.Ref); large && ref.JSON {
		whole, err := h.whole(ref)
		if err != nil {
			return fmt.Errorf("the output of %s: %w", path, err)
		}
		v = whole
	}
	object, _ := v.(map[string]any)
	if _, has := object["score_history"]; !has {
		return nil
	}
	label := doomloop.WithoutRounds(path, h.isLoop)
	source := &scoreSource{path: path, label: label, value: v}
	for _, l := range h.loops {
		if doomloop.RoundOf(path, l.path) > 0 && len(l.path) > len(source.loop) {
			source.loop = l.path
		}
	}
	for i, before := range h.scores {
		if before.label == label && before.loop == source.loop {
			h.scores[i] = source
			return nil
		}
	}
	h.scores = append(h.scores, source)
	return nil
}

func (h *scoreHistory) loop(path string) *scoredLoop {
	for _, l := range h.loops {
		if l.path == path {
			return l
		}
	}
	return nil
}

func (h *scoreHistory) isLoop(path string) bool { return h.loop(path) != nil }

func (l *scoredLoop) round(n int) *scoredRound {
	if l.rounds[n] == nil {
		l.rounds[n] = &scoredRound{}
	}
	return l.rounds[n]
}

func (r *scoredRound) take(res *step.Result) {
	r.duration += res.Duration
	u := res.Usage
	if u == nil {
		return
	}
	if r.usage == nil {
		r.usage = &step.Usage{}
	}
	tokens := known(r.usage.InputTokens) + known(u.InputTokens) + known(u.OutputTokens)
	cost := known(r.usage.CostUSD) + known(u.CostUSD)
	r.usage.InputTokens, r.usage.CostUSD = &tokens, &cost
	r.usage.UnknownTokens += u.UnknownTokens
	r.usage.UnknownCost += u.UnknownCost
}
