package ledger

import (
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func evaluate(t *testing.T, c Contract, measured []Measurement) Evaluation {
	t.Helper()
	e, err := Score(c.Rubric, measured)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestTheArithmeticOfTheReference(t *testing.T) {
	t.Parallel()
	e := evaluate(t, contract(t), readingsOf("1", "68"))
	if e.Dimensions[0].Score != "75.0" || e.Dimensions[1].Score != "50.0" || e.WeightedTotal != "67.5" || e.Verdict != VerdictPass {
		t.Errorf("got %+v", e)
	}
	e = evaluate(t, contract(t), readingsOf("5", "75"))
	if e.Dimensions[0].Score != "0.0" || e.Dimensions[1].Score != "100.0" || e.WeightedTotal != "30.0" || e.Verdict != VerdictFail {
		t.Errorf("got %+v", e)
	}
	if diff := cmp.Diff([]string{"failing-tests"}, e.HardGateFailures); diff != "" {
		t.Error(diff)
	}
}

func TestABreachedGateOutranksAHigherTotal(t *testing.T) {
	t.Parallel()
	before, _, _ := strings.Cut(contractText, `"quality_rubric"`)
	rubric := `[{"dimension":"gate","evidence_command":"true","baseline":2,"target":0,"weight":10,"failure_threshold":2,"direction":"lower-is-better","hard_gate":true},
	 {"dimension":"rest","evidence_command":"true","baseline":0,"target":100,"weight":90,"failure_threshold":0,"direction":"higher-is-better","hard_gate":false}]`
	c, err := ReadContract([]byte(before+`"quality_rubric":`+rubric+"}"), JSON, nil)
	if err != nil {
		t.Fatal(err)
	}
	low := evaluate(t, c, []Measurement{{"gate", "0"}, {"rest", "20"}})
	high := evaluate(t, c, []Measurement{{"gate", "3"}, {"rest", "100"}})
	if low.WeightedTotal != "28.0" || low.Verdict != VerdictPass {
		t.Errorf("got %s %s", low.WeightedTotal, low.Verdict)
	}
	if high.WeightedTotal != "90.0" || high.Verdict != VerdictFail {
		t.Errorf("got %s %s", high.WeightedTotal, high.Verdict)
	}
}

func TestAThresholdIsTheLastSafeValue(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		tests, coverage string
		want            [2]bool
	}{{"4", "58", [2]bool{false, false}}, {"4.0001", "57.9999", [2]bool{true, true}}, {"-1", "1e2", [2]bool{false, false}}} {
		e := evaluate(t, contract(t), readingsOf(test.tests, test.coverage))
		if got := [2]bool{e.Dimensions[0].GateFailed, e.Dimensions[1].GateFailed}; got != test.want {
			t.Errorf("%s, %s: got %v", test.tests, test.coverage, got)
		}
	}
	if e := evaluate(t, contract(t), readingsOf("4", "0")); e.Verdict != VerdictPass {
		t.Error("a soft threshold fails the verdict")
	}
}

func TestADimensionThatMustNotRegressHasAllOrNothing(t *testing.T) {
	t.Parallel()
	c := contract(t, `"target":75`, `"target":61`, `"hard_gate":false`, `"hard_gate":false,"must_not_regress":true`)
	if e := evaluate(t, c, readingsOf("4", "59")); e.Dimensions[1].Score != "100.0" || !e.Dimensions[1].MustNotRegress {
		t.Errorf("got %+v", e.Dimensions[1])
	}
	if e := evaluate(t, c, readingsOf("4", "57")); e.Dimensions[1].Score != "0.0" {
		t.Errorf("got %+v", e.Dimensions[1])
	}
}

func TestScoreRefusesAllAtOnce(t *testing.T) {
	t.Parallel()
	_, err := Score(contract(t).Rubric, []Measurement{{"failing-tests", "NaN"}, {"failing-tests", "1"}, {"speed", "1"}})
	wantRefusal(t, err, Malformed, `measurements.failing-tests: "NaN" is not a finite number`, "measurements.failing-tests: is measured twice",
		"measurements.speed: is not a dimension", "measurements.coverage: is not measured")
	for _, text := range []string{"", "nan", "-NaN", "inf", "+Infinity", "1_000", "0x10", "1,5", "007", "+1", " 1", "1 ", ".5", "1.", "1e999", "1e99999", "true", "null", "\"1\"", "one"} {
		if _, err := Score(contract(t).Rubric, readingsOf(text, "68")); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestParseMeasurementCutsAtTheLastEqualsSign(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Measurement{"a=1": {"a", "1"}, "a=b=-2": {"a=b", "-2"}, "a": {"a", ""}, "a=": {"a", ""}} {
		if got := ParseMeasurement(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestRoundedRoundsHalvesToEven(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"67.5": "67.5", "0": "0.0", "100": "100.0", "1/3": "0.3333", "2/3": "0.6667", "0.00005": "0.0",
		"0.00015": "0.0002", "0.00025": "0.0002", "-0.00004": "0.0", "-1.23456": "-1.2346", "99.99995": "100.0"} {
		r, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatal(text)
		}
		if got := rounded(r).String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestRoundedIsTheNearestFourDecimals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := big.NewRat(rapid.Int64().Draw(t, "a"), rapid.Int64Range(1, 1<<40).Draw(t, "b"))
		distance := new(big.Rat).Sub(r, rational(rounded(r)))
		if distance.Abs(distance).Cmp(big.NewRat(1, 20_000)) > 0 {
			t.Fatalf("%s is rounded to %s", r, rounded(r))
		}
	})
}
