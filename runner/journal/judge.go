package journal

import (
	"cmp"
	"fmt"
	"time"
)

// Condition is what the watchdog finds about a run.
type Condition string

// The four cases, told apart by two signals: the owner's life, and the last
// sign of progress (seed 004, "Silent death").
const (
	Healthy          Condition = "healthy"
	Finished         Condition = "finished"
	ExecutionFailure Condition = "execution_failure" // the owner died without an end
	HeartbeatStale   Condition = "heartbeat_stale"   // the owner lives, and nothing moves
)

// The halt classes of the two bad cases, which are exit codes as well.
const (
	ClassExecutionFailure = 40
	ClassHeartbeatStale   = 19
)

// Health is the watchdog's finding.
type Health struct {
	Condition Condition
	// Class is the halt class: 0, 40 or 19.
	Class int
	// Reason is one line for people.
	Reason string
	// Silent is how long the longest-silent action that is not waiting, or the
	// run where nothing runs, has shown no progress. It is 0 for a finished run.
	Silent time.Duration
	// Stalled lists the actions that were silent for too long. It is empty for
	// a stalled run in which no action runs.
	Stalled []Running
	// Due is the latest announced wait that is not over, or zero.
	Due time.Time
}

// Judge tells how a run is. It is a pure function of what it is given:
// ownerAlive of the lock, or of the owner's process and start time; the
// actions' Output of the files that their output goes to; now of the clock.
//
// A finished run is never stale. An action, or the run where none runs, is
// stalled when its last sign of progress (a record about it, or output) is more
// than stall ago; while an announced wait is not due it is not, and a wait that
// was due counts as progress at that time. A stall of 0 or less never stalls. An
// action whose loop allows a silence of its own is judged by that.
func Judge(s Summary, ownerAlive bool, now time.Time, stall time.Duration) Health {
	if s.End != nil {
		return Health{Condition: Finished, Reason: fmt.Sprintf("the run ended (%s)", s.End.Status)}
	}
	if !ownerAlive {
		return Health{
			Condition: ExecutionFailure, Class: ClassExecutionFailure, Silent: max(0, now.Sub(s.Last)),
			Reason: "the owner of the run died without an end" + during(s.Running),
		}
	}
	h := Health{Condition: Healthy, Reason: "the run makes progress"}
	stale := func(last time.Time, limit time.Duration) bool {
		silent := now.Sub(last)
		h.Silent = max(h.Silent, silent)
		return limit > 0 && silent > limit
	}
	stalled := false
	for _, action := range s.Running {
		last, due := action.progress(now)
		h.Due = latest(h.Due, due)
		if due.IsZero() && stale(last, cmp.Or(action.Stale, stall)) {
			stalled = true
			h.Stalled = append(h.Stalled, action)
		}
	}
	if last, due := waited(s.Last, s.Wait, now); !due.IsZero() {
		h.Due = latest(h.Due, due)
		stalled, h.Stalled = false, nil
	} else if len(s.Running) == 0 {
		stalled = stale(last, stall)
	}
	switch {
	case stalled:
		h.Condition, h.Class = HeartbeatStale, ClassHeartbeatStale
		h.Reason = fmt.Sprintf("no progress for %s%s", h.Silent.Round(time.Second), during(h.Stalled))
	case !h.Due.IsZero():
		h.Reason = "the run waits until " + h.Due.UTC().Format(time.RFC3339)
	}
	return h
}

// progress is the last sign of progress of an action, and when its wait is due
// unless it is over.
func (a Running) progress(now time.Time) (last, due time.Time) {
	return waited(latest(a.Since, a.Last, a.Output), a.Wait, now)
}

func waited(last time.Time, wait *Wait, now time.Time) (progress, due time.Time) {
	switch {
	case wait == nil:
		return last, time.Time{}
	case wait.Due.After(now):
		return last, wait.Due
	}
	return latest(last, wait.Due), time.Time{}
}

func latest(times ...time.Time) time.Time {
	var last time.Time
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}

func during(actions []Running) string {
	switch len(actions) {
	case 0:
		return ""
	case 1:
		return " in step " + actions[0].Path
	}
	return fmt.Sprintf(" in step %s and %d more", actions[0].Path, len(actions)-1)
}
