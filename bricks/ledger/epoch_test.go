package ledger

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpeningAClosedLedgerKeepsEverything(t *testing.T) {
	t.Parallel()
	l, _ := record(t, begun(t), Facts{Actions: []string{"a"}})
	l, _ = record(t, l, Facts{Outcome: Revise, Actions: []string{"b"}})
	l = reopened(t, l, "build-agent", "second-agent")
	l, _ = record(t, l, Facts{})
	l, err := l.Close(Ending{Outcome: Escalate, Blocker: "b", Evidence: "e", RecommendedNext: "n", Note: "x"})
	if err != nil {
		t.Fatal(err)
	}
	l = reopened(t, l, "build-agent", "third-agent")
	if l.Epoch != 3 || l.Status != Open || l.FinalOutcome != "" || l.NextIteration() != 4 || l.CloseBlocker != "" {
		t.Errorf("got %+v", l.head)
	}
	if diff := cmp.Diff([]int{1, 2}, l.Epochs[0].Iterations); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{3}, l.Epochs[1].Iterations); diff != "" {
		t.Errorf("an epoch lists iterations of another: %s", diff)
	}
	if l.Epochs[0].Contract.Owner != "build-agent" || l.Epochs[1].Contract.Owner != "second-agent" || l.Epochs[0].FinalOutcome != Revise ||
		l.Epochs[1].FinalOutcome != Escalate || l.Epochs[1].CloseBlocker != "b" || l.Epochs[1].CloseNote != "x" {
		t.Errorf("got %+v", l.Epochs)
	}
	_, _, err = l.Record(Facts{Outcome: Continue, Actions: []string{"a"}})
	wantRefusal(t, err, Repeated)
}

func TestOpeningRefusesALiveLedger(t *testing.T) {
	t.Parallel()
	_, err := Begin(begun(t), Opening{Session: "s1", Contract: contract(t)})
	wantRefusal(t, err, WrongState, "--force")
	_, err = Begin(nil, Opening{Session: "../s1", Contract: contract(t)})
	wantRefusal(t, err, Unusable)
	_, err = Begin(nil, Opening{Session: "s1", Contract: contract(t), StallThreshold: -1})
	wantRefusal(t, err, Unusable)
	_, err = Begin(nil, Opening{Session: "s1", Contract: contract(t), StallCount: "x"})
	wantRefusal(t, err, Unusable)
}

func TestReopeningClearsThePendingBrief(t *testing.T) {
	t.Parallel()
	l, _, _, err := begun(t).Brief([]byte("d"), []byte("v"), nil)
	if err != nil || l.Pending == nil {
		t.Fatal(err)
	}
	l, _ = record(t, l, Facts{Outcome: Revise})
	if l.Pending == nil {
		t.Fatal("the test needs a brief that is pending when the epoch ends")
	}
	if l = reopened(t, l); l.Pending != nil {
		t.Error("a brief outlived its contract")
	}
}

func TestBaselineEvidence(t *testing.T) {
	t.Parallel()
	open := func(evidence map[string]string) (*Ledger, error) {
		return Begin(nil, Opening{Session: "s1", Contract: contract(t), BaselineEvidence: evidence, Time: noon})
	}
	l, err := open(map[string]string{"failing-tests": "found 4."})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"failing-tests": Measured, "coverage": Declared}, l.Provenance); diff != "" {
		t.Error(diff)
	}
	_, err = open(map[string]string{"failing-tests": "v4", "speed": "1"})
	wantRefusal(t, err, Malformed, "baseline_evidence.failing-tests: the transcript does not hold", "baseline_evidence.speed: is not a dimension")
	_, err = open(map[string]string{"coverage": "\n"})
	wantRefusal(t, err, InputUnreadable, "coverage")
	if l, err = open(map[string]string{"coverage": "61 \xff"}); err != nil || l.Provenance["coverage"] != Measured {
		t.Errorf("bytes that are not UTF-8: %v", err)
	}
}

func TestResumeReopensAPauseAndNothingElse(t *testing.T) {
	t.Parallel()
	l, _ := record(t, begun(t), Facts{Outcome: Pause, Actions: []string{"a"}})
	l, r, err := l.Resume()
	if err != nil || l.Status != Open || l.FinalOutcome != "" || r.Resumed != 1 || r.NextIteration != 2 {
		t.Fatalf("got %+v, %v", r, err)
	}
	if diff := cmp.Diff([]string{"a"}, r.CompletedActions); diff != "" {
		t.Error(diff)
	}
	same, r, err := l.Resume()
	if err != nil || same != l || r.Resumed != 1 {
		t.Errorf("an open ledger is only reported: %+v, %v", r, err)
	}
	for _, outcome := range []Text{Complete, Revise, Stop} {
		closed, err := l.Close(Ending{Outcome: outcome})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = closed.Resume()
		wantRefusal(t, err, WrongState, string(outcome))
	}
}

