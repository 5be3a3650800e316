package ledger

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/recipes/value"
)

func TestOnlyContinuePermitsAnotherIteration(t *testing.T) {
	t.Parallel()
	for _, outcome := range Outcomes() {
		f := Facts{Outcome: outcome}
		if outcome == Escalate {
			f.Blocker, f.Evidence, f.RecommendedNext = "b", "e", "n"
		}
		l, i := record(t, begun(t), f)
		if i.Outcome != outcome || i.Stall != "" || len(i.EngineWritten) > 0 {
			t.Errorf("%s: got %+v", outcome, i)
		}
		_, _, err := l.Record(Facts{Outcome: Continue})
		if outcome == Continue {
			if err != nil || l.Status != Open {
				t.Errorf("continue: %v", err)
			}
			continue
		}
		wantRefusal(t, err, WrongState, string(outcome))
		if l.Status != Closed || l.FinalOutcome != outcome {
			t.Errorf("%s: the ledger is %s with %s", outcome, l.Status, l.FinalOutcome)
		}
	}
	_, _, err := begun(t).Record(Facts{Outcome: "done"})
	wantRefusal(t, err, Unusable, `"done" is not one of`)
	_, _, err = begun(t).Record(Facts{Outcome: Continue, StallCount: "some"})
	wantRefusal(t, err, Unusable)
}

func TestAnEscalateNamesEveryMissingField(t *testing.T) {
	t.Parallel()
	_, _, err := begun(t).Record(Facts{Outcome: Escalate, Evidence: "  "})
	wantRefusal(t, err, Malformed, "blocker:", "evidence:", "recommended_next:")
	_, err = begun(t).Close(Ending{Outcome: Escalate, Blocker: "b"})
	wantRefusal(t, err, Malformed, "evidence:", "recommended_next:")
}

func TestTheEngineDerivesEvaluationAndBaseline(t *testing.T) {
	t.Parallel()
	l, first := record(t, begun(t), Facts{Measured: readingsOf("1", "68")})
	if diff := cmp.Diff(map[string]value.Number{"failing-tests": "4", "coverage": "61"}, first.Baseline); diff != "" {
		t.Errorf("the first baseline is the declared one: %s", diff)
	}
	if first.Evaluation.WeightedTotal != "67.5" || first.Measurements["coverage"] != "68" {
		t.Errorf("got %+v", first)
	}
	l, blank := record(t, l, Facts{})
	if blank.Evaluation != nil || blank.Baseline != nil || blank.Measurements != nil {
		t.Errorf("an unmeasured iteration is not evaluated: %+v", blank)
	}
	_, third := record(t, l, Facts{Measured: readingsOf("0", "70")})
	if diff := cmp.Diff(first.Measurements, third.Baseline); diff != "" {
		t.Errorf("an unmeasured iteration erased the last reading: %s", diff)
	}
}

func TestABaselineDoesNotCrossEpochs(t *testing.T) {
	t.Parallel()
	l, _ := record(t, begun(t), Facts{Outcome: Revise, Measured: readingsOf("1", "68")})
	l = reopened(t, l, `"dimension":"coverage"`, `"dimension":"speed"`)
	_, i := record(t, l, Facts{Measured: []Measurement{{"failing-tests", "0"}, {"speed", "70"}}})
	if diff := cmp.Diff(map[string]value.Number{"failing-tests": "4", "speed": "61"}, i.Baseline); diff != "" {
		t.Error(diff)
	}
}

func TestRetainOverABreachIsRefusedAndWithoutAMeasurementAccepted(t *testing.T) {
	t.Parallel()
	_, _, err := begun(t).Record(Facts{Outcome: Continue, Decision: "retain", Measured: readingsOf("5", "75")})
	wantRefusal(t, err, RetainRefused, "failing-tests")
	for _, decision := range []string{"revert", "revise", "escalate"} {
		record(t, begun(t), Facts{Decision: decision, Measured: readingsOf("5", "75")})
	}
	record(t, begun(t), Facts{Decision: "retain"})
	record(t, begun(t), Facts{Decision: "retain", Measured: readingsOf("4", "50")})
}

func TestABatchWithAKnownActionIsRefusedWhole(t *testing.T) {
	t.Parallel()
	l, _ := record(t, begun(t), Facts{Actions: []string{"a", "b"}})
	_, _, err := l.Record(Facts{Outcome: Continue, Actions: []string{"c", "b"}})
	wantRefusal(t, err, Repeated, `"b" is already`)
	_, _, err = l.Record(Facts{Outcome: Continue, Actions: []string{"c", "c"}})
	wantRefusal(t, err, Repeated, `"c" is there twice`)
	if diff := cmp.Diff([]string{"a", "b"}, l.Completed); diff != "" {
		t.Error(diff)
	}
	_, _, err = l.Record(Facts{Outcome: Continue, Actions: []string{" "}})
	wantRefusal(t, err, Malformed, "actions: must not hold a blank item")
}

func TestFactsAreCheckedAllAtOnce(t *testing.T) {
	t.Parallel()
	_, _, err := begun(t).Record(Facts{Outcome: Continue, DependencyMissing: "redis", Decision: "keep", CriticVerdict: "GOOD",
		EvidencePaths: []string{""}, Measured: readingsOf("x", "1")})
	wantRefusal(t, err, Malformed, "dependency_missing:", "decision:", "critic_verdict:", "critic_next:", "critic_brief:", "evidence_paths:", "measurements.failing-tests:")
}

func TestRecordingLeavesTheOldLedgerAsItWas(t *testing.T) {
	t.Parallel()
	l, _ := record(t, begun(t), Facts{Actions: []string{"a"}, Error: "e", State: "s"})
	before, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	record(t, l, Facts{Actions: []string{"b"}, Error: "e", State: "other"})
	record(t, l, Facts{Actions: []string{"c"}, Error: "f", State: "another"})
	after, err := l.Encode()
	if err != nil || string(bytes.Join(before, nil)) != string(bytes.Join(after, nil)) {
		t.Error("a record changed its predecessor")
	}
}

func TestTimesAreInUTC(t *testing.T) {
	t.Parallel()
	l, i := record(t, begun(t), Facts{})
	if i.Timestamp != "2026-01-02T03:04:05Z" || l.OpenedAt != "2026-01-02T03:04:05Z" {
		t.Errorf("got %s and %s", i.Timestamp, l.OpenedAt)
	}
}
