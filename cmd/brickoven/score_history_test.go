package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/bricks/brakes"
	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/doomloop"
	"github.com/brickoven/brickoven/bricks/guard"
	"github.com/brickoven/brickoven/bricks/score"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/step"
)

// told is a history that is told what a journal would.
type told struct {
	*scoreHistory
	t *testing.T
}

func newTold(t *testing.T) told {
	return told{&scoreHistory{
		whole:   func(any) (any, error) { return nil, errors.New("nothing is stored") },
		actions: map[string]journal.ActionStarted{}, waited: map[string]time.Duration{},
	}, t}
}

func (h told) round(loop string, n int) {
	h.t.Helper()
	h.say(step.Note{Kind: step.LoopRound, Path: loop, Text: fmt.Sprint(n)})
}

func (h told) say(n step.Note) {
	h.t.Helper()
	if err := h.note(n); err != nil {
		h.t.Fatal(err)
	}
}

// do is an action that took a second.
func (h told) do(kind step.Kind, path string, res step.Result) {
	h.t.Helper()
	id := fmt.Sprintf("%s#%d", path, len(h.actions))
	h.actions[id] = journal.ActionStarted{ID: id, Kind: string(kind), Path: path}
	if res.Duration == 0 {
		res.Duration = time.Second
	}
	res.OK = res.Cause == "" && res.ExitCode == 0
	if err := h.finished(step.Event{Kind: step.Done, ID: id, Result: &res}); err != nil {
		h.t.Fatal(err)
	}
}

func (h told) read(only string) score.Run {
	h.t.Helper()
	run, err := h.run(only)
	if err != nil {
		h.t.Fatal(err)
	}
	return run
}

// recordedScores is what evaluation-record printed after so many rounds.
func recordedScores(scores ...string) any {
	e := score.Evaluation{Mode: score.Optimize, Threshold: "8", MaxRounds: 5}
	for _, s := range scores {
		e = e.Record(score.Judged{Output: "x", Judgement: score.Judgement{Score: value.Number(s)}})
	}
	return e.Report()
}

func agentUsed(tokens, cost float64) *step.Usage {
	in, out := int64(tokens)-1, int64(1)
	return &step.Usage{InputTokens: &in, OutputTokens: &out, CostUSD: &cost, Calls: 1}
}

// What a round used is what its actions used, those of its judge included. A
// call that told nothing makes the round's amount unknown, which is not zero.
func TestTheJournalTellsWhatEachRoundUsed(t *testing.T) {
	t.Parallel()
	h := newTold(t)
	unknown := &step.Usage{Calls: 1, UnknownCost: 1}
	for i, usage := range [][]*step.Usage{{agentUsed(10, 0.25), agentUsed(5, 0.5)}, {agentUsed(7, 1), unknown}, {nil, nil}} {
		n := i + 1
		h.round("rounds", n)
		h.do(step.Agent, fmt.Sprintf("rounds[%d]/produce/ask", n), step.Result{Usage: usage[0], Text: fmt.Sprint(n)})
		h.do(step.Native, fmt.Sprintf("rounds[%d]/record", n), step.Result{Value: recordedScores([]string{"5", "6", "7"}[:n]...)})
		h.do(step.Agent, fmt.Sprintf("rounds.judge[%d]/ask", n), step.Result{Usage: usage[1]})
	}
	took := 90 * time.Second
	h.say(step.Note{Kind: step.StepFinished, Path: "rounds", Outcome: &step.Outcome{Duration: took}})
	run := h.read("")
	want := []score.Round{
		{Duration: "3", Tokens: "15", CostUSD: "0.75"}, {Duration: "3", Tokens: "7"}, {Duration: "3"},
	}
	if diff := cmp.Diff(want, run.Record.Loop.Rounds); diff != "" {
		t.Errorf("rounds (-want +got):\n%s", diff)
	}
	if run.Record.Loop.TotalDuration != "90" || run.Record.Loop.Name != "rounds" || len(run.Steps) != 3 {
		t.Errorf("%+v", run)
	}
}

