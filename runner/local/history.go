package local

import (
	"errors"
	"slices"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
)

// History is what a journal tells of a run so far.
type History struct {
	Start journal.RunStarted
	// Finished is the end of the last attempt; nil where it has none.
	Finished *journal.RunFinished
	// Attempts counts the owners so far.
	Attempts int
	// Processes are those of actions without a result, by action.
	Processes map[string]process.Ident

	begun    map[string]bool // actions that were announced and have no result that counts
	late     map[string]bool // actions that were announced after a signal
	signaled bool            // the attempt that is read had a signal
	entries  []entry
	noted    int // notes behind the last event, or behind the start
	unseal   Unseal
}

// Unseal undoes the sealing of secrets in what a journal holds; nil leaves
// everything as it was recorded.
type Unseal func(v any) (any, error)

// NewHistory returns an empty history, to be filled by Add.
func NewHistory(unseal Unseal) *History {
	return &History{unseal: unseal, Processes: map[string]process.Ident{}, begun: map[string]bool{}, late: map[string]bool{}}
}

// Add takes one record of the journal.
func (h *History) Add(rec journal.Record) error {
	switch rec.Kind {
	case journal.KindNote:
		h.noted++
		return nil
	case journal.KindRunStarted:
		h.Attempts = 1
		var err error
		h.Start, err = rec.RunStarted(h.unseal)
		return err
	case journal.KindActionStarted:
		var started journal.ActionStarted
		if err := rec.Decode(&started); err != nil {
			return err
		}
		h.begun[started.ID], h.late[started.ID] = true, h.signaled
	case journal.KindProcessStarted:
		var started journal.ProcessStarted
		if err := rec.Decode(&started); err != nil {
			return err
		}
		h.Processes[started.ID] = started.Process
	case journal.KindResumed:
		var resumed journal.Resumed
		if err := rec.Decode(&resumed); err != nil {
			return err
		}
		h.Attempts, h.Finished, h.signaled = max(resumed.Attempt, h.Attempts+1), nil, false
		h.entries = append(h.entries, entry{mark: true, choice: Choice{From: resumed.From, Only: resumed.Only, GoOn: resumed.GoOn}})
	case journal.KindRunFinished:
		end, err := rec.RunFinished(h.unseal)
		h.Finished = &end
		return err
	}
	ev, ok, err := rec.Event(h.unseal)
	if err != nil || !ok {
		return err
	}
	h.add(ev)
	return nil
}

// add takes an event. One that a signal brought about is undone by the next
// resume, which finds the action as one that was under way.
func (h *History) add(ev step.Event) {
	h.noted = 0
	ev.Attempt = h.Attempts
	e := entry{event: ev}
	switch ev.Kind {
	case step.Used:
		e.undone = h.late[ev.ID]
	case step.Interrupt, step.Kill:
		h.signaled, e.undone = true, true
	default:
		cancelled := h.signaled && ev.Result.Cause == step.CauseCancelled
		e.undone = cancelled || h.late[ev.ID]
		if !cancelled {
			delete(h.begun, ev.ID)
		}
		delete(h.Processes, ev.ID)
	}
	h.entries = append(h.entries, e)
}

// Unended tells why a resume may go on without a choice: the run has no end, or
// one that a signal or a fault brought about.
func (h *History) Unended() bool { return h.Finished == nil || journal.Resumable(h.Finished.Status) }

