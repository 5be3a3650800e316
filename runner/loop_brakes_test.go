package runner

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	reasons "github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
	"pgregory.net/rapid"
)

// braked is a loop with brakes whose world is written down.
type braked struct {
	brakes string
	keys   string // of the loop, beside its brakes
	// sets are the reports of the failing command, the first before round 1; the
	// last one stays. A report is lines, or TAP where the brakes say so.
	sets     []string
	verdicts []string
	checks   []int               // the exit codes of the check in turn; the last one stays
	changed  map[int][]string    // what round n changes; 0 is what the check changes
	usage    []*step.Usage       // of the work of each round
	works    map[int]step.Result // how the work of a round ends
	unread   []string
	outside  bool // there is no repository
	missing  bool // there is no commit for the reference
	left     map[string]string
}

// told is what the brakes asked of the trees.
type told struct {
	*world
	restored []int // rounds that were taken back
	accepted []TreeAcceptance
	round    int
	checked  int
	captured int
}

func (b braked) play(t *testing.T) (*Outcome, map[string]any, *told) {
	t.Helper()
	w := &told{world: newWorld(t, 0)}
	w.verdicts, w.left = b.verdicts, b.left
	if w.verdicts == nil {
		w.verdicts = []string{"CONTINUE"}
	}
	w.script = func(a *step.Action) (step.Result, bool) { return b.answer(w, a) }
	round := "recipe: round, "
	if strings.Contains(b.keys, "workflows:") {
		round = ""
	}
	text := "name: root\nsteps:\n  - {id: l, type: loop, " + round + "judge: judge, output: ended, brakes: {" + b.brakes + "}" + b.keys + "}\n"
	o := w.play(New(tree(t, text, roundText, judgeText), Options{}))
	result, _ := o.Steps[0].Value.(map[string]any)
	return o, result, w
}

func printed(text string, code int) step.Result {
	res := step.Result{OK: code == 0, ExitCode: code, Text: text, Value: text}
	if code != 0 {
		res.Error = "red"
	}
	return res
}

func (b braked) answer(w *told, a *step.Action) (step.Result, bool) {
	switch {
	case a.Kind == step.Session && a.Session.Op == step.SessionBegin:
		w.round++
	case a.Kind == step.Trees:
		return b.trees(w, a)
	case a.Kind != step.Shell:
	case strings.Contains(a.Path, ".failing["):
		if len(b.sets) == 0 {
			return printed("", 0), true
		}
		return printed(b.sets[min(w.round, len(b.sets)-1)], 0), true
	case strings.Contains(a.Path, ".check["):
		if len(b.checks) == 0 {
			return printed("", 0), true
		}
		w.checked++
		return printed("", b.checks[min(w.checked, len(b.checks))-1]), true
	case a.Def.ID == "work":
		res, given := b.works[w.round]
		if !given {
			res = printed("worked", 0)
		}
		if w.round <= len(b.usage) {
			res.Usage = b.usage[w.round-1]
		}
		return res, true
	}
	return step.Result{}, false
}

func (b braked) trees(w *told, a *step.Action) (step.Result, bool) {
	ok := func(v any) (step.Result, bool) { return step.Result{OK: true, Value: value.From(v)}, true }
	switch a.Tree.Op {
	case step.TreeCapture:
		stand := TreeStand{Trees: []Tree{{Top: "/repo"}}, Changed: []string{}}
		w.captured++
		stand.Trees[0].Commit = fmt.Sprint(w.captured)
		if b.outside {
			stand.Trees = []Tree{}
		}
		if a.Tree.Load.([]Tree) != nil {
			stand.Changed = append(stand.Changed, b.changed[w.round]...)
		}
		return ok(stand)
	case step.TreeAccept:
		w.accepted = append(w.accepted, a.Tree.Load.(TreeAcceptance))
	case step.TreeRestore:
		w.restored = append(w.restored, w.round)
	case step.TreeCheckOut:
		if b.missing {
			return step.Result{ExitCode: -1, Error: "names no commit"}, true
		}
		return ok(map[string]any{"dir": "/scratch", "place": "/scratch"})
	case step.TreeUnread:
		return ok(map[string]any{"unread": b.unread})
	}
	return ok(nil)
}

func cost(usd float64) *step.Usage { return &step.Usage{CostUSD: &usd, Calls: 1, UnknownTokens: 1} }

// tap is a report of ten tests with the given ones red.
func tap(red ...int) string {
	var b strings.Builder
	b.WriteString("1..10\n")
	for i := 1; i <= 10; i++ {
		word := "ok"
		if slices.Contains(red, i) {
			word = "not ok"
		}
		fmt.Fprintf(&b, "%s %d - t%02d\n", word, i, i)
	}
	return b.String()
}

