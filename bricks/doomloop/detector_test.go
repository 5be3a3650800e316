package doomloop

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/brickoven/brickoven/bricks/guard"
	"github.com/brickoven/brickoven/recipes/value"
)

// letters turns "A B" into one event for each word; the word is action and
// outcome at once.
func letters(text string) []Event {
	var events []Event
	for _, word := range strings.Fields(text) {
		events = append(events, Event{Action: word, Status: Succeeded, Output: "out of " + word})
	}
	return events
}

func each(events []Event, change func(i int, e *Event)) []Event {
	for i := range events {
		change(i, &events[i])
	}
	return events
}

func scan(t *testing.T, config Config, events []Event) []Finding {
	t.Helper()
	findings, err := Scan(events, config)
	if err != nil {
		t.Fatal(err)
	}
	return findings
}

type found struct {
	Kind          Kind
	Period, Count int
	Witnesses     []int
}

func TestScanFindsEachKindOfLoopAndNamesItsWitnesses(t *testing.T) {
	t.Parallel()
	fail := func(args string) Event {
		return Event{Action: "test", Args: args, Status: Failed, Error: "E1", Output: "o" + args}
	}
	limited := Default()
	limited.MaxEvents, limited.MaxElapsed, limited.MaxTokens, limited.MaxCostUSD = 2, time.Minute, 100, 1
	costs := letters("A B C")
	for i := range costs {
		costs[i].At = time.Unix(int64(i)*40, 0)
		costs[i].Tokens, costs[i].CostUSD = 40, 0.4
	}
	edits := []Event{}
	for i := range 6 {
		edits = append(edits, Event{Action: "edit", Args: string(rune('a' + i)), Status: Succeeded}, fail("same"))
	}
	for _, c := range []struct {
		name   string
		config Config
		events []Event
		want   []found
	}{
		{"repeated action", Default(), letters("X A A A A"), []found{{RepeatedAction, 0, 4, []int{2, 3, 4}}}},
		{"repeated failure of different calls", Default(), []Event{fail("1"), fail("2"), fail("3")},
			[]found{{RepeatedFailure, 0, 3, []int{1, 2, 3}}}},
		{"recurring failure with edits in between", Default(), edits,
			[]found{{RepeatedFailure, 0, 6, []int{2, 4, 6, 8, 10, 12}}}},
		{"repeated output of different calls", Default(),
			each(letters("A B C D E"), func(_ int, e *Event) { e.Output, e.OutputSize = "same", 64 }),
			[]found{{RepeatedOutput, 0, 5, []int{1, 2, 3, 4}}}},
		{"cycle of two", Default(), letters("A B A B"), []found{{Cycle, 2, 2, []int{1, 2, 3, 4}}}},
		{"cycle of two that stops half-way", Default(), letters("A B A B A"), []found{{Cycle, 2, 2, []int{1, 2, 3, 4}}}},
		{"cycle of two after a prelude", Default(), letters("X Y A B A B"), []found{{Cycle, 2, 2, []int{3, 4, 5, 6}}}},
		{"cycle of three", Default(), letters("A B C A B C A B C"), []found{{Cycle, 3, 3, []int{1, 2, 3, 4, 5, 6}}}},
		{"cycle with a repetition inside", Default(), letters("A A B A A B"), []found{{Cycle, 3, 2, []int{1, 2, 3, 4, 5, 6}}}},
		{"no progress without a cycle", Config{NoProgress: 4}, letters("A B C A C B B A"),
			[]found{{NoProgress, 0, 5, []int{4, 5, 6, 7}}}},
		{"no progress by the caller's mark", Config{NoProgress: 2},
			each(letters("A B C"), func(_ int, e *Event) { e.Progress = Missing }), []found{{NoProgress, 0, 3, []int{1, 2}}}},
		{"circular plan", Config{CircularPlan: 2}, each(letters("A B C D E"), func(i int, e *Event) { e.Plan = []string{"p", "q", "", "p", "q"}[i] }),
			[]found{{CircularPlan, 0, 2, []int{4, 5}}}},
		{"resources", limited, costs, []found{
			{ResourceExhaustion, 0, 3, []int{3}}, {ResourceExhaustion, 0, 3, []int{3}},
			{ResourceExhaustion, 0, 3, []int{3}}, {ResourceExhaustion, 0, 3, []int{3}},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []found
			for _, f := range scan(t, c.config, c.events) {
				got = append(got, found{f.Kind, f.Period, f.Count, f.Witnesses})
				if f.Reason == "" || f.Last == 0 {
					t.Errorf("no reason or end: %+v", f)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestScanLeavesHonestWorkAlone(t *testing.T) {
	t.Parallel()
	waits := func(_ int, e *Event) {
		e.Status, e.Error, e.Waited = Failed, "refused", 2*time.Second
	}
	cheap := Default()
	cheap.MaxCostUSD = 1
	for name, c := range map[string]struct {
		config Config
		events []Event
	}{
		"a poll whose result changes": {Default(), each(letters("P P P P P P P P P P P P"), func(i int, e *Event) { e.Output = string(rune('a' + i)) })},
		"a poll between sleeps whose result changes": {Default(), each(letters("S P S P S P S P"), func(i int, e *Event) {
			if i%2 == 1 {
				e.Output = string(rune('a' + i))
			}
		})},
		"a retry that waits":            {Default(), each(letters("R R R R R R R R R R R R"), waits)},
		"the same tool, other files":    {Default(), each(letters("read read read read read read"), func(i int, e *Event) { e.Args, e.Output = string(rune('a'+i)), "" })},
		"twice is no habit":             {Default(), letters("A A B B C C")},
		"failures of different kinds":   {Default(), each(letters("T T T T"), func(i int, e *Event) { e.Status, e.Error = Failed, string(rune('a'+i)) })},
		"failure, success, failure":     {Default(), each(letters("T T T T"), func(i int, e *Event) { e.Status, e.Output = []Status{Failed, Succeeded}[i%2], string(rune('a'+i)) })},
		"short outputs say nothing":     {Default(), each(letters("A B C D E F"), func(_ int, e *Event) { e.Output, e.OutputSize = "ok", 2 })},
		"empty outputs say nothing":     {Default(), each(letters("A B C D E F"), func(_ int, e *Event) { e.Output = "" })},
		"progress by the caller's mark": {Config{NoProgress: 2}, each(letters("A A A A A A"), func(_ int, e *Event) { e.Progress = Made })},
		"a plan kept":                   {Default(), each(letters("A B C D"), func(_ int, e *Event) { e.Plan = "p" })},
		"a plan that goes back once":    {Default(), each(letters("A B C D"), func(i int, e *Event) { e.Plan = []string{"p", "q", "p", "r"}[i] })},
		"all detectors off":             {Config{}, letters("A A A A A A A A B A B A B A B")},
		"no limits by default":          {Default(), each(letters("A B C"), func(_ int, e *Event) { e.Tokens, e.CostUSD = 1e9, 1e6 })},
		"limits that are just met":      {Config{MaxEvents: 3}, letters("A B C")},
		"a cost that is no number":      {cheap, each(letters("A B C"), func(_ int, e *Event) { e.CostUSD = math.NaN() })},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := scan(t, c.config, c.events); len(got) > 0 {
				t.Errorf("found %+v", got)
			}
		})
	}
}

func TestAnImpatientRetryIsALoop(t *testing.T) {
	t.Parallel()
	events := each(letters("R R R"), func(_ int, e *Event) { e.Waited = time.Second - 1 })
	if got := scan(t, Default(), events); len(got) != 1 || got[0].Kind != RepeatedAction {
		t.Errorf("found %+v", got)
	}
}

func TestACostThatIsNoNumberDoesNotSilenceTheLimit(t *testing.T) {
	t.Parallel()
	events := letters("A B C")
	events[0].CostUSD, events[1].CostUSD, events[2].CostUSD = math.NaN(), -5, 2
	got := scan(t, Config{MaxCostUSD: 1}, events)
	if len(got) != 1 || got[0].Last != 3 {
		t.Errorf("found %+v", got)
	}
}

func TestFeedReportsEachLoopOnceAndFindingsGoOnCounting(t *testing.T) {
	t.Parallel()
	d, err := New(Default())
	if err != nil {
		t.Fatal(err)
	}
	var at []int
	for i, event := range letters("A A A A A B A A A") {
		if len(d.Feed(event)) > 0 {
			at = append(at, i+1)
		}
	}
	if diff := cmp.Diff([]int{3, 9}, at); diff != "" {
		t.Errorf("fed findings (-want +got):\n%s", diff)
	}
	all := d.Findings()
	if len(all) != 2 || all[0].Count != 5 || all[0].Last != 5 || all[1].Count != 3 {
		t.Errorf("findings: %+v", all)
	}
	all[0].Witnesses[0] = 99
	if d.Findings()[0].Witnesses[0] == 99 {
		t.Error("a caller can change the detector's findings")
	}
}

func TestThresholdsThatCannotBeMeantAreRefused(t *testing.T) {
	t.Parallel()
	for field, config := range map[string]Config{
		"repeated_action": {RepeatedAction: 1}, "repeated_failure": {RepeatedFailure: -1}, "recurring_failure": {RecurringFailure: 1},
		"repeated_output": {RepeatedOutput: 1}, "cycle_repeats": {CycleRepeats: 1, MaxPeriod: 2}, "max_period": {MaxPeriod: 1},
		"no_progress": {NoProgress: -1}, "circular_plan": {CircularPlan: -1}, "patient_wait": {PatientWait: -1}, "min_output_bytes": {MinOutput: -1},
		"max_events": {MaxEvents: -1}, "max_minutes": {MaxElapsed: -1}, "max_tokens": {MaxTokens: -1}, "max_cost_usd": {MaxCostUSD: math.NaN()},
	} {
		_, err := New(config)
		var fault *ConfigError
		if !errors.As(err, &fault) || fault.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := Scan(nil, Config{NoProgress: -1}); err == nil {
		t.Error("Scan accepts what New refuses")
	}
	if _, err := New(Default()); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
}

func TestAFindingIsAGuardEventThatTheRecogniserKnows(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{RepeatedAction, RepeatedFailure, RepeatedOutput, Cycle, NoProgress, CircularPlan, ResourceExhaustion} {
		text, err := json.Marshal(Finding{Kind: kind, Reason: "because", Witnesses: []int{1}})
		if err != nil {
			t.Fatal(err)
		}
		event, err := value.Parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		want := guard.Recognition{DoomLoop: true, Rule: guard.RuleLoopType, Kind: string(kind), Reason: "because"}
		if diff := cmp.Diff(want, guard.Recognise(event), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

func TestWitnessesAreBounded(t *testing.T) {
	t.Parallel()
	config := Config{RepeatedAction: 500, CycleRepeats: 50, MaxPeriod: 8}
	events := letters(strings.Repeat("A ", 600) + strings.Repeat("B C ", 60))
	for _, f := range scan(t, config, events) {
		if len(f.Witnesses) > MaxWitnesses {
			t.Errorf("%s has %d witnesses", f.Kind, len(f.Witnesses))
		}
		if first := f.Witnesses[0]; f.Kind == RepeatedAction && first != 500-MaxWitnesses+1 {
			t.Errorf("the first witness is %d", first)
		}
	}
}
