package document_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/brickoven/brickoven/bricks/ledger"
)

// ledgers are ledger files of every age: fresh, with iterations of all kinds,
// and opened again.
func ledgers(t *testing.T, contract ledger.Contract) map[string][]byte {
	t.Helper()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	files := map[string][]byte{}
	keep := func(name string, l *ledger.Ledger, err error) *ledger.Ledger {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		parts, err := l.Encode()
		if err != nil {
			t.Fatal(err)
		}
		files[name] = bytes.Join(parts, nil)
		return l
	}
	l, err := ledger.Begin(nil, ledger.Opening{Session: "s1", Contract: contract, Time: at})
	l = keep("fresh", l, err)
	l, _, err = l.Record(ledger.Facts{
		Time: at, Outcome: ledger.Continue, Actions: []string{"a-1"}, Error: "boom", State: "s",
		Measured: []ledger.Measurement{{Dimension: "failing-tests", Value: "3"}, {Dimension: "coverage", Value: "62"}},
	})
	l = keep("measured", l, err)
	l, _, err = l.Record(ledger.Facts{
		Time: at, Outcome: ledger.Escalate, Blocker: "b", Evidence: "e", RecommendedNext: "n",
	})
	l = keep("escalated", l, err)
	if l.Status != ledger.Closed {
		l, err = l.Close(ledger.Ending{Outcome: ledger.Revise})
		l = keep("closed", l, err)
	}
	l, err = ledger.Begin(l, ledger.Opening{Session: "s1", Contract: contract, Time: at})
	keep("second epoch", l, err)
	return files
}
