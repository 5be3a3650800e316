package brakes_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/bricks/brakes"
	"github.com/brickoven/brickoven/bricks/brakes/failing"
	"github.com/brickoven/brickoven/bricks/brakes/halt"
)

func TestTheSeedsCaseIsReverted(t *testing.T) {
	t.Parallel()
	all := numbered(1, 50)
	decisions, end := play(t, config(t, reverting(nil)), brakes.Baseline{Failing: suite(all, all[:2]...)},
		sets(suite(all, all[1:11]...), suite(all, "t02")))
	if end != nil {
		t.Fatal(end)
	}
	if d := decisions[0]; d.Tree != brakes.Restore || !slices.Equal(d.Broke, all[2:11]) {
		t.Errorf("40/50 after 48/50 is %s and broke %v", d.Tree, d.Broke)
	}
	if d := decisions[1]; d.Tree != brakes.Accept || len(d.Broke) > 0 {
		t.Errorf("49/50 after it is %s and broke %v", d.Tree, d.Broke)
	}
}

// The four defects of the breaker that compares the last failing line (seed
// 004, "Why a string-equality breaker cannot catch it").
func TestTheAntiPatternsDefectsAreCaught(t *testing.T) {
	t.Parallel()
	junit := func(message string) failing.Set {
		return failing.Parse(failing.JUnit, failing.Output{Stdout: []byte(
			`<testsuite name="a_test"><testcase classname="a_test" name="one"><failure message="` + message + `"/></testcase></testsuite>`)})
	}
	all := numbered(1, 50)
	t.Run("1 oscillation is visible", func(t *testing.T) {
		t.Parallel()
		_, end := play(t, config(t, ignoring(nil)), brakes.Baseline{}, sets(lines("FAIL a"), lines("FAIL b"), lines("FAIL a"), lines("FAIL b")))
		if end == nil || end.Reason != halt.OscillationDetected || end.Evidence.Period != 2 {
			t.Errorf("got %v", end)
		}
	})
	t.Run("2 a fix that breaks eight others is no movement", func(t *testing.T) {
		t.Parallel()
		decisions, _ := play(t, config(t, reverting(nil)), brakes.Baseline{Failing: suite(all, all[:2]...)}, sets(suite(all, all[1:10]...)))
		if decisions[0].Tree != brakes.Restore {
			t.Errorf("got %+v", decisions[0])
		}
	})
	t.Run("3 motion inside a file is seen", func(t *testing.T) {
		t.Parallel()
		_, end := play(t, config(t, ignoring(nil)), brakes.Baseline{}, sets(junit("assert 3 == 4"), junit("assert 3 == 5"), junit("assert 3 == 6")))
		if end != nil {
			t.Errorf("three different failures of one test are %v", end)
		}
		_, end = play(t, config(t, ignoring(nil)), brakes.Baseline{}, sets(junit("assert 3 == 4"), junit("assert 3 == 4"), junit("assert 3 == 4")))
		if end == nil || end.Reason != halt.SameFailureRepeated {
			t.Errorf("three equal ones are %v", end)
		}
	})
	t.Run("4 an empty match is not the initial value", func(t *testing.T) {
		t.Parallel()
		empty := failing.Parse(failing.Lines, failing.Output{CheckRed: true})
		_, end := play(t, config(t, ignoring(nil)), brakes.Baseline{}, sets(empty, empty))
		if end != nil {
			t.Errorf("two empty matches are %v", end)
		}
	})
}