// What the record says of a round itself is not replaced, and rounds without a
// score leave the rest alone, because nobody can tell which is which.
func TestTheRecordOfTheScoresComesFirst(t *testing.T) {
	t.Parallel()
	h := newTold(t)
	h.round("l", 1)
	h.do(step.Shell, "l[1]/tool", step.Result{Usage: agentUsed(9, 9), Value: map[string]any{
		"score_history": []any{value.Number("9")}, "total_duration_seconds": value.Number("4"),
		"iterations": []any{map[string]any{"tokens": value.Number("3")}},
	}})
	loop := h.read("").Record.Loop
	if diff := cmp.Diff([]score.Round{{Duration: "1", Tokens: "3", CostUSD: "9"}}, loop.Rounds); diff != "" || loop.TotalDuration != "4" {
		t.Errorf("%+v (-want +got):\n%s", loop, diff)
	}
	h.round("l", 2)
	h.do(step.Shell, "l[2]/fails", step.Result{ExitCode: 1})
	if loop := h.read("").Record.Loop; loop.Rounds[0].CostUSD != "" {
		t.Errorf("the rounds were told apart: %+v", loop.Rounds)
	}
}

func TestBrakesTellWhichRoundsWereAccepted(t *testing.T) {
	t.Parallel()
	h := newTold(t)
	for i, tree := range []brakes.Tree{brakes.Accept, brakes.Restore, brakes.Keep} {
		h.round("l", i+1)
		note := runner.BrakeNote{Round: i + 1, Tree: tree, Accepted: []runner.Tree{{}}}
		h.say(step.Note{Kind: step.Braked, Path: "l", Text: value.JSON(value.From(note))})
	}
	h.do(step.Native, "l[3]/record", step.Result{Value: recordedScores("5", "6", "7")})
	var got []string
	for _, round := range h.read("").Record.Loop.Rounds {
		word := "unknown"
		if round.Accepted != nil {
			word = fmt.Sprint(*round.Accepted)
		}
		got = append(got, word)
	}
	if diff := cmp.Diff([]string{"true", "false", "unknown"}, got); diff != "" {
		t.Error(diff)
	}

	// Without a tree to watch, every round is let pass, which says nothing.
	free := newTold(t)
	free.round("l", 1)
	free.say(step.Note{Kind: step.Braked, Path: "l", Text: value.JSON(value.From(runner.BrakeNote{Round: 1, Tree: brakes.Accept}))})
	free.do(step.Native, "l[1]/record", step.Result{Value: recordedScores("5")})
	if rounds := free.read("").Record.Loop.Rounds; rounds[0].Accepted != nil {
		t.Error("a round counts as accepted although nothing was watched")
	}
}

