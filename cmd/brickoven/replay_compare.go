package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/local"
	"github.com/brickoven/brickoven/runner/step"
)

func (f *replayed) differ(what, recorded, replayed string) {
	f.Differ = append(f.Differ, replayDiffer{what, recorded, replayed})
}

// compare looks for the replay's actions and decisions in the record, in their
// order. A run that was resumed has more in its record than still counts.
func (r *replaying) compare(dir string, past *local.History, again *local.Restored, found *replayed) (err error) {
	var started []string
	var decided []step.Note
	unseal := r.app.unsealer(past.Start)
	reader, err := journal.Read(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	for rec, err := range reader.Records() {
		if err != nil {
			return err
		}
		switch rec.Kind {
		case journal.KindActionStarted:
			var a journal.ActionStarted
			if err := rec.Decode(&a); err != nil {
				return err
			}
			started = append(started, a.ID)
		case journal.KindNote:
			n, err := rec.Note(unseal)
			if err != nil {
				return err
			}
			if local.Decides(n.Kind) {
				decided = append(decided, n)
			}
		}
	}
	found.Actions, found.Decisions = len(again.Asked), len(again.Decided)
	for _, id := range again.Asked {
		if !slices.Contains(started, id) && again.Run.Outcome() != nil {
			found.differ("an action", "not asked for", id)
		}
	}
	at := 0
	for _, n := range again.Decided {
		i := slices.IndexFunc(decided[at:], func(other step.Note) bool { return sameDecision(n, other) })
		if i < 0 {
			found.differ("a decision about "+n.Path, nearestDecision(decided[at:], n), string(n.Kind)+": "+n.Name+" "+n.Text)
			continue
		}
		at += i + 1
	}
	if end := again.Run.Outcome(); past.Finished != nil {
		got := "no end"
		if end != nil {
			got = fmt.Sprintf("%s, exit code %d", end.Status, exitCode(end))
		}
		if want := fmt.Sprintf("%s, exit code %d", past.Finished.Status, past.Finished.ExitCode); got != want {
			found.differ("the end of the run", want, got)
		}
	}
	return err
}

// sameDecision compares two notes; how long something took is not decided.
func sameDecision(a, b step.Note) bool {
	return a.Kind == b.Kind && a.Path == b.Path && a.Name == b.Name && timeless(a.Text) == timeless(b.Text)
}

func timeless(text string) string {
	v, err := value.Parse(text)
	m, isMap := v.(map[string]any)
	if err != nil || !isMap {
		return text
	}
	if total, ok := m["total"].(map[string]any); ok {
		delete(total, "elapsed_ns")
	}
	return value.JSON(m)
}

func nearestDecision(decided []step.Note, n step.Note) string {
	for _, other := range decided {
		if other.Kind == n.Kind && other.Path == n.Path {
			return string(other.Kind) + ": " + other.Name + " " + other.Text
		}
	}
	return "not in the record"
}
