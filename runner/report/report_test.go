package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/step"
)

// shape is the tree of steps: indentation, part, name and status.
func shape(r *Run) []string {
	var lines []string
	for _, st := range r.Steps {
		st.walk(func(st *Step) {
			lines = append(lines, fmt.Sprintf("%s%s %s %s", strings.Repeat(" ", st.Depth), st.Part, st.Name, st.Status))
		})
	}
	return lines
}

func TestStepsStandInTheTreeOfTheirPaths(t *testing.T) {
	t.Parallel()
	r := record(t)
	r.work("plain", said("x"), step.Outcome{})
	r.begin("call", "recipe")
	r.work("call/inner", said("x"), step.Outcome{})
	r.finish("call", step.Outcome{})
	r.begin("each", "bash")
	r.action("each[0]#shell.1", step.Shell, "each[0]", &step.Result{OK: true})
	r.action("each[1]#shell.1", step.Shell, "each[1]", &step.Result{ExitCode: 3, Error: "no"})
	r.finish("each", step.Outcome{Status: step.Degraded})
	r.begin("many", "recipe")
	r.work("many[0]/inner", said("x"), step.Outcome{})
	r.finish("many", step.Outcome{})
	r.work("with/slash", said("x"), step.Outcome{})
	r.note(step.Note{Kind: step.StepFinished, Path: "left", Outcome: &step.Outcome{Status: step.Skipped}})
	r.end("degraded", 0)
	want := []string{
		"step plain completed",
		"step call completed", " step inner completed",
		"step each degraded", " element each[0] completed", " element each[1] failed",
		"step many completed", " element many[0] completed", "  step inner completed",
		"step with/slash completed",
		"step left skipped",
	}
	if diff := cmp.Diff(want, shape(r.report(State{}, Sources{}))); diff != "" {
		t.Error(diff)
	}
}

const (
	moved = `{"git_observed":"true","diff_stat":"1 file changed","diff_lines":2,"commits_since_baseline":0,"findings_new":%d,"findings_recurring":0,"findings_resolved":1}`
	still = `{"git_observed":"true","diff_stat":"","diff_lines":0,"commits_since_baseline":0,"findings_new":0,"findings_recurring":2,"findings_resolved":0}`
	goOn  = `{"loop_verdict":"CONTINUE","moved":["a finding"],"not_converging":[],"verdict_source":"rules","recommended_action":"Go on."}`
	noWay = `{"loop_verdict":"STUCK","moved":["nothing"],"not_converging":["the same findings"],"verdict_source":"rules"}`
)

// stuck records a loop of three rounds that ends stuck.
func stuck(t *testing.T) *recording {
	r := record(t)
	r.begin("l", "loop")
	r.action("l#session.1", step.Session, "l", &step.Result{OK: true, Value: parsed(t, `{"id":"session-1","dir":"/s"}`)})
	r.round("l", 1, fmt.Sprintf(moved, 3), goOn, "CONTINUE")
	r.round("l", 2, fmt.Sprintf(moved, 1), goOn, "CONTINUE")
	r.round("l", 3, still, noWay, "STUCK")
	loop, _ := parsed(t, `{"stop_reason":"unresolvable_error","halt_reason":"judged_stuck","reason":"the same findings","rounds":3}`).(map[string]any)
	r.finish("l", step.Outcome{Status: step.Failed, Cause: step.CauseLoop, ExitCode: 1, Error: "the loop ended", Loop: loop})
	r.end("failed", 17)
	return r
}

