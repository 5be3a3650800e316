package session

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func pointer(n int64) *int64 { return &n }

func TestResultKeepsTheSeedsKeysAndLiteralNumbers(t *testing.T) {
	t.Parallel()
	r := Result{
		Success: true, Text: "final response", HarnessRunID: "run-123", HarnessOutputDir: "out/0001", ExitCode: pointer(-1),
		Usage: Usage{PromptTokens: pointer(12345678901234567), TurnsWithoutUsage: 1, CostUSD: "1.10"}, DurationS: "0.50", AttemptID: "a1",
	}
	text, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"success": true`, `"text": "final response"`, `"error": null`, `"harness_run_id": "run-123"`, `"harness_output_dir": "out/0001"`,
		`"cost_usd": 1.10`, `"duration_s": 0.50`, `"prompt_tokens": 12345678901234567`, `"completion_tokens": null`, `"failure_kind": null`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	back, err := ParseResult(text)
	if diff := cmp.Diff(r, back); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if text, err := (Usage{}).MarshalJSON(); err != nil || !strings.Contains(string(text), `"cost_usd":null`) {
		t.Errorf("unknown costs are printed as %s, %v", text, err)
	}
}

// wantInvalid tests that a document is refused with everything that is wrong.
func wantInvalid(t *testing.T, text string, err error, problems ...string) {
	t.Helper()
	var invalid *Invalid
	if !errors.As(err, &invalid) {
		t.Errorf("%s: got %v", text, err)
		return
	}
	for _, problem := range problems {
		if !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: got %v, want %q", text, err, problem)
		}
	}
}

func TestResultIsStrict(t *testing.T) {
	t.Parallel()
	for text, problem := range map[string]string{
		`{"success":"true","schema_version":1}`:                                   "success: is a string, not a bool",
		`{"success":false,"schema_version":1}`:                                    "failure_kind: is missing, but success is false",
		`{"success":true,"failure_kind":"crash","schema_version":1}`:              "failure_kind: must be null while success is true",
		`{"success":false,"failure_kind":"odd","schema_version":1}`:               `failure_kind: "odd" is none of transient, deterministic, crash, unknown`,
		`{"success":true,"usage":{"cost_usd":-1},"schema_version":1}`:             "usage.cost_usd: -1 is not a number of at least 0",
		`{"success":true,"usage":{"prompt_tokens":1.5,"x":1},"schema_version":1}`: "usage.prompt_tokens: 1.5 is not a whole number; usage.x: is not a key",
		`{"success":true,"usage":{"turns":-2},"schema_version":1}`:                "usage.turns: -2 is not a whole number of at least 0",
		`{"success":true,"usage":{"turns_without_usage":-2},"schema_version":1}`:  "usage.turns_without_usage: -2",
		`{"success":true,"duration_s":1e999,"schema_version":1}`:                  "",
		`{"success":true,"usage":[],"schema_version":1}`:                          "usage: is a list, not a map",
		`{"success":true}`: "schema_version: is missing",
	} {
		if problem == "" {
			continue
		}
		_, err := ParseResult([]byte(text))
		wantInvalid(t, text, err, problem)
	}
}

func TestGoalCheck(t *testing.T) {
	t.Parallel()
	seed := `{"goal_met": false, "reason": "CTA exists, but deployment docs are still missing.", "schema_version": 1}`
	for text, want := range map[string]Evidence{
		seed:                            {EvidenceNotMet, "CTA exists, but deployment docs are still missing."},
		`{"goal_met":true,"reason":""}`: {EvidenceMet, ""},
	} {
		if got := ReadGoalCheck(File{Present: true, Data: []byte(text)}); got != want || !got.Valid() {
			t.Errorf("%s: %+v", text, got)
		}
	}
	for text, problem := range map[string]string{
		``: "is empty", `{"goal_met":"true","reason":"x"}`: "goal_met: is a string, not a bool", `{"goal_met":true}`: "reason: is missing",
		`{"goal_met":true,"reason":"x","score":1}`: "score: is not a key", `{"goal_met":null,"reason":"x"}`: "goal_met: is missing or null",
		`{"goal_met":true,"reason":"x","schema_version":2}`: "schema_version: 2 is not 1",
	} {
		got := ReadGoalCheck(File{Present: true, Data: []byte(text)})
		if got.Kind != EvidenceInvalid || got.Valid() || !strings.Contains(got.Reason, problem) {
			t.Errorf("%s: %+v", text, got)
		}
	}
	if got := ReadGoalCheck(File{}); got.Kind != EvidenceAbsent || got.Valid() {
		t.Errorf("no file: %+v", got)
	}
	if got := ReadGoalCheck(File{Present: true, Irregular: "is not a plain file"}); got.Kind != EvidenceInvalid {
		t.Errorf("a link: %+v", got)
	}
	text, err := GoalCheck{GoalMet: true, Reason: "r"}.Encode()
	if back, parseErr := ParseGoalCheck(text); err != nil || parseErr != nil || !back.GoalMet || back.Reason != "r" {
		t.Errorf("%s comes back as %+v", text, back)
	}
}

var moment = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestMeta(t *testing.T) {
	t.Parallel()
	id := NewID(moment, "fix it", [4]byte{1, 2, 0xff, 0})
	m := Meta{SessionID: id, SchemaVersion: 1, CreatedAt: moment, GoalHash: GoalHash("fix it"), RunID: "r", Recipe: "x", Step: "converge", WorkDir: "/w"}
	text, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseMeta(text)
	if diff := cmp.Diff(m, back); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for text, problem := range map[string]string{
		`{"session_id":"../x","created_at":"2026-01-02T03:04:05Z","goal_hash":"h","schema_version":1}`: `session_id: "../x" is not the name of a session`,
		`{"session_id":"x","created_at":"yesterday","goal_hash":"h","schema_version":1}`:               `created_at: "yesterday" is not a time`,
		`{"extra":1}`: "extra: is not a key",
	} {
		_, err := ParseMeta([]byte(text))
		wantInvalid(t, text, err, problem)
	}
}

func TestSessionNames(t *testing.T) {
	t.Parallel()
	local := time.Date(2026, 1, 2, 5, 4, 5, 0, time.FixedZone("", 2*3600))
	id := NewID(local, "fix it", [4]byte{1, 2, 0xff, 0})
	if want := "20260102_030405_" + GoalHash("fix it") + "_0102ff00"; id != want || CheckID(id) != nil {
		t.Errorf("got %s, want %s", id, want)
	}
	for _, bad := range []string{"", "..", "a/b", id + "/..", id + "\n", strings.ToUpper(id), "/" + id} {
		if CheckID(bad) == nil {
			t.Errorf("%q is a name", bad)
		}
	}
	for workflow, want := range map[string]string{"review-round": "0007_review-round", "a/../b c": "0007_a-..-b-c", "": "0007_", strings.Repeat("x", 99): "0007_" + strings.Repeat("x", 64)} {
		if got := IterationName(7, workflow); got != want {
			t.Errorf("%q: %s", workflow, got)
		}
	}
	if got := IterationName(12345, "w"); got != "12345_w" {
		t.Errorf("got %s", got)
	}
}

func TestEventsAreDedupedAndATornLastLineIsLeftOut(t *testing.T) {
	t.Parallel()
	var all []byte
	for _, number := range []int{1, 2, 2} {
		e := newEvent("s", number, TaskFinished, moment, map[string]any{"iteration": number})
		line, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, line...)
	}
	events, torn, err := ParseEvents(all)
	if len(events) != 2 || torn || err != nil {
		t.Errorf("got %d events, torn %v, %v", len(events), torn, err)
	}
	first := strings.IndexByte(string(all), '\n') + 1
	for size := first; size < 2*first-1; size++ {
		events, torn, err := ParseEvents(all[:size])
		if len(events) != 1 || torn != (size > first) || err != nil {
			t.Fatalf("the first %d bytes: %d events, torn %v, %v", size, len(events), torn, err)
		}
	}
	broken := string(all[:first]) + "{\"event_id\":\n" + string(all[first:])
	if _, _, err := ParseEvents([]byte(broken)); err == nil || !strings.HasPrefix(err.Error(), "line 2 of events.jsonl") {
		t.Errorf("a torn line in the middle: %v", err)
	}
	for text, problem := range map[string]string{
		`{"event_id":"x","schema_version":1,"ts":"2026-01-02T03:04:05Z","session_id":"s","type":"odd","payload":{}}`: `event_id: "x" is not 12 hex digits; type: "odd" is none of`,
		`{"payload":[]}`: "payload: is a list, not a map",
	} {
		_, err := ParseEvent([]byte(text))
		wantInvalid(t, text, err, problem)
	}
}

func TestRequestsAreTheCommandLines(t *testing.T) {
	t.Parallel()
	key := []byte("key")
	r := Request{Number: 3, Kind: RequestUpdate, Text: "look at <b>", At: moment}
	text, err := r.Seal(key)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := ParseRequest(text, key); err != nil || back != r {
		t.Errorf("comes back as %+v, %v", back, err)
	}
	if _, err := ParseRequest(text, []byte("other")); !errors.Is(err, ErrSeal) {
		t.Errorf("another key: %v", err)
	}
	for _, change := range []string{`"number": 3|"number": 4`, `"now": false|"now": true`, `look at|look for`, `"update"|"stop"`, `03:04:05|03:04:06`} {
		was, is, _ := strings.Cut(change, "|")
		forged := strings.Replace(string(text), was, is, 1)
		if forged == string(text) {
			t.Fatalf("%s changes nothing in %s", change, text)
		}
		if _, err := ParseRequest([]byte(forged), key); !errors.Is(err, ErrSeal) {
			t.Errorf("%s: %v", change, err)
		}
	}
	_, err = ParseRequest([]byte(`{"number":1,"kind":"odd","now":false,"created_at":"2026-01-02T03:04:05Z","seal":"xyz","schema_version":1}`), key)
	wantInvalid(t, "odd", err, "kind: ", "seal: is not hex")
	want := "# Updates\n\n## 2026-01-02T03:04:05Z\n\nlook at <b>\n"
	if got := string(Updates([]Request{r, {Kind: RequestStop, Text: "no"}})); got != want {
		t.Errorf("updates.md is %q", got)
	}
}

func TestStateIsStrict(t *testing.T) {
	t.Parallel()
	c := started(t, Config{Workflows: Single("round", "r")})
	text, err := c.State().Encode()
	if err != nil {
		t.Fatal(err)
	}
	for change, problem := range map[string]string{
		`"status": "running"|"status": "goal_met"`:                                              `status: a session that is "goal_met" does not fit the stop`,
		`"iteration_count": 0|"iteration_count": 2`:                                             "iteration_count: 2 does not fit the history of 0",
		`"schema_version": 1|"schema_version": 2`:                                               "schema_version: 2 is not 1",
		`"rejected": null|"rejected": {"count": 1, "odd": 1}`:                                   "rejected.author: is missing or null; rejected.odd: is not a key",
		`"stop": null|"stop": {"stop_reason": "odd", "halt_reason": "x", "author": "workflow"}`: `stop.stop_reason: "odd" is no stop reason`,
		`"history": []|"history": [1, {"success": 1}]`:                                          "history[0]: is a number, not a map",
		`"run_every": 1|"run_every": 1, "odd": 2`:                                               "config_snapshot.workflows[0].odd: is not a key",
		`"current_task": null|"current_task": {"iteration": 1}`:                                 "current_task.workflow_id: is missing",
		`"workflow_consecutive_failures": {}|"workflow_consecutive_failures": {"a": "b"}`:       "workflow_consecutive_failures.a: is a string",
	} {
		was, is, _ := strings.Cut(change, "|")
		broken := strings.Replace(string(text), was, is, 1)
		if broken == string(text) {
			t.Fatalf("%s changes nothing in %s", change, text)
		}
		_, err := ParseState([]byte(broken))
		wantInvalid(t, change, err, problem)
	}
}
