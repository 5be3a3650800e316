package main

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// runHelper runs one helper in process; the code is 0 when it succeeds.
func runHelper(stdin string, args ...string) (stdout string, code int) {
	var out, errOut strings.Builder
	cmd := newHelperCommand(&app{in: strings.NewReader(stdin), out: &out, err: &errOut})
	cmd.SetArgs(args)
	err := cmd.Execute()
	var f *failure
	switch {
	case err == nil:
		return out.String(), 0
	case errors.As(err, &f):
		return out.String(), f.Code
	}
	return out.String(), -1
}

func TestHelpersPrintOneLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, stdin string
		args        []string
		want        string
	}{
		{"canonical loop verdict", "CONTINUE\n", []string{"normalise-loop-verdict"}, "CONTINUE"},
		{"loop synonym", "converged", []string{"normalise-loop-verdict"}, "DONE"},
		{"negation is no containment", "DISCONTINUE", []string{"normalise-loop-verdict"}, "STUCK"},
		{"no loop verdict", "", []string{"normalise-loop-verdict"}, "STUCK"},
		{"work synonym", "approved\n", []string{"normalise-verdict"}, "WORK_VERIFIED"},
		{"failed work", "FAILED", []string{"normalise-verdict"}, "HOLLOW_SUCCESS"},
		{"no work verdict fails in the opposite direction", "", []string{"normalise-verdict"}, "INSUFFICIENT_EVIDENCE"},

		{"JSON in prose", "well: {\"b\":1.10, \"a\":[1]} so", []string{"extract-json"}, `{"a":[1],"b":1.10}`},
		{"no JSON", "nothing here", []string{"extract-json"}, "{}"},
		{"nothing at all", "", []string{"extract-json"}, "{}"},
		{"a bare number is no answer", "5", []string{"extract-json"}, "{}"},
		{"a bare null is no answer", "null", []string{"extract-json"}, "{}"},
		{"the last object with the field", `{"v":1} {"v":2} {"w":3}`, []string{"extract-json", "--require-field", "v"}, `{"v":2}`},
		{"a fence does not outrank it", "```json\n{\"v\":1}\n```\n{\"v\":2}", []string{"extract-json", "--require-field", "v"}, `{"v":2}`},
		{"no object with the field", `{"w":3}`, []string{"extract-json", "--require-field", "v"}, "{}"},

		{"a text", `{"a":"x"}`, []string{"extract-field", "--field", "a", "--default", "d"}, "x"},
		{"a number as written", `{"a":12345678901234567}`, []string{"extract-field", "--field", "a"}, "12345678901234567"},
		{"a bool", `{"a":false}`, []string{"extract-field", "--field", "a", "--default", "true"}, "false"},
		{"null takes the default", `{"a":null}`, []string{"extract-field", "--field", "a", "--default", "true"}, "true"},
		{"absent takes the default", `{}`, []string{"extract-field", "--field", "a", "--default", "true"}, "true"},
		{"no object takes the default", `[1]`, []string{"extract-field", "--field", "a", "--default", "true"}, "true"},
		{"garbage takes the default", `{"a":`, []string{"extract-field", "--field", "a", "--default", "true"}, "true"},
		{"no default is empty", ``, []string{"extract-field", "--field", "a"}, ""},
		{"an empty text is a value", `{"a":""}`, []string{"extract-field", "--field", "a", "--default", "d"}, ""},
		{"an object as compact JSON", `{"a": {"y": 1, "x": [ 2 ]}}`, []string{"extract-field", "--field", "a"}, `{"x":[2],"y":1}`},
		{"a text of several lines", `{"a":"x\ny\r\nz"}`, []string{"extract-field", "--field", "a"}, "x y z"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, code := runHelper(tt.stdin, tt.args...); got != tt.want+"\n" || code != 0 {
				t.Errorf("got %q, exit %d, want %q", got, code, tt.want)
			}
		})
	}
}

func TestHelpersExitZeroWhateverTheInput(t *testing.T) {
	t.Parallel()
	commands := [][]string{
		{"extract-json"}, {"extract-json", "--require-field", "v"}, {"extract-field", "--field", "v"}, {"normalise-loop-verdict"}, {"normalise-verdict"},
	}
	rapid.Check(t, func(t *rapid.T) {
		stdin := string(rapid.SliceOf(rapid.SampledFrom([]byte("{}[]\",:\\vnul1 \n\r\x00\xff`C"))).Draw(t, "stdin"))
		for _, args := range commands {
			if out, code := runHelper(stdin, args...); code != 0 || strings.Count(out, "\n") != 1 {
				t.Fatalf("%v on %q: exit %d, stdout %q", args, stdin, code, out)
			}
		}
	})
}

func TestHelperUsageErrorsExitTwo(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{}, {"bogus"}, {"extract-field"}, {"extract-field", "--field"}, {"extract-field", "--bogus"}, {"extract-json", "file"}, {"normalise-verdict", "PASS"}, {"--bogus"},
	} {
		if out, code := runHelper("{}", args...); code != 2 || out != "" {
			t.Errorf("%v: exit %d, stdout %q, want 2 and none", args, code, out)
		}
	}
}
