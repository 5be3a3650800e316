package ledger

import (
	"strings"
	"testing"
)

// foreign is a ledger as another program writes it: plain JSON, indented, and
// without the keys that only this package has.
const foreign = `{
  "schema": 1, "session": "s1", "status": "closed", "final_outcome": "escalate", "epoch": 1, "completed_actions": ["a"],
  "contract": CONTRACT,
  "iterations": [
    {"n": 1, "epoch": 1, "reported_outcome": "continue", "outcome": "continue", "actions": ["a"],
     "measurements": {"failing-tests": 1.0, "coverage": 68.0},
     "evaluation": {"weighted_total": 67.5, "verdict": "pass", "hard_gate_failures": [], "dimensions": []}, "decision": "retain"},
    {"n": 2, "epoch": 1, "reported_outcome": "escalate", "outcome": "escalate", "blocker": "b", "evidence": "e", "recommended_next": "r"}
  ]
}`

func TestALedgerOfAnotherWriterIsRead(t *testing.T) {
	t.Parallel()
	text := strings.Replace(foreign, "CONTRACT", contractText, 1)
	if findings := Check([]byte(text)); len(findings) > 0 {
		t.Fatal(findings)
	}
	l := decoded(t, []byte(text))
	if l.NextIteration() != 3 || l.Progress.Recorded != 2 || l.StallThreshold != DefaultStallThreshold || l.Baseline()["coverage"] != "68.0" {
		t.Errorf("got %+v", l.head)
	}
	l = reopened(t, l)
	if _, i := record(t, l, Facts{}); i.N != 3 || i.Epoch != 2 {
		t.Errorf("got %+v", i)
	}
}

func TestCheckRefusesWhatTheEngineWouldHave(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, old, new, want string }{
		{"an escalate without a blocker", `"blocker": "b", `, ``, "iterations[1].blocker: an escalate needs"},
		{"an escalate with a blank evidence", `"evidence": "e"`, `"evidence": ""`, "iterations[1].evidence: an escalate needs"},
		{"an escalate without a next action", `, "recommended_next": "r"`, ``, "iterations[1].recommended_next: an escalate needs"},
		{"a retain over a breach", `"failing-tests": 1.0`, `"failing-tests": 5`, "iterations[0].decision: retains a change over a breached hard gate"},
		{"an evaluation that does not follow", `67.5`, `99`, "iterations[0].evaluation: does not follow"},
		{"an evaluation without measurements", `"measurements": {"failing-tests": 1.0, "coverage": 68.0},`, ``, "iterations[0].evaluation: is there without"},
		{"a dimension left out", `, "coverage": 68.0`, ``, "iterations[0].measurements: measurements.coverage: is not measured"},
		{"an unknown decision", `"decision": "retain"`, `"decision": "keep"`, "iterations[0].decision: \"keep\" is not one of"},
		{"a verdict without its brief", `"decision": "retain"`, `"critic_verdict": "PASS"`, "iterations[0].critic_brief: a verdict needs"},
		{"a condemned change that was retained", `"decision": "retain"`, `"decision": "retain", "critic_verdict": "FAIL"`, "iterations[0].decision: a change judged FAIL"},
		{"an outcome that nothing explains", `"reported_outcome": "escalate"`, `"reported_outcome": "continue"`, "iterations[1].stall:"},
		{"a stall of another outcome", `"reported_outcome": "escalate"`, `"reported_outcome": "continue", "stall": "circular-state"`, "iterations[1].stall:"},
		{"work after the end", `"reported_outcome": "continue", "outcome": "continue"`, `"reported_outcome": "stop", "outcome": "stop"`, "iterations[0].outcome: stop ends the loop"},
		{"a local time", `"n": 2, `, `"n": 2, "timestamp": "yesterday", `, "iterations[1].timestamp"},
		{"a gap", `"n": 2`, `"n": 3`, "iterations[1].n: is 3 where 2 follows"},
		{"an epoch of the future", `"n": 2, "epoch": 1`, `"n": 2, "epoch": 2`, "iterations[1].epoch: is 2"},
		{"an action twice", `"n": 2, `, `"n": 2, "actions": ["a"], `, "iterations[1].actions: \"a\" is recorded complete twice"},
		{"an action that nobody did", `["a"],
  "contract"`, `["a", "b"],
  "contract"`, "completed_actions: is not the set"},
		{"an epoch that is missing", `"epoch": 1, "completed`, `"epoch": 2, "completed`, "epoch: is 2 after 0 earlier ones"},
		{"a status of no kind", `"status": "closed"`, `"status": "asleep"`, "status: \"asleep\" is not"},
		{"an end without an outcome", `"final_outcome": "escalate"`, `"final_outcome": null`, "final_outcome:"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(foreign, test.old) {
				t.Fatal("the test changes nothing")
			}
			text := strings.Replace(strings.Replace(foreign, test.old, test.new, 1), "CONTRACT", contractText, 1)
			var all []string
			for _, f := range Check([]byte(text)) {
				all = append(all, f.String())
			}
			if !strings.Contains(strings.Join(all, "\n"), test.want) {
				t.Errorf("got %v", all)
			}
		})
	}
}

func TestCheckReadsHowEpochsEnded(t *testing.T) {
	t.Parallel()
	l, err := begun(t).Close(Ending{Outcome: Escalate, Blocker: "b", Evidence: "e", RecommendedNext: "n"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(encoded(t, l))
	closed := strings.Replace(text, `"close_blocker":"b"`, `"close_blocker":null`, 1)
	if findings := Check([]byte(closed)); len(findings) != 1 || findings[0].Field != "close_blocker" {
		t.Errorf("got %v", findings)
	}
	text = string(encoded(t, reopened(t, l)))
	if findings := Check([]byte(text)); len(findings) != 0 {
		t.Errorf("got %v", findings)
	}
	reopenedText := strings.Replace(text, `"close_blocker":"b"`, `"close_blocker":null`, 1)
	if findings := Check([]byte(reopenedText)); len(findings) != 1 || findings[0].Field != "epochs[0]" {
		t.Errorf("got %v", findings)
	}
}
