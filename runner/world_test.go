package runner

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// world is the in-memory executor: what an action gives depends on the action
// and the variables it sees alone, and the order in which actions that are
// under way come to their end is drawn at random.
type world struct {
	t      *testing.T
	random *rand.Rand // nil completes in the order of asking
	// fails says which steps fail, by id; the value is the exit code.
	fails map[string]int
	// interrupt is the number of results after which a signal arrives; negative
	// for never.
	interrupt int

	// left are the observations of sessions by iteration, verdicts what the judges
	// say in turn.
	left     map[string]string
	verdicts []string
	judged   int
	records  []SessionRecord
	// script answers for some actions; nil for none.
	script func(a *step.Action) (step.Result, bool)

	seen   map[string]string // action to a digest of what it saw
	order  []string
	events []step.Event
	most   int // actions at once
	clock  time.Time
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{t: t, fails: map[string]int{}, interrupt: -1, seen: map[string]string{}, clock: time.Unix(1_000_000, 0)}
	if seed > 0 {
		w.random = rand.New(rand.NewPCG(seed, seed))
	}
	return w
}

func (w *world) tick() time.Time {
	w.clock = w.clock.Add(time.Second)
	return w.clock
}

// play drives a run to its end.
func (w *world) play(run *Run) *Outcome {
	w.t.Helper()
	defer run.Abandon()
	pending := []*step.Action{}
	cancelled := map[string]bool{}
	take := func(batch step.Batch) {
		pending = append(pending, batch.Actions...)
		w.most = max(w.most, len(pending))
		for _, id := range batch.Cancels {
			cancelled[id] = true
		}
	}
	take(run.Start(w.tick()))
	for done := 0; run.Outcome() == nil; done++ {
		if done == w.interrupt {
			take(w.feed(run, step.Event{Kind: step.Interrupt, Signal: 2, At: w.tick()}))
			continue
		}
		if len(pending) == 0 {
			w.t.Fatal("the run neither ended nor asked for anything")
		}
		i := 0
		if w.random != nil {
			i = w.random.IntN(len(pending))
		}
		a := pending[i]
		pending = slices.Delete(pending, i, i+1)
		res := w.result(a)
		if cancelled[a.ID] {
			res = step.Result{Cause: step.CauseCancelled, ExitCode: -1, Error: "cancelled"}
		}
		take(w.feed(run, step.Event{Kind: step.Done, ID: a.ID, Result: &res, At: w.tick()}))
	}
	return run.Outcome()
}

func (w *world) feed(run *Run, ev step.Event) step.Batch {
	w.t.Helper()
	w.events = append(w.events, ev)
	batch, err := run.Feed(ev)
	if err != nil {
		w.t.Fatal(err)
	}
	return batch
}

func (w *world) result(a *step.Action) step.Result {
	w.order = append(w.order, a.ID)
	if w.script != nil {
		if res, given := w.script(a); given {
			return res
		}
	}
	switch a.Kind {
	case step.Sleep, step.Wait, step.Hook, step.Check, step.Stage:
		return step.Result{OK: true}
	case step.Query:
		v, _, err := a.Question.Answer(a.Vars.Lookup)
		if err != nil {
			return step.Result{Error: err.Error()}
		}
		return step.Result{OK: true, Value: v}
	}
	switch a.Kind {
	case step.Session:
		return w.session(a)
	case step.Trees:
		return step.Result{OK: true, Value: map[string]any{"trees": []any{}, "changed": []any{}, "bases": []any{"base"}}}
	}
	digest := w.digest(a)
	w.seen[a.ID] = digest
	if a.Def.ID == "say-verdict" {
		return w.verdict(a)
	}
	if code, fails := w.fails[a.Def.ID]; fails {
		return step.Result{ExitCode: code, Error: "scripted", Text: "", Value: ""}
	}
	return step.Result{OK: true, Text: digest, Value: digest}
}

// duration is that of a loop, in its result; it does depend on the order.
var duration = regexp.MustCompile(`"duration":[-0-9.]+,`)

// digest is a short text that differs when what the action sees differs.
func (w *world) digest(a *step.Action) string {
	h := fnv.New64a()
	vars := a.Vars.Scope.Flatten()
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		fmt.Fprintf(h, "%s=%s;", name, value.Text(vars[name]))
	}
	for _, id := range slices.Sorted(maps.Keys(a.Vars.Steps)) {
		entry := a.Vars.Steps[id].(map[string]any)
		fmt.Fprintf(h, "%s:%v:%v;", id, entry["status"], duration.ReplaceAllString(value.Text(entry["output"]), ""))
	}
	return fmt.Sprintf("%s@%x", a.Path, h.Sum64())
}

// tree resolves recipes that are given by their texts; the first is the root.
func tree(t *testing.T, texts ...string) *recipes.Tree {
	t.Helper()
	named := map[string]string{}
	for _, text := range texts[1:] {
		name, _, _ := strings.Cut(strings.TrimPrefix(text, "name: "), "\n")
		named[name] = text
	}
	resolver := recipes.NewResolver(recipes.Search{Builtin: func(name string) ([]byte, bool) {
		if name == "root" {
			return []byte(texts[0]), true
		}
		text, ok := named[name]
		return []byte(text), ok
	}})
	resolved, err := resolver.Resolve("root", recipes.LoadOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(texts, "\n---\n"))
	}
	return resolved
}

// statuses prints the ends of steps in one line: id=status.
func statuses(steps []*step.Outcome) string {
	var list []string
	for _, o := range steps {
		text := o.ID + "=" + string(o.Status)
		if o.Tolerated {
			text += "~"
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

// facts is all that must not depend on who was faster.
func (w *world) facts(o *Outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q %s\n%s\n%s\n", o.Status, o.Reason, o.FailedStep, statuses(o.Steps), statuses(o.Finally))
	vars := o.Vars.Flatten()
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		fmt.Fprintf(&b, "%s=%s\n", name, value.JSON(vars[name]))
	}
	for _, id := range slices.Sorted(maps.Keys(w.seen)) {
		fmt.Fprintf(&b, "%s saw %s\n", id, w.seen[id])
	}
	return b.String()
}
