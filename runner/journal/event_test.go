package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// values generates values, and references where they may stand.
func values() *rapid.Generator[any] {
	text := rapid.OneOf(rapid.StringN(0, 12, 40), rapid.SampledFrom([]string{"", "\n", "\"", "<&>", "{$secret:", "12"}))
	scalar := rapid.OneOf(
		rapid.Just[any](nil), rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(text, func(s string) any { return s }),
		rapid.Map(rapid.SampledFrom([]string{"0", "1.10", "12345678901234567", "1000000"}), func(s string) any { return value.Number(s) }),
	)
	list := rapid.Map(rapid.SliceOfN(scalar, 0, 3), func(l []any) any { return append([]any{}, l...) })
	object := rapid.Map(rapid.MapOfN(text, rapid.OneOf(scalar, list), 0, 3), func(m map[string]any) any { return m })
	ref := rapid.Custom(func(t *rapid.T) any {
		return value.Ref{
			Hash: rapid.StringMatching(`[0-9a-f]{8}`).Draw(t, "hash"), Size: rapid.Int64Range(0, 1<<40).Draw(t, "size"),
			Place: text.Draw(t, "place"), JSON: rapid.Bool().Draw(t, "json"),
		}
	})
	lookalike := rapid.Just[any](map[string]any{"sha256": "00", "size": value.Number("1"), "place": "x@0+1"})
	return rapid.OneOf(scalar, list, object, ref, lookalike)
}

func results() *rapid.Generator[*step.Result] {
	return rapid.Custom(func(t *rapid.T) *step.Result {
		r := &step.Result{
			OK: rapid.Bool().Draw(t, "ok"), Cause: step.Cause(rapid.SampledFrom([]string{"", "timeout"}).Draw(t, "cause")),
			ExitCode: rapid.IntRange(-1, 255).Draw(t, "code"), Value: values().Draw(t, "value"), Text: values().Draw(t, "text"),
			Error: rapid.String().Draw(t, "error"), Duration: time.Duration(rapid.Int64().Draw(t, "duration")),
		}
		if rapid.Bool().Draw(t, "same") {
			r.Value = r.Text
		}
		if rapid.Bool().Draw(t, "usage") {
			n, cost := rapid.Int64().Draw(t, "tokens"), 0.5
			r.Usage = &step.Usage{InputTokens: &n, CostUSD: &cost}
		}
		if rapid.Bool().Draw(t, "agent") {
			resets := epoch
			r.Agent = &step.Answered{Agent: "claude", Status: "quota_exhausted", ResetsAt: &resets, Denied: []string{"Write"}}
		}
		return r
	})
}

// TestEventsComeBackAsTheyWere feeds a replay what the run was fed: values keep
// their kind, and a map that looks like a reference stays a map.
func TestEventsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	w, err := Create(dir, options())
	must(t, err)
	var want []step.Event
	rapid.Check(t, func(t *rapid.T) {
		ev := step.Event{Kind: step.Done, ID: rapid.StringMatching(`[a-z]{1,5}#shell\.[1-9]`).Draw(t, "id"), Result: results().Draw(t, "result"), At: epoch}
		if rapid.IntRange(0, 9).Draw(t, "signal") == 0 {
			ev = step.Event{Kind: rapid.SampledFrom([]step.EventKind{step.Interrupt, step.Kill}).Draw(t, "kind"), Signal: 15, At: epoch}
		}
		if rapid.IntRange(0, 9).Draw(t, "used") == 0 {
			n := rapid.Int64().Draw(t, "tokens")
			ev = step.Event{Kind: step.Used, ID: "a#agent.1", Usage: &step.Usage{InputTokens: &n, Calls: 1}, At: epoch}
		}
		if err := w.Event(ev); err != nil {
			t.Fatal(err)
		}
		want = append(want, ev)
	})
	must(t, w.Close())
	var got []step.Event
	records, _, err := readAll(dir)
	must(t, err)
	for _, r := range records {
		ev, ok, err := r.Event(nil)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		got = append(got, ev)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheTextIsWrittenOnceWhereTheValueIsTheSame(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	w, err := Create(dir, options())
	must(t, err)
	must(t, w.Event(done("a", "only once")))
	must(t, w.Close())
	if n := strings.Count(string(readFile(t, dir)), "only once"); n != 1 {
		t.Errorf("the output stands there %d times", n)
	}
}

func TestAnEventNeedsAResultOrASignal(t *testing.T) {
	t.Parallel()
	w, err := Create(runDir(t, "r1"), options())
	must(t, err)
	for _, ev := range []step.Event{{}, {Kind: step.Done, ID: "a"}, {Kind: "other"}} {
		if err := w.Event(ev); err == nil {
			t.Errorf("%+v was accepted", ev)
		}
	}
	must(t, w.Event(done("a", "")))
}

func TestNotesNameLargeValuesByTheirHash(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	w, err := Create(dir, options())
	must(t, err)
	large := strings.Repeat("x", 1025)
	ref := value.Ref{Hash: "8c723a5d0f9d2b1ad7a8d5ed4b8a5ab6c5b1a5c5a5e3a6a9f1d0b0d5a5e3f1c2", Size: 70000, Place: "p@0+70000"}
	outcome := &step.Outcome{
		ID: "a", Path: "a", Status: step.Completed, Output: large, Duration: 3 * time.Second,
		Outputs: map[string]any{"list": []any{large}, "small": "s", "ref": ref}, Children: []*step.Outcome{{ID: "b"}},
	}
	in := []step.Note{
		{Kind: step.VariableSet, Name: "v", Value: large, At: epoch},
		{Kind: step.VariableSet, Name: "v", Value: map[string]any{"n": value.Number("1.10")}, At: epoch},
		{Kind: step.StepFinished, Path: "a", Outcome: outcome, At: epoch},
	}
	for _, n := range in {
		must(t, w.Note(n))
	}
	must(t, w.Close())
	if outcome.Output != large || len(outcome.Children) != 1 {
		t.Error("the note that was handed in changed")
	}
	records, _, err := readAll(dir)
	must(t, err)
	var out []step.Note
	for _, r := range records {
		n, err := r.Note(nil)
		must(t, err)
		out = append(out, n)
	}
	hashed, ok := out[0].Value.(value.Ref)
	if !ok || hashed.Size != 1025 || len(hashed.Hash) != 64 || hashed.JSON || hashed.Place != "" {
		t.Errorf("large text: %+v", out[0].Value)
	}
	if diff := cmp.Diff(in[1], out[1]); diff != "" {
		t.Error(diff)
	}
	got := out[2].Outcome
	list, _ := got.Outputs["list"].(value.Ref)
	if got.Output != any(hashed) || !list.JSON || got.Outputs["small"] != "s" || got.Outputs["ref"] != any(ref) || got.Duration != 3*time.Second || got.Children != nil {
		t.Errorf("outcome %+v", got)
	}
	if _, err := records[0].RunStarted(nil); err == nil {
		t.Error("a note was read as a run_started")
	}
}

// reverse seals as a mirror: what is recorded is not what was given, and the
// same function undoes it.
func reverse(v any) any {
	switch v := v.(type) {
	case string:
		runes := []rune(v)
		for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
			runes[i], runes[j] = runes[j], runes[i]
		}
		return string(runes)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = reverse(item)
		}
		return list
	case map[string]any:
		m := map[string]any{}
		for key, item := range v {
			m[key] = reverse(item)
		}
		return m
	}
	return v
}

