package runner

import (
	"fmt"
	"strings"
	"time"

	"github.com/brickoven/brickoven/bricks/session"
	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// loops are the loops around a frame, the outermost first, and what they add to
// the environment of its steps.
type loops struct {
	env      map[string]string
	sessions []string
	rounds   []string      // the paths of the rounds, or judges, that are under way
	stale    time.Duration // the silence that ends a process; zero is none
	// co is the coordinator of the innermost; nil outside of loops.
	co *session.Coordinator
}

// round are the loops as the round with this path has them.
func (l loops) round(path string) loops {
	l.rounds = append(l.rounds[:len(l.rounds):len(l.rounds)], path)
	return l
}

// loop is a loop step under way.
type loop struct {
	fr        *frame // with this loop among its loops
	st        *recipes.Step
	view      *step.View
	path      string
	dir       string // of the session
	goal      string
	repos     []string
	paths     []string
	workflows session.Workflows
	co        *session.Coordinator
	started   time.Time

	round   int
	base    string       // the commits that the round began with
	carried []assignment // what the rounds gave so far
	told    strings.Builder
	all     any    // everything that the last round printed, large or not
	output  string // the end of it
	verdict any    // on the last round
	check   string // what a red check said about the last round
	updates []any
	history []any
	before  signals
	used    *step.Usage // by the round that runs, its judge included
	braking braking
	out     *step.Outcome
	book    book // of the work ledger
}

// loop repeats a recipe until the judge, the round itself, a person or a
// structural guard ends it. The rules are those of package session.
func (fr *frame) loop(f *flow, st *recipes.Step, view *step.View, path string) report {
	if fr.stubbed(path) {
		return fr.stubbedCall(f, st, view, path)
	}
	if fr.depth >= fr.run.limits.MaxDepth {
		return failed(step.Result{ExitCode: -1, Error: fmt.Sprintf(
			"Maximum recipe recursion depth (%d) exceeded", fr.run.limits.MaxDepth)})
	}
	own := *fr
	l := &loop{fr: &own, st: st, view: view, path: path, started: fr.run.now, out: &step.Outcome{}}
	if broken := l.open(f); broken != nil {
		return failed(*broken)
	}
	if broken := l.close(f, l.rounds(f)); broken != nil {
		rep := failed(*broken)
		rep.outcome.Children, rep.outcome.Usage = l.out.Children, l.out.Usage
		l.collapse(rep.outcome)
		return rep
	}
	return l.report()
}

// close lets go of the session, unless a person resumes the run to have an ended
// loop go on.
func (l *loop) close(f *flow, broken *step.Result) *step.Result {
	for {
		closed := f.shielded(func() step.Result { return l.session(f, step.SessionClose, "", l.co.State()) })
		switch {
		case f.halt.active():
			return &step.Result{Cause: step.CauseCancelled, ExitCode: -1, Error: fmt.Sprintf("cancelled in round %d", l.round)}
		case broken != nil:
			return broken
		case !closed.OK:
			return &closed
		}
		given, _ := closed.Value.(map[string]any)
		seen, reopened := given[step.SessionReopened]
		if !reopened {
			return nil
		}
		l.braking.handed, l.braking.raised = given[step.SessionHanded], given[step.SessionRaised]
		broken = l.again(f, seen)
	}
}

// again takes up a loop that had ended: its control file is read, and where
// nothing says any more that it is over, another round begins.
func (l *loop) again(f *flow, found any) *step.Result {
	seen, err := session.ObservationFrom(found)
	if err != nil {
		return &step.Result{ExitCode: -1, Cause: step.CauseState, Error: err.Error()}
	}
	var check session.CheckOutcome
	if l.st.Loop.Check != nil && l.co.Unchecked(seen) {
		check = l.checked(f)
	}
	l.hear(seen)
	if err := l.release(); err != nil {
		return unreadable(err)
	}
	d := l.co.Resume(seen, check, l.fr.run.now)
	record := SessionRecord{Rejected: d.Rejected, Invalid: seen.Control.Invalid}
	if broken := l.write(f, step.SessionFinish, "", record); broken != nil || !d.Continues() {
		return broken
	}
	if broken := l.openLedger(f); broken != nil {
		return broken
	}
	return l.rounds(f)
}

// hear keeps what people said for the next round.
func (l *loop) hear(seen session.Observation) {
	for _, r := range seen.Requests {
		if r.Kind == session.RequestUpdate {
			l.updates = append(l.updates, r.Text)
		}
	}
}

// rounds runs rounds until the coordinator stops. The result is what kept the
// loop from going on; nil where the coordinator ended it.
func (l *loop) rounds(f *flow) *step.Result {
	if l.round == 0 && l.st.Loop.Progress != nil {
		l.before.progress = l.progress(f, 0, l.seen())
	}
	for {
		if broken := l.ready(f); broken != nil || f.halt.active() {
			return broken
		}
		workflow, d := l.co.Next(l.fr.run.now)
		if !d.Continues() {
			if broken := l.closeLedger(f); broken != nil {
				return broken
			}
			return l.write(f, step.SessionFinish, "", SessionRecord{})
		}
		broken, over := l.once(f, workflow)
		if broken != nil || over || f.halt.active() {
			return broken
		}
	}
}

// once runs one round and decides about it.
func (l *loop) once(f *flow, workflow string) (broken *step.Result, over bool) {
	stand, broken := l.capture(f, nil)
	if broken != nil {
		return broken, false
	}
	l.base, l.braking.begun = strings.Join(stand.Bases, "\n"), stand.Trees
	l.round++
	begun := l.fr.run.now
	n := l.co.Begin(workflow, fmt.Sprintf("%s[%d]", l.path, l.round), begun)
	folder := session.IterationName(n, workflow)
	view := l.seen()
	prompt := l.prompt()
	if broken := l.write(f, step.SessionBegin, folder, SessionRecord{Prompt: &prompt}); broken != nil {
		return broken, false
	}
	l.fr.run.looped[l.path] = true
	l.fr.run.note(step.Note{Kind: step.LoopRound, Path: l.path, Text: fmt.Sprint(l.round)})
	l.updates, l.check, l.used = nil, "", nil

	rep := failed(cancelled())
	l.within(f, func(f *flow) { rep = l.work(f, workflow, folder, view) })
	o := rep.outcome
	o.ID, o.Path = l.st.ID, fmt.Sprintf("%s[%d]", l.path, l.round)
	l.take(rep)
	if f.halt.active() {
		return nil, true
	}
	if broken := l.closeRound(f); broken != nil {
		return broken, false
	}
	l.all, l.output = l.transcript(f, o)
	record := SessionRecord{Result: l.result(o, begun)}
	if o.Refused() {
		return l.refused(f, rep, folder, record, "a structural guard refused "+innermost(o).Path), true
	}
	seen, broken := l.observe(f, folder)
	if broken != nil {
		return broken, false
	}
	return l.decide(f, rep, seen, folder, record)
}

// decide has the round judged and checked, and lets the coordinator decide.
func (l *loop) decide(f *flow, rep report, seen session.Observation, folder string, record SessionRecord) (*step.Result, bool) {
	it := session.Iteration{Success: record.Result.Success, FailureKind: record.Result.FailureKind, Error: record.Result.Error}
	j := l.listen(f, rep)
	if seen.Control.Running() && len(seen.Tampered) == 0 && seen.StopRequest() == nil {
		var judged judgement
		l.within(f, func(f *flow) { judged = l.judge(f, rep, j) })
		if f.halt.active() {
			return nil, true
		}
		if judged.refused {
			return l.refused(f, rep, folder, record, "a structural guard refused the judge"), true
		}
		control, reading, write := session.Judged(seen.Control, judged.verdict, judged.reason)
		seen.Control = reading
		if write {
			record.Control = &control
		}
	}
	j.manifest = l.before.manifest
	l.before = j.signals
	var checkChanged []string
	if len(seen.Tampered) == 0 && !seen.Control.Invalid && seen.Control.StopReason == session.GoalMet && l.st.Loop.Check != nil {
		var broken *step.Result
		it.Check, checkChanged, broken = l.watchedCheck(f)
		if broken != nil || f.halt.active() {
			return broken, true
		}
	}
	l.hear(seen)
	it.Observation, it.FinishedAt, it.Usage = seen, l.fr.run.now, usageOf(l.used)
	if broken := l.brake(f, &it, rep.outcome, checkChanged); broken != nil || f.halt.active() {
		return broken, true
	}
	d := l.co.Finish(it)
	record.Result.Usage = usageOf(l.used)
	record.Rejected, record.Invalid = d.Rejected, seen.Control.Invalid
	if broken := l.keep(f, rep, j.signals); broken != nil {
		return broken, true
	}
	return l.write(f, step.SessionFinish, folder, record), l.co.State().Stop != nil
}

// refused ends the loop because a structural guard refused something of a round.
func (l *loop) refused(f *flow, rep report, folder string, record SessionRecord, why string) *step.Result {
	l.co.Halt(session.GuardRefused, "", why, l.fr.run.now)
	if broken := l.keep(f, rep, signals{}); broken != nil {
		return broken
	}
	return l.write(f, step.SessionFinish, folder, record)
}

// work runs the recipe of one round. It sees what the rounds before it gave.
func (l *loop) work(f *flow, workflow, folder string, view *step.View) report {
	round := l.recipe(workflow)
	var hidden []string
	if l.round == 1 {
		for _, pair := range renames(l.st) {
			hidden = append(hidden, pair.Child)
		}
	}
	vars, err := l.fr.pass(f, round, view, hidden)
	if err != nil {
		return failed(step.Result{ExitCode: -1, Error: err.Error()})
	}
	path := fmt.Sprintf("%s[%d]", l.path, l.round)
	around := l.fr.loops.round(path)
	around.env = l.environment(folder)
	child := &frame{path: path, vars: vars, loops: around, judge: l.fr.judge}
	rep := l.fr.enter(f, round, child)
	for _, name := range child.given {
		v, _ := child.vars.Get(name)
		l.carried = append(l.carried, assignment{name, v})
	}
	return rep
}

// recipe is the round of a workflow.
func (l *loop) recipe(workflow string) *recipes.Step {
	rounds := l.st.Loop.Rounds
	if w := l.workflows.Find(workflow); w != nil {
		for _, round := range rounds {
			if round.Recipe == w.Recipe {
				return round
			}
		}
	}
	return rounds[0]
}

// take keeps what a round or its judge left.
func (l *loop) take(rep report) {
	l.out.Children = append(l.out.Children, rep.outcome)
	l.out.Usage = sum(l.out.Usage, rep.outcome.Usage)
	l.used = sum(l.used, rep.outcome.Usage)
}

// seen is what a round and the loop's own steps see: the variables so far, what
// the rounds gave, and the variable loop.
func (l *loop) seen() *step.View {
	vars := l.view.Scope.Fork()
	for _, set := range l.carried {
		vars.Set(set.name, set.v)
	}
	vars.Set("loop", map[string]any{
		"round": value.From(l.round), "base_ref": l.base, "history": append([]any{}, l.history...), "last_output": l.output,
		"last_verdict": l.verdict, "check_output": l.check, "broke": list(l.braking.broke), "updates": append([]any{}, l.updates...), "goal": l.goal,
		"session": l.fr.loops.sessions[len(l.fr.loops.sessions)-1], "evaluation": l.book.evaluation,
	})
	return &step.View{Scope: vars, Steps: l.view.Steps}
}
