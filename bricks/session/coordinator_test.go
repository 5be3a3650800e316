package session

import (
	"testing"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/google/go-cmp/cmp"
)

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func started(t fataler, config Config) *Coordinator {
	t.Helper()
	c, err := Start("20260102_030405_0123456789ab_01234567", "0123456789ab", config, moment)
	if err != nil {
		t.Fatalf("starting: %v", err)
	}
	return c
}

// round runs one iteration of a workflow.
func round(c *Coordinator, workflow string, it Iteration) Decision {
	c.Begin(workflow, "a", moment)
	it.FinishedAt = moment
	return c.Finish(it)
}

func stopOf(d Decision) StopReason {
	if d.Stop == nil {
		return ""
	}
	return d.Stop.StopReason
}

var (
	evidences = []EvidenceKind{EvidenceAbsent, EvidenceInvalid, EvidenceNotMet, EvidenceMet}
	readings  = map[string]Reading{
		"running": {}, "goal_met": {StopReason: GoalMet, Author: ByWorkflow}, "stuck": {StopReason: UnresolvableError, Author: ByJudge},
		"invalid": {Invalid: true, Problem: "control.json: is empty"},
	}
)

func TestTheTruthTableOfResultGoalCheckAndControl(t *testing.T) {
	t.Parallel()
	want := map[string]StopReason{"running": "", "goal_met": GoalMet, "stuck": UnresolvableError, "invalid": InvalidControlOutput}
	for _, success := range []bool{true, false} {
		for _, evidence := range evidences {
			for name, reading := range readings {
				for _, emits := range []bool{true, false} {
					c := started(t, Config{Workflows: Workflows{{ID: "w", Enabled: true, RunEvery: 1, EmitsGoalCheck: emits}}})
					d := round(c, "w", Iteration{Success: success, Observation: Observation{Control: reading, Evidence: Evidence{Kind: evidence}}})
					if stopOf(d) != want[name] {
						t.Errorf("success %v, %s, control %s: %+v", success, evidence, name, d.Stop)
					}
					past := c.State().History[0]
					if past.Success != success || past.GoalCheck != evidence {
						t.Errorf("success %v, %s, control %s is recorded as %+v", success, evidence, name, past)
					}
				}
			}
		}
	}
}

func TestEvidenceAloneNeverStops(t *testing.T) {
	t.Parallel()
	c := started(t, Config{Workflows: Single(GoalCheckWorkflow, "r")})
	for range 50 {
		if d := round(c, GoalCheckWorkflow, Iteration{Success: true, Observation: Observation{Evidence: Evidence{Kind: EvidenceMet}}}); !d.Continues() {
			t.Fatalf("got %+v", d.Stop)
		}
	}
}

func TestSuccessIsMechanicalAlsoForEmitters(t *testing.T) {
	t.Parallel()
	c := started(t, Config{Workflows: Single(GoalCheckWorkflow, "r")})
	round(c, GoalCheckWorkflow, Iteration{Success: true, Observation: Observation{Evidence: Evidence{Kind: EvidenceInvalid}}})
	if past := c.State().History[0]; !past.Success || past.FailureKind != "" {
		t.Errorf("got %+v", past)
	}
}

