package local

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

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

	begun   map[string]bool // actions that were announced and have no result
	entries []entry
	unseal  Unseal
}

// Unseal undoes the sealing of secrets in what a journal holds; nil leaves
// everything as it was recorded.
type Unseal func(v any) (any, error)

// entry is an event, or the mark of a resume that ran steps again by choice.
type entry struct {
	event      step.Event
	from, only string
}

// NewHistory returns an empty history, to be filled by Add.
func NewHistory(unseal Unseal) *History {
	return &History{unseal: unseal, Processes: map[string]process.Ident{}, begun: map[string]bool{}}
}

// Add takes one record of the journal.
func (h *History) Add(rec journal.Record) error {
	switch rec.Kind {
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
		h.begun[started.ID] = true
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
		h.Attempts, h.Finished = max(resumed.Attempt, h.Attempts+1), nil
		if resumed.From != "" || resumed.Only != "" {
			h.entries = append(h.entries, entry{from: resumed.From, only: resumed.Only})
		}
	case journal.KindRunFinished:
		end, err := rec.RunFinished(h.unseal)
		h.Finished = &end
		return err
	}
	ev, ok, err := rec.Event(h.unseal)
	if err != nil || !ok {
		return err
	}
	delete(h.begun, ev.ID)
	delete(h.Processes, ev.ID)
	h.entries = append(h.entries, entry{event: ev})
	return nil
}

// Begun lists the actions that were under way when the run stopped, sorted.
func (h *History) Begun() []string {
	var ids []string
	for id := range h.begun {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Choice is which steps a resume runs again although they have a result.
type Choice struct {
	From string // this step and what stands behind it
	Only string // this step alone
}

// StepError tells that a step to be run again is not in the recipe.
type StepError struct{ Step string }

func (e *StepError) Error() string {
	return fmt.Sprintf("the recipe has no step %s", e.Step)
}

// Restored is a run brought to the point where it stopped.
type Restored struct {
	Run *runner.Run
	// Batch is what the run wants now.
	Batch step.Batch
	// Known are results that the run did not ask for yet.
	Known map[string]step.Event
	// Interrupted are the actions that were under way and are wanted again.
	Interrupted []*step.Action
}

// Restore feeds the recorded events to a new run. Interruptions are fed only
// when they were recorded after the last choice: a run that is continued by
// choice is not interrupted any more.
func (h *History) Restore(run *runner.Run, tree *recipes.Tree, choice Choice) (*Restored, error) {
	entries := h.entries
	if choice != (Choice{}) {
		entries = append(slices.Clone(entries), entry{from: choice.From, only: choice.Only})
	}
	events, err := effective(tree, entries)
	if err != nil {
		return nil, err
	}
	res := &Restored{Run: run, Known: map[string]step.Event{}}
	wanted := map[string]*step.Action{}
	cancelled := map[string]bool{}
	take := func(batch step.Batch) {
		for _, a := range batch.Actions {
			wanted[a.ID] = a
		}
		for _, id := range batch.Cancels {
			cancelled[id] = true
		}
	}
	take(run.Start(h.Start.Start))
	for _, ev := range events {
		if _, asked := wanted[ev.ID]; ev.Kind == step.Done && !asked {
			res.Known[ev.ID] = ev
			continue
		}
		batch, err := run.Feed(ev)
		if err != nil {
			return nil, err
		}
		delete(wanted, ev.ID)
		take(batch)
	}
	res.Batch.Actions = run.Pending()
	for _, a := range res.Batch.Actions {
		if h.begun[a.ID] && choice == (Choice{}) {
			res.Interrupted = append(res.Interrupted, a)
		}
		if cancelled[a.ID] {
			res.Batch.Cancels = append(res.Batch.Cancels, a.ID)
		}
	}
	return res, nil
}

// effective are the events that still count, in the order they were recorded:
// each choice takes away what it runs again, and the signals before it.
func effective(tree *recipes.Tree, entries []entry) ([]step.Event, error) {
	var events []step.Event
	for _, e := range entries {
		target := cmp.Or(e.from, e.only)
		if target == "" {
			events = append(events, e.event)
			continue
		}
		place, ok := position(tree.Root, target)
		if !ok {
			return nil, &StepError{target}
		}
		events = slices.DeleteFunc(events, func(ev step.Event) bool {
			if ev.Kind != step.Done {
				return true
			}
			where, ok := position(tree.Root, pathOf(ev.ID))
			return !ok || again(where, place, e.only != "")
		})
	}
	return events, nil
}

// pathOf is the step's path in the ID of an action.
func pathOf(id string) string {
	if i := strings.LastIndexByte(id, '#'); i >= 0 {
		return unindexed(id[:i])
	}
	return unindexed(id)
}

// position gives the place of a step as the index on each level of the tree.
// Steps of finally stand behind all others.
func position(r *recipes.Recipe, path string) (place []int, ok bool) {
	for i, st := range slices.Concat(r.Steps, r.Finally) {
		if st.ID == path {
			return []int{i}, true
		}
		rest, below := strings.CutPrefix(path, st.ID+"/")
		if !below || st.Child == nil {
			continue
		}
		if inner, found := position(st.Child, rest); found {
			return append([]int{i}, inner...), true
		}
	}
	return nil, false
}

// again tells whether what stands at where runs again when place does.
func again(where, place []int, only bool) bool {
	if len(where) < len(place) && slices.Equal(where, place[:len(where)]) {
		return false // what goes around the step itself
	}
	if len(where) >= len(place) && slices.Equal(where[:len(place)], place) {
		return true
	}
	return !only && slices.Compare(where, place) > 0
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
