package score

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/recipes/value"
)

func TestParseKeepsNumbersAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	record, err := Parse("\uFEFF" + `{"name":"writer","score_history":[6.0,8.50,12345678901234567],"threshold":8.00,"mode":"Review",
		"success":false,"total_duration_seconds":12.50,"guard_events":[{"a":1.10}],"other":{"x":[1]},
		"iterations":[{"duration_s":1.50,"tokens":3,"cost_usd":0.10,"accepted":true},
		              {"score":8.5,"usage":{"prompt_tokens":2,"completion_tokens":3}},
		              {"usage":{"total_tokens":7,"prompt_tokens":1},"tokens":"many","cost_usd":null}]}`)
	if err != nil {
		t.Fatal(err)
	}
	no, yes := false, true
	want := Record{
		Loop: Loop{
			Name: "writer", Scores: []value.Number{"6.0", "8.50", "12345678901234567"}, Threshold: "8.00", Mode: "Review",
			Success: &no, TotalDuration: "12.50",
			Rounds: []Round{{Duration: "1.50", Tokens: "3", CostUSD: "0.10", Accepted: &yes}, {Tokens: "5"}, {Tokens: "7"}},
		},
		GuardEvents: []any{map[string]any{"a": value.Number("1.10")}},
	}
	if diff := cmp.Diff(want, record); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseTakesScoresFromTheIterationsWhereThereIsNoHistory(t *testing.T) {
	t.Parallel()
	record, err := Parse(`{"iterations":[{"score":6.0},{"score":8.5}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]value.Number{"6.0", "8.5"}, record.Loop.Scores); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseIgnoresIterationsThatAreAnotherTools(t *testing.T) {
	t.Parallel()
	record, err := Parse(`{"iterations":3,"score_history":[9]}`)
	if err != nil || record.Loop.Rounds != nil {
		t.Errorf("%+v, %v", record, err)
	}
}

func TestParseRefusesWithPathPlaceAndIndex(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text         string
		path         string
		index        int
		line, column int
		says         string
	}{
		{`{"score_history":[6.0,NaN]}`, "score_history[1]", 1, 1, 23, "NaN"},
		{`{"score_history":[nan]}`, "score_history[0]", 0, 1, 19, "NaN"},
		{`{"score_history":[6.0,Infinity]}`, "score_history[1]", 1, 1, 23, "infinite"},
		{`{"score_history":[-Infinity]}`, "score_history[0]", 0, 1, 19, "infinite"},
		{`{"score_history":[1,2,1e999]}`, "score_history[2]", 2, 1, 23, "infinite"},
		{`{"score_history":[1,1e-9999]}`, "score_history[1]", 1, 1, 21, "no finite decimal"},
		{`{"score_history":[6.0,"8"]}`, "score_history[1]", 1, 1, 23, "is a string"},
		{`{"score_history":[true]}`, "score_history[0]", 0, 1, 19, "is a bool"},
		{`{"score_history":[6.0,null]}`, "score_history[1]", 1, 1, 23, "missing"},
		{`{"score_history":[6.0,,8]}`, "score_history[1]", 1, 1, 23, "missing"},
		{`{"score_history":[6.0, ]}`, "score_history[1]", 1, 1, 24, "missing"},
		{`{"score_history":[,6]}`, "score_history[0]", 0, 1, 19, "missing"},
		{"{\"é\": 1,\n\t\"score_history\":[[1]]}", "score_history[0]", 0, 2, 19, "is a list"},
		{`{"é":1,"score_history":[{}]}`, "score_history[0]", 0, 1, 25, "is a map"},
		{`{"iterations":[{"score":1},{"score":"2"}]}`, "iterations[1].score", 1, 1, 37, "is a string"},
		{`{"iterations":[{"score":1},{}]}`, "iterations[1].score", 1, 1, 28, "missing"},
		{`{"score_history":"6"}`, "score_history", -1, 1, 18, "expected a list"},
		{`{"score_history":[1],"iterations":[]} x`, "", -1, 1, 39, "goes on"},
		{`{"score_history":[1],"iterations":[{},{}]}`, "iterations", -1, 1, 35, "2 entries"},
		{`{"score_history":[1],"iterations":[{"score":2}]}`, "iterations[0].score", 0, 1, 45, "score_history says 1"},
		{`{"score_history":[1],"iterations":[{"tokens":-1}]}`, "iterations[0].tokens", -1, 1, 46, "0 or more"},
		{`{"score_history":[1],"threshold":"8"}`, "threshold", -1, 1, 34, "expected a number"},
		{`{"score_history":[1],"threshold":1e999}`, "threshold", -1, 1, 34, "infinite"},
		{`{"score_history":[1],"mode":1}`, "mode", -1, 1, 29, "expected a text"},
		{`{"score_history":[1],"success":"false"}`, "success", -1, 1, 32, "true or false"},
		{`{"score_history":[1],"total_duration_seconds":-1}`, "total_duration_seconds", -1, 1, 47, "0 or more"},
		{`{"score_history":[1],"guard_events":{}}`, "guard_events", -1, 1, 37, "list of events"},
		{`{"score_history":[1],"score_history":[9]}`, "score_history", -1, 1, 22, "twice"},
		{`{"meta":{"x":NaN},"score_history":[1]}`, "meta.x", -1, 1, 14, "NaN"},
		{`{}`, "score_history", -1, 1, 1, "missing"},
		{`[1,2]`, "", -1, 1, 1, "expected an object"},
		{``, "", -1, 1, 1, "empty"},
		{" \n", "", -1, 2, 1, "empty"},
		{`{"score_history":[1`, "score_history", -1, 1, 20, "ends before"},
		{`{"score_history"`, "score_history", -1, 1, 17, ""},
		{`{1:2}`, "", -1, 1, 2, ""},
		{`{"a":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`, "", -2, 0, 0, "nested"},
	} {
		_, err := Parse(c.text)
		var fault *InputError
		if !errors.As(err, &fault) {
			t.Errorf("%.60s: no InputError: %v", c.text, err)
			continue
		}
		if !strings.Contains(fault.Message, c.says) {
			t.Errorf("%.60s: %q does not say %q", c.text, fault.Message, c.says)
		}
		if c.index == -2 {
			continue
		}
		got := []any{fault.Path, fault.Index, fault.Line, fault.Column}
		if diff := cmp.Diff([]any{c.path, c.index, c.line, c.column}, got); diff != "" {
			t.Errorf("%.60s (%v) (-want +got):\n%s", c.text, err, diff)
		}
	}
}

func TestParseReportsAFaultWithItsSource(t *testing.T) {
	t.Parallel()
	fault := &InputError{Source: "loop.json", Line: 3, Column: 7, Path: "threshold", Message: "is odd", Err: value.ErrNotOneDocument}
	if got, want := fault.Error(), "loop.json:3:7: threshold is odd"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !errors.Is(fault, value.ErrNotOneDocument) {
		t.Error("the cause is lost")
	}
}

func TestGuardEventsComeInEveryFormThatToolsWrite(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`[{"type":"doom_loop"},{"action":"warn"}]`:       2,
		`{"guard_events":[{"type":"x"},{},{}],"more":1}`: 3,
		`{"type":"doom_loop"}`:                           1,
		"{\"a\":1}\n{\"a\":2}\n":                         2,
		``:                                               0,
		" \n":                                            0,
		`[]`:                                             0,
		`[null,"text"]`:                                  2,
	} {
		events, err := ParseGuardEvents(text)
		if err != nil || len(events) != want {
			t.Errorf("%q: %d events, %v", text, len(events), err)
		}
	}
	for _, text := range []string{`5`, `"doom_loop"`, `[{"a":NaN}]`, "{}\n[]", `{"a":`} {
		var fault *InputError
		if _, err := ParseGuardEvents(text); !errors.As(err, &fault) || fault.Line == 0 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestParseThresholdKeepsTheText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "8", "7.50", "-1", "1e1"} {
		if n, err := ParseThreshold(" " + text); err != nil || n.String() != text {
			t.Errorf("%q: %q, %v", text, n, err)
		}
	}
	for _, text := range []string{"", "NaN", "inf", "+8", ".5", "0x8", "8 9", "null", `"8"`, "1e999", "true"} {
		if n, err := ParseThreshold(text); err == nil {
			t.Errorf("%q was read as %s", text, n)
		}
	}
}

// What Parse accepts can be scored and printed as JSON, whatever it is.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"score_history":[6.0,8.5,8.0],"threshold":8.0}`, `{"score_history":[NaN]}`, `{"iterations":[{"score":1,"tokens":2}]}`,
		`{"score_history":[1e308,-1e308],"success":true,"mode":"review"}`, `{"score_history":[,]}`, "{\"a\":[{}],\n", `{"score_history":[1],"guard_events":[{"stuck":true}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		record, err := Parse(text)
		if err != nil {
			var fault *InputError
			if !errors.As(err, &fault) || fault.Line < 1 || fault.Column < 1 {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		if !json.Valid([]byte(strings.TrimPrefix(text, "\uFEFF"))) {
			t.Fatalf("%q is no JSON and was read", text)
		}
		r, err := Evaluate(record.Loop, record.GuardEvents, nil, Options{})
		if err != nil {
			t.Fatalf("%q was read and could not be scored: %v", text, err)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
