package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/bricks/doomloop"
	"github.com/brickoven/brickoven/bricks/score"
)

// scored is what one call of the command left behind.
type scored struct {
	code     int
	out, err string
}

func runScore(t *testing.T, runs score.RunReader, stdin string, args ...string) scored {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd := newScoreCommandFor(&app{in: strings.NewReader(stdin), out: &out, err: &errOut}, runs)
	cmd.SetArgs(append([]string{}, args...)) // nil would be the arguments of the test binary
	err := cmd.Execute()
	got := scored{out: out.String(), err: errOut.String()}
	var f *failure
	switch {
	case errors.As(err, &f):
		got.code, got.err = f.Code, got.err+f.Error()
	case err != nil:
		t.Fatalf("the error is no *failure: %v", err)
	}
	return got
}

// document decodes stdout and fails unless it is exactly one JSON document.
func (s scored) document(t *testing.T) map[string]any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(s.out))
	var v map[string]any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("stdout is no JSON document: %v\n%s", err, s.out)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		t.Fatalf("stdout holds more than one document:\n%s", s.out)
	}
	return v
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	healthyLoop = `{"name":"writer","score_history":[6.0,8.5],"threshold":8.0,"mode":"optimize","success":true,"total_duration_seconds":12.5}`
	wastedLoop  = `{"name":"writer","score_history":[6.0,8.5,8.0],"threshold":8.0,"mode":"optimize","success":true,"total_duration_seconds":12.5}`
)

func TestScoreExitsWithTheVerdict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		args     []string
		want     int
	}{
		{"healthy", healthyLoop, nil, 0},
		{"a hyphen is standard input", healthyLoop, []string{"-"}, 0},
		{"unhealthy by waste", wastedLoop, nil, 1},
		{"waste tolerated", wastedLoop, []string{"--max-wasted", "1"}, 0},
		{"not converged", `{"score_history":[1]}`, nil, 1},
		{"option threshold beats the loop's", healthyLoop, []string{"--threshold", "9"}, 1},
		{"option threshold 0 counts", `{"score_history":[1]}`, []string{"--threshold=0"}, 0},
		{"empty history", `{"score_history":[]}`, nil, 4},
		{"null history", `{"score_history":null}`, nil, 4},
		{"no history", `{}`, nil, 2},
		{"no JSON", `hello`, nil, 2},
		{"nothing at all", ``, nil, 2},
		{"NaN", `{"score_history":[6.0,NaN]}`, nil, 2},
		{"unknown flag", healthyLoop, []string{"--bogus"}, 2},
		{"two arguments", healthyLoop, []string{"a", "b"}, 2},
		{"a missing file", healthyLoop, []string{"missing.json"}, 2},
		{"a run without a reader of runs", healthyLoop, []string{"some-run"}, 2},
		{"textual threshold", healthyLoop, []string{"--threshold", "NaN"}, 2},
		{"empty threshold", healthyLoop, []string{"--threshold", ""}, 2},
		{"negative waste", healthyLoop, []string{"--max-wasted", "-1"}, 2},
		{"unknown format", healthyLoop, []string{"--output-format", "xml"}, 2},
		{"empty path", healthyLoop, []string{"--save", ""}, 2},
		{"two readers of standard input", healthyLoop, []string{"--guard-events", "-"}, 2},
		{"missing guard events", healthyLoop, []string{"--guard-events", "missing"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := runScore(t, nil, c.in, c.args...)
			if got.code != c.want {
				t.Errorf("exit %d, want %d\nstdout: %s\nstderr: %s", got.code, c.want, got.out, got.err)
			}
			if (c.want == 2) != (got.err != "") {
				t.Errorf("stderr: %q", got.err)
			}
			// The same call with JSON, whatever stands before or after the fault.
			asJSON := append([]string{"--output-format", "json"}, c.args...)
			if c.name == "unknown flag" {
				asJSON = append(c.args, "--output-format=json")
			}
			if c.name == "unknown format" {
				return
			}
			got = runScore(t, nil, c.in, asJSON...)
			if got.code != c.want {
				t.Errorf("with JSON exit %d, want %d", got.code, c.want)
			}
			v := got.document(t)
			if _, isError := v["error"]; isError != (c.want == 2) {
				t.Errorf("document: %s", got.out)
			}
		})
	}
}

