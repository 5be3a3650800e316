package runner

import (
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/bricks/session"
	"github.com/brickoven/brickoven/recipes/expression"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/scope"
	"github.com/brickoven/brickoven/runner/step"
)

// signals are what a judge compares from one round to the next.
type signals struct {
	findings, tests, ci, progress, manifest any
}

// heard is what a round gave for its judge.
type heard struct {
	signals
	goal any // the loop's own word on its goal: true, false, or nil for none
}

// listen collects what a round gave, over the variables that this round set:
// what an earlier round left must not pass for this one's.
func (l *loop) listen(f *flow, rep report) heard {
	view := &step.View{Scope: l.view.Scope.Fork(), Steps: l.view.Steps}
	for _, set := range rep.sets {
		view.Scope.Set(set.name, set.v)
	}
	j := heard{}
	loop := l.st.Loop
	j.findings = l.evaluate(f, loop.Findings, view)
	j.tests = l.evaluate(f, loop.TestSignal, view)
	j.ci = l.evaluate(f, loop.CISignal, view)
	if loop.GoalMet != nil {
		j.goal = value.Truth(l.evaluate(f, loop.GoalMet, view))
	}
	if loop.Progress != nil {
		j.progress = l.progress(f, l.round, l.seen())
	}
	return j
}

// evaluate asks for a value over a round; what cannot be evaluated is null, and
// a warning says so.
func (l *loop) evaluate(f *flow, program *expression.Program, view *step.View) any {
	if program == nil {
		return nil
	}
	v, err := l.fr.ask(f, l.st, view, evaluation{program})
	if err != nil {
		l.fr.run.warn(l.path, "evidence: "+err.Error())
	}
	return v
}

// evaluation asks for the value of an expression.
type evaluation struct{ program *expression.Program }

func (e evaluation) Paths() []string { return e.program.Paths() }
func (e evaluation) Inline() bool    { return false }

func (e evaluation) Answer(lookup step.Lookup) (any, []string, error) {
	return e.program.Eval(expression.Lookup(lookup))
}

// progress runs the loop's own measure; null where it fails.
func (l *loop) progress(f *flow, round int, view *step.View) any {
	rep := l.fr.attempt(f, l.st.Loop.Progress, view, fmt.Sprintf("%s.progress[%d]", l.path, round), 1)
	if rep.outcome.Status == step.Failed {
		l.fr.run.warn(l.path, "evidence.progress: "+rep.outcome.Error)
		return nil
	}
	return rep.outcome.Value
}

// checked runs the loop's check and keeps what a red one said for the next
// round.
func (l *loop) checked(f *flow) session.CheckOutcome {
	rep := l.fr.attempt(f, l.st.Loop.Check, l.seen(), fmt.Sprintf("%s.check[%d]", l.path, l.round), 1)
	switch {
	case rep.outcome.Status != step.Failed:
		return session.CheckGreen
	case f.halt.active():
		return session.CheckNone
	}
	l.check = rep.outcome.Error
	return session.CheckRed
}

// judgement is what the judge said.
type judgement struct {
	verdict session.Verdict
	reason  string
	refused bool
}

// judge runs the judge over what the round gave. Whatever is no clear verdict is
// STUCK.
func (l *loop) judge(f *flow, rep report, j heard) judgement {
	st, path := l.st.Loop.Judge, fmt.Sprintf("%s.judge[%d]", l.path, l.round)
	view := l.seen()
	for name, v := range l.inputs(rep.outcome, j) {
		view.Scope.Set(name, v)
	}
	judged := l.ask(f, view, path)
	judged.outcome.ID, judged.outcome.Path = st.ID, path
	l.take(judged)
	switch {
	case judged.outcome.Refused():
		return judgement{refused: true}
	case f.halt.active():
		return judgement{}
	}
	health, verdict := l.health(f, judged.outcome)
	reason := describeHealth(health, verdict)
	entry := map[string]any{"round": value.From(l.round)}
	for name, v := range health {
		entry[name] = v
	}
	l.verdict = entry
	l.history = append(l.history, entry)
	fmt.Fprintf(&l.told, "## Round %d\n%s\n%s\n", l.round, value.JSON(health), l.output)
	l.fr.run.note(step.Note{Kind: step.Verdict, Path: l.path, Name: string(verdict), Text: reason, Status: movement(health)})
	if movement(health) == step.Moved {
		l.sawMovement()
	}
	return judgement{verdict: verdict, reason: reason}
}

// movement is the status of a verdict: whether the judge saw something move.
func movement(health map[string]any) string {
	if moved, _ := health["moved"].([]any); len(moved) > 0 {
		return step.Moved
	}
	return ""
}

// ask calls the judge's recipe, or the stub that stands in for it.
func (l *loop) ask(f *flow, view *step.View, path string) report {
	st := l.st.Loop.Judge
	if l.fr.stubbed(path) {
		return l.fr.stubbedCall(f, st, view, path)
	}
	vars, err := l.fr.pass(f, st, view, declared(st.Child))
	if err != nil {
		return failed(step.Result{ExitCode: -1, Error: err.Error()})
	}
	return l.fr.enter(f, st, &frame{path: path, vars: vars, loops: l.fr.loops.round(path), judge: true})
}

