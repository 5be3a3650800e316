package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// roundTrip tests that a coordinator survives its file.
func roundTrip(t fataler, c *Coordinator) *Coordinator {
	t.Helper()
	text, err := c.State().Encode()
	if err != nil {
		t.Fatalf("printing the state: %v", err)
	}
	back, err := ParseState(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if diff := cmp.Diff(c.State(), back, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the state (-want +got):\n%s", diff)
	}
	return Restore(back)
}

func TestResume(t *testing.T) {
	t.Parallel()
	goal := Observation{Control: Reading{StopReason: GoalMet, Author: ByWorkflow}}
	single := Config{Workflows: Single("w", "r")}
	red := Iteration{Success: true, Check: CheckRed, Observation: goal}
	for name, tc := range map[string]struct {
		config   Config
		rounds   []Iteration
		found    Observation
		check    CheckOutcome
		asks     bool
		want     StopReason
		halt     HaltReason
		rejected bool
	}{
		"a live one goes on":                       {single, []Iteration{{Success: true}}, Observation{}, CheckNone, false, "", "", false},
		"a goal that stands":                       {single, []Iteration{{Success: true, Check: CheckGreen, Observation: goal}}, goal, CheckNone, false, GoalMet, HaltSuccess, false},
		"a goal set back to running":               {single, []Iteration{{Success: true, Observation: goal}}, Observation{}, CheckNone, false, "", "", false},
		"a goal nobody checked, green":             {single, []Iteration{{Success: true}}, goal, CheckGreen, true, GoalMet, HaltSuccess, false},
		"a goal nobody checked, red":               {single, []Iteration{{Success: true}}, goal, CheckRed, true, "", "", true},
		"the second red claim in a row":            {single, []Iteration{red}, goal, CheckRed, true, DoneButCheckRed, HaltDoneButCheckRed, true},
		"stopped for red claims, then running":     {single, []Iteration{red, red}, Observation{}, CheckNone, false, "", "", false},
		"a person's stop that still stands":        {single, []Iteration{{Success: true, Observation: Observation{Requests: []Request{{Number: 1, Kind: RequestStop}}}}}, Observation{Control: Reading{StopReason: StopRequested, Author: ByPerson}}, CheckNone, false, StopRequested, HaltHumanRequired, false},
		"a person's stop, set back":                {single, []Iteration{{Success: true, Observation: Observation{Requests: []Request{{Number: 1, Kind: RequestStop}}}}}, Observation{}, CheckNone, false, "", "", false},
		"a stop asked for while nobody ran":        {single, []Iteration{{Success: true}}, Observation{Requests: []Request{{Number: 1, Kind: RequestStop}}}, CheckNone, false, StopRequested, HaltHumanRequired, false},
		"a judge's STUCK that still stands":        {single, []Iteration{{Success: true, Observation: Observation{Control: Reading{StopReason: UnresolvableError, Author: ByJudge}}}}, Observation{Control: Reading{StopReason: UnresolvableError, Author: ByWorkflow}}, CheckNone, false, UnresolvableError, HaltJudgedStuck, false},
		"written while nobody ran":                 {single, []Iteration{{Success: true}}, Observation{Control: Reading{StopReason: UnresolvableError, Author: ByWorkflow}}, CheckNone, false, UnresolvableError, HaltHumanRequired, false},
		"an invalid file":                          {single, []Iteration{{Success: true}}, Observation{Control: Reading{Invalid: true}}, CheckNone, false, InvalidControlOutput, HaltWorkspaceInvalid, false},
		"tampered with while nobody ran":           {single, []Iteration{{Success: true}}, Observation{Tampered: []Difference{{Path: "goal.md", Change: Removed}}}, CheckNone, false, HarnessTampered, HaltHarnessTampered, false},
		"a broken goal check begins to count anew": {Config{Workflows: Single(GoalCheckWorkflow, "r"), GoalCheckCap: 1}, []Iteration{{Success: true}}, Observation{}, CheckNone, false, "", "", false},
	} {
		c := started(t, tc.config)
		for _, it := range tc.rounds {
			round(c, tc.config.Workflows[0].ID, it)
		}
		c = roundTrip(t, c)
		if c.Unchecked(tc.found) != tc.asks {
			t.Errorf("%s: asks for a check: %v", name, !tc.asks)
		}
		d := c.Resume(tc.found, tc.check, moment)
		if stopOf(d) != tc.want || d.Rejected != tc.rejected || d.Stop != nil && d.Stop.HaltReason != tc.halt {
			t.Errorf("%s: %+v, rejected %v", name, d.Stop, d.Rejected)
		}
		if d.Continues() {
			if workflow, next := c.Next(moment); workflow == "" {
				t.Errorf("%s: goes on and stops at once: %+v", name, next.Stop)
			}
		}
		roundTrip(t, c)
	}
}

func TestALimitThatIsReachedEndsAResumedSessionUntilItIsRaised(t *testing.T) {
	t.Parallel()
	c := started(t, Config{Workflows: Single("w", "r"), MaxRounds: 1})
	round(c, "w", Iteration{Success: true})
	c.Resume(Observation{}, CheckNone, moment)
	if _, d := c.Next(moment); stopOf(d) != MaxRounds {
		t.Errorf("got %+v", d.Stop)
	}
	if err := c.Reconfigure(Config{Workflows: Single("w", "r"), MaxRounds: 2}); err != nil {
		t.Fatal(err)
	}
	c.Resume(Observation{}, CheckNone, moment)
	if workflow, d := c.Next(moment); workflow != "w" || !d.Continues() {
		t.Errorf("got %q, %+v", workflow, d.Stop)
	}
	if err := c.Reconfigure(Config{}); err == nil {
		t.Error("a set without workflows is taken")
	}
}

func TestARunningIterationSurvivesAResumeOrIsAbandoned(t *testing.T) {
	t.Parallel()
	c := started(t, Config{Workflows: Single("w", "r")})
	if n := c.Begin("w", "a1", moment); n != 1 {
		t.Fatalf("got number %d", n)
	}
	c = roundTrip(t, c)
	c.Resume(Observation{}, CheckNone, moment)
	if task := c.State().CurrentTask; task == nil || task.AttemptID != "a1" {
		t.Fatalf("got %+v", task)
	}
	if n := c.Begin("w", "a2", moment); n != 2 || c.State().IterationCount != 1 || c.State().History[0].FailureKind != Crash {
		t.Errorf("number %d, %+v", n, c.State())
	}
	c.Finish(Iteration{Success: true})
	if d := c.Finish(Iteration{Success: true}); !d.Continues() || c.State().IterationCount != 2 {
		t.Errorf("an iteration that nobody began counts: %+v", c.State())
	}
	if d := c.Abandon("no task", moment); !d.Continues() || c.State().IterationCount != 2 {
		t.Errorf("an abandoned nothing counts: %+v", c.State())
	}
}

// iterations generates what may come back from an iteration.
func iterations() *rapid.Generator[Iteration] {
	return rapid.Custom(func(t *rapid.T) Iteration {
		it := Iteration{Success: rapid.IntRange(0, 3).Draw(t, "fails") > 0, FinishedAt: moment}
		it.Observation.Evidence.Kind = rapid.SampledFrom(evidences).Draw(t, "evidence")
		it.Check = rapid.SampledFrom([]CheckOutcome{CheckNone, CheckGreen, CheckRed}).Draw(t, "check")
		it.Usage.CostUSD = rapid.SampledFrom([]value.Number{"", "0.1", "1.25"}).Draw(t, "cost")
		if rapid.IntRange(0, 9).Draw(t, "control") == 0 {
			it.Observation.Control = rapid.SampledFrom([]Reading{readings["goal_met"], readings["stuck"], readings["invalid"]}).Draw(t, "reading")
		}
		return it
	})
}

func TestReplayDecidesTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		config := Config{Workflows: workflowSets().Draw(t, "set"), MaxRounds: rapid.IntRange(0, 20).Draw(t, "rounds"), MaxCostUSD: "20"}
		one, err := Start("s", "h", config, moment)
		if err != nil {
			return
		}
		two, err := Start("s", "h", config, moment)
		if err != nil {
			t.Fatal(err)
		}
		two.TakeEvents()
		for i := range rapid.IntRange(1, 25).Draw(t, "length") {
			a, decisionA := one.Next(moment)
			b, decisionB := two.Next(moment)
			if a != b || !cmp.Equal(decisionA, decisionB) {
				t.Fatalf("%q, %+v and %q, %+v", a, decisionA, b, decisionB)
			}
			if a == "" {
				break
			}
			it := iterations().Draw(t, fmt.Sprint(i))
			one.Begin(a, "", moment)
			two.Begin(a, "", moment)
			two = roundTrip(t, two)
			eventsB := two.TakeEvents()
			if len(eventsB) != 0 {
				t.Fatalf("a restored coordinator has %d events", len(eventsB))
			}
			decisionA, decisionB = one.Finish(it), two.Finish(it)
			if !cmp.Equal(decisionA, decisionB) || !cmp.Equal(one.State(), two.State(), cmpopts.EquateEmpty()) {
				t.Fatalf("%+v and %+v", decisionA, decisionB)
			}
		}
	})
}

func TestEventIDsAreUniqueAndStable(t *testing.T) {
	t.Parallel()
	c := started(t, Config{Workflows: Single("w", "r")})
	for range 100 {
		round(c, "w", Iteration{Success: true})
	}
	seen := map[string]bool{}
	for _, e := range c.TakeEvents() {
		line, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseEvent(line)
		if diff := cmp.Diff(e, back); diff != "" || err != nil || seen[e.ID] || strings.Count(string(line), "\n") != 1 {
			t.Fatalf("%v, seen %v (-want +got):\n%s", err, seen[e.ID], diff)
		}
		seen[e.ID] = true
	}
	if len(seen) != 201 {
		t.Errorf("got %d events", len(seen))
	}
}