func TestScoreNamesThePlaceOfAFault(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "loop.json", "{\"score_history\": [6.0,\n  NaN]}")
	got := runScore(t, nil, "", path, "--output-format", "json")
	fault, _ := got.document(t)["error"].(map[string]any)
	for key, want := range map[string]any{
		"code": 2.0, "line": 2.0, "column": 3.0, "index": 1.0, "path": "score_history[1]", "source": path,
	} {
		if fault[key] != want {
			t.Errorf("%s is %v, want %v", key, fault[key], want)
		}
	}
	if !strings.Contains(got.err, path+":2:3: score_history[1] is NaN") {
		t.Errorf("stderr: %q", got.err)
	}
}

func TestScorePrintsTheFieldsOfTheSeedFirstAndInItsOrder(t *testing.T) {
	t.Parallel()
	got := runScore(t, nil, wastedLoop, "--output-format", "json")
	want := `{
  "iterations_to_success": 2,
  "wasted_iterations": 1,
  "doom_loop_fired": false,
  "guard_interventions": 0,
  "total_duration_s": 12.5,
  "score_delta_per_iteration": [
    2.5,
    -0.5
  ],
  "converged": true,
  "success": false,
  "passed": false,
  "threshold": 8.0,
  "reasoning": "Converged in 2 iteration(s). 1 wasted iteration(s) after threshold.",
  "metadata": {
    "num_iterations": 3
  },
  "status": "unhealthy",
`
	if !strings.HasPrefix(got.out, want) {
		t.Errorf("got\n%s\nwant it to begin with\n%s", got.out, want)
	}
}

func TestScoreReadsGuardEventsFromAFile(t *testing.T) {
	t.Parallel()
	events := writeFile(t, "guards.jsonl", "{\"action\":\"warn\"}\n{\"stuck\":true,\"level\":\"critical\",\"detector\":\"ping_pong\"}\n")
	got := runScore(t, nil, healthyLoop, "--guard-events", events, "--output-format", "json")
	v := got.document(t)
	if got.code != 1 || v["doom_loop_fired"] != true || v["guard_interventions"] != 2.0 {
		t.Errorf("exit %d: %s", got.code, got.out)
	}
	list, _ := v["guard_events"].([]any)
	first, _ := list[0].(map[string]any)
	second, _ := list[1].(map[string]any)
	if first["rule"] != "decision" || first["doom_loop"] != false || second["rule"] != "stuck" || second["doom_loop"] != true {
		t.Errorf("guard events: %v", list)
	}
}

func TestScoreWritesTheFilesItIsAskedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got := runScore(t, nil, wastedLoop, "--name", "../a b", "--output-format", "json",
		"--save", filepath.Join(dir, "deep", "{name}-{id}.json"),
		"--junit", filepath.Join(dir, "junit.xml"), "--plot", filepath.Join(dir, "score.svg"))
	if got.code != 1 {
		t.Fatalf("exit %d: %s", got.code, got.err)
	}
	id, _ := got.document(t)["id"].(string)
	saved, err := os.ReadFile(filepath.Join(dir, "deep", "..-a-b-"+id+".json"))
	if err != nil || string(saved) != got.out {
		t.Errorf("the saved result is not the printed one: %v", err)
	}
	for _, name := range []string{"junit.xml", "score.svg"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := xml.Unmarshal(data, new(any)); err != nil {
			t.Errorf("%s is not well-formed: %v", name, err)
		}
	}
	again := runScore(t, nil, wastedLoop, "--name", "../a b", "--output-format", "json")
	if again.document(t)["id"] != id {
		t.Error("the same input got another id")
	}
	other := runScore(t, nil, wastedLoop, "--name", "../a b", "--max-wasted", "3", "--output-format", "json")
	if other.document(t)["id"] == id {
		t.Error("another verdict got the same id")
	}
}

func TestScoreNeverWritesOverItsInput(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "loop.json", wastedLoop)
	for _, flag := range []string{"--save", "--junit", "--plot"} {
		got := runScore(t, nil, "", path, flag, path)
		text, err := os.ReadFile(path)
		if err != nil || got.code != 2 || string(text) != wastedLoop {
			t.Errorf("%s: exit %d, %v", flag, got.code, err)
		}
	}
}

