package ledger

import (
	"errors"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/google/go-cmp/cmp"
)

func TestJSONAndYAMLGiveOneContract(t *testing.T) {
	t.Parallel()
	const text = `
# a comment
purpose: cut failing tests to zero
owner: build-agent
starting_state: "main@3f2a, 4 failing"
inputs: [tests/]
expected_outputs:
  - a green suite
success_criteria: ['suite exits 0']
failure_criteria: [any passing test turns red]
dependencies: [postgres]
iteration_limit: 6
timeout_behaviour: stop after 20 minutes and record
escalation_path: roadmap item
quality_rubric:
  - {dimension: failing-tests, evidence_command: make test-count, baseline: 4, target: 0, weight: 70,
     failure_threshold: 4, direction: lower-is-better, hard_gate: true}
  - dimension: coverage
    evidence_command: make cov
    baseline: 61
    target: 75
    weight: 30
    failure_threshold: 58
    direction: higher-is-better
    hard_gate: false
`
	got, err := ReadContract([]byte(text), YAML, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contract(t), got); diff != "" {
		t.Error(diff)
	}
}

func TestNumbersStayAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	c := contract(t, `"target":75`, `"target":75.10`)
	if got := c.Rubric[1].Target; got != "75.10" {
		t.Errorf("got %s", got)
	}
}

func TestEveryFieldIsRequired(t *testing.T) {
	t.Parallel()
	_, err := ReadContract([]byte(`{}`), JSON, nil)
	for _, key := range contractKeys {
		wantRefusal(t, err, Malformed, key+": is missing")
	}
	_, err = ReadContract([]byte(`{"quality_rubric":[{}]}`), JSON, nil)
	for _, key := range dimensionKeys {
		if key != optionalDimensionKey {
			wantRefusal(t, err, Malformed, "quality_rubric[0]."+key+": is missing")
		}
	}
	if strings.Contains(err.Error(), optionalDimensionKey) {
		t.Error("must_not_regress is optional")
	}
}

func TestAContractRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, old, new, want string }{
		{"null", `"build-agent"`, `null`, "owner: must not be null"},
		{"false", `"build-agent"`, `false`, "owner: must be a text"},
		{"true", `"build-agent"`, `true`, "owner: must be a text"},
		{"an empty map", `"build-agent"`, `{}`, "owner: must be a text"},
		{"a blank text", `"build-agent"`, `" \t"`, "owner: must not be blank"},
		{"an empty list", `["tests/"]`, `[]`, "inputs: must not be an empty list"},
		{"a blank item", `["tests/"]`, `["tests/"," "]`, "inputs[1]: must not be blank"},
		{"a null item", `["tests/"]`, `[null]`, "inputs[0]: must not be null"},
		{"dependencies as a text", `["postgres"]`, `"postgres"`, "dependencies: must be a list"},
		{"no dependencies", `["postgres"]`, `[]`, "dependencies: must not be an empty list"},
		{"an unknown key", `"owner"`, `"colour":"red","owner"`, "colour: is not a field"},
		{"an unknown dimension key", `"hard_gate":true`, `"hard_gate":true,"unit":"s"`, "quality_rubric[0].unit: is not a field"},
		{"a limit of 0", `"iteration_limit":6`, `"iteration_limit":0`, "iteration_limit: must be a whole number"},
		{"a limit as a bool", `"iteration_limit":6`, `"iteration_limit":true`, "iteration_limit: must be a whole number"},
		{"half a limit", `"iteration_limit":6`, `"iteration_limit":1.5`, "iteration_limit: must be a whole number"},
		{"a limit as a text", `"iteration_limit":6`, `"iteration_limit":"6"`, "iteration_limit: must be a whole number"},
		{"no rubric", `"quality_rubric":[`, `"quality_rubric":[],"rest":[`, "quality_rubric: must be a list of at least one"},
		{"a number as a text", `"target":75`, `"target":"75"`, "quality_rubric[1].target: must be a number"},
		{"a number as a bool", `"weight":70`, `"weight":true`, "quality_rubric[0].weight: must be a number"},
		{"an infinite number", `"target":75`, `"target":1e999`, "quality_rubric[1].target: \"1e999\" is not a finite number"},
		{"a weight of 0", `"weight":70`, `"weight":0`, "quality_rubric[0].weight: must be greater than 0"},
		{"a negative weight", `"weight":70`, `"weight":-1`, "quality_rubric[0].weight: must be greater than 0"},
		{"a hard gate as a text", `"hard_gate":true`, `"hard_gate":"true"`, "quality_rubric[0].hard_gate: must be true or false"},
		{"another direction", `"lower-is-better"`, `"lower"`, "quality_rubric[0].direction: must be"},
		{"a target on the wrong side", `"target":75`, `"target":60`, "quality_rubric[1].target: lies on the wrong side"},
		{"a target at the baseline", `"target":75`, `"target":61.0`, "quality_rubric[1].target: must differ"},
		{"a moved target that must not regress", `"hard_gate":false`, `"hard_gate":false,"must_not_regress":true`, "quality_rubric[1].target: must equal the baseline"},
		{"a dimension twice", `"dimension":"coverage"`, `"dimension":"failing-tests "`, "quality_rubric[1].dimension: \"failing-tests \" is there twice"},
		{"a blank dimension", `"dimension":"coverage"`, `"dimension":""`, "quality_rubric[1].dimension: must not be blank"},
		{"a blank command", `"make cov"`, `" "`, "quality_rubric[1].evidence_command: must not be blank"},
		{"a command that does not parse", `"make cov"`, `"echo 'x"`, "quality_rubric[1].evidence_command: does not parse"},
		{"a key twice", `"owner"`, `"purpose":"b","owner"`, "the key \"purpose\" is there twice"},
		{"NaN", `"target":75`, `"target":NaN`, "not valid JSON"},
		{"a second document", `"hard_gate":false}]}`, `"hard_gate":false}]} {}`, "goes on after the document"},
		{"half a document", `"hard_gate":false}]}`, `"hard_gate":false}]`, "ends early"},
		{"bytes that are not UTF-8", `build-agent`, "build-\xff", "not UTF-8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(contractText, test.old) {
				t.Fatal("the test changes nothing")
			}
			_, err := ReadContract([]byte(strings.Replace(contractText, test.old, test.new, 1)), JSON, nil)
			wantRefusal(t, err, Malformed, test.want)
		})
	}
}