// The events of a run's own guards are those of its brakes, of its structural
// guard and of its watchdog, each as the recogniser reads it.
func TestTheEndsThatBrakesMadeAreGuardEvents(t *testing.T) {
	t.Parallel()
	h := newTold(t)
	h.round("a", 1)
	h.round("b", 1)
	h.do(step.Native, "a[1]/record", step.Result{Value: recordedScores("9")})
	for _, end := range []struct {
		path   string
		reason halt.Reason
	}{{"a", halt.OscillationDetected}, {"b", halt.NoProgressDetected}, {"a", halt.SuccessConditionMet}} {
		text := value.JSON(value.From(halt.New(end.reason, 1, halt.Evidence{Detail: "why"}, false)))
		h.say(step.Note{Kind: step.LoopEnded, Path: end.path, Name: string(end.reason), Text: text})
	}
	h.intervened("a[1]/x", "guard_refused", "too deep")
	var got []string
	for _, event := range h.read("").Record.GuardEvents {
		r := guard.Recognise(event)
		got = append(got, fmt.Sprintf("%v %s", r.DoomLoop, r.Reason))
	}
	if diff := cmp.Diff([]string{"true why", "false too deep"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhichLoopIsMeant(t *testing.T) {
	t.Parallel()
	h := newTold(t)
	h.round("outer", 1)
	h.round("outer[1]/inner", 1)
	h.do(step.Native, "outer[1]/inner[1]/record", step.Result{Value: recordedScores("3")})
	h.round("outer", 2)
	h.round("outer[2]/inner", 1)
	h.do(step.Native, "outer[2]/inner[1]/record", step.Result{Value: recordedScores("4")})
	h.do(step.Shell, "tool", step.Result{Value: recordedScores("6")})
	if _, err := h.run(""); err == nil || !strings.Contains(err.Error(), "outer[1]/inner, outer[2]/inner, tool") {
		t.Errorf("three loops: %v", err)
	}
	for only, want := range map[string]value.Number{"outer[1]/inner": "3", "outer[2]/inner": "4", "tool": "6"} {
		if run := h.read(only); len(run.Record.Loop.Scores) != 1 || run.Record.Loop.Scores[0] != want {
			t.Errorf("%s: %+v", only, run.Record.Loop)
		}
	}
	if run := h.read("outer"); len(run.Record.Loop.Scores) != 0 || !strings.Contains(run.Notices[0], "no round of outer recorded a score") {
		t.Errorf("the loop around the scored ones: %+v", run)
	}
	if _, err := h.run("other"); err == nil || !strings.Contains(err.Error(), "it has outer, outer[1]/inner") {
		t.Errorf("a loop that is not there: %v", err)
	}
}

// A record that is too large for the journal is read from where it lies, and a
// faulty one says which step gave it.
func TestLargeAndFaultyRecords(t *testing.T) {
	t.Parallel()
	h := newTold(t)
	h.whole = func(any) (any, error) { return recordedScores("9"), nil }
	h.do(step.Shell, "tool", step.Result{Value: value.Ref{Hash: "aa", Size: 1 << 20, JSON: true}})
	if run := h.read(""); len(run.Record.Loop.Scores) != 1 {
		t.Errorf("%+v", run)
	}
	h.do(step.Shell, "tool", step.Result{Value: map[string]any{"score_history": []any{"high"}}})
	var fault *score.InputError
	if _, err := h.run(""); !errors.As(err, &fault) || fault.Index != 0 || !strings.Contains(err.Error(), "tool") {
		t.Errorf("a faulty record: %v", err)
	}
}

// A contract's totals are scores; a round that was not measured has none.
func TestTheTotalsOfAContractAreScores(t *testing.T) {
	t.Parallel()
	h := newTold(t)
	for i, total := range []any{value.Number("40.5"), nil, value.Number("100")} {
		h.round("l", i+1)
		var evaluation any
		if total != nil {
			evaluation = map[string]any{"weighted_total": total}
		}
		h.do(step.Ledger, "l", step.Result{Value: map[string]any{"next": value.Number("2"), "evaluation": evaluation}})
	}
	loop := h.read("").Record.Loop
	if diff := cmp.Diff([]value.Number{"40.5", "100"}, loop.Scores); diff != "" || loop.Threshold != "100" || loop.Name != "l" || loop.Rounds != nil {
		t.Errorf("%+v (-want +got):\n%s", loop, diff)
	}
	h.do(step.Native, "l[3]/record", step.Result{Value: recordedScores("9")})
	if loop := h.read("").Record.Loop; len(loop.Scores) != 1 {
		t.Errorf("both kinds of scores count: %+v", loop)
	}
}

// What the loop does for itself, and what was cut short, is not what it did.
func TestTheStepsOfARunAreWhatItDid(t *testing.T) {
	t.Parallel()
	h := newTold(t)
	h.round("l", 1)
	h.do(step.Shell, "l[1]/work", step.Result{Text: "done"})
	h.do(step.Sleep, "l[1]/work", step.Result{Duration: time.Minute})
	h.do(step.Shell, "l[1]/work", step.Result{Text: "done"})
	h.do(step.Shell, "l[1]/cut", step.Result{Cause: step.CauseCancelled})
	h.do(step.Native, "l[1]/native", step.Result{})
	h.do(step.Shell, "l.judge[1]/ask", step.Result{})
	h.do(step.Shell, "l.progress[1]", step.Result{})
	h.do(step.Shell, "l.check[1]", step.Result{ExitCode: 1, Error: "red"})
	h.do(step.Query, "l[1]/work", step.Result{})
	h.say(step.Note{Kind: step.Verdict, Path: "l", Name: "CONTINUE"})
	h.say(step.Note{Kind: step.Verdict, Path: "l", Name: "CONTINUE", Status: step.Moved})
	type did struct {
		Action, Label string
		Status        doomloop.Status
		Waited        time.Duration
	}
	var got []did
	for _, e := range h.read("").Steps {
		got = append(got, did{e.Action, e.Label, e.Status, e.Waited})
	}
	want := []did{
		{"l/work", "l[1]/work", doomloop.Succeeded, 0}, {"l/work", "l[1]/work", doomloop.Succeeded, time.Minute},
		{"l.check", "l.check[1]", doomloop.Failed, 0}, {"the judge saw something move", "l[1]", doomloop.Unknown, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