// inputs are the variables that a loop gives its judge (seed 000, "Evidence the
// evaluator receives").
func (l *loop) inputs(o *step.Outcome, j heard) map[string]any {
	code := 0
	if o.Status == step.Failed {
		code = max(1, innermost(o).ExitCode)
	}
	goal := ""
	if j.goal != nil {
		goal = value.Text(j.goal)
	}
	return map[string]any{
		"loop_name": l.st.ID, "loop_round_label": fmt.Sprintf("round %d", l.round), "loop_history": l.told.String(),
		"loop_last_round_output": l.all, "loop_baseline_ref": l.base, "loop_child_exit_code": fmt.Sprint(code),
		"loop_findings_current": j.findings, "loop_findings_previous": l.before.findings,
		"loop_test_signal": j.tests, "loop_test_signal_previous": l.before.tests,
		"loop_ci_signal": j.ci, "loop_ci_signal_previous": l.before.ci,
		"loop_repo_path": strings.Join(l.repos, "\n"), "loop_watch_paths": strings.Join(l.paths, "\n"),
		"loop_watch_manifest": l.before.manifest, "loop_progress": j.progress, "loop_progress_previous": l.before.progress,
		"loop_goal_met": goal,
	}
}

// health reads the judge's verdict.
func (l *loop) health(f *flow, o *step.Outcome) (map[string]any, session.Verdict) {
	l.before.manifest = l.manifest(f, o)
	v := l.whole(f, o.Outputs["loop_health"])
	health, ok := v.(map[string]any)
	verdict := session.Verdict(value.Text(health["loop_verdict"]))
	known := verdict == session.Continue || verdict == session.Done || verdict == session.Stuck
	if ok && known && (o.Status != step.Failed || verdict == session.Stuck) {
		return health, verdict
	}
	why := "the judge gave no verdict"
	if o.Status == step.Failed {
		why += ": " + o.Error
	}
	return map[string]any{"loop_verdict": string(session.Stuck), "not_converging": []any{why}}, session.Stuck
}

// manifest is what the judge measured of the watched files.
func (l *loop) manifest(f *flow, o *step.Outcome) any {
	measured, _ := l.whole(f, o.Outputs["loop_evidence"]).(map[string]any)
	if found, has := measured["watch_manifest"].(map[string]any); has {
		return value.JSON(found)
	}
	return l.before.manifest
}

// whole is a value with a text that holds JSON read, however large.
func (l *loop) whole(f *flow, v any) any {
	if ref, large := v.(value.Ref); large {
		given, err := l.fr.about(f, l.st, ref, whole{})
		if err != nil {
			l.fr.run.warn(l.path, err.Error())
		}
		v = given
	}
	if text, isText := v.(string); isText {
		return value.Guess(text)
	}
	return v
}

// describeHealth is a verdict's reason in one line.
func describeHealth(health map[string]any, verdict session.Verdict) string {
	field := "moved"
	if verdict == session.Stuck {
		field = "not_converging"
	}
	var parts []string
	if list, ok := health[field].([]any); ok {
		for _, item := range list {
			parts = append(parts, strings.Join(strings.Fields(value.Text(item)), " "))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, strings.TrimSpace(value.Text(health["recommended_action"])))
	}
	if text := strings.Join(parts, "; "); text != "" {
		return text
	}
	return "the judge gave no reason"
}

// lastBytes is how much of a round's output later rounds and the history hold.
const lastBytes = 16 << 10

// transcript is what the steps of a round printed, and the end of it.
func (l *loop) transcript(f *flow, o *step.Outcome) (all any, end string) {
	parts := scope.New()
	var names []string
	add := func(v any) {
		name := fmt.Sprintf("p%d", len(names))
		parts.Set(name, v)
		names = append(names, name)
	}
	var collect func(o *step.Outcome)
	collect = func(o *step.Outcome) {
		for _, child := range o.Children {
			collect(child)
		}
		if len(o.Children) > 0 {
			return
		}
		add(o.Output)
		if o.Status == step.Failed {
			add(o.Error)
		}
	}
	collect(o)
	view := &step.View{Scope: parts}
	all, err := l.fr.ask(f, l.st, view, joined{names: names})
	if err == nil {
		var last any
		last, err = l.fr.ask(f, l.st, view, joined{names: names, last: lastBytes})
		end = value.Text(last)
	}
	if err != nil {
		l.fr.run.warn(l.path, "the round's output is lost: "+err.Error())
	}
	return all, end
}

// joined asks for texts as one, or for the last bytes of it.
type joined struct {
	names []string
	last  int // 0 for all of it
}

func (j joined) Paths() []string { return j.names }
func (j joined) Inline() bool    { return j.last > 0 }

func (j joined) Answer(lookup step.Lookup) (any, []string, error) {
	var texts []string
	for _, name := range j.names {
		v, _ := lookup(name)
		if text := strings.TrimSpace(value.Text(v)); text != "" {
			texts = append(texts, text)
		}
	}
	text := strings.Join(texts, "\n")
	if j.last > 0 && len(text) > j.last {
		text = strings.ToValidUTF8(text[len(text)-j.last:], "")
	}
	return text, nil, nil
}
