package ledger

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestAnyPrefixOfAHistoryResumesWithoutRepeatingAnAction lets a session work
// through a list of actions and die at any place; every later session resumes
// from the file alone and does what is not recorded.
func TestAnyPrefixOfAHistoryResumesWithoutRepeatingAnAction(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.IntRange(1, 20).Draw(t, "actions")
		var plan []string
		for n := range total {
			plan = append(plan, fmt.Sprintf("a%d", n))
		}
		file := encoded(t, begun(t, `"iteration_limit":6`, `"iteration_limit":1000`))
		performed := map[string]int{}
		for range 200 {
			l := decoded(t, file)
			if l.Status == Closed && l.FinalOutcome != Pause {
				l = reopened(t, l, `"iteration_limit":6`, `"iteration_limit":1000`)
			}
			l, r, err := l.Resume()
			if err != nil {
				t.Fatalf("resume: %v", err)
			}
			if r.NextIteration != l.Len()+1 {
				t.Fatalf("the next iteration is %d after %d", r.NextIteration, l.Len())
			}
			left := slices.DeleteFunc(slices.Clone(plan), func(id string) bool { return slices.Contains(r.CompletedActions, id) })
			if len(left) == 0 {
				break
			}
			file = session(t, l, left, performed)
		}
		for _, id := range plan {
			if performed[id] != 1 {
				t.Fatalf("%s was performed %d times", id, performed[id])
			}
		}
		if findings := Check(file); len(findings) > 0 {
			t.Fatalf("the history does not pass the check: %v", findings)
		}
	})
}

// session records batches until it dies, and returns the file it leaves.
func session(t *rapid.T, l *Ledger, left []string, performed map[string]int) []byte {
	for len(left) > 0 && l.Status == Open {
		size := rapid.IntRange(0, min(3, len(left))).Draw(t, "batch")
		batch := left[:size]
		left = left[size:]
		outcome := rapid.SampledFrom([]Text{Continue, Continue, Continue, Pause, Revise}).Draw(t, "outcome")
		l, _ = record(t, l, Facts{Outcome: outcome, Actions: batch})
		for _, id := range batch {
			performed[id]++
		}
		if len(batch) > 0 {
			if _, _, err := reopenedIfClosed(t, l).Record(Facts{Outcome: Continue, Actions: []string{"new", batch[0]}}); err == nil {
				t.Fatalf("%s was recorded twice", batch[0])
			}
		}
		if rapid.IntRange(0, 3).Draw(t, "death") == 0 {
			break
		}
	}
	return encoded(t, l)
}

func reopenedIfClosed(t *rapid.T, l *Ledger) *Ledger {
	if l.Status == Open {
		return l
	}
	return reopened(t, l)
}

func encoded(t fataler, l *Ledger) []byte {
	t.Helper()
	data, err := l.Encode()
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return bytes.Join(data, nil)
}

func decoded(t fataler, data []byte) *Ledger {
	t.Helper()
	l, err := Decode(data)
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	return l
}
