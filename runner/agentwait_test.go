package runner

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/step"
	"pgregory.net/rapid"
)

func none() float64 { return 0 }

// asked are the defaults of agents.retry, and of agents.on_quota where it names a
// wait.
var asked = Patience{Attempts: 5, Delay: time.Minute, MaxDelay: 10 * time.Minute}

func limited() *step.Answered {
	return &step.Answered{Agent: "claude", Status: "rate_limited", Fault: "rate limit", Transient: true}
}

func exhausted(resets *time.Time) *step.Answered {
	return &step.Answered{Agent: "claude", Status: step.AgentQuotaExhausted, Fault: "quota", ResetsAt: resets}
}

func TestOnlyTransientFaultsAreTriedAgain(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	for name, a := range map[string]*step.Answered{
		"no agent": nil, "ok": {Status: "ok", Transient: true}, "error": {Status: "error"},
		"login": {Status: "error", Fault: "login"}, "denied": {Status: "denied"}, "quota": exhausted(nil),
	} {
		p := &patience{Patience: asked}
		if w, _, again := p.next(now, a, none); again {
			t.Errorf("%s is waited for: %+v", name, w)
		}
	}
	p := &patience{Patience: asked}
	for attempt := 1; attempt < 5; attempt++ {
		if _, _, again := p.next(now, limited(), none); !again {
			t.Errorf("attempt %d of 5 was the last one", attempt)
		}
	}
	if _, why, again := p.next(now, limited(), none); again || why != "gave up after 5 attempts" {
		t.Errorf("five attempts are five: %q", why)
	}
	a := limited()
	a.RetryAfter = 5 * time.Minute
	w, _, _ := (&patience{Patience: asked}).next(now, a, none)
	if got := w.due.Sub(now); got != 5*time.Minute || w.reason != "rate limit, before attempt 2 of 5" || w.quota {
		t.Errorf("what the endpoint asks for is the least: %s, %q", got, w.reason)
	}
}

func TestBackoffStaysBetweenHalfAndAllOfItsStep(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := &patience{Patience: Patience{Attempts: 1000, Delay: time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "delay"))}}
		p.MaxDelay = p.Delay * time.Duration(rapid.Int64Range(1, 100).Draw(t, "factor"))
		p.attempts = rapid.IntRange(0, 998).Draw(t, "attempts so far")
		want := p.MaxDelay
		if p.attempts < 8 {
			want = min(want, p.Delay<<p.attempts)
		}
		random := rapid.Float64Range(0, 0.999999).Draw(t, "random")
		now := time.Unix(1_000_000, 0)
		w, _, ok := p.next(now, limited(), func() float64 { return random })
		got := w.due.Sub(now)
		if !ok || got < (want/2).Round(time.Millisecond)-time.Millisecond || got > want.Round(time.Millisecond)+time.Millisecond {
			t.Errorf("%v of at most %v", got, want)
		}
	})
}

func TestAUsedUpLimitIsWaitedForAsConfigured(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	at := func(d time.Duration) *time.Time { when := now.Add(d); return &when }
	fail := QuotaPatience{MaxWait: 12 * time.Hour, UnknownReset: 30 * time.Minute, Jitter: 30 * time.Second}
	until, fixed := fail, fail
	until.UntilReset = true
	fixed.For = 2 * time.Hour
	for name, c := range map[string]struct {
		q      QuotaPatience
		resets *time.Time
		waited time.Duration
		want   time.Duration // negative: no wait
	}{
		"fail":                {fail, at(time.Hour), 0, -1},
		"until reset":         {until, at(time.Hour), 0, time.Hour + 15*time.Second},
		"unknown":             {until, nil, 0, 30*time.Minute + 15*time.Second},
		"past":                {until, at(-time.Hour), 0, 30*time.Minute + 15*time.Second},
		"too long":            {until, at(13 * time.Hour), 0, -1},
		"too long in the sum": {until, at(time.Hour), 11*time.Hour + 30*time.Minute, -1},
		"fixed":               {fixed, at(time.Hour), 0, 2*time.Hour + 15*time.Second},
	} {
		p := &patience{Patience: Patience{Attempts: 1, Quota: c.q}, quota: c.waited}
		w, why, ok := p.next(now, exhausted(c.resets), func() float64 { return 0.5 })
		if ok != (c.want >= 0) || ok && (!w.due.Equal(now.Add(c.want)) || !w.quota) || w.reason+why == "" {
			t.Errorf("%s: %v %v, %s%s", name, w.due.Sub(now), ok, w.reason, why)
		}
		if p.attempts != 0 {
			t.Errorf("%s: the limit spent an attempt", name)
		}
	}
}

