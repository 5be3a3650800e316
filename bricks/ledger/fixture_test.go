package ledger

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// contractText is the contract of the two arithmetic examples.
const contractText = `{"purpose":"cut failing tests to zero","owner":"build-agent","starting_state":"main@3f2a, 4 failing",
 "inputs":["tests/"],"expected_outputs":["a green suite"],"success_criteria":["suite exits 0"],
 "failure_criteria":["any passing test turns red"],"dependencies":["postgres"],"iteration_limit":6,
 "timeout_behaviour":"stop after 20 minutes and record","escalation_path":"roadmap item",
 "quality_rubric":[
  {"dimension":"failing-tests","evidence_command":"make test-count","baseline":4,"target":0,"weight":70,
   "failure_threshold":4,"direction":"lower-is-better","hard_gate":true},
  {"dimension":"coverage","evidence_command":"make cov","baseline":61,"target":75,"weight":30,
   "failure_threshold":58,"direction":"higher-is-better","hard_gate":false}]}`

var noon = time.Date(2026, 1, 2, 5, 4, 5, 999, time.FixedZone("CET", 2*3600))

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func contract(t fataler, changes ...string) Contract {
	t.Helper()
	text := strings.NewReplacer(changes...).Replace(contractText)
	c, err := ReadContract([]byte(text), JSON, nil)
	if err != nil {
		t.Fatalf("the contract of the test: %v", err)
	}
	return c
}

// begun is a fresh ledger; changes are pairs of old and new contract text.
func begun(t fataler, changes ...string) *Ledger {
	t.Helper()
	l, err := Begin(nil, Opening{Session: "s1", Contract: contract(t, changes...), Time: noon})
	if err != nil {
		t.Fatalf("begin: %v", err)
	}
	return l
}

// record records facts that are in order.
func record(t fataler, l *Ledger, f Facts) (*Ledger, Iteration) {
	t.Helper()
	if f.Outcome == "" {
		f.Outcome = Continue
	}
	f.Time = noon
	next, i, err := l.Record(f)
	if err != nil {
		t.Fatalf("record %+v: %v", f, err)
	}
	return next, i
}

func reopened(t fataler, l *Ledger, changes ...string) *Ledger {
	t.Helper()
	next, err := Begin(l, Opening{Session: "s1", Contract: contract(t, changes...), Time: noon})
	if err != nil {
		t.Fatalf("reopen: %v", err)
	}
	return next
}

func readingsOf(tests, coverage string) []Measurement {
	return []Measurement{{"failing-tests", tests}, {"coverage", coverage}}
}

// wantRefusal checks the code of a refusal, and that every text is in it.
func wantRefusal(t *testing.T, err error, code Code, texts ...string) {
	t.Helper()
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("not refused: %v", err)
	}
	if refusal.Code != code {
		t.Errorf("refused with %d, want %d: %v", refusal.Code, code, err)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the refusal does not say %q: %v", text, err)
		}
	}
}
