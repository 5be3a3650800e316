package local

import (
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/step"
)

// What a step is that has no end.
const (
	StepRunning     = "running"
	StepInterrupted = "interrupted"
)

// StepRecord is one step as a journal shows it.
type StepRecord struct {
	Path     string  `json:"path"`
	Type     string  `json:"type"`
	Status   string  `json:"status"` // [StepRunning] or [StepInterrupted] where it has no end
	Error    string  `json:"error,omitempty"`
	ExitCode int     `json:"exit_code"`
	Duration float64 `json:"duration"` // seconds
	// Actions are the actions that were done for it, in order.
	Actions []*ActionRecord `json:"actions,omitempty"`
	Usage   *step.Usage     `json:"usage,omitempty"`
	// Attempts counts how often the step was tried, and is 0 where it was never
	// tried or has no end.
	Attempts int `json:"attempts,omitempty"`
}

// ActionRecord is one action of a step with the places of its outputs.
type ActionRecord struct {
	ID     string     `json:"id"`
	Done   bool       `json:"done"`
	Stdout *value.Ref `json:"stdout,omitempty"`
	Stderr *value.Ref `json:"stderr,omitempty"`
	// Text is the output of an action that printed nothing into the spool, such
	// as a native function's.
	Text string `json:"-"`
	// Usage is what an agent call used, or has used so far.
	Usage *step.Usage `json:"-"`
}

// StepLog collects the steps of a journal in the order they started.
type StepLog struct {
	steps   []*StepRecord
	last    map[string]*StepRecord
	actions map[string]*ActionRecord
	show    Unseal
}

// NewStepLog returns an empty log, to be filled by Add. show gives what may be
// sealed in a form for people; nil leaves it as it was recorded.
func NewStepLog(show Unseal) *StepLog {
	return &StepLog{show: show, last: map[string]*StepRecord{}, actions: map[string]*ActionRecord{}}
}

// Add takes one record of the journal.
func (l *StepLog) Add(rec journal.Record) error {
	switch rec.Kind {
	case journal.KindActionStarted:
		var started journal.ActionStarted
		if err := rec.Decode(&started); err != nil {
			return err
		}
		if st := l.working(started); st != nil {
			action := &ActionRecord{ID: started.ID}
			st.Actions = append(st.Actions, action)
			l.actions[started.ID] = action
		}
	case journal.KindActionFinished:
		ev, ok, err := rec.Event(l.show)
		if err != nil || !ok {
			return err
		}
		if action := l.actions[ev.ID]; action != nil && ev.Result != nil {
			action.Done, action.Stdout, action.Stderr = true, ev.Result.Stdout, ev.Result.Stderr
			action.Text = outputText(ev.Result)
			if ev.Result.Usage != nil {
				action.Usage = ev.Result.Usage
			}
		}
	case journal.KindUsed:
		ev, ok, err := rec.Event(l.show)
		if err != nil || !ok {
			return err
		}
		if action := l.actions[ev.ID]; action != nil && ev.Usage != nil {
			action.Usage = ev.Usage
		}
	case journal.KindRunFinished:
		l.stop()
	case journal.KindNote:
		n, err := rec.Note(l.show)
		if err != nil {
			return err
		}
		l.note(n)
	}
	return nil
}

// outputText is the text of an output that is at hand.
func outputText(res *step.Result) string {
	if _, large := res.Text.(value.Ref); large {
		return ""
	}
	return value.Text(res.Text)
}

func (l *StepLog) note(n step.Note) {
	path := unindexed(n.Path)
	switch n.Kind {
	case step.StepStarted:
		st := &StepRecord{Path: n.Path, Type: n.Type, Status: StepRunning}
		l.steps = append(l.steps, st)
		l.last[path] = st
	case step.StepFinished:
		st := l.last[path]
		if st == nil || st.Status != StepRunning {
			st = l.again(path, n.Path)
		}
		o := n.Outcome
		st.Status, st.Error, st.ExitCode = string(o.Status), o.Error, o.ExitCode
		st.Duration, st.Usage = o.Duration.Seconds(), o.Usage
		st.Attempts = o.Attempts
	}
}

// working is the record that an action belongs to. A resume does not announce
// the steps that it runs again: their first work does.
func (l *StepLog) working(a journal.ActionStarted) *StepRecord {
	path := unindexed(a.Path)
	st := l.last[path]
	switch step.Kind(a.Kind) {
	case step.Shell, step.Agent, step.Native:
		if st != nil && st.Status != StepRunning {
			return l.again(path, a.Path)
		}
	}
	return st
}

// again begins another record of a step.
func (l *StepLog) again(path, own string) *StepRecord {
	st := &StepRecord{Path: own, Status: StepRunning}
	if before := l.last[path]; before != nil {
		st.Type = before.Type
	}
	l.steps = append(l.steps, st)
	l.last[path] = st
	return st
}

// stop marks the steps that have no end, and will get none from this owner.
func (l *StepLog) stop() {
	for _, st := range l.steps {
		if st.Status == StepRunning {
			st.Status = StepInterrupted
		}
	}
}

// NewStepLogOf makes a log of steps that were collected before.
func NewStepLogOf(steps []*StepRecord) *StepLog { return &StepLog{steps: steps} }

// Steps are the steps so far. held tells that a living process holds the run;
// otherwise steps without an end are interrupted, and never running.
func (l *StepLog) Steps(held bool) []*StepRecord {
	if !held {
		l.stop()
	}
	return l.steps
}

// Usage is what all agent calls of the steps used, those that were repeated
// included, and those under way as far as they have told; nil where there were
// none.
func Usage(steps []*StepRecord) *step.Usage {
	var total *step.Usage
	for _, st := range steps {
		for _, action := range st.Actions {
			total = total.Plus(action.Usage)
		}
	}
	return total
}

// Find is the last record of a step, by its path or the end of it.
func (l *StepLog) Find(path string) (*StepRecord, bool) {
	for i := len(l.steps) - 1; i >= 0; i-- {
		own := unindexed(l.steps[i].Path)
		if own == path || strings.HasSuffix(own, "/"+path) {
			return l.steps[i], true
		}
	}
	return nil, false
}
