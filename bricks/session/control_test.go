package session

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestControlPrintsTheKeysOfTheSeed(t *testing.T) {
	t.Parallel()
	text, err := NewControl().Encode()
	want := `{
  "state": "running",
  "reason": "session active",
  "stop_reason": null,
  "schema_version": 1
}
`
	if diff := cmp.Diff(want, string(text)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, c := range []Control{
		NewControl(), {Stopped, "Accepted evidence <satisfies> the goal.", GoalMet}, {Stopped, "", UnresolvableError}, {Stopped, "x", StopRequested},
	} {
		text, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if back, err := ParseControl(text); back != c || err != nil {
			t.Errorf("%+v comes back as %+v, %v", c, back, err)
		}
	}
}

func TestControlIsStrict(t *testing.T) {
	t.Parallel()
	for text, problem := range map[string]string{
		``:                  "control.json: is empty",
		" \n":               "control.json: is empty",
		`null`:              "is a null, not an object",
		`[]`:                "is a list, not an object",
		`{"state":`:         "is not one JSON document",
		`{} {}`:             "is not one JSON document",
		"{\"state\":\"\xff": "is not UTF-8",
		`{}`:                "reason: is missing or null; schema_version: is missing or null; state: is missing or null",
		`{"state":"running","reason":"","schema_version":1,"note":1}`:                                          "note: is not a key of this document",
		`{"State":"running","state":"running","reason":"","schema_version":1}`:                                 "State: is not a key",
		`{"state":"running","state":"stopped","reason":"","stop_reason":"goal_met","schema_version":1}`:        `has the key "state" twice`,
		`{"state":"halted","reason":"","schema_version":1}`:                                                    `state: "halted" is none of running, stopped`,
		`{"state":"stopped","reason":"","schema_version":1}`:                                                   "stop_reason: is missing, but the state is stopped",
		`{"state":"stopped","reason":"","stop_reason":null,"schema_version":1}`:                                "stop_reason: is missing, but the state is stopped",
		`{"state":"stopped","reason":"","stop_reason":"","schema_version":1}`:                                  `stop_reason: "" is none of`,
		`{"state":"stopped","reason":"","stop_reason":"max_rounds","schema_version":1}`:                        `stop_reason: "max_rounds" is none of goal_met, unresolvable_error, stop_requested`,
		`{"state":"running","reason":"","stop_reason":"goal_met","schema_version":1}`:                          "stop_reason: must be null while the state is running",
		`{"state":"running","reason":7,"schema_version":1}`:                                                    "reason: is a number, not a string",
		`{"state":"running","reason":"","schema_version":2}`:                                                   "schema_version: 2 is not 1",
		`{"state":"running","reason":"","schema_version":1.0}`:                                                 "schema_version: 1.0 is not 1",
		`{"state":"running","reason":"","schema_version":"1"}`:                                                 "schema_version: is a string, not a number",
		`{"state":true,"reason":"","schema_version":1}`:                                                        "state: is a bool, not a string",
		`{"state":"running","reason":"","stop_reason":{},"schema_version":1}`:                                  "stop_reason: is a map, not a string",
		`{"state":"stopped","reason":"","stop_reason":"goal_met","schema_version":1,"stop_reason":"goal_met"}`: "twice",
	} {
		_, err := ParseControl([]byte(text))
		var invalid *Invalid
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: got %v, want %q", text, err, problem)
		}
		reading := ReadControl(File{Present: true, Data: []byte(text)}, true)
		if reading.Running() || !reading.Invalid || reading.Problem != err.Error() {
			t.Errorf("%s: is read as %+v", text, reading)
		}
	}
	if c, err := ParseControl([]byte(`{"state":"running","reason":"x","schema_version":1}`)); err != nil || c.State != Running {
		t.Errorf("a running file without stop_reason: %+v, %v", c, err)
	}
}

func TestAHalfWrittenControlFileNeverCountsAsRunning(t *testing.T) {
	t.Parallel()
	for _, c := range []Control{NewControl(), {Stopped, "done", GoalMet}, {Stopped, "é\"\\", UnresolvableError}} {
		text, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		whole := len(text) - 1
		for size := range text {
			reading := ReadControl(File{Present: true, Data: text[:size]}, false)
			if reading.Invalid != (size < whole) {
				t.Errorf("the first %d bytes of %s: %+v", size, text, reading)
			}
		}
	}
}

func TestReadControl(t *testing.T) {
	t.Parallel()
	encode := func(c Control) File {
		text, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return File{Present: true, Data: text}
	}
	for name, tc := range map[string]struct {
		file      File
		requested bool
		want      Reading
	}{
		"running":                          {encode(Control{Running, "active", ""}), false, Reading{Reason: "active"}},
		"a workflow's goal_met":            {encode(Control{Stopped, "r", GoalMet}), false, Reading{StopReason: GoalMet, Reason: "r", Author: ByWorkflow}},
		"a workflow's unresolvable_error":  {encode(Control{Stopped, "r", UnresolvableError}), true, Reading{StopReason: UnresolvableError, Reason: "r", Author: ByWorkflow}},
		"a person's stop":                  {encode(Control{Stopped, "r", StopRequested}), true, Reading{StopReason: StopRequested, Reason: "r", Author: ByPerson}},
		"a workflow that plays the person": {encode(Control{Stopped, "r", StopRequested}), false, Reading{Invalid: true, Problem: "control.json: stop_reason: a workflow may write goal_met or unresolvable_error only, not stop_requested"}},
		"missing":                          {File{}, false, Reading{Invalid: true, Problem: "control.json: is missing"}},
		"a link":                           {File{Present: true, Irregular: "is not a plain file"}, false, Reading{Invalid: true, Problem: "control.json: is not a plain file"}},
	} {
		if diff := cmp.Diff(tc.want, ReadControl(tc.file, tc.requested)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTheJudgesVerdictIsAWriteToTheControlFile(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		found   Reading
		verdict Verdict
		write   bool
		stop    StopReason
		author  Author
	}{
		{Reading{}, Continue, false, "", ""},
		{Reading{}, Done, true, GoalMet, ByJudge},
		{Reading{}, Stuck, true, UnresolvableError, ByJudge},
		{Reading{}, "nonsense", false, "", ""},
		{Reading{StopReason: UnresolvableError, Author: ByWorkflow}, Done, false, UnresolvableError, ByWorkflow},
		{Reading{Invalid: true}, Done, false, "", ""},
	} {
		c, r, write := Judged(tc.found, tc.verdict, "why")
		if write != tc.write || r.StopReason != tc.stop || r.Author != tc.author || r.Invalid != tc.found.Invalid {
			t.Errorf("%+v, %s: %+v, %+v, %v", tc.found, tc.verdict, c, r, write)
		}
		if !write {
			continue
		}
		text, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if back := ReadControl(File{Present: true, Data: text}, false); back.StopReason != tc.stop || back.Reason != "why" {
			t.Errorf("%s is written as %s", tc.verdict, text)
		}
	}
}

func FuzzParseControl(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"state":"running","reason":"","schema_version":1}`, `{"state":"stopped","reason":"r","stop_reason":"goal_met","schema_version":1}`, `{"a":{"a":1},"a":[{"a":1,"b":[]}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseControl(data)
		if err != nil {
			return
		}
		if (c.State == Running) != (c.StopReason == "") {
			t.Fatalf("%q is %+v", data, c)
		}
		text, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if back, err := ParseControl(text); err != nil || back != c {
			t.Fatalf("%q comes back as %+v, %v", data, back, err)
		}
	})
}
