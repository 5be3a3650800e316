package tests

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// document reads a standard output that must hold one JSON object and nothing
// else.
func document(t *testing.T, text string) map[string]any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil {
		t.Fatalf("standard output is no JSON object: %v\n%s", err, text)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Fatalf("standard output holds more than one document:\n%s", text)
	}
	return doc
}

// With --output-format json every path prints exactly one document on standard
// output, whatever the exit code.
func TestOneJSONDocumentOnEveryPath(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"ok.yaml":        "name: ok\nsteps: [{id: a, command: echo made}]\noutput: {template: report}\n",
		"fails.yaml":     "name: fails\nsteps: [{id: a, command: exit 3}]\n",
		"refused.yaml":   "name: refused\nsteps: [{id: a, command: exit 79}]\n",
		"invalid.yaml":   "name: invalid\nsteps: [{id: a, timeout: soon, command: echo}]\n",
		"warns.yaml":     "name: warns\nsteps: [{id: a, comand: x, command: echo}]\n",
		"wants.yaml":     "name: wants\ninputs: {who: {required: true}}\nsteps: [{id: a, command: echo}]\n",
		"condition.yaml": "name: condition\nsteps: [{id: a, condition: \"int('x') > 1\", command: echo}]\n",
		"missing.yaml":   "name: missing\nsteps: [{id: a, recipe: nowhere}]\n",
		"file":           "",
	}
	for name, c := range map[string]struct {
		args    []string
		code    int
		success bool
	}{
		"success":                  {[]string{"run", "ok.yaml"}, 0, true},
		"short form":               {[]string{"ok.yaml"}, 0, true},
		"warnings":                 {[]string{"run", "warns.yaml"}, 0, true},
		"progress":                 {[]string{"run", "ok.yaml", "--progress"}, 0, true},
		"a step fails":             {[]string{"run", "fails.yaml"}, 1, false},
		"condition error":          {[]string{"run", "condition.yaml"}, 1, false},
		"refused by a guard":       {[]string{"run", "refused.yaml"}, 79, false},
		"called recipe missing":    {[]string{"run", "missing.yaml"}, 1, false},
		"dry run":                  {[]string{"run", "fails.yaml", "--dry-run"}, 0, true},
		"validate only":            {[]string{"run", "warns.yaml", "--validate-only"}, 0, true},
		"validate only, invalid":   {[]string{"run", "invalid.yaml", "--validate-only"}, 2, false},
		"validate only, not found": {[]string{"run", "nowhere", "--validate-only"}, 3, false},
		"explain":                  {[]string{"run", "ok.yaml", "--explain"}, 0, true},
		"invalid":                  {[]string{"run", "invalid.yaml"}, 2, false},
		"strict":                   {[]string{"run", "warns.yaml", "--strict"}, 2, false},
		"not found":                {[]string{"run", "nowhere"}, 3, false},
		"no recipe":                {[]string{"run"}, 4, false},
		"no command":               {nil, 4, false},
		"two recipes":              {[]string{"run", "ok.yaml", "fails.yaml"}, 4, false},
		"unknown flag":             {[]string{"run", "ok.yaml", "--no-such-flag"}, 4, false},
		"flag of the wrong type":   {[]string{"run", "ok.yaml", "--max-parallel", "many"}, 4, false},
		"bad variable":             {[]string{"run", "ok.yaml", "--set", "x"}, 4, false},
		"missing file":             {[]string{"run", "ok.yaml", "--set-file", "x=nowhere"}, 4, false},
		"missing input":            {[]string{"run", "wants.yaml"}, 4, false},
		"missing folder":           {[]string{"run", "ok.yaml", "-C", "nowhere"}, 4, false},
		"stub of no step":          {[]string{"run", "ok.yaml", "--stub", "nope=x"}, 4, false},
		"no audit folder":          {[]string{"run", "ok.yaml", "--audit-dir", "file/x"}, 4, false},
		"no state folder":          {[]string{"run", "ok.yaml", "--state-dir", "file/x"}, 4, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newFolder(t, files)
			end := p.run(append(c.args, "--output-format", "json")...)
			if end.code != c.code {
				t.Errorf("exit code %d, want %d\n%s", end.code, c.code, end.stderr)
			}
			doc := document(t, end.stdout)
			if doc["success"] != c.success {
				t.Errorf("success is %v, want %v", doc["success"], c.success)
			}
			if text, _ := doc["error"].(string); c.code >= 2 && c.code <= 4 && text == "" {
				t.Error("the document has no error")
			}
			if c.code >= 2 && c.code <= 4 && !strings.HasPrefix(end.stderr, "Error: ") {
				t.Errorf("people are not told on standard error: %q", end.stderr)
			}
		})
	}
}