// calls plays a run whose agent steps answer in turn, and whose waits take until
// they are due.
type calls struct {
	t       *testing.T
	now     time.Time
	answers []step.Result
	seen    []*step.Action // agent calls and waits
	notes   []step.Note
	// used are reports during the agent call with the same index.
	used map[int]*step.Usage
	// stopped are the actions that the run wanted to end.
	stopped []string
}

func (c *calls) play(run *Run) *Outcome {
	c.t.Helper()
	defer run.Abandon()
	c.now = time.Unix(1_000_000, 0).UTC()
	batch := run.Start(c.now)
	var pending []*step.Action
	calls := 0
	for run.Outcome() == nil {
		pending = append(pending, batch.Actions...)
		c.notes = append(c.notes, batch.Notes...)
		c.stopped = append(c.stopped, batch.Cancels...)
		if len(pending) == 0 {
			c.t.Fatal("the run neither ended nor asked for anything")
		}
		a := c.first(pending)
		pending = slices.DeleteFunc(pending, func(o *step.Action) bool { return o == a })
		res := step.Result{OK: true, Text: a.ID, Value: a.ID}
		switch a.Kind {
		case step.Wait:
			c.seen = append(c.seen, a)
			c.now = a.Due
		case step.Sleep:
			c.now = c.now.Add(a.Delay)
		case step.Agent:
			c.seen = append(c.seen, a)
			c.now = c.now.Add(time.Second)
			if u := c.used[calls]; u != nil {
				batch = c.feed(run, step.Event{Kind: step.Used, ID: a.ID, Usage: u, At: c.now})
				c.stopped = append(c.stopped, batch.Cancels...)
			}
			res = c.answers[min(calls, len(c.answers)-1)]
			calls++
		}
		if slices.Contains(c.stopped, a.ID) {
			res = step.Result{Cause: step.CauseCancelled, ExitCode: -1, Error: "cancelled"}
		}
		batch = c.feed(run, step.Event{Kind: step.Done, ID: a.ID, Result: &res, At: c.now})
	}
	c.notes = append(c.notes, batch.Notes...)
	return run.Outcome()
}

// first is what ends first: a sleep that bounds other work, only when its time
// has come.
func (c *calls) first(pending []*step.Action) *step.Action {
	best := pending[0]
	end := func(a *step.Action) time.Time {
		switch a.Kind {
		case step.Sleep:
			return c.now.Add(a.Delay)
		case step.Wait:
			return a.Due
		}
		return c.now
	}
	for _, a := range pending {
		if end(a).Before(end(best)) {
			best = a
		}
	}
	return best
}

func (c *calls) feed(run *Run, ev step.Event) step.Batch {
	c.t.Helper()
	batch, err := run.Feed(ev)
	if err != nil {
		c.t.Fatal(err)
	}
	return batch
}

// kinds are the calls and waits in their order.
func (c *calls) kinds() string {
	var kinds []string
	for _, a := range c.seen {
		kinds = append(kinds, string(a.Kind))
	}
	return strings.Join(kinds, " ")
}

func answer(a *step.Answered, cost float64) step.Result {
	res := step.Result{OK: a.Status == step.AgentOK, Agent: a, Usage: &step.Usage{CostUSD: &cost, Calls: 1}, Text: "fine", Value: "fine"}
	if !res.OK {
		res.ExitCode, res.Error = 1, "it failed\n{\"class\":\"transient_transport\"}"
	}
	return res
}

