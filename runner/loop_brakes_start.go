package runner

import (
	"fmt"

	"github.com/brickoven/brickoven/bricks/brakes"
	"github.com/brickoven/brickoven/bricks/brakes/failing"
	reasons "github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/brakes/integrity"
	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// begin takes in how things stand before the first round: the trees, what the
// check says of them several times, what fails already, and whether there is a
// state in which the check passes.
func (l *loop) begin(f *flow) *step.Result {
	b, r := &l.braking, l.fr.run
	var base brakes.Baseline
	if b.mark.IsZero() {
		base.Spend = spending(r.soFar(r.total))
		b.mark = r.started
	}
	if b.config.Watches() {
		stand, broken := l.capture(f, nil)
		switch {
		case broken != nil:
			return broken
		case len(stand.Trees) == 0:
			l.brakeBetween(b.engine.End(reasons.WorkspaceInvalid, reasons.Evidence{
				Detail: "the loop works outside of git, and its brakes have to see, and put back, what a round changes",
			}).Halt)
			return nil
		}
		if broken := l.accept(f, stand.Trees, false); broken != nil {
			return broken
		}
	}
	var broken *step.Result
	l.within(f, func(f *flow) { broken = l.look(f, &base) })
	switch {
	case f.halt.active():
		return nil
	case b.engine.Halted() == nil && broken != nil:
		return broken
	case b.engine.Halted() == nil:
		base.Spend = base.Spend.Add(spending(b.used))
		base.Elapsed = l.elapsed()
		d := b.engine.Start(base)
		l.warnOnce(d.Warnings)
		l.noteBrakes(0, d)
	}
	b.count(r.now)
	l.brakeBetween(b.engine.Halted())
	return nil
}

// look runs the commands before the first round.
func (l *loop) look(f *flow, base *brakes.Baseline) *step.Result {
	config := l.braking.config
	for n := 1; n <= config.Probe; n++ {
		trial, broken := l.trial(f, n)
		if broken != nil || l.braking.engine.Halted() != nil {
			return broken
		}
		base.Trials = append(base.Trials, trial)
		base.Failing = trial.Failing
	}
	if base.Failing.State == failing.Unset && l.st.Loop.Failing != nil {
		base.Failing = l.failing(f, "0", "", false)
	}
	if config.Reference != "" {
		base.Reference, base.ReferenceDetail = l.reference(f)
	}
	return nil
}

// trial runs the check, and the failing command, on the tree as it is.
func (l *loop) trial(f *flow, n int) (integrity.Trial, *step.Result) {
	var t integrity.Trial
	name := fmt.Sprintf("probe%d", n)
	red := false
	if l.st.Loop.Check != nil {
		o := l.command(f, l.st.Loop.Check, "check["+name+"]", "")
		if why := unrunnable(o); why != "" {
			l.braking.engine.End(reasons.WorkspaceInvalid, reasons.Evidence{Detail: "the check cannot be run: " + why})
			return t, nil
		}
		t.ExitCode, red = o.ExitCode, o.Status == step.Failed
	}
	if l.st.Loop.Failing != nil {
		t.Failing = l.failing(f, name, "", red)
	}
	stand, broken := l.capture(f, l.braking.accepted)
	t.Changed = stand.Changed
	return t, broken
}

// unrunnable says why a command did not run at all; empty for one that did.
func unrunnable(o *step.Outcome) string {
	const notExecutable, notFound = 126, 127
	if o.Cause == step.CauseStart || o.ExitCode == notExecutable || o.ExitCode == notFound {
		return o.Error
	}
	return ""
}

// reference runs the check on the commit that is said to pass it, in a work tree
// of its own.
func (l *loop) reference(f *flow) (outcome brakes.Reference, detail string) {
	where := TreeReference{Revision: l.braking.config.Reference, Dir: l.braking.root}
	res := l.asked(f, step.TreeCheckOut, where)
	if !res.OK {
		return brakes.ReferenceMissing, res.Error
	}
	place, _ := res.Value.(map[string]any)
	dir := value.Text(place["dir"])
	where.Place = value.Text(place["place"])
	defer func() {
		if gone := f.shielded(func() step.Result { return l.asked(f, step.TreeRemove, where) }); !gone.OK {
			l.fr.run.warn(l.path, "the work tree of the reference is left: "+gone.Error)
		}
	}()
	if l.st.Loop.Check == nil {
		set := l.failing(f, "reference", dir, false)
		switch {
		case !set.IsKnown():
			return brakes.ReferenceRed, set.Why
		case set.Size() > 0:
			return brakes.ReferenceRed, fmt.Sprintf("%d tests fail there", set.Size())
		}
		return brakes.ReferenceGreen, ""
	}
	o := l.command(f, l.st.Loop.Check, "check[reference]", dir)
	if o.Status == step.Failed {
		return brakes.ReferenceRed, o.Error
	}
	return brakes.ReferenceGreen, ""
}

// command runs one of the loop's own commands for the brakes; what names it in
// the record. An empty dir is the step's own folder.
func (l *loop) command(f *flow, st *recipes.Step, what, dir string) *step.Outcome {
	if !l.fr.run.work.enter(f) {
		return failed(cancelled()).outcome
	}
	defer l.fr.run.work.leave()
	return l.fr.leaf(st, f.do(&step.Action{
		Kind: step.Shell, Path: l.path + "." + what, Def: st, Recipe: l.fr.recipe, Vars: l.seen(), Attempt: 1, Dir: dir,
		Env: l.fr.loops.env, Loops: l.fr.loops.sessions, Stale: l.fr.loops.stale,
	})).outcome
}

// failing reads the failing set. red tells that the check failed on the same
// tree.
func (l *loop) failing(f *flow, what, dir string, red bool) failing.Set {
	o := l.command(f, l.st.Loop.Failing, "failing["+what+"]", dir)
	out := failing.Output{ExitCode: o.ExitCode, CheckRed: red, Root: dir}
	if dir == "" {
		out.Root = l.braking.root
	}
	switch {
	case o.Cause != "":
		out.NotStarted = o.Error
	case o.Truncated:
		out.NotStarted = "its report is longer than a variable may be"
	}
	v, err := l.fr.about(f, l.st, o.Output, printedSet{l.braking.config, out})
	var set failing.Set
	if err == nil {
		err = decode(v, &set)
	}
	if err != nil {
		return failing.Set{State: failing.Unknown, Why: err.Error()}
	}
	return set
}

// printedSet asks for the failing set in what a command printed.
type printedSet struct {
	config brakes.Config
	out    failing.Output
}

func (printedSet) Paths() []string { return []string{subject} }
func (printedSet) Inline() bool    { return true }

func (q printedSet) Answer(lookup step.Lookup) (any, []string, error) {
	v, _ := lookup(subject)
	q.out.Stdout = []byte(value.Text(v))
	return value.From(q.config.Read(q.out)), nil, nil
}
