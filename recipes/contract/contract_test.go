package contract

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func parse(t *testing.T, text string) *File {
	t.Helper()
	f, err := Parse("a.test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestWhatAFileSharesHoldsForEveryCaseUnlessItSaysOtherwise(t *testing.T) {
	t.Parallel()
	f := parse(t, `
recipe: r
context: {a: 1, b: 2}
stubs: {s: x}
env: {E: "1"}
timeout: 10
cases:
  - {name: one, expect: {exit_code: 0}}
  - {name: two, context: {b: 3}, stubs: {s: y}, env: {E: "2"}, timeout: 5m, expect: {exit_code: 0}}
`)
	one, two := f.Cases[0], f.Cases[1]
	if value.Text(one.Context["b"]) != "2" || value.Text(two.Context["b"]) != "3" || value.Text(two.Context["a"]) != "1" {
		t.Errorf("context: %v, %v", one.Context, two.Context)
	}
	if one.Stubs["s"] != "x" || two.Stubs["s"] != "y" || one.Env["E"] != "1" || two.Env["E"] != "2" {
		t.Errorf("stubs or env: %+v, %+v", one, two)
	}
	if one.Timeout.Seconds() != 10 || two.Timeout.Minutes() != 5 {
		t.Errorf("timeouts %v, %v", one.Timeout, two.Timeout)
	}
}

func TestValuesAreReadAsInAContext(t *testing.T) {
	t.Parallel()
	f := parse(t, `
recipe: r
cases:
  - name: one
    context: {zip: 0474915, day: 2024-01-01, version: 1.10, quoted: "5", number: 5}
    expect: {exit_code: 0}
`)
	want := `{"day":"2024-01-01","number":5,"quoted":"5","version":1.10,"zip":"0474915"}`
	if diff := cmp.Diff(want, value.JSON(f.Cases[0].Context)); diff != "" {
		t.Error(diff)
	}
}

func TestFaultsHavePlaces(t *testing.T) {
	t.Parallel()
	_, err := Parse("a.test.yaml", []byte("recipe: r\ncases:\n  - name: a\n    expect:\n      steps: {x: done}\n"))
	var found recipes.Findings
	if !errors.As(err, &found) || len(found) != 1 {
		t.Fatalf("%v", err)
	}
	if f := found[0]; f.Pos.String() != "a.test.yaml:5:15" || f.Code != "wrong-value" || !strings.Contains(f.Line, "done") {
		t.Errorf("%+v", f)
	}
}

// TestTheSchemaKnowsTheKeysOfTheLoader asks the loader which keys it knows by
// handing it one that it does not.
func TestTheSchemaKnowsTheKeysOfTheLoader(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "schema", "test.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	defs := root["$defs"].(map[string]any)
	defs["Test"] = root
	for name, text := range map[string]string{
		"Test":    "zzz: 1",
		"Case":    "cases: [{zzz: 1}]",
		"Stub":    "stubs: {a: {zzz: 1}}",
		"Git":     "cases: [{git: {zzz: 1}}]",
		"Commit":  "cases: [{git: {commits: [{zzz: 1}]}}]",
		"Answer":  "cases: [{agents: {zzz: 1}}]",
		"Expect":  "cases: [{expect: {zzz: 1}}]",
		"Matcher": "cases: [{expect: {variables: {a: {zzz: 1}}}}]",
	} {
		_, err := Parse("a", []byte(text))
		var found recipes.Findings
		errors.As(err, &found)
		i := slices.IndexFunc(found, func(f *recipes.Finding) bool { return f.Code == "unknown-key" })
		if i < 0 {
			t.Errorf("%s: the unknown key is accepted", name)
			continue
		}
		known := strings.Split(strings.TrimPrefix(found[i].Hint, "there are "), ", ")
		properties := defs[name].(map[string]any)["properties"].(map[string]any)
		if diff := cmp.Diff(known, slices.Sorted(maps.Keys(properties))); diff != "" {
			t.Errorf("%s: loader (-) and schema (+) differ; see schema/document\n%s", name, diff)
		}
	}
}

func TestNestedStepsAreFoundByTheEndOfTheirPath(t *testing.T) {
	t.Parallel()
	report, err := value.Parse(`{"run_id": "x", "step_results": [
	  {"path": "a", "status": "completed", "steps": [{"path": "a/b", "status": "failed"}]},
	  {"path": "each", "status": "completed", "steps": [
	    {"path": "each[0]/c", "status": "completed"}, {"path": "each[1]/c", "status": "skipped"}]}],
	  "finally": [{"path": "end", "status": "completed"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	k := checker{outcome: Outcome{Report: report.(map[string]any)}}
	for path, want := range map[string]string{
		"a": "completed", "a/b": "failed", "b": "failed", "each/c": "completed and skipped", "end": "completed", "d": NotRun, "ach": NotRun,
	} {
		if got := k.status(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestTheDiffHoldsBothSidesInOrder(t *testing.T) {
	t.Parallel()
	text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", ""}), 1, 12)
	rapid.Check(t, func(t *rapid.T) {
		want, got := strings.Join(text.Draw(t, "want"), "\n"), strings.Join(text.Draw(t, "got"), "\n")
		var left, right []string
		for line := range strings.SplitSeq(strings.TrimSuffix(Mismatch{Want: want, Got: got}.Diff(), "\n"), "\n") {
			switch line[0] {
			case '-':
				left = append(left, line[1:])
			case '+':
				right = append(right, line[1:])
			default:
				left, right = append(left, line[1:]), append(right, line[1:])
			}
		}
		if diff := cmp.Diff(lines(want), left); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(lines(got), right); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("recipe: r\ncases:\n  - {name: a, expect: {exit_code: 0}}\n")
	f.Add("recipe: &a r\ncases: [{name: *a, agents: [1], expect: {stderr: [x]}}]")
	f.Add("cases: {a: 1}")
	f.Add("recipe: r\nstubs: [1]\ncases: [1, [], {git: 1, files: {/: x}}]")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("a", []byte(text))
		if err == nil && (file.Recipe == "" || len(file.Cases) == 0) {
			t.Errorf("a file without recipe or cases is accepted: %+v", file)
		}
	})
}
