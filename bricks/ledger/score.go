package ledger

import (
	"math/big"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// Measurement is one reading of a rubric dimension. Value is the text of the
// number as the evidence command printed it; it is checked where it is used.
type Measurement struct {
	Dimension string
	Value     string
}

// ParseMeasurement splits name=number at the last equals sign. A text without
// one is a measurement without a value, which every operation refuses.
func ParseMeasurement(text string) Measurement {
	i := strings.LastIndexByte(text, '=')
	if i < 0 {
		return Measurement{Dimension: text}
	}
	return Measurement{Dimension: text[:i], Value: text[i+1:]}
}

// Evaluation is the score of one set of measurements (seed-systems section
// 2.3). All numbers are rounded to four decimals.
type Evaluation struct {
	Dimensions []DimensionScore `json:"dimensions"`
	// WeightedTotal lies between 0 and 100.
	WeightedTotal value.Number `json:"weighted_total"`
	// HardGateFailures names the hard-gate dimensions past their threshold.
	HardGateFailures []string `json:"hard_gate_failures"`
	// Verdict is fail while any hard gate is breached, at any total.
	Verdict string `json:"verdict"`
}

// The verdicts of an evaluation.
const (
	VerdictPass = "pass"
	VerdictFail = "fail"
)

// DimensionScore is the score of one dimension.
type DimensionScore struct {
	Dimension        string       `json:"dimension"`
	Measured         value.Number `json:"measured"`
	Score            value.Number `json:"score"`
	Weight           value.Number `json:"weight"`
	HardGate         bool         `json:"hard_gate"`
	MustNotRegress   bool         `json:"must_not_regress"`
	GateFailed       bool         `json:"gate_failed"`
	FailureThreshold value.Number `json:"failure_threshold"`
	EvidenceCommand  string       `json:"evidence_command"`
}

// Score evaluates one measurement per dimension of the rubric. It refuses
// (code [Malformed], all findings at once) numbers that are not finite,
// duplicates, dimensions that are not declared and dimensions left out.
func Score(rubric []Dimension, measured []Measurement) (Evaluation, error) {
	readings, found := readings(rubric, measured)
	if len(found) > 0 {
		return Evaluation{}, found.refusal(Malformed)
	}
	return score(rubric, readings), nil
}

// readings checks measurements against the rubric.
func readings(rubric []Dimension, measured []Measurement) (map[string]value.Number, findings) {
	var found findings
	declared := map[string]bool{}
	for _, d := range rubric {
		declared[d.Name] = true
	}
	read := map[string]value.Number{}
	for _, m := range measured {
		field := "measurements." + m.Dimension
		_, twice := read[m.Dimension]
		switch fault := checkNumber(m.Value); {
		case !declared[m.Dimension]:
			found.add(field, "is not a dimension of the rubric")
		case twice:
			found.add(field, "is measured twice")
		case fault != "":
			found.add(field, "%s", fault)
		}
		read[m.Dimension] = value.Number(m.Value)
	}
	for _, d := range rubric {
		if _, has := read[d.Name]; !has {
			found.add("measurements."+d.Name, "is not measured; every dimension of the rubric needs a reading")
		}
	}
	return read, found
}

func score(rubric []Dimension, read map[string]value.Number) Evaluation {
	e := Evaluation{HardGateFailures: []string{}, Verdict: VerdictPass}
	total, weights := new(big.Rat), new(big.Rat)
	for _, d := range rubric {
		s := scoreDimension(d, read[d.Name])
		e.Dimensions = append(e.Dimensions, s)
		weight := rational(d.Weight)
		weights.Add(weights, weight)
		total.Add(total, new(big.Rat).Mul(weight, rational(s.Score)))
		if s.HardGate && s.GateFailed {
			e.HardGateFailures = append(e.HardGateFailures, d.Name)
			e.Verdict = VerdictFail
		}
	}
	if weights.Sign() > 0 {
		total.Quo(total, weights)
	}
	e.WeightedTotal = rounded(total)
	return e
}

func scoreDimension(d Dimension, measured value.Number) DimensionScore {
	reading := rational(measured)
	past := reading.Cmp(rational(d.FailureThreshold))
	failed := past > 0
	if d.Direction == HigherIsBetter {
		failed = past < 0
	}
	return DimensionScore{
		Dimension: d.Name, Measured: measured, Score: rounded(progressOf(d, reading, failed)), Weight: d.Weight,
		HardGate: d.HardGate, MustNotRegress: d.Holds(), GateFailed: failed,
		FailureThreshold: d.FailureThreshold, EvidenceCommand: d.EvidenceCommand,
	}
}

// progressOf is how far the reading has come from the baseline to the target,
// in percent, kept between 0 and 100.
func progressOf(d Dimension, reading *big.Rat, failed bool) *big.Rat {
	full := big.NewRat(100, 1)
	way := new(big.Rat).Sub(rational(d.Target), rational(d.Baseline))
	if d.Holds() || way.Sign() == 0 {
		if failed {
			return new(big.Rat)
		}
		return full
	}
	gone := new(big.Rat).Sub(reading, rational(d.Baseline))
	gone.Mul(gone, full).Quo(gone, way)
	if gone.Sign() < 0 {
		return new(big.Rat)
	}
	if gone.Cmp(full) > 0 {
		return full
	}
	return gone
}