func TestGoalCheckBroken(t *testing.T) {
	t.Parallel()
	absent, invalid := Evidence{Kind: EvidenceAbsent}, Evidence{Kind: EvidenceInvalid}
	valid := Evidence{Kind: EvidenceNotMet}
	for name, tc := range map[string]struct {
		cap      int
		sequence []Evidence
		want     StopReason
	}{
		"three in a row":           {0, []Evidence{absent, invalid, absent}, GoalCheckBroken},
		"two":                      {0, []Evidence{absent, absent}, ""},
		"one valid starts again":   {0, []Evidence{absent, absent, valid, absent, absent}, ""},
		"and three more":           {0, []Evidence{absent, absent, valid, absent, absent, invalid}, GoalCheckBroken},
		"another cap":              {1, []Evidence{invalid}, GoalCheckBroken},
		"not met is a valid check": {1, []Evidence{valid, valid, valid}, ""},
	} {
		set := Workflows{{ID: GoalCheckWorkflow, Enabled: true, RunEvery: 1}, {ID: "work", Enabled: true, RunEvery: 1}}
		c := started(t, Config{Workflows: set, GoalCheckCap: tc.cap})
		var last Decision
		for i, evidence := range tc.sequence {
			if last = round(c, GoalCheckWorkflow, Iteration{Success: i%2 == 0, Observation: Observation{Evidence: evidence}}); !last.Continues() && i < len(tc.sequence)-1 {
				t.Errorf("%s: stops after %d", name, i+1)
			}
			round(c, "work", Iteration{Success: true})
		}
		if stopOf(last) != tc.want {
			t.Errorf("%s: got %+v", name, last.Stop)
		}
	}
}

func TestAWorkflowThatKeepsFailingStopsTheLoop(t *testing.T) {
	t.Parallel()
	set := Workflows{{ID: "a", Enabled: true, RunEvery: 1}, {ID: "b", Enabled: true, RunEvery: 1}}
	c := started(t, Config{Workflows: set})
	fail := Iteration{FailureKind: Transient, Error: "overloaded"}
	for range 4 {
		round(c, "a", fail)
		round(c, "b", Iteration{Success: true})
	}
	round(c, "a", Iteration{Success: true})
	for i := range 4 {
		if d := round(c, "a", fail); !d.Continues() {
			t.Fatalf("stops after %d: %+v", i+1, d.Stop)
		}
	}
	c.Begin("a", "x", moment)
	if d := c.Abandon("the process died", moment); stopOf(d) != WorkflowFailureCap || d.Stop.HaltReason != HaltExecutionFailure || c.State().Status != StatusFailed {
		t.Errorf("a crash counts too: %+v", d.Stop)
	}
	if past := c.State().History[13]; past.FailureKind != Crash || past.Success || past.Error != "the process died" {
		t.Errorf("got %+v", past)
	}
}

func TestAnUnexplainedFailureIsUnknown(t *testing.T) {
	t.Parallel()
	c := started(t, Config{Workflows: Single("w", "r")})
	round(c, "w", Iteration{})
	if past := c.State().History[0]; past.FailureKind != Unknown || past.GoalCheck != EvidenceAbsent {
		t.Errorf("got %+v", past)
	}
}

func TestAGoalThatTheCheckDoesNotProveIsNotAccepted(t *testing.T) {
	t.Parallel()
	claim := func(by Author, check CheckOutcome) Iteration {
		return Iteration{Success: true, Check: check, Observation: Observation{Control: Reading{StopReason: GoalMet, Author: by}}}
	}
	plain := Iteration{Success: true}
	type move struct {
		workflow string
		it       Iteration
		want     StopReason
		rejected bool
	}
	for name, moves := range map[string][]move{
		"no check":                              {{"a", claim(ByJudge, CheckNone), GoalMet, false}},
		"green":                                 {{"a", claim(ByWorkflow, CheckGreen), GoalMet, false}},
		"twice in a row":                        {{"a", claim(ByWorkflow, CheckRed), "", true}, {"a", claim(ByWorkflow, CheckRed), DoneButCheckRed, true}},
		"the second is green":                   {{"a", claim(ByJudge, CheckRed), "", true}, {"a", claim(ByJudge, CheckGreen), GoalMet, false}},
		"the judge says CONTINUE in between":    {{"a", claim(ByJudge, CheckRed), "", true}, {"b", plain, "", false}, {"a", claim(ByJudge, CheckRed), "", true}},
		"the workflow works in between":         {{"a", claim(ByWorkflow, CheckRed), "", true}, {"a", plain, "", false}, {"a", claim(ByWorkflow, CheckRed), "", true}},
		"another workflow works in between":     {{"a", claim(ByWorkflow, CheckRed), "", true}, {"b", plain, "", false}, {"a", claim(ByWorkflow, CheckRed), DoneButCheckRed, true}},
		"the workflow first and the judge then": {{"a", claim(ByWorkflow, CheckRed), "", true}, {"a", claim(ByJudge, CheckRed), DoneButCheckRed, true}},
	} {
		c := started(t, Config{Workflows: Workflows{{ID: "a", Enabled: true, RunEvery: 1}, {ID: "b", Enabled: true, RunEvery: 1}}})
		for i, m := range moves {
			d := round(c, m.workflow, m.it)
			if stopOf(d) != m.want || d.Rejected != m.rejected {
				t.Errorf("%s, round %d: %+v, rejected %v", name, i+1, d.Stop, d.Rejected)
			}
		}
	}
}