func TestScoreThatCannotWriteAFileSaysSoAndNothingElse(t *testing.T) {
	t.Parallel()
	occupied := writeFile(t, "file", "")
	got := runScore(t, nil, healthyLoop, "--output-format", "json", "--save", filepath.Join(occupied, "x.json"))
	if _, failed := got.document(t)["error"]; got.code != 2 || !failed {
		t.Errorf("exit %d: %s", got.code, got.out)
	}
}

// recordedRun is a reader of runs that knows one run.
type recordedRun struct{ run score.Run }

func (j recordedRun) ReadRun(_ context.Context, reference string) (score.Run, error) {
	if reference != j.run.ID {
		return score.Run{}, fmt.Errorf("run %q: %w", reference, score.ErrRunNotFound)
	}
	return j.run, nil
}

func TestScoreReadsARunAndLooksForDoomLoopsInItsSteps(t *testing.T) {
	t.Parallel()
	run := score.Run{ID: "run-7", Record: score.Record{Loop: score.Loop{Scores: []json.Number{"9"}}}}
	healthy := runScore(t, recordedRun{run}, "", "run-7", "--output-format", "json")
	if healthy.code != 0 || healthy.document(t)["id"] != "run-7" {
		t.Errorf("exit %d: %s", healthy.code, healthy.out)
	}
	for range 3 {
		run.Steps = append(run.Steps, doomloop.Event{Action: "test", Status: doomloop.Failed, Error: "e", At: time.Unix(0, 0)})
	}
	looping := runScore(t, recordedRun{run}, "", "run-7", "--output-format", "json")
	v := looping.document(t)
	if looping.code != 1 || v["doom_loop_fired"] != true || len(v["findings"].([]any)) == 0 {
		t.Errorf("exit %d: %s", looping.code, looping.out)
	}
	if missing := runScore(t, recordedRun{run}, "", "run-8"); missing.code != 2 || !strings.Contains(missing.err, "run-8") {
		t.Errorf("an unknown run: %+v", missing)
	}
	run.Record.Loop.Scores, run.Steps = nil, nil
	if empty := runScore(t, recordedRun{run}, "", "run-7"); empty.code != 4 {
		t.Errorf("a run without scores: exit %d", empty.code)
	}
}

func TestScorePrintsHelpOnRequest(t *testing.T) {
	t.Parallel()
	got := runScore(t, nil, "", "--help")
	if got.code != 0 || !strings.Contains(got.out, "--guard-events") {
		t.Errorf("%+v", got)
	}
}

func TestScoreTextIsForPeople(t *testing.T) {
	t.Parallel()
	got := runScore(t, nil, wastedLoop)
	for _, want := range []string{"UNHEALTHY  writer\n", "Converged in 2 iteration(s).", "6.0  8.5 (+2.5)  8.0 (-0.5)", "unknown minutes"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("the text lacks %q:\n%s", want, got.out)
		}
	}
	hostile := runScore(t, nil, `{"name":"\u001b[2Jx","score_history":[9]}`)
	if strings.ContainsRune(hostile.out, 0x1b) {
		t.Errorf("an escape sequence reached the terminal: %q", hostile.out)
	}
}

func TestTheExamplesGetTheVerdictsThatTheDocsPromise(t *testing.T) {
	t.Parallel()
	const dir = "../../examples/score/"
	for _, c := range []struct {
		args []string
		want int
	}{
		{[]string{"healthy.json"}, 0},
		{[]string{"wasteful.json"}, 1},
		{[]string{"wasteful.json", "--max-wasted", "2"}, 0},
		{[]string{"wasteful.json", "--max-wasted", "2", "--guard-events", dir + "guard-events.json"}, 1},
		{[]string{"review.json"}, 0},
	} {
		c.args[0] = dir + c.args[0]
		if got := runScore(t, nil, "", c.args...); got.code != c.want {
			t.Errorf("%v: exit %d, want %d\n%s%s", c.args, got.code, c.want, got.out, got.err)
		}
	}
	docs, err := os.ReadFile("../../docs/score.md")
	if err != nil {
		t.Fatal(err)
	}
	if got := runScore(t, nil, "", dir+"wasteful.json"); !strings.Contains(string(docs), got.out) {
		t.Errorf("the docs do not show what the command prints:\n%s", got.out)
	}
}