const hidden = "s3cr3t-0815"

func TestEveryTextThatMayHoldASecretIsSealed(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	opts := options()
	opts.Seal = reverse
	w, err := Create(dir, opts)
	must(t, err)
	start := RunStarted{
		RunID: "r1", Options: json.RawMessage(`{"set":["` + hidden + `"]}`),
		Vars: []Variable{{"v", Carry(hidden)}}, Sources: []Source{{"p", "00", hidden}},
	}
	must(t, w.Append(KindRunStarted, start))
	must(t, w.Append(KindGuardRefused, GuardRefused{Text: hidden}))
	must(t, w.Append(KindWait, Wait{Reason: hidden}))
	event := step.Event{Kind: step.Done, ID: "a", At: epoch, Result: &step.Result{
		Value: map[string]any{"k": hidden}, Text: hidden, Error: hidden, Warnings: []string{hidden},
	}}
	must(t, w.Event(event))
	note := step.Note{Kind: step.StepFinished, Value: hidden, Text: hidden, At: epoch, Outcome: &step.Outcome{
		Output: hidden, Error: hidden, Outputs: map[string]any{"o": hidden}, Failures: []any{hidden},
	}}
	must(t, w.Note(note))
	must(t, w.Append(KindRunFinished, RunFinished{Reason: hidden}))
	must(t, w.Close())
	if strings.Contains(string(readFile(t, dir)), hidden) {
		t.Errorf("the secret is in the journal: %s", readFile(t, dir))
	}
	if event.Result.Text != hidden || note.Outcome.Output != hidden {
		t.Error("what was handed in changed")
	}
	unseal := func(v any) (any, error) { return reverse(v), nil }
	records, _, err := readAll(dir)
	must(t, err)
	gotStart, err := records[0].RunStarted(unseal)
	must(t, err)
	gotEvent, _, err := records[3].Event(unseal)
	must(t, err)
	gotNote, err := records[4].Note(unseal)
	must(t, err)
	gotEnd, err := records[5].RunFinished(unseal)
	must(t, err)
	for _, pair := range [][2]any{{start, gotStart}, {event, gotEvent}, {note, gotNote}, {RunFinished{Reason: hidden}, gotEnd}} {
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
			t.Error(diff)
		}
	}
	missing := errors.New("missing")
	if _, _, err := records[3].Event(func(any) (any, error) { return nil, missing }); !errors.Is(err, missing) || !strings.Contains(err.Error(), "record 4") {
		t.Errorf("unseal failed: %v", err)
	}
}

func TestDecodeWantsOneDocument(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{} {}`, `{`, `[]`} {
		var wait Wait
		if err := (Record{Seq: 3, Kind: KindWait, Data: []byte(text)}).Decode(&wait); err == nil || !strings.Contains(err.Error(), fmt.Sprint("record ", 3)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