func fine(conversation string) *step.Answered {
	return &step.Answered{Agent: "claude", Status: step.AgentOK, Conversation: conversation}
}

func patient(p Patience) Options {
	return Options{Patience: func(*recipes.Recipe) Patience { return p }}
}

func TestACallIsRepeatedUnchangedAndEachOneCosts(t *testing.T) {
	t.Parallel()
	c := &calls{t: t, answers: []step.Result{answer(limited(), 1), answer(limited(), 2), answer(fine("c1"), 4)}}
	out := c.play(New(tree(t, "name: r\nsteps:\n  - {id: a, prompt: hi}\n"), patient(asked)))
	if out.Status != Succeeded || c.kinds() != "agent wait agent wait agent" {
		t.Fatalf("%s: %s", out.Status, c.kinds())
	}
	first, second := *c.seen[0], *c.seen[2]
	first.ID, second.ID = "", ""
	if fmt.Sprintf("%+v", first) != fmt.Sprintf("%+v", second) {
		t.Errorf("the call was changed:\n%+v\n%+v", first, second)
	}
	if u := out.Usage; *u.CostUSD != 7 || u.Calls != 3 {
		t.Errorf("usage %+v, cost %v", u, *u.CostUSD)
	}
	if out.Steps[0].Attempts != 1 || out.Steps[0].Agent.Conversation != "c1" {
		t.Errorf("%+v", out.Steps[0])
	}
	var due []time.Time
	for _, n := range c.notes {
		if n.Kind == step.Waiting {
			due = append(due, *n.Due)
		}
	}
	if len(due) != 2 || !due[0].Equal(c.seen[1].Due) || !due[1].Equal(c.seen[3].Due) {
		t.Errorf("the waits are not announced: %v", due)
	}
}

func TestAFaultThatGoesOnIsTheStepsFailureWithItsLineAtTheEnd(t *testing.T) {
	t.Parallel()
	c := &calls{t: t, answers: []step.Result{answer(limited(), 1)}}
	out := c.play(New(tree(t, "name: r\nsteps:\n  - {id: a, prompt: hi}\n"), patient(Patience{Attempts: 2})))
	want := "agent step failed: it failed\ngave up after 2 attempts\n{\"class\":\"transient_transport\"}"
	if out.Status != Broken || out.Steps[0].Error != want || c.kinds() != "agent wait agent" {
		t.Errorf("%s, %s\n%s", out.Status, c.kinds(), out.Steps[0].Error)
	}
}

func TestAWaitForALimitSpendsNoTimeOfTheStepsAroundIt(t *testing.T) {
	t.Parallel()
	texts := []string{
		"name: root\nsteps:\n  - {id: call, recipe: inner, timeout: 1m}\n",
		"name: inner\nsteps:\n  - {id: a, prompt: hi}\n",
	}
	reset := time.Unix(1_000_000, 0).Add(3 * time.Hour)
	quota := Patience{Quota: QuotaPatience{UntilReset: true, MaxWait: 12 * time.Hour}}
	c := &calls{t: t, answers: []step.Result{answer(exhausted(&reset), 0), answer(fine(""), 0)}}
	if out := c.play(New(tree(t, texts...), patient(quota))); out.Status != Succeeded || c.kinds() != "agent wait agent" {
		t.Errorf("%s (%s): %s", out.Status, out.Reason, c.kinds())
	}
	c = &calls{t: t, answers: []step.Result{answer(limited(), 0), answer(fine(""), 0)}}
	out := c.play(New(tree(t, texts...), patient(Patience{Attempts: 5, Delay: 3 * time.Hour})))
	if out.Status != Broken || out.Steps[0].Cause != step.CauseTimeout {
		t.Errorf("a rate limit does spend time: %s, %s", out.Status, out.Steps[0].Cause)
	}
}