const (
	lineSet = "failing: {command: f, format: lines}, reference: none"
	tapSet  = "failing: {command: f, format: tap}, reference: none"
)

var refused = step.Result{ExitCode: -1, Cause: step.CauseStart, Error: "no such folder"}

// Under the ratchet the accepted passing set never shrinks: a round is accepted
// only if it keeps what passed, and is taken back otherwise.
func TestUnderTheRatchetALoopLosesNoPassingTest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var reds [][]int
		b := braked{brakes: tapSet + ", no_progress_rounds: 0, same_failure_rounds: 0, rounds: 8"}
		for range 9 {
			red := rapid.SliceOfDistinct(rapid.IntRange(1, 10), rapid.ID[int]).Draw(r, "red")
			reds = append(reds, red)
			b.sets = append(b.sets, tap(red...))
		}
		_, _, w := b.play(t)
		passing := func(red []int) (list []int) {
			for i := 1; i <= 10; i++ {
				if !slices.Contains(red, i) {
					list = append(list, i)
				}
			}
			return list
		}
		accepted := passing(reds[0])
		for n := 1; n <= w.round; n++ {
			now := passing(reds[n])
			lost := slices.ContainsFunc(accepted, func(i int) bool { return !slices.Contains(now, i) })
			took := slices.ContainsFunc(w.accepted, func(a TreeAcceptance) bool { return a.Round == n })
			if lost && took || lost != slices.Contains(w.restored, n) {
				r.Fatalf("round %d: lost %v, accepted %v, taken back %v", n, lost, took, w.restored)
			}
			if took {
				accepted = now
			}
		}
	})
}

// A loop that repeats itself with any period up to 8 ends within two periods.
func TestALoopThatRepeatsItselfEndsWithinTwoPeriods(t *testing.T) {
	t.Parallel()
	for period := 1; period <= 8; period++ {
		b := braked{brakes: lineSet + ", on_regression: ignore, same_failure_rounds: 2, no_progress_rounds: 0, rounds: 40", sets: []string{"start"}}
		for n := range 40 {
			b.sets = append(b.sets, fmt.Sprintf("failure %c", 'a'+n%period))
		}
		_, result, w := b.play(t)
		if w.round > 2*period || result["halt_reason"] == string(reasons.MaxIterationsReached) {
			t.Errorf("period %d: %v after %d rounds", period, result["halt_reason"], w.round)
		}
	}
}

func TestAStrictlyShrinkingSetIsNeverHalted(t *testing.T) {
	t.Parallel()
	b := braked{brakes: tapSet + ", no_progress_rounds: 1, same_failure_rounds: 2, rounds: 9"}
	for n := range 10 {
		var red []int
		for i := n + 1; i <= 10; i++ {
			red = append(red, i)
		}
		b.sets = append(b.sets, tap(red...))
	}
	_, result, w := b.play(t)
	if result["halt_reason"] != string(reasons.MaxIterationsReached) || len(w.restored) > 0 {
		t.Errorf("it ended for %v, and took back %v", result["halt_reason"], w.restored)
	}
	h := result["halt"].(map[string]any)
	if h["remedy"] != string(reasons.RaiseTheLimit) {
		t.Errorf("the remedy is %v", h["remedy"])
	}
}

// A round that is taken back is no success, however green its check is, and the
// next round is told what broke.
func TestAClaimOverABrokenTestDoesNotCount(t *testing.T) {
	t.Parallel()
	b := braked{brakes: tapSet, keys: ", check: c", verdicts: []string{"DONE", "DONE"}, sets: []string{tap(1), tap(2), tap()}}
	_, result, w := b.play(t)
	if result["halt_reason"] != string(reasons.SuccessConditionMet) || w.round != 2 || !slices.Equal(w.restored, []int{1}) {
		t.Fatalf("it ended for %v after %d rounds, and took back %v", result["halt_reason"], w.round, w.restored)
	}
	var prompts []string
	for _, r := range w.records {
		if r.Prompt != nil {
			prompts = append(prompts, *r.Prompt)
		}
	}
	if !strings.Contains(prompts[1], "were taken back, because they broke tests that passed:\n- t02") || strings.Contains(prompts[0], "Taken back") {
		t.Errorf("the prompts are %q", prompts)
	}
	if !w.records[1].Rejected {
		t.Error("the claim stands in control.json")
	}
}

// What a guard finds comes before a claim, and the claim is taken out of the
// control file, or it would be a success when the loop is taken up again.
func TestAGuardTakesTheClaimAway(t *testing.T) {
	t.Parallel()
	b := braked{brakes: "protect: [tests]", verdicts: []string{"DONE"}, changed: map[int][]string{1: {"tests/a"}}}
	_, result, w := b.play(t)
	last := w.records[len(w.records)-1]
	if result["stop_reason"] != "brake" || !last.Rejected || last.State.Stop.HaltReason != reasons.BlockedPathModified {
		t.Errorf("%v: %+v", result["stop_reason"], last.State.Stop)
	}
}

