package brakes_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/bricks/brakes"
	"github.com/brickoven/brickoven/bricks/brakes/failing"
	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/brakes/integrity"
)

// lines is a known set of a format that lists failures only.
func lines(ids ...string) failing.Set {
	return failing.Parse(failing.Lines, failing.Output{Stdout: []byte(strings.Join(ids, "\n"))})
}

// suite is a known and complete set: every test that is neither failing nor
// skipped passes.
func suite(all []string, red ...string) failing.Set {
	s := failing.Set{State: failing.Known, Complete: true}
	for _, id := range all {
		switch {
		case slices.Contains(red, id):
			s.Failures = append(s.Failures, failing.Failure{Test: id, Message: "v1:" + id})
		default:
			s.Passed = append(s.Passed, id)
		}
	}
	return s
}

func numbered(from, to int) []string {
	var ids []string
	for i := from; i <= to; i++ {
		ids = append(ids, fmt.Sprintf("t%02d", i))
	}
	return ids
}

var unreadable = failing.Set{State: failing.Unknown, Why: "torn"}

// config reads brakes: and fails the test on a finding. reference: none is
// there unless the test says otherwise.
func config(t testing.TB, v map[string]any) brakes.Config {
	t.Helper()
	v = maps.Clone(v)
	if v == nil {
		v = map[string]any{}
	}
	if _, found := v["reference"]; !found {
		v["reference"] = "none"
	}
	c, err := brakes.ParseConfig(v)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// play feeds rounds until one halts. Every step goes through JSON, as when a
// run is resumed after each round.
func play(t testing.TB, c brakes.Config, baseline brakes.Baseline, rounds []brakes.Round) (decisions []brakes.Decision, end *halt.Halt) {
	t.Helper()
	e := brakes.New(c, brakes.State{})
	d := e.Start(baseline)
	for i, r := range rounds {
		if d.Halt != nil {
			return decisions, d.Halt
		}
		if d := e.Before(nil); d.Halt != nil {
			return decisions, d.Halt
		}
		r.Number = i + 1
		d = e.Observe(r)
		decisions = append(decisions, d)
		if d.Halt == nil {
			e = brakes.New(c, stored(t, e.State()))
		}
	}
	return decisions, d.Halt
}

func stored(t testing.TB, s brakes.State) brakes.State {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var again brakes.State
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	return again
}

// sets makes rounds that differ only in their failing set.
func sets(list ...failing.Set) []brakes.Round {
	rounds := make([]brakes.Round, len(list))
	for i, s := range list {
		rounds[i] = brakes.Round{Failing: s, Check: brakes.CheckRed, Verdict: brakes.Continue}
	}
	return rounds
}

func spending(usd ...float64) []brakes.Round {
	rounds := make([]brakes.Round, len(usd))
	for i, n := range usd {
		rounds[i] = brakes.Round{Verdict: brakes.Continue, Spend: brakes.Spend{USD: n}}
	}
	return rounds
}

type script struct {
	name     string
	brakes   map[string]any
	baseline brakes.Baseline
	rounds   []brakes.Round

	want   halt.Reason // empty: the loop goes on
	round  int
	rows   []int    // evidence rounds; nil is not compared
	ids    []string // evidence ids; nil is not compared
	remedy halt.Remedy
}

var failingKey = map[string]any{"command": "make failing", "format": "lines"}

func ignoring(more map[string]any) map[string]any {
	m := map[string]any{"failing": failingKey, "on_regression": "ignore"}
	for k, v := range more {
		m[k] = v
	}
	return m
}

func reverting(more map[string]any) map[string]any {
	m := ignoring(more)
	m["on_regression"] = "revert"
	return m
}

func one(r brakes.Round) []brakes.Round { return []brakes.Round{r} }

func scripts() []script {
	A, B, C := lines("a"), lines("b"), lines("c")
	all := numbered(1, 50)
	return slices.Concat([]script{
		{name: "a strictly shrinking set goes on", brakes: reverting(nil), rounds: sets(lines("1", "2", "3"), lines("1", "2"), lines("1"))},
		{name: "and ends when the check is green", brakes: reverting(nil),
			rounds: append(sets(lines("1", "2", "3"), lines("1", "2"), lines("1")), brakes.Round{Failing: lines(), Check: brakes.CheckGreen, Verdict: brakes.Done}),
			want:   halt.SuccessConditionMet, round: 4, rows: []int{4}},

		{name: "A B A", brakes: ignoring(nil), rounds: sets(A, B, A, B), want: halt.OscillationDetected, round: 3, rows: []int{1, 3}, ids: []string{"a"}, remedy: halt.DoNotRetry},
		{name: "A B C A B C", brakes: ignoring(nil), rounds: sets(A, B, C, A, B, C), want: halt.OscillationDetected, round: 4, rows: []int{1, 4}},
		{name: "A A B A", brakes: ignoring(nil), rounds: sets(A, A, B, A), want: halt.OscillationDetected, round: 4, rows: []int{2, 4}},
		{name: "A A A", brakes: ignoring(nil), rounds: sets(A, A, A), want: halt.SameFailureRepeated, round: 3, rows: []int{1, 2, 3}, ids: []string{"a"}},
		{name: "the state before the loop is no round", brakes: ignoring(nil), baseline: brakes.Baseline{Failing: A}, rounds: sets(A, A, A), want: halt.SameFailureRepeated, round: 3, rows: []int{1, 2, 3}},
		{name: "no grace for equal sets", brakes: ignoring(map[string]any{"same_failure_rounds": 0}), rounds: sets(A, A, A, A)},
		{name: "other failures every round", brakes: ignoring(nil), rounds: sets(lines("1", "2"), lines("3", "4"), lines("5", "6"), lines("7", "8"), lines("9", "10"), lines("11", "12")),
			want: halt.NoProgressDetected, round: 6, rows: []int{2, 3, 4, 5, 6}},
		{name: "the limit on progress is off", brakes: ignoring(map[string]any{"no_progress_rounds": 0}), rounds: sets(lines("1", "2"), lines("3", "4"), lines("5", "6"), lines("7", "8"), lines("9", "10"), lines("11", "12"))},
		{name: "red, green, red", brakes: ignoring(nil), rounds: sets(lines("a", "b"), lines("b"), lines("a", "c")), want: halt.SameTestRegressed, round: 3, rows: []int{1, 2, 3}, ids: []string{"a"}},
		{name: "a set that is never read", brakes: ignoring(nil), rounds: sets(unreadable, unreadable, unreadable, unreadable, unreadable), want: halt.NoProgressDetected, round: 5},
		{name: "an unreadable set is no regression", brakes: reverting(nil), rounds: sets(lines("a", "b"), unreadable, lines("a"))},
		{name: "an unreadable set is no return", brakes: ignoring(nil), rounds: sets(A, unreadable, A)},
		{name: "a set that was not read counts as unreadable", brakes: ignoring(map[string]any{"no_progress_rounds": 2}), rounds: sets(failing.Set{}, failing.Set{}), want: halt.NoProgressDetected, round: 2},
		{name: "with nothing left to shrink the judge decides", brakes: ignoring(nil), rounds: sets(lines(), lines(), lines(), lines(), lines(), lines(), lines())},

		{name: "fixing one breaks the other, twice", brakes: reverting(nil), baseline: brakes.Baseline{Failing: suite(all, "t01")},
			rounds: sets(suite(all, "t02"), suite(all, "t02", "t03")), want: halt.UnsatisfiableConstraints, round: 2, rows: []int{1, 2}, ids: []string{"t01", "t02"}},
		{name: "the same wrong try", brakes: reverting(nil), baseline: brakes.Baseline{Failing: suite(all, "t01")},
			rounds: sets(suite(all, "t01", "t02"), suite(all, "t01", "t02"), suite(all, "t01", "t02")), want: halt.SameFailureRepeated, round: 3},
		{name: "two wrong tries in turn", brakes: reverting(nil), baseline: brakes.Baseline{Failing: suite(all, "t01")},
			rounds: sets(suite(all, "t01", "t02"), suite(all, "t01", "t03"), suite(all, "t01", "t02")), want: halt.OscillationDetected, round: 3, rows: []int{1, 3}},
		{name: "nothing done after a revert is no return", brakes: reverting(nil), baseline: brakes.Baseline{Failing: suite(all, "t01")},
			rounds: sets(suite(all, "t01", "t02"), suite(all, "t01"))},
		{name: "reverts count as rounds without progress", brakes: reverting(map[string]any{"no_progress_rounds": 3}), baseline: brakes.Baseline{Failing: suite(all, "t01")},
			rounds: sets(suite(all, "t01", "t02"), suite(all, "t01", "t03"), suite(all, "t01", "t04")), want: halt.NoProgressDetected, round: 3, rows: []int{1, 2, 3}},
		{name: "a regression halts", brakes: map[string]any{"failing": failingKey, "on_regression": "halt"}, baseline: brakes.Baseline{Failing: suite(all, "t01")},
			rounds: sets(suite(all, "t02")), want: halt.SameTestRegressed, round: 1, rows: []int{0, 1}, ids: []string{"t02"}},

		{name: "no reference", brakes: map[string]any{"failing": failingKey, "reference": "v1"}, baseline: brakes.Baseline{Reference: brakes.ReferenceRed}, want: halt.InfeasibleSuspected},
		{name: "a green reference", brakes: map[string]any{"failing": failingKey, "reference": "v1"}, baseline: brakes.Baseline{Reference: brakes.ReferenceGreen}},
	}, goalScripts(all), guardScripts(all), spendScripts())
}

func goalScripts(all []string) []script {
	red := brakes.Round{Verdict: brakes.Done, Check: brakes.CheckRed}
	again := brakes.Round{Verdict: brakes.Done, Check: brakes.CheckRed, Stop: brakes.DoneButCheckRed}
	stop := func(s brakes.Stop) []brakes.Round {
		return one(brakes.Round{Verdict: brakes.Continue, Stop: s, StopDetail: "because"})
	}
	return []script{
		{name: "DONE without a check", rounds: one(brakes.Round{Verdict: brakes.Done}), want: halt.JudgedDone, round: 1},
		{name: "a green check without a judge", rounds: one(brakes.Round{Check: brakes.CheckGreen}), want: halt.SuccessConditionMet, round: 1},
		{name: "a green check does not outvote CONTINUE", rounds: one(brakes.Round{Check: brakes.CheckGreen, Verdict: brakes.Continue})},
		{name: "goal_met passes through the check", rounds: one(brakes.Round{Stop: brakes.GoalMet, Check: brakes.CheckGreen}), want: halt.SuccessConditionMet, round: 1},
		{name: "DONE over a red check, once", rounds: one(red)},
		{name: "DONE over a red check, twice", rounds: []brakes.Round{red, again}, want: halt.DoneButCheckRed, round: 2, rows: []int{1, 2}},
		{name: "a check that cannot run proves nothing", rounds: []brakes.Round{{Verdict: brakes.Done, Check: brakes.CheckBroken}, {Stop: brakes.DoneButCheckRed, Check: brakes.CheckBroken}}, want: halt.DoneButCheckRed, round: 2},
		{name: "not in a row", rounds: []brakes.Round{red, {Verdict: brakes.Continue, Check: brakes.CheckRed}, red}},
		{name: "DONE in the last allowed round", brakes: map[string]any{"rounds": 2}, rounds: []brakes.Round{{Verdict: brakes.Continue}, {Verdict: brakes.Done, Check: brakes.CheckGreen}}, want: halt.SuccessConditionMet, round: 2},
		{name: "the last allowed round", brakes: map[string]any{"rounds": 2}, rounds: []brakes.Round{{Verdict: brakes.Continue}, {Verdict: brakes.Continue}, {}}, want: halt.MaxIterationsReached, round: 2, remedy: halt.DoNotRetry},
		{name: "the last allowed round while it shrank", brakes: reverting(map[string]any{"rounds": 3}), rounds: sets(lines("1", "2", "3"), lines("1", "2"), lines("1")), want: halt.MaxIterationsReached, round: 3, remedy: halt.RaiseTheLimit},
		{name: "the last allowed round after it stalled", brakes: reverting(map[string]any{"rounds": 3}), rounds: sets(lines("1", "2", "3"), lines("1", "2"), lines("1", "2")), want: halt.MaxIterationsReached, round: 3, remedy: halt.DoNotRetry},
		{name: "the last allowed round with an unreadable set", brakes: reverting(map[string]any{"rounds": 3}), rounds: sets(lines("1", "2", "3"), lines("1", "2"), unreadable), want: halt.MaxIterationsReached, round: 3, remedy: halt.DoNotRetry},
		{name: "the last allowed round was reverted", brakes: reverting(map[string]any{"rounds": 2}), baseline: brakes.Baseline{Failing: suite(all, "t01", "t02")}, rounds: sets(suite(all, "t01"), suite(all, "t02")), want: halt.MaxIterationsReached, round: 2, remedy: halt.DoNotRetry},
		{name: "STUCK", rounds: one(brakes.Round{Verdict: brakes.Stuck, NotConverging: []string{"tests"}}), want: halt.JudgedStuck, round: 1, ids: []string{"tests"}},
		{name: "a person before the judge", rounds: one(brakes.Round{Verdict: brakes.Stuck, Stop: brakes.StopRequested}), want: halt.HumanRequired, round: 1},
		{name: "a success before a person", rounds: one(brakes.Round{Verdict: brakes.Done, Stop: brakes.StopRequested}), want: halt.JudgedDone, round: 1},
		{name: "a workflow gives up", rounds: stop(brakes.UnresolvableError), want: halt.HumanRequired, round: 1},
		{name: "no workflow may run", rounds: stop(brakes.NoEligibleWorkflow), want: halt.NoActionableTasks, round: 1},
		{name: "no valid goal check", rounds: stop(brakes.GoalCheckBroken), want: halt.GoalCheckBroken, round: 1},
		{name: "a workflow fails again and again", rounds: stop(brakes.WorkflowFailureCap), want: halt.ExecutionFailure, round: 1},
		{name: "an invalid control file", rounds: stop(brakes.InvalidControlOutput), want: halt.WorkspaceInvalid, round: 1},
		{name: "a stop nobody knows", rounds: stop("odd"), want: halt.InternalError, round: 1},
	}
}

func guardScripts(all []string) []script {
	green := func(r brakes.Round) []brakes.Round {
		r.Verdict, r.Check = brakes.Done, brakes.CheckGreen
		return one(r)
	}
	protect := map[string]any{"protect": []any{"tests/**", "Makefile"}}
	dropped := suite(all[:40])
	skipped := suite(all[:49])
	skipped.Skipped = all[49:]
	died := suite(all[:40], "t01")
	died.Broken = all[40:]
	withSuite := brakes.Baseline{Failing: suite(all, "t01")}
	return []script{
		{name: "a refusal comes before everything", rounds: green(brakes.Round{ExitCode: 79, Tampered: []string{"state.json"}}), want: halt.TerminalRefusal, round: 1},
		{name: "a tampered session is no success", rounds: green(brakes.Round{Tampered: []string{"state.json"}}), want: halt.HarnessTampered, round: 1, ids: []string{"state.json"}},
		{name: "a protected path is no success", brakes: protect, rounds: green(brakes.Round{Changed: []string{"src/a.go", "tests/deep/a_test.go"}}), want: halt.BlockedPathModified, round: 1, ids: []string{"tests/deep/a_test.go"}},
		{name: "other paths are free", brakes: protect, rounds: one(brakes.Round{Verdict: brakes.Continue, Changed: []string{"src/Makefile", "mytests/a"}})},
		{name: "a round that signs for itself", brakes: map[string]any{"comprehension": map[string]any{"max_unread": 3}}, rounds: green(brakes.Round{Changed: []string{".brickoven/allowed_signers"}}), want: halt.BlockedPathModified, round: 1},
		{name: "dropped tests are no success", brakes: reverting(nil), baseline: withSuite, rounds: green(brakes.Round{Failing: dropped}), want: halt.MetricIntegrityViolation, round: 1, ids: all[40:]},
		{name: "skipped tests are no success", brakes: reverting(nil), baseline: withSuite, rounds: green(brakes.Round{Failing: skipped}), want: halt.MetricIntegrityViolation, round: 1, ids: all[49:]},
		{name: "tests of a package that died did not vanish", brakes: reverting(nil), baseline: withSuite, rounds: sets(died)},
		{name: "a check that writes is no success", rounds: green(brakes.Round{CheckChanged: []string{"a.snap"}}), want: halt.CheckHasSideEffects, round: 1, ids: []string{"a.snap"}},
		{name: "a broken test is no success", brakes: reverting(nil), baseline: withSuite, rounds: green(brakes.Round{Failing: suite(all, "t02")})},
		{name: "an unreadable set is no success", brakes: reverting(nil), baseline: withSuite, rounds: green(brakes.Round{Failing: unreadable})},
		{name: "a check that disagrees with itself", baseline: brakes.Baseline{Trials: []integrity.Trial{{ExitCode: 1}, {ExitCode: 2}}}, want: halt.CheckFlaky},
		{name: "a check that writes at the start", baseline: brakes.Baseline{Trials: []integrity.Trial{{}, {Changed: []string{"x"}}}}, want: halt.CheckHasSideEffects},
	}
}

func spendScripts() []script {
	anomaly := map[string]any{"cost_anomaly": map[string]any{"sigma": 3, "min_rounds": 3, "floor": "10%"}}
	return []script{
		{name: "1, 1, 1, 100", brakes: anomaly, rounds: spending(1, 1, 1, 100), want: halt.CostAnomaly, round: 4, rows: []int{4}},
		{name: "1, 1.01, 1", brakes: anomaly, rounds: spending(1, 1.01, 1, 1.02, 0.99)},
		{name: "the budget of the run", brakes: map[string]any{"budget_usd": 3}, rounds: spending(1, 1, 1, 1), want: halt.BudgetExceeded, round: 3, rows: []int{1, 2, 3}, remedy: halt.DoNotRetry},
		{name: "the budget of the run while it shrank", brakes: reverting(map[string]any{"budget_usd": 2}), rounds: []brakes.Round{
			{Failing: lines("1", "2"), Spend: brakes.Spend{USD: 1}, Verdict: brakes.Continue}, {Failing: lines("1"), Spend: brakes.Spend{USD: 1}, Verdict: brakes.Continue},
		}, want: halt.BudgetExceeded, round: 2, remedy: halt.RaiseTheLimit},
		{name: "a success over the budget", brakes: map[string]any{"budget_usd": 1}, rounds: one(brakes.Round{Verdict: brakes.Done, Check: brakes.CheckGreen, Spend: brakes.Spend{USD: 9}}), want: halt.SuccessConditionMet, round: 1},
		{name: "tokens", brakes: map[string]any{"budget_tokens": 100}, rounds: one(brakes.Round{Verdict: brakes.Continue, Spend: brakes.Spend{Tokens: 100}}), want: halt.BudgetExceeded, round: 1},
		{name: "minutes", brakes: map[string]any{"budget_minutes": 1.5}, rounds: []brakes.Round{{Verdict: brakes.Continue, Elapsed: time.Minute}, {Verdict: brakes.Continue, Elapsed: 30 * time.Second}}, want: halt.BudgetExceeded, round: 2},
		{name: "unknown is not zero", brakes: map[string]any{"budget_usd": 3, "on_unknown_cost": "halt"}, rounds: one(brakes.Round{Verdict: brakes.Continue, Spend: brakes.Spend{UnknownUSD: 1}}), want: halt.BudgetExceeded, round: 1},
		{name: "unknown is reported", brakes: map[string]any{"budget_usd": 3}, rounds: one(brakes.Round{Verdict: brakes.Continue, Spend: brakes.Spend{UnknownUSD: 1}})},
		{name: "what no budget counts may be unknown", brakes: map[string]any{"budget_usd": 3, "on_unknown_cost": "halt"}, rounds: one(brakes.Round{Verdict: brakes.Continue, Spend: brakes.Spend{UnknownTokens: 1}})},
		{name: "without a budget every unknown halts", brakes: map[string]any{"on_unknown_cost": "halt"}, rounds: one(brakes.Round{Verdict: brakes.Continue, Spend: brakes.Spend{UnknownTokens: 1}}), want: halt.BudgetExceeded, round: 1},
	}
}

func TestHistoriesEndForTheExpectedReasonInTheExpectedRound(t *testing.T) {
	t.Parallel()
	for _, s := range scripts() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			_, end := play(t, config(t, s.brakes), s.baseline, s.rounds)
			if end == nil {
				if s.want != "" {
					t.Fatalf("the loop goes on, want %s", s.want)
				}
				return
			}
			if end.Reason != s.want || end.Round != s.round {
				t.Fatalf("got %s after round %d, want %q after round %d\n%s", end.Reason, end.Round, s.want, s.round, end)
			}
			if s.rows != nil && !slices.Equal(end.Evidence.Rounds, s.rows) {
				t.Errorf("the evidence is of rounds %v, want %v", end.Evidence.Rounds, s.rows)
			}
			if diff := cmp.Diff(s.ids, end.Evidence.IDs); s.ids != nil && diff != "" {
				t.Error(diff)
			}
			if s.remedy != "" && end.Remedy != s.remedy {
				t.Errorf("the remedy is %s, want %s", end.Remedy, s.remedy)
			}
			if row, _ := halt.Lookup(end.Reason); end.Class != row.Class || end.Advice == "" {
				t.Errorf("class %d and advice %q", end.Class, end.Advice)
			}
		})
	}
}

func TestEveryReasonIsReached(t *testing.T) {
	t.Parallel()
	reached := map[halt.Reason]bool{}
	for _, s := range scripts() {
		if s.want != "" {
			reached[s.want] = true
		}
	}
	e := brakes.New(config(t, map[string]any{"stale_after": "1m"}), brakes.State{})
	if d := e.During(brakes.Meter{Silent: time.Minute, Phase: "agent"}); d.Halt != nil {
		reached[d.Halt.Reason] = true
	}
	e = brakes.New(config(t, map[string]any{"comprehension": map[string]any{"max_unread": 1}}), brakes.State{})
	if d := e.Before([]string{"abc"}); d.Halt != nil {
		reached[d.Halt.Reason] = true
	}
	for _, row := range halt.Table() {
		if !reached[row.Reason] {
			t.Errorf("%s is in the table and cannot happen", row.Reason)
		}
	}
}
