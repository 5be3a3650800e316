package doomloop

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func word(letters []int) []Event {
	events := make([]Event, len(letters))
	for i, n := range letters {
		events[i] = Event{Action: fmt.Sprint(n), Status: Succeeded, Output: fmt.Sprint("out", n)}
	}
	return events
}

// primitiveRoot is the length of the shortest word of which w is a power.
func primitiveRoot(w []int) int {
	for d := 1; d < len(w); d++ {
		if len(w)%d != 0 {
			continue
		}
		same := true
		for i := d; i < len(w); i++ {
			same = same && w[i] == w[i-d]
		}
		if same {
			return d
		}
	}
	return len(w)
}

// A cycle of any period is found as soon as it has run twice, wherever in the
// cycle the sequence began.
func TestEveryCycleIsFoundWithinTwoPeriods(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cycle := rapid.SliceOfN(rapid.IntRange(0, 4), 2, 12).Draw(t, "cycle")
		period := primitiveRoot(cycle)
		if period < 2 {
			t.Skip("a repeated action")
		}
		// Letters of their own keep the prelude from completing a cycle.
		prelude := rapid.IntRange(0, 10).Draw(t, "prelude")
		offset := rapid.IntRange(0, period-1).Draw(t, "offset")
		var sequence []int
		for i := range prelude {
			sequence = append(sequence, 100+i)
		}
		for i := range 2 * period {
			sequence = append(sequence, cycle[(offset+i)%period])
		}
		findings, err := Scan(word(sequence), Config{CycleRepeats: 2, MaxPeriod: 12})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			if f.Kind == Cycle && f.Period == period && f.Last == len(sequence) {
				return
			}
		}
		t.Fatalf("period %d in %v: found %+v", period, sequence, findings)
	})
}

// Nothing that never repeats is a loop.
func TestASequenceOfNewEventsIsNoLoop(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sequence := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}).Draw(t, "sequence")
		findings, err := Scan(word(sequence), Default())
		if err != nil || len(findings) > 0 {
			t.Fatalf("found %+v, %v", findings, err)
		}
	})
}

// oracle says from the whole sequence, without any memory, which periods have
// just completed the given number of repetitions at the end of w.
func oracle(w []int, repeats, maxPeriod int) map[int]bool {
	periods := map[int]bool{}
	for p := 2; p <= maxPeriod && p*repeats <= len(w); p++ {
		tail := w[len(w)-p*repeats:]
		same := true
		for i := p; i < len(tail); i++ {
			same = same && tail[i] == tail[i-p]
		}
		if same && primitiveRoot(tail[:p]) == p {
			periods[p] = true
		}
	}
	return periods
}

// The incremental search finds exactly what a search over all of it would.
func TestCyclesAreThoseOfAFullSearch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sequence := rapid.SliceOfN(rapid.IntRange(0, 2), 0, 40).Draw(t, "sequence")
		repeats := rapid.IntRange(2, 4).Draw(t, "repeats")
		maxPeriod := rapid.IntRange(2, 6).Draw(t, "maxPeriod")
		c := newCycles(repeats, maxPeriod)
		for i, event := range word(sequence) {
			got := map[int]bool{}
			s := sighting{Event: event, number: i + 1, call: call{event.Action, event.Args}}
			s.symbol = symbol{call: s.call, status: event.Status, output: event.Output, errors: event.Error}
			for _, l := range c.see(s) {
				got[l.Period] = true
				if n := len(l.Witnesses); l.Witnesses[n-1] != i+1 || l.Witnesses[0] != i+2-n {
					t.Fatalf("witnesses %v at event %d", l.Witnesses, i+1)
				}
			}
			if diff := cmp.Diff(oracle(sequence[:i+1], repeats, maxPeriod), got); diff != "" {
				t.Fatalf("after %v (-want +got):\n%s", sequence[:i+1], diff)
			}
		}
	})
}

// Live and afterwards say the same.
func TestFeedAndScanAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := word(rapid.SliceOfN(rapid.IntRange(0, 2), 0, 40).Draw(t, "sequence"))
		d, err := New(Default())
		if err != nil {
			t.Fatal(err)
		}
		var live []Kind
		for _, event := range events {
			for _, f := range d.Feed(event) {
				live = append(live, f.Kind)
			}
		}
		findings, err := Scan(events, Default())
		if err != nil {
			t.Fatal(err)
		}
		var after []Kind
		for _, f := range findings {
			after = append(after, f.Kind)
		}
		if diff := cmp.Diff(live, after); diff != "" {
			t.Fatalf("(-live +after):\n%s", diff)
		}
	})
}