// Begun lists the actions that were under way when the run stopped, sorted.
func (h *History) Begun() []string {
	var ids []string
	for id := range h.begun {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Restored is a run brought to the point where it stopped.
type Restored struct {
	Run *runner.Run
	// Batch is what the run wants now. Its notes are those that the run gave at its
	// last event and that its owner did not live to record.
	Batch step.Batch
	// Known are results that the run did not ask for yet.
	Known map[string]step.Event
	// Asked are the actions that the run wanted so far, in that order.
	Asked []string
	// Answered are the actions whose results were fed, in that order.
	Answered []*step.Action
	// Played are the recordings that agents' answers were played back from.
	Played []string
	// Decided are the notes of decisions, in their order, and Results the results
	// that were fed, by action.
	Decided []step.Note
	Results map[string]step.Result
	// Interrupted are the actions that were under way and are wanted again.
	Interrupted []*step.Action

	last step.Batch // what the run gave at the last event that was fed
}

// Restore feeds the recorded events to a new run and continues behind them, as
// a resume with the choice does. What the signals of earlier attempts did is
// left out: a run that goes on is not interrupted any more.
func (h *History) Restore(run *runner.Run, tree *recipes.Tree, choice Choice) (*Restored, error) {
	chosen, err := choice.covers(tree)
	if err != nil {
		return nil, err
	}
	events, err := effective(tree, append(slices.Clone(h.entries), entry{mark: true, choice: choice}))
	if err != nil {
		return nil, err
	}
	res, err := h.feed(run, events, chosen)
	if err == nil && choice == (Choice{}) {
		res.Batch.Notes = h.unnoted(res.last)
	}
	return res, err
}

// unnoted are the notes of the last event that are not recorded. Where that event
// does not count any more, nothing is missing.
func (h *History) unnoted(last step.Batch) []step.Note {
	for _, e := range slices.Backward(h.entries) {
		if e.mark {
			continue
		}
		if e.undone {
			return nil
		}
		break
	}
	return last.Notes[min(h.noted, len(last.Notes)):]
}

// Replay feeds the recorded events to a new run and stops where the record
// stops, with its signals.
func (h *History) Replay(run *runner.Run, tree *recipes.Tree) (*Restored, error) {
	events, err := effective(tree, h.entries)
	if err != nil {
		return nil, err
	}
	return h.feed(run, events, func(string) bool { return false })
}

// feeding is a run that gets its recorded events.
type feeding struct {
	run       *runner.Run
	now       time.Time
	known     map[string]step.Event
	answered  []*step.Action
	asked     []string
	wanted    map[string]*step.Action
	cancelled map[string]bool
	decided   []step.Note
	results   map[string]step.Result
	last      step.Batch
}

func (h *History) feed(run *runner.Run, events []step.Event, chosen func(string) bool) (*Restored, error) {
	f := &feeding{
		run: run, now: h.Start.Start,
		known: map[string]step.Event{}, wanted: map[string]*step.Action{}, cancelled: map[string]bool{},
		results: map[string]step.Result{},
	}
	if err := f.take(run.Start(h.Start.Start)); err != nil {
		return nil, err
	}
	for _, ev := range events {
		if _, asked := f.wanted[ev.ID]; ev.Kind == step.Done && !asked {
			f.known[ev.ID] = ev
			continue
		}
		if err := f.feed(ev); err != nil {
			return nil, err
		}
	}
	res := &Restored{Run: run, Known: f.known, Answered: f.answered, Asked: f.asked, Decided: f.decided, Results: f.results, last: f.last}
	for _, ev := range events {
		if ev.Result != nil && ev.Result.Agent != nil && ev.Result.Agent.Recording != "" {
			res.Played = append(res.Played, ev.Result.Agent.Recording)
		}
	}
	res.Batch.Actions = run.Pending()
	for _, a := range res.Batch.Actions {
		if h.begun[a.ID] && !chosen(a.ID) {
			res.Interrupted = append(res.Interrupted, a)
		}
		if f.cancelled[a.ID] {
			res.Batch.Cancels = append(res.Batch.Cancels, a.ID)
		}
	}
	return res, nil
}

// feed gives the run an event. Time never goes back: a result that is older than
// the question for it comes at the time of the question.
func (f *feeding) feed(ev step.Event) error {
	if ev.At.Before(f.now) {
		ev.At = f.now
	}
	f.now = ev.At
	batch, err := f.run.Feed(ev)
	if err != nil {
		return err
	}
	if a := f.wanted[ev.ID]; ev.Kind == step.Done {
		f.answered = append(f.answered, a)
		f.results[ev.ID] = *ev.Result
		delete(f.wanted, ev.ID)
	}
	return f.take(batch)
}

func (f *feeding) take(batch step.Batch) error {
	f.last = batch
	for _, n := range batch.Notes {
		if Decides(n.Kind) {
			f.decided = append(f.decided, n)
		}
	}
	for _, id := range batch.Cancels {
		f.cancelled[id] = true
	}
	for _, a := range batch.Actions {
		f.wanted[a.ID] = a
		f.asked = append(f.asked, a.ID)
	}
	for _, a := range batch.Actions {
		ev, known := f.known[a.ID]
		if !known {
			continue
		}
		delete(f.known, a.ID)
		if err := f.feed(ev); err != nil {
			return err
		}
	}
	return nil
}

// Decides tells whether notes of a kind report a decision, which a replay has to
// come to again.
func Decides(kind step.NoteKind) bool {
	switch kind {
	case step.LoopRound, step.Verdict, step.Braked, step.LoopEnded, step.RunFinished:
		return true
	}
	return false
}

// Answer gives the result of an interrupted action that is not to run again, by
// its step's on_interrupt; ok is false for one that runs again, as everything
// does that is not the work of a step.
func Answer(a *step.Action) (res step.Result, ok bool) {
	switch a.Kind {
	case step.Shell, step.Agent, step.Native:
	default:
		return step.Result{}, false
	}
	switch a.Def.OnInterrupt {
	case "fail":
		return refuse(step.CauseInterrupted, errors.New("the run stopped while this step was running (on_interrupt: fail)")), true
	case "skip":
		return step.Result{OK: true, Cause: step.CauseInterrupted}, true
	}
	return step.Result{}, false
}
