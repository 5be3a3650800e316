package ledger

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStallPredicatesInTheirOrder(t *testing.T) {
	t.Parallel()
	p := emptyProgress().with(Iteration{ErrorSignature: "e", StateHash: "s"}).with(Iteration{ErrorSignature: "e", StateHash: "r"})
	limits := Limits{Iterations: 3, StallThreshold: 3, StallCount: Consecutive}
	all := Report{ErrorSignature: "e", StateHash: "s", DependencyMissing: "d"}
	for _, want := range []Text{DependencyUnavailable, RepeatedError, CircularState, RetriesExhausted} {
		if got := Stalled(p, limits, all); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		switch want {
		case DependencyUnavailable:
			all.DependencyMissing = ""
		case RepeatedError:
			all.ErrorSignature = ""
		case CircularState:
			all.StateHash = "new"
		}
	}
	limits.Iterations = 4
	if got := Stalled(p, limits, all); got != "" {
		t.Errorf("got %s", got)
	}
}

func TestAStallTurnsContinueIntoItsOutcome(t *testing.T) {
	t.Parallel()
	l, i := record(t, begun(t), Facts{DependencyMissing: "postgres"})
	if i.ReportedOutcome != Continue || i.Outcome != Escalate || i.Stall != DependencyUnavailable || l.FinalOutcome != Escalate {
		t.Errorf("got %+v", i)
	}
	if i.Blocker == "" || i.Evidence == "" || i.RecommendedNext == "" {
		t.Error("the engine left a field of the escalate empty")
	}
	if diff := cmp.Diff([]string{"blocker", "evidence", "recommended_next"}, i.EngineWritten); diff != "" {
		t.Error(diff)
	}
	_, i = record(t, begun(t), Facts{DependencyMissing: "postgres", Blocker: "mine"})
	if diff := cmp.Diff([]string{"evidence", "recommended_next"}, i.EngineWritten); diff != "" || i.Blocker != "mine" {
		t.Errorf("%s, blocker %s", diff, i.Blocker)
	}
}

func TestRepeatedErrorsCountConsecutivelyAndInTotal(t *testing.T) {
	t.Parallel()
	steps := []string{"boom", "boom", "", "other", "boom"}
	run := func(count string) (last Iteration) {
		l := begun(t, `"iteration_limit":6`, `"iteration_limit":60`)
		for _, text := range steps {
			l, last = record(t, l, Facts{Error: text, StallCount: count})
		}
		return last
	}
	if i := run(""); i.Outcome != Continue || i.ErrorConsecutive != 1 || i.ErrorTotal != 3 {
		t.Errorf("errors that were overcome stopped the loop: %+v", i)
	}
	if i := run(Total); i.Outcome != Escalate || i.Stall != RepeatedError {
		t.Errorf("the total does not count: %+v", i)
	}
	l := begun(t)
	var i Iteration
	for range 3 {
		if i.Stall != "" {
			t.Error("stalled too early")
		}
		l, i = record(t, l, Facts{Error: "boom after 12ms"})
	}
	if i.Stall != RepeatedError || i.ErrorConsecutive != 3 {
		t.Errorf("three in a row do not stall: %+v", i)
	}
}

func TestASeenStateIsCircular(t *testing.T) {
	t.Parallel()
	l, _ := record(t, begun(t), Facts{State: "Coverage=67  x"})
	l, _ = record(t, l, Facts{State: "coverage=68"})
	_, i := record(t, l, Facts{State: "coverage=67 X\n"})
	if i.Stall != CircularState || i.Outcome != Revise || len(i.EngineWritten) > 0 {
		t.Errorf("got %+v", i)
	}
	if HashState(" \n") != "" {
		t.Error("a blank state has a hash")
	}
}

func TestTheLastIterationOfTheLimitRunsAndCanNotContinue(t *testing.T) {
	t.Parallel()
	l := begun(t, `"iteration_limit":6`, `"iteration_limit":2`)
	l, _ = record(t, l, Facts{})
	_, i := record(t, l, Facts{})
	if i.Stall != RetriesExhausted || i.Outcome != Stop {
		t.Errorf("got %+v", i)
	}
	_, i = record(t, l, Facts{Outcome: Complete})
	if i.Stall != "" || i.Outcome != Complete {
		t.Errorf("got %+v", i)
	}
}

func TestPredicatesAskOnlyAboutAReportedContinue(t *testing.T) {
	t.Parallel()
	for _, outcome := range []Text{Complete, Revise, Pause, Stop} {
		_, i := record(t, begun(t), Facts{Outcome: outcome, DependencyMissing: "postgres"})
		if i.Stall != "" || i.Outcome != outcome {
			t.Errorf("got %+v", i)
		}
	}
}

func TestPredicatesReadTheCurrentEpochOnly(t *testing.T) {
	t.Parallel()
	l := begun(t, `"iteration_limit":6`, `"iteration_limit":3`)
	l, _ = record(t, l, Facts{State: "s", Error: "e"})
	l, _ = record(t, l, Facts{State: "t", Error: "e"})
	l, i := record(t, l, Facts{State: "s"})
	if i.Stall != CircularState {
		t.Fatalf("got %+v", i)
	}
	l = reopened(t, l, `"iteration_limit":6`, `"iteration_limit":3`)
	_, i = record(t, l, Facts{State: "s", Error: "e"})
	if i.Stall != "" || i.Outcome != Continue || i.N != 4 || i.Epoch != 2 || i.ErrorTotal != 1 {
		t.Errorf("a predicate read across the revision: %+v", i)
	}
}
