package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// eventful is a ledger in which everything that can be recorded is.
func eventful(t fataler) *Ledger {
	t.Helper()
	l, _ := record(t, begun(t), Facts{Actions: []string{"a"}, Error: "boom", State: "s\n\"iterations\":[\n", Measured: readingsOf("1", "68"), Decision: "retain"})
	l, p, _, err := l.Brief([]byte("d"), []byte("v"), nil)
	if err != nil {
		t.Fatalf("brief: %v", err)
	}
	l, _ = record(t, l, Facts{CriticVerdict: "PASS", CriticBrief: p.BriefID, CriticNext: "n", EvidencePaths: []string{"e"}, Note: "line\nline \u2028 \xff"})
	l, _ = record(t, l, Facts{Outcome: Revise})
	l = reopened(t, l)
	l, _ = record(t, l, Facts{Error: "boom", Actions: []string{"b,\n"}})
	l, _ = record(t, l, Facts{Outcome: Pause})
	l, _, err = l.Resume()
	if err != nil {
		t.Fatalf("resume: %v", err)
	}
	l, _ = record(t, l, Facts{DependencyMissing: "postgres", Measured: readingsOf("5", "70")})
	return l
}

// sameLedger compares what two ledgers hold.
func sameLedger(t fataler, a, b *Ledger) string {
	t.Helper()
	one, err1 := a.Iterations()
	two, err2 := b.Iterations()
	if err1 != nil || err2 != nil {
		t.Fatalf("%v, %v", err1, err2)
	}
	options := []cmp.Option{cmp.AllowUnexported(head{}, closing{}, Epoch{}), cmpopts.EquateEmpty()}
	return cmp.Diff(a.head, b.head, options...) + cmp.Diff(one, two, options...)
}

func TestALedgerComesBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	l := eventful(t)
	data := encoded(t, l)
	if diff := sameLedger(t, l, decoded(t, data)); diff != "" {
		t.Errorf("sealed: %s", diff)
	}
	if _, sealed := decodeSealed(data); !sealed {
		t.Error("the seal does not hold")
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, data, "", "  "); err != nil {
		t.Fatalf("the file is no JSON: %v", err)
	}
	if _, sealed := decodeSealed(indented.Bytes()); sealed {
		t.Error("a changed file passes for sealed")
	}
	if diff := sameLedger(t, l, decoded(t, indented.Bytes())); diff != "" {
		t.Errorf("as plain JSON: %s", diff)
	}
	if findings := Check(data); len(findings) > 0 {
		t.Errorf("check: %v", findings)
	}
}

func TestACorruptLedgerIsRefused(t *testing.T) {
	t.Parallel()
	good := string(encoded(t, eventful(t)))
	for name, text := range map[string]string{
		"empty": "", "no JSON": "{", "half": good[:len(good)/2], "a list": "[]", "another schema": strings.Replace(good, `"schema":1`, `"schema":2`, 1),
		"no schema": strings.Replace(good, `"schema":1,`, ``, 1), "an unknown key": strings.Replace(good, `"resumed"`, `"colour":1,"resumed"`, 1),
		"a key twice": strings.Replace(good, `"resumed"`, `"epoch":2,"resumed"`, 1), "a wrong type": strings.Replace(good, `"resumed":1`, `"resumed":"1"`, 1),
		"a record of a wrong type": strings.Replace(good, `"n":2,`, `"n":"2",`, 1), "a gap": strings.Replace(good, `"n":2,`, `"n":3,`, 1),
		"no session": strings.Replace(good, `"session":"s1"`, `"session":"../s1"`, 1), "a lost action": strings.Replace(good, `"completed_actions":["a",`, `"completed_actions":[`, 1),
		"an epoch with foreign iterations": strings.Replace(good, `"iterations":[1,2,3]`, `"iterations":[1,2,3,4]`, 1), "an open end": strings.Replace(good, `"status":"closed"`, `"status":"open"`, 1),
		"an epoch too many": strings.Replace(good, `"epoch":2,"epochs"`, `"epoch":3,"epochs"`, 1), "an unknown outcome": strings.Replace(good, `"outcome":"pause"`, `"outcome":"sleep"`, 1),
		"a contract without an owner": strings.Replace(good, `"owner":"build-agent"`, `"owner":null`, 1), "NaN": strings.Replace(good, `"resumed":1`, `"resumed":NaN`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if text == good {
				t.Fatal("the test changes nothing")
			}
			_, err := Decode([]byte(text))
			wantRefusal(t, err, Unusable, "left as it is")
		})
	}
}

func TestEveryChangedByteBreaksTheSeal(t *testing.T) {
	t.Parallel()
	data := encoded(t, begun(t))
	for i := bodyAt; i < len(data); i++ {
		changed := bytes.Clone(data)
		changed[i] ^= 1
		if _, sealed := decodeSealed(changed); sealed {
			t.Fatalf("byte %d", i)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encoded(f, eventful(f)))
	f.Add([]byte(`{"schema":1,"session":"s","iterations":[{"n":1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Decode(data)
		Check(data)
		if err != nil {
			return
		}
		again := decoded(t, encoded(t, l))
		if diff := sameLedger(t, l, again); diff != "" {
			t.Error(diff)
		}
	})
}

// longLedger has n iterations, each with an action, an error, a state and
// measurements.
func longLedger(t fataler, n int) *Ledger {
	l := begun(t, `"iteration_limit":6`, `"iteration_limit":1000000`)
	for i := range n {
		l, _ = record(t, l, Facts{Actions: []string{fmt.Sprintf("action-%d", i)}, Error: fmt.Sprintf("error %c", 'a'+i%26), State: fmt.Sprint("state ", i),
			Measured: readingsOf("1", "68"), FilesChanged: []string{"a.go"}, Note: "one more round"})
	}
	return l
}

// BenchmarkOneMoreIteration is one iterate over a file of 10,000 iterations
// without the disk: decode, record, encode.
func BenchmarkOneMoreIteration(b *testing.B) {
	data := encoded(b, longLedger(b, 10_000))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		l := decoded(b, data)
		l, _ = record(b, l, Facts{Actions: []string{"more"}, Error: "new error", State: "new state", Measured: readingsOf("1", "69")})
		encoded(b, l)
	}
}