func TestARunningRoundIsHaltedWithoutWaitingForItsEnd(t *testing.T) {
	t.Parallel()
	c := config(t, map[string]any{"budget_usd": 10, "budget_minutes": 5, "stale_after": "2m", "cost_anomaly": true})
	for name, x := range map[string]struct {
		meter brakes.Meter
		want  halt.Reason
	}{
		"nothing":   {brakes.Meter{Spend: brakes.Spend{USD: 1}, Elapsed: time.Minute, Silent: time.Minute}, ""},
		"money":     {brakes.Meter{Spend: brakes.Spend{USD: 8}}, halt.CostAnomaly},
		"time":      {brakes.Meter{Elapsed: 4 * time.Minute}, halt.BudgetExceeded},
		"silence":   {brakes.Meter{Silent: 2 * time.Minute, Phase: "step build"}, halt.HeartbeatStale},
		"unpriced":  {brakes.Meter{Spend: brakes.Spend{UnknownUSD: 1}}, ""},
		"in budget": {brakes.Meter{Spend: brakes.Spend{USD: 1.2}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := brakes.New(c, brakes.State{})
			for i, r := range spending(1, 1, 1) {
				r.Number, r.Elapsed = i+1, 20*time.Second
				if d := e.Observe(r); d.Halt != nil {
					t.Fatal(d.Halt)
				}
			}
			d := e.During(x.meter)
			if x.want == "" {
				if d.Halt != nil {
					t.Fatal(d.Halt)
				}
				return
			}
			if d.Halt == nil || d.Halt.Reason != x.want || !slices.Equal(d.Halt.Evidence.Rounds, []int{4}) {
				t.Fatalf("got %v, want %s in round 4", d.Halt, x.want)
			}
			if again := e.During(brakes.Meter{}); again.Halt == nil || again.Tree != brakes.Keep {
				t.Error("the halt is forgotten")
			}
			if got := e.State().Total; got.USD != 3+x.meter.Spend.USD || got.Elapsed != time.Minute+x.meter.Elapsed {
				t.Errorf("the total is %+v", got)
			}
		})
	}
}

func TestTheDebtStopsTheNextRoundUntilItIsAcknowledged(t *testing.T) {
	t.Parallel()
	c := config(t, map[string]any{"comprehension": map[string]any{"max_unread": 2}})
	e := brakes.New(c, brakes.State{})
	if d := e.Before([]string{"a"}); d.Halt != nil {
		t.Fatal(d.Halt)
	}
	d := e.Before([]string{"a", "b"})
	if d.Halt == nil || d.Halt.Reason != halt.ComprehensionDebtExceeded || !slices.Equal(d.Halt.Evidence.IDs, []string{"a", "b"}) {
		t.Fatalf("got %v", d.Halt)
	}
	if e.Before(nil).Halt == nil {
		t.Error("the engine went on without being taken up again")
	}
	resumed := brakes.New(c, stored(t, e.State()))
	if d := resumed.Before([]string{"b"}); d.Halt != nil {
		t.Errorf("after the acknowledgement: %v", d.Halt)
	}
}

func TestARefusalIsNeverTakenUpAgain(t *testing.T) {
	t.Parallel()
	e := brakes.New(brakes.Config{}, brakes.State{})
	e.Observe(brakes.Round{Number: 1, ExitCode: brakes.TerminalExit})
	if d := brakes.New(brakes.Config{}, e.State()).Before(nil); d.Halt == nil || d.Halt.Reason != halt.TerminalRefusal {
		t.Errorf("got %v", d.Halt)
	}
}

func TestBudgetsHoldOverARunThatIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	c := config(t, map[string]any{"budget_usd": 3})
	e := brakes.New(c, brakes.State{})
	e.Start(brakes.Baseline{Spend: brakes.Spend{USD: 1}})
	e.Observe(brakes.Round{Number: 1, Spend: brakes.Spend{USD: 2}})
	again := brakes.New(c, stored(t, e.State()))
	if d := again.Before(nil); d.Halt == nil || d.Halt.Reason != halt.BudgetExceeded {
		t.Errorf("got %v", d.Halt)
	}
	raised := brakes.New(config(t, map[string]any{"budget_usd": 4}), stored(t, e.State()))
	if d := raised.Before(nil); d.Halt != nil {
		t.Errorf("with a higher budget: %v", d.Halt)
	}
}

