package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/step"
)

// Collector gathers the records of one journal. It is not safe for concurrent
// use.
type Collector struct {
	show func(v any) (any, error)

	start   journal.RunStarted
	end     *journal.RunFinished
	last    time.Time // of the records
	attempt int

	top     []*Step
	all     []*Step
	steps   map[string]*Step   // by path
	loopish map[string]bool    // paths, without indexes, of steps of type loop
	loops   map[string]*Loop   // by path
	order   []*Loop            // as they began
	actions map[string]*action // by id

	events   []Event
	warnings []Warning
	warned   map[string]int
}

// action is one piece of work that was done for a step.
type action struct {
	id       string
	kind     step.Kind
	attempt  int
	owner    int // which process of the run began it
	done     bool
	started  time.Time
	finished time.Time
	result   *step.Result
}

// NewCollector returns a collector without records. show gives what may be
// sealed in a form for people; nil leaves it as it was recorded.
func NewCollector(show func(v any) (any, error)) *Collector {
	return &Collector{
		show: show, steps: map[string]*Step{}, loopish: map[string]bool{}, loops: map[string]*Loop{},
		actions: map[string]*action{}, warned: map[string]int{},
	}
}

// Start is the first record; zero before it was added.
func (c *Collector) Start() journal.RunStarted { return c.start }

// Add takes the next record of the journal. The error tells that it cannot be
// read.
func (c *Collector) Add(rec journal.Record) (err error) {
	c.last = rec.At
	switch rec.Kind {
	case journal.KindRunStarted:
		c.attempt = 1
		c.start, err = rec.RunStarted(c.show)
	case journal.KindActionStarted:
		var started journal.ActionStarted
		if err = rec.Decode(&started); err == nil {
			c.begin(started, rec.At)
		}
	case journal.KindActionFinished, journal.KindSignal:
		var ev step.Event
		if ev, _, err = rec.Event(c.show); err == nil {
			c.event(ev)
		}
	case journal.KindNote:
		var n step.Note
		if n, err = rec.Note(c.show); err == nil {
			c.note(n)
		}
	case journal.KindRunFinished:
		var end journal.RunFinished
		if end, err = rec.RunFinished(c.show); err == nil {
			c.end = &end
		}
	default:
		err = c.happening(rec)
	}
	return err
}

// begin takes an action that was announced.
func (c *Collector) begin(started journal.ActionStarted, at time.Time) {
	a := &action{id: started.ID, kind: step.Kind(started.Kind), attempt: started.Attempt, owner: c.attempt, started: at}
	if before := c.actions[a.id]; before != nil && before.done {
		return
	}
	c.actions[a.id] = a
	switch a.kind {
	case step.Shell, step.Agent, step.Native, step.Hook:
		st := c.step(started.Path, at)
		if st.Status != Running && st.Part == PartAuthored && a.kind != step.Hook {
			st.Status, st.Error, st.ExitCode = Running, "", 0
		}
		st.actions = append(st.actions, a)
	case step.Trees, step.Session:
		if l := c.loops[started.Path]; l != nil || c.loopish[unindexed(started.Path)] {
			c.step(started.Path, at)
		}
	}
}

// event takes what was fed to the decisions.
func (c *Collector) event(ev step.Event) {
	switch ev.Kind {
	case step.Interrupt, step.Kill:
		c.happened(ev.At, "signal", "", fmt.Sprintf("signal %d asked the run to end", ev.Signal))
		return
	}
	a := c.actions[ev.ID]
	if a == nil || ev.Result == nil {
		return
	}
	a.done, a.finished, a.result = true, ev.At, ev.Result
	if a.kind == step.Session {
		c.session(ev)
	}
}