func TestResumeLeavesNoTraceOfTheClose(t *testing.T) {
	t.Parallel()
	l, err := begun(t).Close(Ending{Outcome: Pause, Note: "later", Blocker: "b", Evidence: "e", RecommendedNext: "n"})
	if err != nil {
		t.Fatal(err)
	}
	l, _, err = l.Resume()
	if err != nil || l.closing != (closing{}) {
		t.Errorf("got %+v, %v", l.closing, err)
	}
}

func TestPausingDoesNotEvadeTheLimit(t *testing.T) {
	t.Parallel()
	l := begun(t, `"iteration_limit":6`, `"iteration_limit":2`)
	l, _ = record(t, l, Facts{Outcome: Pause})
	l, _, err := l.Resume()
	if err != nil {
		t.Fatal(err)
	}
	l, _ = record(t, l, Facts{Outcome: Pause})
	_, _, err = l.Resume()
	wantRefusal(t, err, WrongState, "limit of 2 iterations is spent")
	reopened(t, l)
}

func TestCloseRefusesWhatDoesNotEndALoop(t *testing.T) {
	t.Parallel()
	for _, outcome := range []Text{Continue, "", "done"} {
		_, err := begun(t).Close(Ending{Outcome: outcome})
		wantRefusal(t, err, Unusable)
	}
	l, err := begun(t).Close(Ending{Outcome: Stop})
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Close(Ending{Outcome: Stop})
	wantRefusal(t, err, WrongState)
}

func TestStatusReportsOneRecord(t *testing.T) {
	t.Parallel()
	l, _ := record(t, begun(t), Facts{Measured: readingsOf("1", "68"), Decision: "retain"})
	l, p, _, err := l.Brief([]byte("d"), []byte("v"), nil)
	if err != nil {
		t.Fatal(err)
	}
	l, _ = record(t, l, Facts{CriticVerdict: "REVISE", CriticBrief: p.BriefID, CriticNext: "n", EvidencePaths: []string{"e"}})
	l, _ = record(t, l, Facts{})
	s, examined, err := l.Report()
	if err != nil || !examined {
		t.Fatal(err)
	}
	if *s.QualityFrom != 2 || s.CriticVerdict != "REVISE" || s.RubricVerdict != "" || s.WeightedTotal != nil || s.Decision != "" {
		t.Errorf("the keys are composed of several records: %+v", s)
	}
	if s.LastOutcome != Continue || s.LastTimestamp == "" || s.BaselinesTotal != 2 || s.BaselinesMeasured != 0 || s.Iterations != 3 {
		t.Errorf("got %+v", s)
	}
}

func TestStatusOfAnEmptyLedgerHasEveryKeyAndNulls(t *testing.T) {
	t.Parallel()
	closed, err := begun(t).Close(Ending{Outcome: Stop})
	if err != nil {
		t.Fatal(err)
	}
	s, examined, err := closed.Report()
	if err != nil || examined || s.Status != Closed {
		t.Fatalf("got %+v, %v", s, err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"rubric_verdict", "weighted_total", "critic_verdict", "decision", "quality_from", "last_outcome", "last_timestamp"} {
		if v, has := fields[key]; !has || v != nil {
			t.Errorf("%s is %v, %v", key, v, has)
		}
	}
}

func TestStatusListsTheStallsOfAllEpochs(t *testing.T) {
	t.Parallel()
	l, _ := record(t, begun(t), Facts{DependencyMissing: "postgres"})
	s, _, err := l.Report()
	if err != nil || s.Blocker == "" {
		t.Errorf("the blocker of the iteration that ended the loop is not told: %+v, %v", s, err)
	}
	l = reopened(t, l)
	l, _ = record(t, l, Facts{State: "x"})
	l, _ = record(t, l, Facts{State: "x"})
	s, _, err = l.Report()
	want := []StallHit{{1, 1, DependencyUnavailable, Escalate}, {3, 2, CircularState, Revise}}
	if diff := cmp.Diff(want, s.Stalls); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if diff := cmp.Diff([]Ended{{1, Escalate, []int{1}}}, s.Epochs); diff != "" {
		t.Error(diff)
	}
}

func TestSessionsArePlainNames(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"s1", "a", "2026-01-02T03.04_x", "A.b-c"} {
		if err := CheckSession(id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, id := range []string{"", ".", "..", "../x", "a/b", `a\b`, "/x", ".hidden", "-x", "a b", "a\x00", "a\n", "ä", "a..b", "a.", string(make([]byte, 200))} {
		wantRefusal(t, CheckSession(id), Unusable)
	}
}
