package runner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/bricks/session"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
	"github.com/google/go-cmp/cmp"
)

// judgeText is a judge whose verdict the world gives.
const judgeText = `name: judge
steps: [{id: say-verdict, command: "true", output: loop_health}]
`

// session answers for the session of a loop; what a round left is in w.left, by
// the iteration's name.
func (w *world) session(a *step.Action) step.Result {
	switch a.Session.Op {
	case step.SessionOpen:
		return step.Result{OK: true, Value: map[string]any{"id": a.Path, "dir": "/sessions/" + a.Path}}
	case step.SessionObserve:
		left, given := w.left[a.Session.Iteration]
		if !given {
			left = `{"control": {"reason": "session active"}, "goal_check": {"kind": "absent"}}`
		}
		v, err := value.Parse(left)
		if err != nil {
			w.t.Fatal(err)
		}
		return step.Result{OK: true, Value: v}
	case step.SessionBegin, step.SessionFinish:
		w.records = append(w.records, a.Session.Load.(SessionRecord))
	}
	return step.Result{OK: true}
}

// verdict is CONTINUE in the first round and DONE in the second, unless the
// world has a script of verdicts.
func (w *world) verdict(a *step.Action) step.Result {
	word := "DONE"
	if w.verdicts != nil {
		word = w.verdicts[min(w.judged, len(w.verdicts)-1)]
		w.judged++
	} else if strings.Contains(a.Path, ".judge[1]") {
		word = "CONTINUE"
	}
	v := map[string]any{"loop_verdict": word, "not_converging": []any{"stands still"}, "moved": []any{"moved"}}
	return step.Result{OK: true, Value: v, Text: value.JSON(v)}
}

const roundText = `name: round
steps: [{id: work, command: "true", output: made}]
`

func playLoop(t *testing.T, w *world, keys string) (*Outcome, map[string]any) {
	t.Helper()
	o := w.play(New(tree(t, "name: root\nsteps:\n  - {id: l, type: loop, recipe: round, judge: judge, output: ended"+keys+"}\n", roundText, judgeText), Options{}))
	ended, _ := o.Vars.Get("ended")
	result, _ := ended.(map[string]any)
	return o, result
}

func (w *world) ran(id string) (n int) {
	for _, ran := range w.order {
		if strings.HasPrefix(ran, id) {
			n++
		}
	}
	return n
}

func TestVerdictsDecideWhetherALoopGoesOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verdicts []string
		keys     string
		checks   int // the exit code of the check
		status   RunStatus
		rounds   int
		stop     session.StopReason
		halt     session.HaltReason
	}{
		{[]string{"DONE"}, "", 0, Succeeded, 1, session.GoalMet, session.HaltJudgedDone},
		{[]string{"CONTINUE", "CONTINUE", "DONE"}, "", 0, Succeeded, 3, session.GoalMet, session.HaltJudgedDone},
		{[]string{"CONTINUE", "STUCK"}, "", 0, Broken, 2, session.UnresolvableError, session.HaltJudgedStuck},
		{[]string{"perhaps"}, "", 0, Broken, 1, session.UnresolvableError, session.HaltJudgedStuck},
		{[]string{"DONE"}, ", check: x", 0, Succeeded, 1, session.GoalMet, session.HaltSuccess},
		{[]string{"DONE"}, ", check: x", 1, Broken, 2, session.DoneButCheckRed, session.HaltDoneButCheckRed},
		{[]string{"DONE", "CONTINUE", "DONE", "STUCK"}, ", check: x", 1, Broken, 4, session.UnresolvableError, session.HaltJudgedStuck},
	} {
		w := newWorld(t, 0)
		w.verdicts = c.verdicts
		if c.checks != 0 {
			w.fails["l.check"] = c.checks
		}
		o, result := playLoop(t, w, c.keys)
		got := []any{o.Status, value.Text(result["rounds"]), result["stop_reason"], result["halt_reason"]}
		want := []any{c.status, fmt.Sprint(c.rounds), string(c.stop), string(c.halt)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v%s: %s", c.verdicts, c.keys, diff)
		}
		if list, _ := result["verdicts"].([]any); len(list) != c.rounds {
			t.Errorf("%v: %d verdicts, want %d", c.verdicts, len(list), c.rounds)
		}
	}
}