func TestALoopWithAFailingSetNeedsAReferenceOrTheAuthorsWord(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		brakes   map[string]any
		baseline brakes.Baseline
		starts   bool
	}{
		"no reference":    {map[string]any{"failing": failingKey}, brakes.Baseline{}, false},
		"none":            {map[string]any{"failing": failingKey, "reference": "none"}, brakes.Baseline{}, true},
		"no failing set":  {map[string]any{}, brakes.Baseline{}, true},
		"green":           {map[string]any{"failing": failingKey, "reference": "v1"}, brakes.Baseline{Reference: brakes.ReferenceGreen}, true},
		"red":             {map[string]any{"failing": failingKey, "reference": "v1"}, brakes.Baseline{Reference: brakes.ReferenceRed}, false},
		"missing":         {map[string]any{"reference": "v1"}, brakes.Baseline{Reference: brakes.ReferenceMissing}, false},
		"it was not read": {map[string]any{"reference": "v1"}, brakes.Baseline{}, false},
	} {
		parsed, err := brakes.ParseConfig(c.brakes)
		if err != nil {
			t.Fatal(err)
		}
		d := brakes.New(parsed, brakes.State{}).Start(c.baseline)
		if (d.Halt == nil) != c.starts || d.Halt != nil && d.Halt.Reason != halt.InfeasibleSuspected {
			t.Errorf("%s: got %v", name, d.Halt)
		}
	}
}

func TestUnknownCostsAreReported(t *testing.T) {
	t.Parallel()
	e := brakes.New(config(t, map[string]any{"budget_usd": 3}), brakes.State{})
	d := e.Observe(brakes.Round{Number: 1, Verdict: brakes.Continue, Spend: brakes.Spend{}.Call(brakes.Usage{})})
	if d.Halt != nil || len(d.Warnings) != 1 {
		t.Errorf("got %+v", d)
	}
}

func TestRoundsOutOfOrderAreAnInternalError(t *testing.T) {
	t.Parallel()
	e := brakes.New(brakes.Config{}, brakes.State{})
	if d := e.Observe(brakes.Round{Number: 2}); d.Halt == nil || d.Halt.Reason != halt.InternalError {
		t.Errorf("got %v", d.Halt)
	}
}

func TestAPersonMayAcceptWhatTheRatchetRefuses(t *testing.T) {
	t.Parallel()
	all := numbered(1, 5)
	e := brakes.New(config(t, reverting(nil)), brakes.State{})
	e.Start(brakes.Baseline{Failing: suite(all, "t01")})
	lucky := suite(all, "t01", "t02") // t02 passed by luck before the loop
	if d := e.Observe(brakes.Round{Number: 1, Failing: lucky, Verdict: brakes.Continue}); d.Tree != brakes.Restore {
		t.Fatalf("got %+v", d)
	}
	e.AcceptByHand()
	if d := e.Observe(brakes.Round{Number: 2, Failing: suite(all, "t02"), Verdict: brakes.Continue}); d.Tree != brakes.Accept || d.Halt != nil {
		t.Errorf("after the override: %+v", d)
	}
}

// drawSet draws a complete set over a small suite, or an unreadable one.
func drawSet(t *rapid.T, all []string) failing.Set {
	if rapid.IntRange(0, 9).Draw(t, "readable") == 0 {
		return unreadable
	}
	return suite(all, rapid.SliceOfDistinct(rapid.SampledFrom(all), rapid.ID[string]).Draw(t, "red")...)
}

func TestUnderTheRatchetTheAcceptedPassingSetNeverShrinks(t *testing.T) {
	t.Parallel()
	all := numbered(1, 6)
	c := config(t, reverting(map[string]any{"no_progress_rounds": 0, "same_failure_rounds": 0}))
	rapid.Check(t, func(t *rapid.T) {
		e := brakes.New(c, brakes.State{})
		e.Start(brakes.Baseline{Failing: drawSet(t, all)})
		accepted := e.State().Walk.Accepted.Passed
		for n := 1; n <= 12; n++ {
			set := drawSet(t, all)
			d := e.Observe(brakes.Round{Number: n, Failing: set, Check: brakes.CheckGreen, Verdict: brakes.Done})
			now := e.State().Walk.Accepted.Passed
			for _, id := range accepted {
				if !slices.Contains(now, id) {
					t.Fatalf("%s passed and is lost in round %d", id, n)
				}
			}
			if d.Tree == brakes.Accept && !slices.Equal(now, set.Passed) {
				t.Fatalf("accepted %v, and the frontier is %v", set.Passed, now)
			}
			if d.Halt != nil && d.Halt.Succeeded() && d.Tree != brakes.Accept {
				t.Fatalf("success on a tree that is %s", d.Tree)
			}
			accepted = now
			if d.Halt != nil {
				return
			}
		}
	})
}