// everything is an iteration after which all reasons to stop hold at once.
func everything() (Config, Iteration) {
	return Config{Workflows: Workflows{{ID: "w", Enabled: true, RunEvery: 1, EmitsGoalCheck: true}}, MaxRounds: 1, MaxCostUSD: "1", GoalCheckCap: 1, FailureCap: 1},
		Iteration{
			Usage: Usage{CostUSD: "1"}, Observation: Observation{
				Tampered: []Difference{{Path: "goal.md", Change: Changed}}, Control: Reading{StopReason: GoalMet, Author: ByWorkflow},
				Requests: []Request{{Number: 1, Kind: RequestStop, Text: "enough"}},
			},
		}
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	config, it := everything()
	expect := func(want StopReason) {
		t.Helper()
		if d := round(started(t, config), "w", it); stopOf(d) != want {
			t.Errorf("got %s, want %s", stopOf(d), want)
		}
	}
	expect(HarnessTampered)
	it.Observation.Tampered = nil
	expect(GoalMet)
	it.Observation.Control = Reading{Invalid: true}
	expect(InvalidControlOutput)
	it.Observation.Control = Reading{StopReason: UnresolvableError, Author: ByJudge}
	expect(StopRequested)
	it.Observation.Requests = nil
	expect(UnresolvableError)
	it.Observation.Control = Reading{}
	expect(MaxCost)
	config.MaxCostUSD = ""
	expect(GoalCheckBroken)
	config.GoalCheckCap = 2
	expect(WorkflowFailureCap)
	config.FailureCap = 2
	expect(MaxRounds)
	config.MaxCostUSD = "1"
	expect(MaxRounds)
	config.MaxRounds = 2
	expect(MaxCost)
	config.MaxCostUSD = "1.01"
	expect("")
}