func TestATargetMayStayWhereItMustNotRegress(t *testing.T) {
	t.Parallel()
	c := contract(t, `"target":75`, `"target":61.0`, `"hard_gate":false`, `"hard_gate":false,"must_not_regress":true`)
	if !c.Rubric[1].Holds() || c.Rubric[0].Holds() {
		t.Errorf("got %+v", c.Rubric)
	}
}

func TestAllFindingsComeAtOnceWithTheirPlaces(t *testing.T) {
	t.Parallel()
	_, err := ReadContract([]byte("purpose: p\nowner: ~\niteration_limit: 0\nhue: 1\n"), YAML, nil)
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		t.Fatal(err)
	}
	for _, want := range []Finding{
		{Field: "owner", Message: "must not be null", Line: 2, Column: 8},
		{Field: "iteration_limit", Message: "must be a whole number of at least 1", Line: 3, Column: 18},
		{Field: "starting_state", Message: "is missing", Line: 1, Column: 1},
	} {
		found := false
		for _, f := range refusal.Findings {
			found = found || f == want
		}
		if !found {
			t.Errorf("%v is not among the findings:\n%v", want, err)
		}
	}
	_, err = ReadContract([]byte("{\n  \"purpose\": \"é\", \"owner\": null\n}"), JSON, nil)
	wantRefusal(t, err, Malformed, "owner: must not be null (line 2, column 28)")
}

func TestYAMLRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"purpose: a\npurpose: b\n":           "the key \"purpose\" is there twice (line 2, column 1)",
		"a: &x [1]\nb: *x\n":                 "aliases are not allowed",
		"a: 1\n---\nb: 1\n":                  "a second one follows",
		"":                                   "the document is empty",
		"a: [1\n":                            "not valid YAML",
		"- a\n":                              "must be a map",
		"? [a]\n: b\n":                       "a key must be a text",
		"iteration_limit: .inf\n":            "iteration_limit: must be a whole number",
		"purpose: .nan\n":                    "purpose: \".nan\" is not a finite number",
		"purpose: \xff\n":                    "not UTF-8",
		strings.Repeat("a: [", 100) + "\n":   "",
		"quality_rubric: [{weight: .nan}]\n": "quality_rubric[0].weight: must be a number",
	} {
		_, err := ReadContract([]byte(text), YAML, nil)
		wantRefusal(t, err, Malformed, want)
	}
}

func TestFormatIsThatOfTheFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path, text string
		want       Format
	}{{"c.json", "a: 1", JSON}, {"c.YML", "{}", YAML}, {"c.yaml", "{}", YAML}, {"-", " {", JSON}, {"-", "purpose: x", YAML}} {
		if got := FormatOf(test.path, []byte(test.text)); got != test.want {
			t.Errorf("%s %q: got %v", test.path, test.text, got)
		}
	}
}

func TestContractOfTakesAValue(t *testing.T) {
	t.Parallel()
	v, err := value.Parse(contractText)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ContractOf(v, nil)
	if diff := cmp.Diff(contract(t), got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func FuzzReadContract(f *testing.F) {
	f.Add(contractText, true)
	f.Add("purpose: [a, {b: c}]\nquality_rubric:\n- dimension: &x y\n", false)
	f.Fuzz(func(t *testing.T, text string, isJSON bool) {
		format := YAML
		if isJSON {
			format = JSON
		}
		if c, err := ReadContract([]byte(text), format, nil); err == nil {
			if _, err := ContractOf(value.From(c), nil); err != nil {
				t.Errorf("an accepted contract is refused when it is written again: %v", err)
			}
		}
	})
}
