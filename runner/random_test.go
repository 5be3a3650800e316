package runner

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/runner/step"
	"github.com/google/go-cmp/cmp"
)

// sketch writes random recipes: groups, graphs, foreach and calls, with steps
// that fail and are tolerated, and conditions over what earlier steps set.
type sketch struct {
	random *rand.Rand
	serial int
	fails  map[string]int
	texts  []string
	// loops are left out of deep trees, where each doubles what lies below it.
	loops bool
}

func newSketch(seed uint64, depth int) *sketch {
	s := &sketch{random: rand.New(rand.NewPCG(seed, 11)), fails: map[string]int{}, texts: []string{""}, loops: depth <= 2}
	s.texts[0] = s.recipe("root", depth)
	s.texts = append(s.texts, judgeText)
	return s
}

func (s *sketch) recipe(name string, depth int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\nrecursion: {max_total_steps: 100000, max_depth: 20}\ncontext: {list: [1, 2, 3]}\n", name)
	if s.random.IntN(3) == 0 {
		fmt.Fprintf(&b, "max_parallel: %d\n", 1+s.random.IntN(3))
	}
	b.WriteString("steps:\n")
	var ids []string
	group := ""
	for range 2 + s.random.IntN(5) {
		s.serial++
		id := fmt.Sprintf("s%d", s.serial)
		line := fmt.Sprintf("  - {id: %s, output: v%d", id, s.random.IntN(6))
		switch s.random.IntN(4) {
		case 0:
			if group == "" || s.random.IntN(3) == 0 {
				group = "g" + id
			}
			line += ", parallel_group: " + group
		case 1:
			group = ""
			if len(ids) > 0 {
				line += fmt.Sprintf(", depends_on: [%s]", ids[s.random.IntN(len(ids))])
			}
		default:
			group = ""
		}
		// A foreach whose elements all fail ends what runs beside it, and who that
		// is does depend on the order; so no random foreach fails.
		foreach := s.random.IntN(4) == 0
		if foreach {
			line += fmt.Sprintf(`, foreach: "{{list}}", parallel: %d, collect: c%d`, 1+s.random.IntN(3), s.random.IntN(3))
		}
		if s.random.IntN(4) == 0 {
			line += fmt.Sprintf(`, condition: "v%d != null or steps.%s.status == null"`, s.random.IntN(6), id)
		}
		if !foreach && s.random.IntN(5) == 0 {
			line += ", continue_on_error: true, retry: {attempts: 2, delay: 1}"
			s.fails[id] = 1 + s.random.IntN(3)
		}
		if depth > 0 && s.random.IntN(3) == 0 {
			child := fmt.Sprintf("r%d", s.serial)
			s.texts = append(s.texts, s.recipe(child, depth-1))
			line += ", recipe: " + child
			if s.loops && s.random.IntN(3) == 0 {
				// The result of a loop holds its duration, which does depend on the order.
				line = strings.Replace(line, "output:", "name:", 1) + ", type: loop, judge: judge"
			}
			delete(s.fails, id)
		} else {
			line += `, command: "true"`
		}
		b.WriteString(line + "}\n")
		ids = append(ids, id)
	}
	b.WriteString("finally:\n  - {id: end_" + name + ", command: \"true\"}\n")
	return b.String()
}

// seeds is how many random recipes a test plays.
func seeds(t *testing.T, n int) uint64 {
	if testing.Short() || raceEnabled {
		n /= 20
	}
	t.Logf("%d seeds", n)
	return uint64(n)
}

// The second executor of DESIGN's seam: whatever the order in which parallel
// work ends, the decisions are those of the order of the file.
func TestRandomOrderTakesTheSameDecisionsAsFileOrder(t *testing.T) {
	t.Parallel()
	const orders = 50
	for seed := range seeds(t, 10_000) / orders {
		s := newSketch(seed, 2)
		resolved := tree(t, s.texts...)
		calm := newWorld(t, 0)
		calm.fails = s.fails
		want := calm.facts(calm.play(New(resolved, Options{})))
		for order := range uint64(orders) {
			wild := newWorld(t, seed*orders+order+1)
			wild.fails = s.fails
			got := wild.facts(wild.play(New(resolved, Options{})))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("recipe %d, order %d (-file order +random order):\n%s\n%s", seed, order, diff, strings.Join(s.texts, "\n"))
			}
		}
	}
}