func TestAGoalMetInTheLastAllowedRoundIsSuccess(t *testing.T) {
	t.Parallel()
	c := started(t, Config{Workflows: Single("w", "r"), MaxRounds: 1})
	d := round(c, "w", Iteration{Success: true, Check: CheckGreen, Observation: Observation{Control: Reading{StopReason: GoalMet, Author: ByJudge, Reason: "green"}}})
	want := &Stop{StopReason: GoalMet, HaltReason: HaltSuccess, Author: ByJudge, Reason: "green"}
	if diff := cmp.Diff(want, d.Stop); diff != "" || c.State().Status != StatusGoalMet {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEveryStopReasonIsReachedAndMapped(t *testing.T) {
	t.Parallel()
	control := func(r Reading) Iteration { return Iteration{Success: true, Observation: Observation{Control: r}} }
	red := Iteration{Success: true, Check: CheckRed, Observation: Observation{Control: Reading{StopReason: GoalMet, Author: ByJudge}}}
	single := Single("w", "r")
	halted := func(c *Coordinator) Decision { return c.Halt(Braked, "no_progress_detected", "five rounds", moment) }
	for name, tc := range map[string]struct {
		config Config
		rounds []Iteration
		then   func(*Coordinator) Decision
		stop   StopReason
		halt   HaltReason
		status Status
	}{
		"goal":       {Config{Workflows: single}, []Iteration{control(Reading{StopReason: GoalMet, Author: ByWorkflow})}, nil, GoalMet, HaltJudgedDone, StatusGoalMet},
		"stuck":      {Config{Workflows: single}, []Iteration{control(Reading{StopReason: UnresolvableError, Author: ByJudge})}, nil, UnresolvableError, HaltJudgedStuck, StatusFailed},
		"blocked":    {Config{Workflows: single}, []Iteration{control(Reading{StopReason: UnresolvableError, Author: ByWorkflow})}, nil, UnresolvableError, HaltHumanRequired, StatusFailed},
		"request":    {Config{Workflows: single}, []Iteration{{Success: true, Observation: Observation{Requests: []Request{{Number: 1, Kind: RequestUpdate}, {Number: 2, Kind: RequestStop, Text: "enough"}}}}}, nil, StopRequested, HaltHumanRequired, StatusStopped},
		"stop file":  {Config{Workflows: single}, []Iteration{control(Reading{StopReason: StopRequested, Author: ByPerson})}, nil, StopRequested, HaltHumanRequired, StatusStopped},
		"rounds":     {Config{Workflows: single, MaxRounds: 2}, []Iteration{{Success: true}, {Success: true}}, nil, MaxRounds, HaltMaxIterations, StatusMaxRounds},
		"cost":       {Config{Workflows: single, MaxCostUSD: "0.3"}, []Iteration{{Success: true, Usage: Usage{CostUSD: "0.1"}}, {Success: true, Usage: Usage{CostUSD: "0.2"}}}, nil, MaxCost, HaltBudget, StatusStopped},
		"goal check": {Config{Workflows: Single(GoalCheckWorkflow, "r"), GoalCheckCap: 1}, []Iteration{{Success: true}}, nil, GoalCheckBroken, HaltGoalCheckBroken, StatusFailed},
		"failures":   {Config{Workflows: single, FailureCap: 1}, []Iteration{{FailureKind: Crash}}, nil, WorkflowFailureCap, HaltExecutionFailure, StatusFailed},
		"control":    {Config{Workflows: single}, []Iteration{control(Reading{Invalid: true, Problem: "p"})}, nil, InvalidControlOutput, HaltWorkspaceInvalid, StatusFailed},
		"nothing": {Config{Workflows: Workflows{{ID: "w", Enabled: true, RunEvery: 1, RunOnStart: true, MustFollow: "v"}, {ID: "v", Enabled: true, RunEvery: 1, RunAfterSuccesses: &AfterSuccesses{"w", 2}}}},
			[]Iteration{{Success: true}}, func(c *Coordinator) Decision { _, d := c.Next(moment); return d }, NoEligibleWorkflow, HaltNothingToDo, StatusFailed},
		"red":      {Config{Workflows: single}, []Iteration{red, red}, nil, DoneButCheckRed, HaltDoneButCheckRed, StatusFailed},
		"tampered": {Config{Workflows: single}, []Iteration{{Success: true, Observation: Observation{Tampered: []Difference{{Path: "state.json", Change: Changed}}}}}, nil, HarnessTampered, HaltHarnessTampered, StatusFailed},
		"brake":    {Config{Workflows: single}, []Iteration{{Success: true}}, halted, Braked, "no_progress_detected", StatusFailed},
		"guard":    {Config{Workflows: single}, nil, func(c *Coordinator) Decision { return c.Halt(GuardRefused, "", "too deep", moment) }, GuardRefused, HaltGuardRefused, StatusFailed},
	} {
		c := started(t, tc.config)
		var d Decision
		for _, it := range tc.rounds {
			d = round(c, tc.config.Workflows[0].ID, it)
		}
		if tc.then != nil {
			d = tc.then(c)
		}
		s := c.State()
		if d.Stop == nil || d.Stop.StopReason != tc.stop || d.Stop.HaltReason != tc.halt || s.Status != tc.status || s.CurrentTask != nil {
			t.Errorf("%s: %+v, status %s", name, d.Stop, s.Status)
			continue
		}
		events := c.TakeEvents()
		last := events[len(events)-1]
		if last.Type != SessionStopped || last.Payload["stop_reason"] != string(tc.stop) || last.Payload["halt_reason"] != string(tc.halt) {
			t.Errorf("%s: the last event is %+v", name, last)
		}
		if _, again := c.Next(moment); again.Stop == nil || again.Stop.StopReason != tc.stop {
			t.Errorf("%s: goes on after its stop", name)
		}
		if again := c.Finish(Iteration{Success: true}); again.Stop == nil || again.Stop.StopReason != tc.stop {
			t.Errorf("%s: takes an iteration after its stop", name)
		}
		roundTrip(t, c)
	}
}

func TestEveryStopReasonMapsToExactlyOneRow(t *testing.T) {
	t.Parallel()
	seen := map[StopReason]bool{}
	for _, row := range Reasons() {
		seen[row.Stop] = true
		if row.Status == "" || row.Author == "" || row.Halt == "" && row.Stop != Braked {
			t.Errorf("%+v is not complete", row)
		}
	}
	for stop := range seen {
		for _, by := range allAuthors {
			for _, proven := range []bool{true, false} {
				matching := 0
				for _, row := range Reasons() {
					if row.Stop == stop && row.matches(by, proven) {
						matching++
					}
				}
				if matching != 1 {
					t.Errorf("%s by %s, proven %v, has %d rows", stop, by, proven, matching)
				}
			}
		}
	}
	for _, stop := range []StopReason{GoalMet, UnresolvableError, StopRequested, MaxRounds, MaxCost, GoalCheckBroken, WorkflowFailureCap, InvalidControlOutput, NoEligibleWorkflow, DoneButCheckRed, HarnessTampered} {
		if !seen[stop] || stop.WorkflowMayWrite() != (stop == GoalMet || stop == UnresolvableError) {
			t.Errorf("%s is not in the table, or may be written", stop)
		}
	}
	if _, found := Lookup("odd", ByJudge, false); found {
		t.Error("an unknown word has a row")
	}
}

func TestCostsAddUpExactlyAndUnknownIsNotZero(t *testing.T) {
	t.Parallel()
	c := started(t, Config{Workflows: Single("w", "r"), MaxCostUSD: "0.30"})
	for _, cost := range []value.Number{"0.1", "", "0.1", "0.09999999999999999999"} {
		if d := round(c, "w", Iteration{Success: true, Usage: Usage{CostUSD: cost, PromptTokens: pointer(2)}}); !d.Continues() {
			t.Fatalf("stops at %q: %+v", cost, d.Stop)
		}
	}
	if u := c.State().Usage; u.CostUSD != "0.29999999999999999999" || u.IterationsWithoutCost != 1 || u.PromptTokens != 8 || u.CompletionTokens != 0 {
		t.Errorf("got %+v", u)
	}
	if d := round(c, "w", Iteration{Success: true, Usage: Usage{CostUSD: "0.00000000000000000001"}}); stopOf(d) != MaxCost {
		t.Errorf("got %+v", d.Stop)
	}
}

func TestWaitsAreEventsAndNoRounds(t *testing.T) {
	t.Parallel()
	c := started(t, Config{Workflows: Single("w", "r")})
	c.TakeEvents()
	c.Wait("quota", moment.Add(time.Hour), moment)
	c.Wait("quota", time.Time{}, moment)
	c.WaitOver(true, moment)
	events := c.TakeEvents()
	if len(events) != 3 || events[0].Payload["due"] != "2026-01-02T04:04:05Z" || events[1].Payload["due"] != nil || events[2].Payload["cut_short"] != true {
		t.Errorf("got %+v", events)
	}
	if c.State().IterationCount != 0 || len(c.TakeEvents()) != 0 {
		t.Error("a wait counts as a round, or its events come twice")
	}
}

func TestStartRefusesWhatNoLoopCanRun(t *testing.T) {
	t.Parallel()
	_, err := Start("s", "h", Config{MaxRounds: -1, MaxCostUSD: "-2"}, moment)
	wantInvalid(t, "", err, "workflows: holds no enabled workflow", "the limits must be at least 0", "max_cost_usd: -2 is not a number of at least 0")
}