// The flag counts wherever it stands and however it is spelled, also beside a
// fault of the command line.
func TestJSONFlagIsSeenBesideAFault(t *testing.T) {
	t.Parallel()
	p := newFolder(t, nil)
	for _, args := range [][]string{
		{"--output-format", "json", "run", "x"},
		{"run", "--output-format=json", "--nope"},
		{"run", "--nope", "x", "--output-format=json"},
	} {
		end := p.run(args...)
		if doc := document(t, end.stdout); doc["success"] != false || end.code == 0 {
			t.Errorf("%q: %v, exit code %d", args, doc, end.code)
		}
	}
}

// The result has the fields that callers of recipe-runner-rs read, and no entry
// for steps that were never reached.
func TestJSONResultFields(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"x.yaml": `name: x
context: {given: 1}
steps:
  - {id: text, command: echo words, output: words}
  - {id: json, command: "echo '{ \"b\": 1, \"a\": [1] }'", parse_json: true, output: made}
  - {id: skipped, command: echo, condition: "false"}
  - {id: weak, command: echo prose, parse_json: true}
  - {id: fails, command: "echo said; echo why >&2; exit 3"}
  - {id: never, command: echo}
`})
	end := p.run("run", "x.yaml", "--output-format", "json")
	doc := document(t, end.stdout)
	if end.code != 1 || doc["recipe_name"] != "x" || doc["success"] != false {
		t.Errorf("exit code %d, %v", end.code, doc)
	}
	if seconds, ok := doc["duration"].(float64); !ok || seconds <= 0 {
		t.Errorf("duration is %v, want seconds", doc["duration"])
	}
	rows, _ := doc["step_results"].([]any)
	want := []struct{ id, status, output, err string }{
		{"text", "completed", "words", ""},
		{"json", "completed", `{"a":[1],"b":1}`, ""},
		{"skipped", "skipped", "", ""},
		{"weak", "degraded", "prose", "parse_json failed"},
		{"fails", "failed", "said", "bash step failed: Command failed (exit 3): why"},
	}
	if len(rows) != len(want) {
		t.Fatalf("%d step results, want %d", len(rows), len(want))
	}
	for i, w := range want {
		row, _ := rows[i].(map[string]any)
		if row["step_id"] != w.id || row["status"] != w.status || row["output"] != w.output {
			t.Errorf("step result %d is %v, want %v", i, row, w)
		}
		text, isText := row["error"].(string)
		if !isText || !strings.HasPrefix(text, w.err) || (w.err == "") != (text == "") {
			t.Errorf("step %s: error %q, want %q", w.id, row["error"], w.err)
		}
		if _, isNumber := row["duration"].(float64); !isNumber {
			t.Errorf("step %s: duration %v", w.id, row["duration"])
		}
	}
	vars, _ := doc["context"].(map[string]any)
	made, _ := vars["made"].(map[string]any)
	if vars["words"] != "words" || vars["given"] != 1.0 || made["b"] != 1.0 {
		t.Errorf("context is %v", vars)
	}
}