func TestALoopThatRepeatsHaltsWithinTwoPeriods(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"ignore", "revert", "halt"} {
		c := config(t, map[string]any{"failing": failingKey, "on_regression": mode, "same_failure_rounds": 2})
		rapid.Check(t, func(t *rapid.T) {
			all := numbered(1, 5)
			nonEmpty := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, 5, rapid.ID[string])
			period := rapid.IntRange(1, 8).Draw(t, "period")
			var cycle []failing.Set
			for range period {
				cycle = append(cycle, suite(all, nonEmpty.Draw(t, "red")...))
			}
			e := brakes.New(c, brakes.State{})
			if rapid.Bool().Draw(t, "baseline") {
				e.Start(brakes.Baseline{Failing: cycle[period-1]})
			}
			for n := 1; n <= 2*period; n++ {
				d := e.Observe(brakes.Round{Number: n, Failing: cycle[(n-1)%period], Check: brakes.CheckRed, Verdict: brakes.Continue})
				if d.Halt != nil {
					return
				}
			}
			t.Fatalf("%s: period %d goes on after %d rounds", mode, period, 2*period)
		})
	}
}

func TestAStrictlyShrinkingSetNeverHalts(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"ignore", "revert", "halt"} {
		c := config(t, map[string]any{"failing": failingKey, "on_regression": mode, "no_progress_rounds": 1, "same_failure_rounds": 2})
		rapid.Check(t, func(t *rapid.T) {
			all := numbered(1, 12)
			red := slices.Clone(all)
			e := brakes.New(c, brakes.State{})
			e.Start(brakes.Baseline{Failing: suite(all, red...)})
			for n := 1; len(red) > 0; n++ {
				for range rapid.IntRange(1, len(red)).Draw(t, "fixed") {
					i := rapid.IntRange(0, len(red)-1).Draw(t, "which")
					red = slices.Delete(red, i, i+1)
				}
				d := e.Observe(brakes.Round{Number: n, Failing: suite(all, red...), Check: brakes.CheckRed, Verdict: brakes.Continue})
				if d.Halt != nil || d.Tree != brakes.Accept {
					t.Fatalf("%s: %d left, and the round is %s and %v", mode, len(red), d.Tree, d.Halt)
				}
			}
		})
	}
}

func TestTheSameObservationsGiveTheSameDecisions(t *testing.T) {
	t.Parallel()
	c := config(t, reverting(map[string]any{"rounds": 9, "budget_usd": 20, "cost_anomaly": true, "protect": []any{"p"}}))
	all := numbered(1, 4)
	rapid.Check(t, func(t *rapid.T) {
		straight, resumed := brakes.New(c, brakes.State{}), brakes.New(c, brakes.State{})
		for n := 1; n <= 10; n++ {
			r := brakes.Round{
				Number:  n,
				Failing: drawSet(t, all),
				Check:   rapid.SampledFrom([]brakes.Check{brakes.CheckGreen, brakes.CheckRed, brakes.CheckBroken}).Draw(t, "check"),
				Verdict: rapid.SampledFrom([]brakes.Verdict{brakes.Continue, brakes.Done}).Draw(t, "verdict"),
				Spend:   brakes.Spend{USD: rapid.Float64Range(0, 3).Draw(t, "usd")},
			}
			a, b := straight.Observe(r), resumed.Observe(r)
			if diff := cmp.Diff(a, b); diff != "" {
				t.Fatal(diff)
			}
			if a.Halt != nil {
				return
			}
			resumed = brakes.New(c, storedRapid(t, resumed.State()))
		}
	})
}
