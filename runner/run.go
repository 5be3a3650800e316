// Package runner decides what a run does next: in steps, groups, graphs,
// foreach, and recipes within recipes.
//
// It is a function of the resolved recipe tree and the events so far. All that
// it learns of the world comes back as an event, and all that it wants of the
// world goes out as an action; it reads no clock, starts no goroutine that runs
// beside another, and iterates no map. Feeding the events of a recorded run
// gives the same actions again, which is how a run is resumed.
package runner

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/scope"
	"github.com/brickoven/brickoven/runner/step"
)

// Options are what the caller of a run may choose.
type Options struct {
	// Vars are the variables from the command line; they win over the recipe's
	// defaults.
	Vars []recipes.Variable
	// IncludeTags and ExcludeTags filter steps with when_tags.
	IncludeTags []string
	ExcludeTags []string
	// DryRun skips every step.
	DryRun bool
	// Stubbed reports whether a stub stands in for the step of a path in a
	// recipe; the executor then answers for a called recipe too. It must always
	// say the same of the same step. nil stands for no stubs.
	Stubbed func(recipe *recipes.Recipe, path string) bool
	// Patience says how the agent steps of a recipe wait for what passes by
	// itself. It must always say the same of the same recipe. nil never waits.
	Patience func(recipe *recipes.Recipe) Patience
	// MaxParallel bounds the shell, agent and native steps that run at once in
	// the whole run; zero means unbounded.
	MaxParallel int
}

// Run is one run of a recipe tree. It is not safe for concurrent use.
type Run struct {
	tree *recipes.Tree
	opts Options

	now     time.Time
	started time.Time
	batch   step.Batch

	ready   []*flow
	flows   map[*flow]struct{}
	pending map[string]*pending
	counts  map[string]int
	issued  map[string]int // the order in which pending actions were asked for
	serial  int
	slots   []*slots
	work    *slots // bounds all work of the run
	meters  []*meter
	total   *meter  // of all that is no finally step
	braked  []*loop // whose brakes may end what runs

	looped map[string]bool // the paths of loops that have begun

	conversations map[string]map[string]step.Conversation // by name, then by agent

	root   *halt // everything but what runs at the end
	ending *halt // what runs at the end
	signal int

	limits recipes.Recursion
	ran    map[string]bool // the authored steps that ran, for the total limit

	vars   *scope.Scope
	result *Outcome
}

// Outcome is the end of a run.
type Outcome struct {
	Recipe string
	// Status is success, degraded, failed, interrupted or refused.
	Status RunStatus
	// Reason is one line that says why the run did not end well; empty where it
	// did.
	Reason string
	// FailedStep is the path of the step that ended the run; empty where none.
	FailedStep string
	// Refused tells that a structural guard ended the run.
	Refused bool
	// Held tells that a loop found its tree held by another one.
	Held bool
	// Halted is the class of the reason for which a loop ended the run, 11 to 50;
	// zero where none did.
	Halted int
	// Signal is the number of the signal that interrupted the run, or 0.
	Signal  int
	Steps   []*step.Outcome
	Finally []*step.Outcome
	// Usage is what the agents of all steps used; nil where none was called.
	Usage    *step.Usage
	Vars     *scope.Scope
	Duration time.Duration
}

// Success reports whether the recipe did what it was asked for.
func (o *Outcome) Success() bool {
	return o.Status == Succeeded || o.Status == Weakened
}

// RunStatus is how a run ended.
type RunStatus string

// The statuses of a run.
const (
	Succeeded   RunStatus = "success"
	Weakened    RunStatus = "degraded"
	Broken      RunStatus = "failed"
	Interrupted RunStatus = "interrupted"
	Refused     RunStatus = "refused"
)

// New prepares a run of tree. Nothing happens before Start.
func New(tree *recipes.Tree, opts Options) *Run {
	r := &Run{
		tree:    tree,
		opts:    opts,
		flows:   map[*flow]struct{}{},
		pending: map[string]*pending{},
		counts:  map[string]int{},
		issued:  map[string]int{},
		ran:     map[string]bool{},
		root:    &halt{},
		ending:  &halt{},
		limits:  tree.Root.Recursion,

		looped: map[string]bool{}, conversations: map[string]map[string]step.Conversation{},
	}
	if r.limits.MaxDepth == 0 {
		r.limits.MaxDepth = recipes.DefaultMaxDepth
	}
	if r.limits.MaxTotalSteps == 0 {
		r.limits.MaxTotalSteps = recipes.DefaultMaxTotalSteps
	}
	r.work = r.newSlots(opts.MaxParallel)
	r.total = r.metered(r.root, func(*step.Usage) {})
	r.vars = scope.New()
	for _, v := range tree.Root.Context {
		r.vars.Set(v.Name, v.Value)
	}
	for _, in := range tree.Root.Inputs {
		if _, has := r.vars.Get(in.Name); !has && in.HasDefault {
			r.vars.Set(in.Name, in.Default)
		}
	}
	for _, v := range opts.Vars {
		r.vars.Set(v.Name, v.Value)
	}
	return r
}