// Feeding the recorded events to a new run gives the same actions and the same
// end, after an interruption too.
func TestReplayTakesTheSameDecisions(t *testing.T) {
	t.Parallel()
	for seed := range seeds(t, 400) {
		s := newSketch(seed, 2)
		resolved := tree(t, s.texts...)
		w := newWorld(t, seed+1)
		w.fails = s.fails
		if seed%3 == 0 {
			w.interrupt = int(seed % 17)
		}
		first := New(resolved, Options{})
		want := w.facts(w.play(first))
		again := New(resolved, Options{})
		again.Start(w.clock)
		for _, ev := range w.events {
			if _, err := again.Feed(ev); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if again.Outcome() == nil {
			t.Fatalf("seed %d: the replay did not end", seed)
		}
		if diff := cmp.Diff(want, w.facts(again.Outcome())); diff != "" {
			t.Fatalf("seed %d:\n%s", seed, diff)
		}
	}
}

// A deep tree that is interrupted after every single result still ends, starts
// nothing new but hooks and finally, and loses no entry of what had ended.
func TestAnInterruptionAtEveryStepOfADeepTreeEndsTheRun(t *testing.T) {
	t.Parallel()
	s := newSketch(5, 6)
	resolved := tree(t, s.texts...)
	whole := newWorld(t, 1)
	whole.fails = s.fails
	whole.play(New(resolved, Options{}))
	for at := range len(whole.order) {
		w := newWorld(t, 1)
		w.fails = s.fails
		w.interrupt = at
		run := New(resolved, Options{})
		o := w.play(run)
		if o.Status != Interrupted && at < len(whole.order)-1 {
			t.Fatalf("interrupted after %d results: status %s", at, o.Status)
		}
		if len(run.Pending()) != 0 {
			t.Fatalf("interrupted after %d results: %d actions are left under way", at, len(run.Pending()))
		}
	}
}

// reference is a scheduler as plain as can be: it computes, for a graph of
// single steps, which steps may run at the same time.
func reference(after map[string][]string, ids []string) (started [][]string) {
	ended := map[string]bool{}
	begun := map[string]bool{}
	for len(ended) < len(ids) {
		var wave []string
		for _, id := range ids {
			ready := !begun[id]
			for _, on := range after[id] {
				ready = ready && ended[on]
			}
			if ready {
				wave = append(wave, id)
				begun[id] = true
			}
		}
		started = append(started, wave)
		for _, id := range wave {
			ended[id] = true
		}
	}
	return started
}

// waves plays a run in which all that is under way ends at once.
func waves(t *testing.T, run *Run) (started [][]string) {
	t.Helper()
	defer run.Abandon()
	w := newWorld(t, 0)
	batch := run.Start(w.tick())
	for run.Outcome() == nil {
		var wave []string
		var next []*step.Action
		for _, a := range batch.Actions {
			wave = append(wave, a.Path)
		}
		started = append(started, wave)
		for _, a := range batch.Actions {
			res := w.result(a)
			more := w.feed(run, step.Event{Kind: step.Done, ID: a.ID, Result: &res, At: w.tick()})
			next = append(next, more.Actions...)
		}
		batch = step.Batch{Actions: next}
	}
	return started
}

func TestRandomGraphsAgainstAReferenceScheduler(t *testing.T) {
	t.Parallel()
	for seed := range seeds(t, 2_000) {
		random := rand.New(rand.NewPCG(seed, 3))
		after := map[string][]string{}
		var ids []string
		var b strings.Builder
		b.WriteString("name: root\nsteps:\n")
		for i := range 3 + random.IntN(12) {
			id := fmt.Sprintf("s%d", i)
			fmt.Fprintf(&b, "  - {id: %s, command: \"true\"", id)
			if i > 0 && random.IntN(4) > 0 {
				var on []string
				for _, candidate := range ids {
					if random.IntN(3) == 0 {
						on = append(on, candidate)
					}
				}
				if len(on) > 0 {
					fmt.Fprintf(&b, ", depends_on: [%s]", strings.Join(on, ", "))
				} else {
					on = append(on, ids...)
				}
				after[id] = on
			} else {
				after[id] = append([]string(nil), ids...)
			}
			b.WriteString("}\n")
			ids = append(ids, id)
		}
		sorted := func(waves [][]string) (flat []string) {
			for _, wave := range waves {
				flat = append(flat, strings.Join(wave, " "))
			}
			return flat
		}
		want := sorted(reference(after, ids))
		if !strings.Contains(b.String(), "depends_on") {
			continue
		}
		got := waves(t, New(tree(t, b.String()), Options{}))
		// A wave ends step by step, so its followers may be told in the order in
		// which they became ready; as a set a wave is what the reference says.
		if diff := cmp.Diff(canonical(want), canonical(sorted(got))); diff != "" {
			t.Fatalf("seed %d (-reference +runner):\n%s\n%s", seed, diff, b.String())
		}
	}
}

func canonical(waves []string) (list []string) {
	for _, wave := range waves {
		words := strings.Fields(wave)
		for i := range words {
			for j := i + 1; j < len(words); j++ {
				if words[j] < words[i] {
					words[i], words[j] = words[j], words[i]
				}
			}
		}
		list = append(list, strings.Join(words, " "))
	}
	return list
}