// A refusal by a structural guard ends the loop without a judge; any other
// failure of a round is judged.
func TestARefusedRoundIsNotJudgedAndAFailedOneIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.fails["work"] = step.ExitRefused
	if o, _ := playLoop(t, w, ""); o.Status != Refused || w.ran("l.judge") != 0 {
		t.Errorf("refused: the run is %s, the judge ran %d times", o.Status, w.ran("l.judge"))
	}
	w = newWorld(t, 0)
	w.fails["work"] = 3
	if o, _ := playLoop(t, w, ""); o.Status != Succeeded || w.ran("l.judge") != 2 {
		t.Errorf("failed: the run is %s, the judge ran %d times", o.Status, w.ran("l.judge"))
	}
}

// What a round, a person or a broken folder says ends the loop before the judge
// is heard.
func TestTheControlFileComesBeforeTheJudge(t *testing.T) {
	t.Parallel()
	for left, want := range map[string]session.StopReason{
		`{"control": {"stop_reason": "goal_met", "author": "workflow"}, "goal_check": {"kind": "absent"}}`:                                                                session.GoalMet,
		`{"control": {"stop_reason": "unresolvable_error", "author": "workflow"}, "goal_check": {"kind": "absent"}}`:                                                      session.UnresolvableError,
		`{"control": {"invalid": true, "problem": "half"}, "goal_check": {"kind": "absent"}}`:                                                                             session.InvalidControlOutput,
		`{"control": {}, "goal_check": {"kind": "absent"}, "tampered": [{"path": "state.json", "change": "changed"}]}`:                                                    session.HarnessTampered,
		`{"control": {}, "goal_check": {"kind": "absent"}, "requests": [{"number": 1, "kind": "stop", "now": false, "text": "x", "created_at": "2026-01-01T00:00:00Z"}]}`: session.StopRequested,
	} {
		w := newWorld(t, 0)
		w.left = map[string]string{"0001_round": left}
		_, result := playLoop(t, w, "")
		if result["stop_reason"] != string(want) || w.ran("l.judge") != 0 {
			t.Errorf("%s: %v after %d judgements, want %s", left, result["stop_reason"], w.ran("l.judge"), want)
		}
	}
}

// The limit on steps is for authored steps, which a loop has the same number of
// however often it goes round, and not for the loop's own judge.
func TestRoundsAndJudgesCountForNoLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.verdicts = []string{"CONTINUE", "CONTINUE", "CONTINUE", "DONE"}
	o := w.play(New(tree(t, "name: root\nrecursion: {max_total_steps: 2}\nsteps:\n  - {id: l, type: loop, recipe: round, judge: judge}\n", roundText, judgeText), Options{}))
	if o.Status != Succeeded {
		t.Errorf("the run is %s: %s", o.Status, o.Steps[0].Error)
	}
}

// Running a round succeeded when it came to its end, whatever the codes of its
// steps (seed 001).
func TestSuccessOfARoundIsMechanical(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    step.Outcome
		ok   bool
		kind session.FailureKind
	}{
		{step.Outcome{Status: step.Completed}, true, ""},
		{step.Outcome{Status: step.Failed, ExitCode: 3}, true, ""},
		{step.Outcome{Status: step.Failed, ExitCode: -1}, false, session.Deterministic},
		{step.Outcome{Status: step.Failed, ExitCode: -1, Cause: step.CauseStart}, false, session.Deterministic},
		{step.Outcome{Status: step.Failed, ExitCode: 124, Cause: step.CauseTimeout}, false, session.Transient},
		{step.Outcome{Status: step.Failed, ExitCode: -1, Cause: step.CauseState}, false, session.Crash},
		{step.Outcome{Status: step.Failed, ExitCode: -1, Cause: step.CauseCancelled}, false, session.Unknown},
	} {
		if ok, kind := ran(&c.o); ok != c.ok || kind != c.kind {
			t.Errorf("%+v: %v %q, want %v %q", c.o, ok, kind, c.ok, c.kind)
		}
	}
}

// The state that is written after each round is the coordinator's.
func TestEveryRoundIsWrittenDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	playLoop(t, w, "")
	var got []string
	for _, r := range w.records {
		got = append(got, fmt.Sprintf("%d %v %v %v", r.State.IterationCount, r.Prompt != nil, r.Result != nil, r.Control != nil))
	}
	want := []string{"0 true false false", "1 false true false", "1 true false false", "2 false true true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