func TestConversationsBelongToANameAndAnAgent(t *testing.T) {
	t.Parallel()
	recipe := `name: r
steps:
  - {id: a, prompt: hi, session: talk}
  - {id: b, prompt: hi, session: talk}
  - {id: c, prompt: hi}
  - {id: d, prompt: hi, session: other}
  - {id: e, prompt: hi, continue_session: true}
`
	c := &calls{t: t, answers: []step.Result{answer(fine("c1"), 0), answer(fine("c2"), 0), answer(fine("c3"), 0)}}
	c.play(New(tree(t, recipe), Options{}))
	want := []map[string]step.Conversation{nil, {"claude": {ID: "c1"}}, nil, nil, nil}
	for i, a := range c.seen {
		if fmt.Sprint(a.Resume) != fmt.Sprint(want[i]) {
			t.Errorf("%s goes on with %v, want %v", a.Path, a.Resume, want[i])
		}
	}
}

func TestAConversationIsKeptOverTheRoundsOfALoop(t *testing.T) {
	t.Parallel()
	l := loops{}.round("fix[1]").round("fix[1]/inner[2]")
	for path, want := range map[string]string{
		"fix[1]/inner[2]/a": "fix/inner/a", "fix[1]/b": "fix/b", "fix[1]/inner[2]/each[3]/c": "fix/inner/each[3]/c", "other[1]/a": "other[1]/a",
	} {
		if got := l.steady(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestAFailedCallLeavesTheConversationAsItWas(t *testing.T) {
	t.Parallel()
	r := New(tree(t, "name: r\nsteps:\n  - {id: a, prompt: hi}\n"), Options{})
	r.converse("n", fine("c1"))
	r.converse("n", &step.Answered{Agent: "claude", Status: "error", Conversation: "c2"})
	r.converse("n", &step.Answered{Agent: "codex", Status: step.AgentDenied, Conversation: "c3"})
	if got := fmt.Sprint(r.known("n")); got != "map[claude:{c1 <nil>} codex:{c3 <nil>}]" {
		t.Error(got)
	}
}

func TestAReAskGoesOnWithTheConversationOfTheAnswer(t *testing.T) {
	t.Parallel()
	bad := answer(fine("c1"), 1)
	bad.OK, bad.Cause, bad.Error = false, step.CauseJSON, "no JSON"
	c := &calls{t: t, answers: []step.Result{bad, answer(limited(), 1), answer(fine("c2"), 1)}}
	out := c.play(New(tree(t, "name: r\nsteps:\n  - {id: a, prompt: hi, parse_json: true}\n"), patient(asked)))
	if out.Status != Succeeded || c.kinds() != "agent agent wait agent" || *out.Usage.CostUSD != 3 {
		t.Fatalf("%s: %s, %+v", out.Status, c.kinds(), out.Usage)
	}
	for _, again := range []*step.Action{c.seen[1], c.seen[3]} {
		if again.Resume["claude"].ID != "c1" || again.Answer != "fine" {
			t.Errorf("%v, %q", again.Resume, again.Answer)
		}
	}
}

func TestAMeterSeesWhatIsUsedWhileItIsUsed(t *testing.T) {
	t.Parallel()
	tokens := func(n int64) *step.Usage { return &step.Usage{InputTokens: &n, Calls: 1} }
	c := &calls{t: t, used: map[int]*step.Usage{0: tokens(5), 1: tokens(7)}}
	first := step.Result{OK: true, Text: "x", Value: "x", Usage: tokens(6), Agent: fine("")}
	c.answers = []step.Result{first, first}
	run := New(tree(t, "name: r\nsteps:\n  - {id: a, prompt: hi}\n  - {id: b, prompt: hi}\n"), Options{})
	var told []int64
	m := run.metered(run.root, func(soFar *step.Usage) {
		told = append(told, *soFar.InputTokens)
		if *soFar.InputTokens > 12 {
			run.stopAll(run.root)
		}
	})
	defer run.unmetered(m)
	out := c.play(run)
	if fmt.Sprint(told) != "[5 6 13 13]" || len(c.stopped) != 1 || c.stopped[0] != "b#agent.1" || out.Status != Interrupted {
		t.Errorf("told %v, stopped %v, %s", told, c.stopped, out.Status)
	}
}