// A reference has to pass the check in a work tree of its own.
func TestTheReferenceIsVerifiedBeforeTheFirstRound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		b    braked
		want reasons.Reason
	}{
		"green":   {braked{brakes: "reference: v1", keys: ", check: c", verdicts: []string{"DONE"}}, reasons.SuccessConditionMet},
		"red":     {braked{brakes: "reference: v1", keys: ", check: c", checks: []int{1}}, reasons.InfeasibleSuspected},
		"missing": {braked{brakes: "reference: v1", keys: ", check: c", missing: true}, reasons.InfeasibleSuspected},
	} {
		var dirs []string
		inner := c.b
		_, result, w := inner.play(t)
		if result["halt_reason"] != string(c.want) {
			t.Errorf("%s: %v", name, result["halt_reason"])
		}
		for _, id := range w.order {
			if strings.HasPrefix(id, "l.check[reference]") {
				dirs = append(dirs, id)
			}
		}
		if (len(dirs) == 1) == c.b.missing {
			t.Errorf("%s: the check ran %d times on it", name, len(dirs))
		}
	}
}

// Usage that an agent reports while it works ends the round in its middle; what
// the round still wanted to do is not done.
func TestABudgetEndsARoundInItsMiddle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.verdicts = []string{"CONTINUE"}
	run := New(tree(t, "name: root\nsteps:\n  - {id: l, type: loop, recipe: two, judge: judge, output: ended, brakes: {budget_usd: 2}}\n",
		"name: two\nsteps:\n  - {id: first, command: a}\n  - {id: second, command: b}\n", judgeText), Options{})
	var used float64 = 3
	w.script = func(a *step.Action) (step.Result, bool) {
		if a.Def.ID == "first" {
			w.feed(run, step.Event{Kind: step.Used, ID: a.ID, Usage: &step.Usage{CostUSD: &used, Calls: 1}, At: w.tick()})
		}
		return step.Result{}, false
	}
	o := w.play(run)
	if o.Halted != 18 || w.ran("l[1]/second") > 0 || w.ran("l.judge") > 0 {
		t.Errorf("class %d, the second step ran %d times, the judge %d times", o.Halted, w.ran("l[1]/second"), w.ran("l.judge"))
	}
}

func TestMinutesAreCountedOverTheWholeRun(t *testing.T) {
	t.Parallel()
	o, result, w := braked{brakes: "budget_minutes: 0.5"}.play(t)
	if o.Halted != 18 || result["stop_reason"] != "max_cost" || w.round < 2 {
		t.Errorf("class %d, %v after %d rounds", o.Halted, result["stop_reason"], w.round)
	}
}

// The accepted changes of a loop with comprehension: go into the debt; the state
// before the first round is nobody's change.
func TestAcceptedRoundsGoIntoTheDebt(t *testing.T) {
	t.Parallel()
	_, _, w := braked{brakes: "comprehension: {max_unread: 9}, rounds: 2"}.play(t)
	var counted []bool
	for _, a := range w.accepted {
		counted = append(counted, a.Counted)
	}
	if !slices.Equal(counted, []bool{false, true, true}) {
		t.Errorf("counted: %v", counted)
	}
}

// Brakes that cannot be read refuse the loop instead of running it unbraked.
func TestBrakesThatCannotBeReadRunNothing(t *testing.T) {
	t.Parallel()
	for _, brakes := range []string{"rounds: none", "unheard: 1", "probe: 2"} {
		o, _, w := braked{brakes: brakes}.play(t)
		if o.Success() || w.round > 0 || !strings.Contains(o.Steps[0].Error, "brakes.") {
			t.Errorf("%s: %s after %d rounds: %s", brakes, o.Status, w.round, o.Steps[0].Error)
		}
	}
}

// A loop whose own files or trees cannot be read or written ends with a reason,
// too.
func TestALoopThatCannotBeRunOnEndsWithAReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	w.script = func(a *step.Action) (step.Result, bool) {
		if a.Kind == step.Session && a.Session.Op == step.SessionFinish {
			return step.Result{ExitCode: -1, Cause: step.CauseState, Error: "the disk is full"}, true
		}
		return step.Result{}, false
	}
	o, _ := playLoop(t, w, "")
	if o.Halted != 40 || !strings.Contains(o.Steps[0].Error, "execution_failure: the disk is full") {
		t.Errorf("class %d: %s", o.Halted, o.Steps[0].Error)
	}
}