func TestALoopIsToldRoundByRound(t *testing.T) {
	t.Parallel()
	run := stuck(t).report(State{}, Sources{})
	if len(run.Loops) != 1 {
		t.Fatalf("%d loops", len(run.Loops))
	}
	l := run.Loops[0]
	var got []string
	for _, r := range l.Rounds {
		got = append(got, fmt.Sprintf("%d %s %v %v %s", r.Number, r.Verdict.Word, r.Verdict.Moved, r.Verdict.NotConverging, r.Duration))
	}
	want := []string{
		"1 CONTINUE [a finding] [] 14s", "2 CONTINUE [a finding] [] 14s", "3 STUCK [nothing] [the same findings] 14s",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if l.Moved != l.Rounds[1] {
		t.Error("the last round that moved something is not the second")
	}
	if l.Session != "session-1" {
		t.Errorf("the session is %q", l.Session)
	}
	if h := l.Halt; h == nil || h.Good || h.Class != 17 || h.Advice == "" || h.Text != "the same findings" {
		t.Errorf("the halt is %+v", l.Halt)
	}
	if diff := cmp.Diff([]Fact{{Name: "commits", Value: "0"}, {Name: "lines changed", Value: "0"}, {Name: "findings recurring", Value: "2", Warns: true}}, l.Rounds[2].Evidence); diff != "" {
		t.Error(diff)
	}
}

func TestTheNumbersOfRoundsAreSeries(t *testing.T) {
	t.Parallel()
	var got []string
	for _, s := range stuck(t).report(State{}, Sources{}).Loops[0].Series {
		line := s.Name + ":"
		for _, p := range s.Points {
			line += fmt.Sprintf(" %d=%s", p.Round, p.Text)
		}
		got = append(got, line)
	}
	if diff := cmp.Diff([]string{"open findings: 1=3 2=1 3=2", "seconds: 1=14.0 2=14.0 3=14.0"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestARunSaysHowItEndedAndWhatNow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		write    func(r *recording)
		state    State
		title    string
		reason   string
		step     string
		commands []string
	}{
		"well": {write: func(r *recording) {
			r.work("a", said("x"), step.Outcome{})
			r.end("success", 0)
		}, title: "Ended well"},
		"failed": {write: func(r *recording) {
			r.begin("call", "recipe")
			r.work("call/bad one", said("x"), step.Outcome{Status: step.Failed, Error: "no such file", ExitCode: 2})
			r.finish("call", step.Outcome{Status: step.Failed, Error: "step bad one failed"})
			r.append(journal.KindRunFinished, journal.RunFinished{Status: "failed", Reason: "step call failed", ExitCode: 1})
		}, title: "Failed", reason: "step call failed", step: "call/bad one",
			commands: []string{"brickoven runs logs 'call/bad one' --run run-1", "brickoven resume run-1 --from call"}},
		"tolerated": {write: func(r *recording) {
			r.work("a", said("x"), step.Outcome{Status: step.Failed, Tolerated: true})
			r.work("b", said("x"), step.Outcome{Status: step.Failed})
			r.end("failed", 1)
		}, title: "Failed", step: "b", commands: []string{"brickoven runs logs b --run run-1", "brickoven resume run-1 --from b"}},
		"died": {write: func(r *recording) {
			r.begin("a", "bash")
			r.action("a#shell.1", step.Shell, "a", nil)
		}, title: "Interrupted", reason: "its process died without an end", step: "a", commands: []string{"brickoven resume run-1"}},
		"running": {write: func(r *recording) {
			r.begin("a", "bash")
			r.action("a#shell.1", step.Shell, "a", nil)
		}, state: State{Held: true, Now: start.Add(time.Minute)}, title: "Running", step: "a", commands: []string{"brickoven watch run-1"}},
		"refused": {write: func(r *recording) {
			r.work("a", said("x"), step.Outcome{Status: step.Failed, ExitCode: 79})
			r.end("refused", 79)
		}, title: "Refused by a guard", step: "a", commands: []string{"brickoven runs logs a --run run-1"}},
		"crashed": {write: func(r *recording) { r.end("crashed", 1) }, title: "Crashed", commands: []string{"brickoven resume run-1"}},
		"damaged": {write: func(r *recording) { r.work("a", said("x"), step.Outcome{}) }, state: State{Damage: errors.New("line 3 was changed")},
			title: "The record is damaged", reason: "line 3 was changed", commands: []string{"brickoven runs verify run-1"}},
		"resumed": {write: func(r *recording) {
			r.begin("a", "bash")
			r.action("a#shell.1", step.Shell, "a", nil)
			r.append(journal.KindResumed, journal.Resumed{Attempt: 2})
			r.action("a#shell.1", step.Shell, "a", &step.Result{OK: true})
			r.finish("a", step.Outcome{})
			r.end("success", 0)
		}, title: "Ended well"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := record(t)
			c.write(r)
			run := r.report(c.state, Sources{})
			where := ""
			if run.End.Step != nil {
				where = run.End.Step.Path
			}
			got := []any{run.Title(), run.End.Reason, where, run.End.Commands}
			if diff := cmp.Diff([]any{c.title, c.reason, c.step, c.commands}, got); diff != "" {
				t.Error(diff)
			}
			if !run.End.Good && run.End.Over && run.End.Advice == "" {
				t.Error("there is no advice")
			}
		})
	}
}

func TestARunWithoutARecordSaysSo(t *testing.T) {
	t.Parallel()
	if run := NewCollector(nil).Run(State{}, Sources{}); run.Title() != "Nothing was recorded" || run.End.Advice == "" {
		t.Errorf("%+v", run.End)
	}
}

func TestTimeAndMoneyAreAddedUpByTheStepAsItsAuthorWroteIt(t *testing.T) {
	t.Parallel()
	r := record(t)
	cost := func(usd float64) *step.Usage { return &step.Usage{CostUSD: &usd} }
	r.begin("l", "loop")
	for n := 1; n <= 2; n++ {
		r.note(step.Note{Kind: step.LoopRound, Path: "l", Text: fmt.Sprint(n)})
		r.work(fmt.Sprintf("l[%d]/fix", n), step.Result{OK: true}, step.Outcome{Duration: 5 * time.Second, Usage: cost(0.25)})
		r.work(fmt.Sprintf("l.judge[%d]/a", n), step.Result{OK: true}, step.Outcome{Duration: time.Second})
		r.work(fmt.Sprintf("l.judge[%d]/b", n), step.Result{OK: true}, step.Outcome{Duration: time.Second, Usage: cost(1)})
	}
	r.finish("l", step.Outcome{Usage: cost(2.5)})
	r.end("success", 0)
	run := r.report(State{}, Sources{})
	var got []string
	for _, row := range run.Spent.Rows {
		got = append(got, fmt.Sprintf("%s %d %s %v", row.Path, row.Times, row.Duration, *row.Usage.CostUSD))
	}
	if diff := cmp.Diff([]string{"l.judge 2 14s 2", "l/fix 2 10s 0.5"}, got); diff != "" {
		t.Error(diff)
	}
	if *run.Spent.Usage.CostUSD != 2.5 {
		t.Errorf("the run cost %v", *run.Spent.Usage.CostUSD)
	}
	if used := run.Loops[0].Rounds[0].Usage; used == nil || *used.CostUSD != 1.25 {
		t.Errorf("the first round used %+v", used)
	}
}

func TestWhatCameFromOutsideIsTold(t *testing.T) {
	t.Parallel()
	r := record(t)
	r.append(journal.KindGuardRefused, journal.GuardRefused{Path: "a", Text: "too deep"})
	r.append(journal.KindStalled, journal.Stalled{Path: "a", Silent: 90 * time.Second, Killed: true})
	if err := r.w.Event(step.Event{Kind: step.Interrupt, Signal: 15, At: r.at}); err != nil {
		t.Fatal(err)
	}
	r.note(step.Note{Kind: step.Warning, Path: "l[1]/a", Text: "odd"})
	r.note(step.Note{Kind: step.Warning, Path: "l[2]/a", Text: "odd"})
	run := r.report(State{}, Sources{})
	var got []string
	for _, e := range run.Events {
		got = append(got, e.Kind+" "+e.Path+": "+e.Text)
	}
	want := []string{"refused a: too deep", "stalled a: no sign of progress for 1m30s; the watchdog ended it", "signal : signal 15 asked the run to end"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Warning{{Path: "l[1]/a", Text: "odd", Count: 2}}, run.Warnings); diff != "" {
		t.Error(diff)
	}
}

// texts is a store of outputs by place.
func texts(stored map[string]string) Sources {
	return Sources{Stored: func(ref value.Ref) (Text, error) {
		text, ok := stored[ref.Place]
		if !ok {
			return nil, errors.New("it is gone")
		}
		return heldText{strings.NewReader(text)}, nil
	}}
}

func ref(place string, size int) *value.Ref { return &value.Ref{Place: place, Size: int64(size)} }

func TestOutputsAreReadAndTheLongOnesCut(t *testing.T) {
	t.Parallel()
	r := record(t)
	long := strings.Repeat("a", 1000) + strings.Repeat("z", 1000)
	r.work("long", step.Result{OK: true, Stdout: ref("long", 2000), Text: value.Ref{Place: "long", Size: 2000}}, step.Outcome{})
	r.work("short", step.Result{OK: true, Stdout: ref("short", 3), Stderr: ref("errors", 7), Text: "abc"}, step.Outcome{})
	r.work("gone", step.Result{OK: true, Stdout: ref("gone", 9), Text: "x"}, step.Outcome{})
	r.work("given", said("only a text"), step.Outcome{})
	r.end("success", 0)
	src := texts(map[string]string{"long": long, "short": "abc", "errors": "oh\x1b[31m"})
	src.Budget = 500
	run := r.report(State{}, src)
	by := map[string][]Output{}
	for _, st := range run.All {
		for _, o := range st.Outputs {
			by[st.Name] = append(by[st.Name], Output{Label: o.Label, Text: o.Text, Cut: o.Cut, Missing: o.Missing})
		}
	}
	cut := by["long"][0]
	if got := int64(len(cut.Text)) + cut.Cut; cut.Cut < 1500 || got > 2000 || strings.Trim(cut.Text, "z") != "" {
		t.Errorf("the long output is %d bytes with %d cut", len(cut.Text), cut.Cut)
	}
	delete(by, "long")
	want := map[string][]Output{
		"short": {{Label: "output", Text: "abc"}, {Label: "errors", Text: "oh"}},
		"gone":  {{Label: "output", Missing: "it is gone"}},
		"given": {{Label: "output", Text: "only a text"}},
	}
	if diff := cmp.Diff(want, by); diff != "" {
		t.Error(diff)
	}
}

func TestAnAnswerThatIsTheOutputIsNotRepeated(t *testing.T) {
	t.Parallel()
	r := record(t)
	r.begin("a", "agent")
	r.action("a#agent.1", step.Agent, "a", &step.Result{OK: true, Text: "the answer", Stdout: ref("raw", 400)})
	r.finish("a", step.Outcome{})
	r.begin("b", "agent")
	r.action("b#agent.1", step.Agent, "b", &step.Result{OK: true, Text: "the answer", Stdout: ref("same", 11)})
	r.finish("b", step.Outcome{})
	run := r.report(State{}, texts(map[string]string{"raw": strings.Repeat("{}", 200), "same": "the answer\n"}))
	var got []string
	for _, st := range run.All {
		for _, o := range st.Outputs {
			got = append(got, st.Name+" "+o.Label)
		}
	}
	if diff := cmp.Diff([]string{"a answer", "a output", "b answer"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestARunningStepShowsWhatItHasPrintedSoFar(t *testing.T) {
	t.Parallel()
	r := record(t)
	r.begin("a", "bash")
	r.action("a#shell.1", step.Shell, "a", nil)
	live := func(action string, stderr bool) (Text, int64, error) {
		if stderr {
			return nil, 0, nil
		}
		return heldText{strings.NewReader("half of it")}, 10, nil
	}
	run := r.report(State{Held: true, Now: start.Add(time.Minute)}, Sources{Live: live})
	if o := run.All[0].Outputs; len(o) != 1 || o[0].Text != "half of it" || o[0].Label != "output so far" {
		t.Errorf("%+v", o)
	}
	if run.All[0].Duration != time.Minute-2*time.Second {
		t.Errorf("it runs for %s", run.All[0].Duration)
	}
}

func TestTheBrakesSayWhatFailsAndWhatBecomesOfARound(t *testing.T) {
	t.Parallel()
	r := record(t)
	r.begin("l", "loop")
	brake := func(text string) { r.note(step.Note{Kind: step.Braked, Path: "l", Text: text}) }
	brake(`{"round":0,"tree":"accept","failing":{"state":"known","size":3,"tests":["A","B","C"]}}`)
	r.note(step.Note{Kind: step.LoopRound, Path: "l", Text: "1"})
	brake(`{"round":1,"tree":"accept","failing":{"state":"known","size":2,"tests":["A","B"]}}`)
	r.note(step.Note{Kind: step.LoopRound, Path: "l", Text: "2"})
	brake(`{"round":2,"tree":"revert","broke":["D","E"],"failing":{"state":"known","size":4,"tests":["A","B","D","E"]}}`)
	r.note(step.Note{Kind: step.LoopRound, Path: "l", Text: "3"})
	brake(`{"round":3,"tree":"keep","failing":{"state":"unknown","why":"it did not start"}}`)
	r.note(step.Note{Kind: step.LoopEnded, Path: "l", Text: `{"reason":"no_progress_detected","class":17,"advice":"do something else","evidence":{"rounds":[1,2],"ids":["A"],"detail":"two rounds"}}`})
	l := r.report(State{Held: true, Now: r.at}, Sources{}).Loops[0]
	var got []string
	for _, round := range l.Rounds {
		got = append(got, fmt.Sprintf("%s %v", round.Decision, round.Failing))
	}
	if diff := cmp.Diff([]string{"accepted [A B]", "taken back: it broke D, E [A B D E]", "left as it is []"}, got); diff != "" {
		t.Error(diff)
	}
	want := []Point{{Round: 0, Value: 3, Text: "3"}, {Round: 1, Value: 2, Text: "2"}, {Round: 2, Value: 4, Text: "4"}}
	if l.Series[0].Name != FailingTests || !cmp.Equal(want, l.Series[0].Points) {
		t.Errorf("the series is %+v", l.Series)
	}
	if h := l.Halt; h == nil || h.Class != 17 || h.Advice != "do something else" || h.Detail != "two rounds" || len(h.Rounds) != 2 || h.IDs[0] != "A" {
		t.Errorf("the halt is %+v", h)
	}
}

func TestAnEvaluationIsFollowedByItsScores(t *testing.T) {
	t.Parallel()
	r := record(t)
	r.begin("l", "loop")
	for n, score := range []string{"5", "8.5"} {
		r.note(step.Note{Kind: step.LoopRound, Path: "l", Text: fmt.Sprint(n + 1)})
		r.work(fmt.Sprintf("l[%d]/judge", n+1), gave(t, `{"score":`+score+`,"reasoning":"short","findings":["a","b"]}`), step.Outcome{})
		r.work(fmt.Sprintf("l[%d]/record", n+1), gave(t, `{"threshold":8.0,"iterations":[{}]}`), step.Outcome{})
	}
	l := r.report(State{Held: true, Now: r.at}, Sources{}).Loops[0]
	s := l.Series[0]
	if want := []Point{{1, 5, "5"}, {2, 8.5, "8.5"}}; s.Name != Score || !cmp.Equal(want, s.Points) || s.Goal == nil || s.Goal.Text != "8.0" {
		t.Errorf("the series is %+v", s)
	}
	want := []Fact{{Name: "score", Value: "8.5"}, {Name: "reasoning", Value: "short"}, {Name: "finding", Value: "a"}, {Name: "finding", Value: "b"}}
	if diff := cmp.Diff(want, l.Rounds[1].Evidence); diff != "" {
		t.Error(diff)
	}
}