// Start begins the run at the given time and returns what it wants first.
func (r *Run) Start(at time.Time) step.Batch {
	r.now, r.started = at, at
	r.note(step.Note{Kind: step.RunStarted, Text: r.tree.Root.Name})
	r.spawn(r.root, r.main)
	return r.advance()
}

// Feed tells the run of an event and returns what it wants next. An event for
// an action that is not under way is an error: the record does not belong to
// this recipe.
func (r *Run) Feed(ev step.Event) (step.Batch, error) {
	r.now = ev.At
	switch ev.Kind {
	case step.Interrupt:
		r.signal = ev.Signal
		r.stopAll(r.root)
	case step.Kill:
		r.stopAll(r.root)
		r.stopAll(r.ending)
	case step.Done:
		p, ok := r.pending[ev.ID]
		if !ok || ev.Result == nil {
			return step.Batch{}, fmt.Errorf("the run did not ask for action %q", ev.ID)
		}
		delete(r.pending, ev.ID)
		delete(r.issued, ev.ID)
		p.end(ev)
		r.ready = append(r.ready, p.flow)
		r.spent(p)
		r.silence(p)
		r.stepped(p)
	case step.Used:
		r.used(ev)
	default:
		return step.Batch{}, fmt.Errorf("unknown event %q", ev.Kind)
	}
	return r.advance(), nil
}

// Outcome returns the end of the run, or nil while it goes on.
func (r *Run) Outcome() *Outcome { return r.result }

// Vars are the variables that the run starts with.
func (r *Run) Vars() *scope.Scope { return r.vars }

// Pending lists the actions under way, in the order they were asked for.
func (r *Run) Pending() []*step.Action {
	var actions []*step.Action
	for _, id := range r.order() {
		actions = append(actions, r.pending[id].action)
	}
	return actions
}

// Abandon frees a run that is not brought to its end.
func (r *Run) Abandon() {
	for f := range r.flows {
		f.stop()
	}
	r.flows = map[*flow]struct{}{}
}

func (r *Run) advance() step.Batch {
	r.settle()
	batch := r.batch
	r.batch = step.Batch{}
	return batch
}

func (r *Run) note(n step.Note) {
	n.At = r.now
	r.batch.Notes = append(r.batch.Notes, n)
}

func (r *Run) warn(path, text string) {
	r.note(step.Note{Kind: step.Warning, Path: path, Text: text})
}

// actionID names an action by the step's path, the kind of work and a count, so
// that it is the same in every replay however events are interleaved.
func (r *Run) actionID(a *step.Action) string {
	base := a.Path + "#" + string(a.Kind)
	r.counts[base]++
	r.serial++
	id := fmt.Sprintf("%s.%d", base, r.counts[base])
	r.issued[id] = r.serial
	return id
}

// order lists the pending actions in the order they were asked for.
func (r *Run) order() []string {
	ids := make([]string, 0, len(r.pending))
	for id := range r.pending {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(r.issued[a], r.issued[b]) })
	return ids
}

// main is the flow of the whole run.
func (r *Run) main(f *flow) {
	top := &frame{run: r, recipe: r.tree.Root, vars: r.vars, steps: map[string]any{}, seen: map[string]bool{}}
	top.max = r.newSlots(top.recipe.MaxParallel)
	end := top.runSteps(f)
	out := &Outcome{
		Recipe: r.tree.Root.Name, Status: Succeeded,
		Steps: top.outcomes, FailedStep: end.failedPath(), Signal: r.signal,
	}
	switch {
	case end.refused():
		out.Status, out.Refused = Refused, true
	case r.root.set:
		out.Status = Interrupted
	case end.failed != nil:
		out.Status = Broken
	}
	out.Reason = end.reason(r)
	out.Finally = top.runFinally(f, out.Status, out.Reason, out.FailedStep)
	out.Signal = r.signal
	last := ending{failed: refusal(out.Finally)}
	switch {
	case out.Refused:
	case last.refused():
		out.Status, out.Refused = Refused, true
		out.Reason, out.FailedStep = last.reason(r), last.failedPath()
	case r.root.set:
		out.Status, out.Reason = Interrupted, end.reason(r)
	case out.Status == Succeeded && anyFailed(out.Finally):
		out.Status, out.Reason = Weakened, "a finally step failed"
	}
	out.Held = end.failed != nil && innermost(end.failed).Cause == step.CauseHeld
	if end.failed != nil && innermost(end.failed).Cause == step.CauseLoop {
		out.Halted = innermost(end.failed).ExitCode
	}
	for _, o := range slices.Concat(out.Steps, out.Finally) {
		out.Usage = sum(out.Usage, o.Usage)
	}
	out.Vars = top.vars
	out.Duration = r.now.Sub(r.started)
	r.result = out
	r.note(step.Note{Kind: step.RunFinished, Text: out.Reason, Status: string(out.Status)})
}

// refusal finds the step that a structural guard ended; nil where none was.
func refusal(steps []*step.Outcome) *step.Outcome {
	for _, o := range steps {
		if o.Refused() {
			return o
		}
	}
	return nil
}

func anyFailed(steps []*step.Outcome) bool {
	return slices.ContainsFunc(steps, func(o *step.Outcome) bool { return o.Status == step.Failed })
}
