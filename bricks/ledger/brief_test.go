package ledger

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/recipes/value"
)

const oneFile = "diff --git a/a.go b/a.go\nindex 1..2 100644\n--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-x\n+y\n"

func TestCompatIDIsThatOfTheOriginal(t *testing.T) {
	t.Parallel()
	p, err := Assemble(Exhibits{Diff: []byte("d\n"), Verification: []byte("v\n")})
	if err != nil || p.CompatID != "045c90490b1b4fb3" {
		t.Errorf("got %s, %v", p.CompatID, err)
	}
}

func TestPythonJSONPrintsAsPythonDoes(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]any{
		`{"a": [1, 2.5, null, true], "b": "\u00e9\n\"\\\ud83d\ude00\u007f/<"}`: map[string]any{
			"b": "é\n\"\\😀\x7f/<", "a": []any{value.Number("1"), value.Number("2.50"), nil, true}},
		`[1.0, 1e+16, 1e-05, 100.0, 0.0001, -0.0]`: []any{value.Number("1.0"), value.Number("1e16"), value.Number("0.00001"), value.Number("1e2"), value.Number("1e-4"), value.Number("-0.0")},
		`"\b\f\r\t\u0001"`:                         "\b\f\r\t\x01",
	} {
		if got := pythonPrinted(v); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestABriefIDIsTheHashOfEverythingTheCriticIsShown(t *testing.T) {
	t.Parallel()
	base := Exhibits{Session: "s", Epoch: 1, Iteration: 2, Rubric: contract(t).Rubric, Baseline: map[string]value.Number{"coverage": "61"},
		Diff: []byte(oneFile), Verification: []byte("ok"), Scope: []byte("a.go\n")}
	ids := map[string]string{}
	for name, change := range map[string]func(*Exhibits){
		"nothing": func(*Exhibits) {}, "session": func(e *Exhibits) { e.Session = "t" }, "epoch": func(e *Exhibits) { e.Epoch = 2 },
		"iteration": func(e *Exhibits) { e.Iteration = 3 }, "rubric": func(e *Exhibits) { e.Rubric = e.Rubric[:1] },
		"baseline": func(e *Exhibits) { e.Baseline = map[string]value.Number{"coverage": "62"} },
		"diff":     func(e *Exhibits) { e.Diff = []byte(oneFile + "\n") }, "verification": func(e *Exhibits) { e.Verification = []byte("ok.") },
		"scope": func(e *Exhibits) { e.Scope = nil }, "bytes that are shown alike": func(e *Exhibits) { e.Verification = []byte("ok\xff") },
		"other bytes that are shown alike": func(e *Exhibits) { e.Verification = []byte("ok\xfe") },
	} {
		e := base
		change(&e)
		p, err := Assemble(e)
		if err != nil {
			t.Fatal(err)
		}
		if other, taken := ids[p.BriefID]; taken || len(p.BriefID) != 16 {
			t.Errorf("%s has the id of %s: %q", name, other, p.BriefID)
		}
		ids[p.BriefID] = name
	}
}

func TestAPacketHasAllItsParts(t *testing.T) {
	t.Parallel()
	l, _ := record(t, begun(t), Facts{Measured: readingsOf("1", "68")})
	_, p, replaced, err := l.Brief([]byte(oneFile), []byte("ok \xff"), nil)
	if err != nil || replaced != "" {
		t.Fatal(err)
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"brief_id", "compat_id", "rubric", "baseline", "diff", "verification", "scope", "verdicts", "asks"} {
		if fields[key] == nil {
			t.Errorf("%s is missing", key)
		}
	}
	if len(p.Verdicts) != 5 || len(p.Asks) != 6 || p.Iteration != 2 || p.Baseline["coverage"] != "68" || p.Verification != "ok \uFFFD" {
		t.Errorf("got %+v", p)
	}
	if p.Scope.Provenance != Unverified || p.Scope.DeclaredPaths != nil || p.Scope.DiffPaths[0] != "a.go" {
		t.Errorf("got %+v", p.Scope)
	}
}

func TestBlankExhibitsAreRefused(t *testing.T) {
	t.Parallel()
	for _, e := range []Exhibits{{}, {Diff: []byte("d")}, {Verification: []byte("v")}, {Diff: []byte(" \n"), Verification: []byte("v")},
		{Diff: []byte("d"), Verification: []byte("v"), Scope: []byte("\n")}} {
		_, err := Assemble(e)
		wantRefusal(t, err, InputUnreadable, "empty")
	}
	closed, err := begun(t).Close(Ending{Outcome: Stop})
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, err = closed.Brief([]byte("d"), []byte("v"), nil)
	wantRefusal(t, err, WrongState)
}

func TestAVerdictNeedsThePendingBriefAndSpendsIt(t *testing.T) {
	t.Parallel()
	verdict := func(id string) Facts {
		return Facts{Outcome: Continue, CriticVerdict: "PASS", CriticBrief: id, CriticNext: "n", EvidencePaths: []string{"e"}}
	}
	l := begun(t)
	_, _, err := l.Record(verdict("0123456789abcdef"))
	wantRefusal(t, err, Malformed, "no brief is pending")
	l, first, _, err := l.Brief([]byte("d"), []byte("v"), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = l.Record(verdict("0123456789abcdef"))
	wantRefusal(t, err, Malformed, "is not the pending brief")
	for field, f := range map[string]Facts{"critic_next": verdict(first.BriefID), "evidence_paths": verdict(first.BriefID), "critic_brief": verdict("")} {
		if field == "critic_next" {
			f.CriticNext = " "
		}
		if field == "evidence_paths" {
			f.EvidencePaths = nil
		}
		_, _, err = l.Record(f)
		wantRefusal(t, err, Malformed, field+": ")
	}
	replacedLedger, second, replaced, err := l.Brief([]byte("d2"), []byte("v"), nil)
	if err != nil || replaced != first.BriefID {
		t.Errorf("the replaced brief is %q, %v", replaced, err)
	}
	_, _, err = replacedLedger.Record(verdict(first.BriefID))
	wantRefusal(t, err, Malformed, "is not the pending brief "+second.BriefID)
	l, _ = record(t, l, verdict(first.BriefID))
	_, _, err = l.Record(verdict(first.BriefID))
	wantRefusal(t, err, Malformed, "no brief is pending")
}

func TestWhatTheCriticCondemnedIsNotRetained(t *testing.T) {
	t.Parallel()
	l, p, _, err := begun(t).Brief([]byte("d"), []byte("v"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, verdict := range CriticVerdicts() {
		f := Facts{Outcome: Continue, CriticVerdict: string(verdict), CriticBrief: p.BriefID, CriticNext: "n", EvidencePaths: []string{"e"}, Decision: "retain"}
		_, _, err := l.Record(f)
		if verdict == "FAIL" || verdict == "REVERT" {
			wantRefusal(t, err, Malformed, "decision: a change judged")
		} else if err != nil {
			t.Errorf("%s: %v", verdict, err)
		}
	}
	_, _, err = l.Record(Facts{Outcome: Continue, CriticBrief: p.BriefID, CriticNext: "n"})
	wantRefusal(t, err, Malformed, "critic_brief: a brief id without a verdict", "critic_next:")
}

func TestAScopeIsVerifiedOrRefused(t *testing.T) {
	t.Parallel()
	rename := "diff --git a/old.sql b/new.sql\nsimilarity index 100%\nrename from old.sql\nrename to new.sql\n"
	inside := "diff --git a/a.go b/a.go\nindex 1..2 100644\n--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,2 @@\n--- note\n+++ b/other.go\n x\n"
	long := "diff --git a/very/long/way/to/tail.go b/very/long/way/to/tail.go\nold mode 100644\nnew mode 100755\n"
	for _, test := range []struct {
		name, diff, scope string
		want              Code
		undeclared        []string
	}{
		{"a pure rename by --stat", rename, " old.sql => new.sql | 0\n 1 file changed, 0 insertions(+), 0 deletions(-)\n", Done, nil},
		{"a pure rename by --name-only", rename, "new.sql\n", Done, nil},
		{"a pure rename by --no-renames", rename, "new.sql\nold.sql\n", Done, nil},
		{"a line in a hunk covers nothing", inside, "a.go\nother.go\n", NotCovered, nil},
		{"more in the diff is only recorded", oneFile + long, " a.go | 2 +-\n", Done, []string{"very/long/way/to/tail.go"}},
		{"an abbreviated name", oneFile + long, " .../to/tail.go | 0\n a.go | 2 +-\n", Done, nil},
		{"an abbreviation of two files", long + "diff --git a/x/tail.go b/x/tail.go\nold mode 1\nnew mode 2\n", " .../tail.go | 0\n", NotCovered, nil},
		{"an abbreviation of none", oneFile, " .../tail.go | 0\n", NotCovered, nil},
		{"a file that is cut off", oneFile[:len(oneFile)-3], "a.go\n", NotCovered, nil},
		{"no path at all", oneFile, "commit 1234567\nAuthor: a\n\n    a.go is better\n", NotCovered, nil},
		{"only a summary", oneFile, " 1 file changed, 1 insertion(+)\n", NotCovered, nil},
		{"no diff", "prose", "a.go\n", NotCovered, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, err := Assemble(Exhibits{Diff: []byte(test.diff), Verification: []byte("v"), Scope: []byte(test.scope)})
			if test.want != Done {
				wantRefusal(t, err, test.want)
				return
			}
			if err != nil || p.Scope.Provenance != Verified {
				t.Fatalf("got %+v, %v", p.Scope, err)
			}
			if test.undeclared == nil {
				test.undeclared = []string{}
			}
			if diff := cmp.Diff(test.undeclared, p.Scope.UndeclaredPaths); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWithoutAScopeACutDiffIsShownAsSuch(t *testing.T) {
	t.Parallel()
	p, err := Assemble(Exhibits{Diff: []byte(oneFile[:len(oneFile)-3]), Verification: []byte("v")})
	if err != nil || p.Scope.Provenance != Unverified || len(p.Scope.Incomplete) != 1 {
		t.Errorf("got %+v, %v", p.Scope, err)
	}
}

func pythonPrinted(v any) string {
	var b strings.Builder
	pythonJSON(&b, v)
	return b.String()
}