// note takes what the decisions told.
func (c *Collector) note(n step.Note) {
	switch n.Kind {
	case step.StepStarted:
		if n.Type == "loop" {
			c.loopish[unindexed(n.Path)] = true
		}
		st := c.step(n.Path, n.At)
		st.Type, st.Started, st.Status = n.Type, n.At, Running
	case step.StepFinished:
		c.finish(n)
	case step.Warning:
		c.warn(n.Path, n.Text)
	case step.LoopRound:
		if number, err := strconv.Atoi(n.Text); err == nil {
			c.round(n.Path, number, n.At)
		}
	case step.Verdict:
		if l := c.loops[n.Path]; l != nil && len(l.Rounds) > 0 {
			r := l.Rounds[len(l.Rounds)-1]
			r.Verdict.Word, r.Verdict.Reason = clean(n.Name), clean(n.Text)
			r.moved = n.Status == step.Moved
		}
	case step.Braked:
		c.loop(n.Path, n.At).braked(n.Text)
	case step.LoopEnded:
		if given, ok := value.Guess(n.Text).(map[string]any); ok {
			c.loop(n.Path, n.At).Halt = haltOf(map[string]any{"halt": given})
		}
	case step.Waiting:
		text := n.Text
		if n.Due != nil {
			text += ", until " + n.Due.UTC().Format(time.RFC3339)
		}
		c.happened(n.At, "waiting", n.Path, text)
	case step.ByHand:
		c.happened(n.At, "by hand", n.Path, strings.TrimSpace(n.Name+" "+n.Text))
	}
}

func (c *Collector) finish(n step.Note) {
	o := n.Outcome
	if o == nil {
		return
	}
	st := c.step(n.Path, n.At)
	st.Status, st.Tolerated, st.Error = Status(o.Status), o.Tolerated, clean(o.Error)
	st.ExitCode, st.Cause, st.Signal, st.Attempts = o.ExitCode, o.Cause, o.Signal, o.Attempts
	st.Duration, st.Usage = o.Duration, o.Usage
	if st.Duration > 0 {
		st.Started = n.At.Add(-st.Duration)
	}
	if l := c.loops[n.Path]; l != nil || o.Loop != nil {
		c.loop(n.Path, n.At).finish(o, n.At)
	}
}

// warn keeps a remark, once for all steps that it was made in.
func (c *Collector) warn(path, text string) {
	key := unindexed(path) + "\x00" + text
	if i, known := c.warned[key]; known {
		c.warnings[i].Count++
		return
	}
	c.warned[key] = len(c.warnings)
	c.warnings = append(c.warnings, Warning{Path: path, Text: clean(text), Count: 1})
}

// step finds the step of a path, or begins one, with those around it.
func (c *Collector) step(path string, at time.Time) *Step {
	if st := c.steps[path]; st != nil {
		return st
	}
	p := locate(path, c.isLoop)
	st := &Step{Key: key(path), Path: path, Name: p.name, Part: PartAuthored, Status: Running, Started: at}
	c.steps[path] = st
	if owner := p.owner(); owner != "" {
		c.part(st, p, owner, at)
	} else if parent := c.around(p.parent); parent != "" {
		st.Parent, st.Name = c.step(parent, at), path[len(parent)+1:]
	} else {
		st.Name = path
	}
	if st.Parent == nil {
		c.top = append(c.top, st)
	} else {
		st.Depth = st.Parent.Depth + 1
		st.Parent.Children = append(st.Parent.Children, st)
	}
	c.all = append(c.all, st)
	return st
}

// around is the longest beginning of a path that is a step, or a part of one;
// empty for none. Ids may hold a slash, so that not every one leads further down.
func (c *Collector) around(path string) string {
	for path != "" {
		if c.steps[path] != nil {
			return path
		}
		owner := locate(path, c.isLoop).owner()
		if owner != "" && c.around(owner) == owner {
			return path
		}
		at := strings.LastIndexByte(path, '/')
		path = path[:max(at, 0)]
	}
	return ""
}

func (c *Collector) isLoop(path string) bool { return c.loopish[unindexed(path)] }

// part places a step that no recipe has: a round, what judges it, an element.
func (c *Collector) part(st *Step, p place, owner string, at time.Time) {
	st.Parent = c.step(owner, at)
	loop := c.loops[owner]
	switch {
	case p.part == "" && loop != nil:
		st.Part, st.Name = PartRound, fmt.Sprintf("round %d", p.index)
		return
	case p.part == "":
		st.Part, st.Name = PartElement, fmt.Sprintf("%s[%d]", p.name, p.index)
		return
	}
	st.Part, st.Name = PartMeasure, p.part
	switch part := Part(p.part); part {
	case PartJudge, PartCheck, PartProgress:
		st.Part = part
	}
	if loop != nil && p.index > 0 {
		if round := c.steps[fmt.Sprintf("%s[%d]", owner, p.index)]; round != nil {
			st.Parent = round
		}
	}
}

// inline is the text of an output that is at hand; empty where it is stored.
func inline(v any) string {
	if _, large := v.(value.Ref); large || v == nil {
		return ""
	}
	return value.Text(v)
}
