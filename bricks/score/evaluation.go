package score

import (
	"fmt"
	"math/big"

	"github.com/brickoven/brickoven/recipes/value"
)

// Evaluation is an evaluation loop so far. It is a value: [Evaluation.Record]
// returns a new one and leaves the old as it was.
type Evaluation struct {
	Mode      Mode
	Threshold value.Number
	// MaxRounds ends the loop in either mode; at least 1.
	MaxRounds int
	Rounds    []Judged
}

// Judged is one round: what the producer made, and what the evaluator said.
type Judged struct {
	Output any
	Judgement
	Used Round
}

// Judgement is what an evaluator says about an output.
type Judgement struct {
	// Score is from 0 to 10.
	Score     value.Number
	Reasoning string
	Findings  []string
}

// ParseJudgement reads an evaluator's answer: an object with score, a number
// from 0 to 10, and optionally reasoning, a text, and findings, a list of texts
// or one text. A score that is a text, missing or out of range is an error; it
// is never rounded into the range.
func ParseJudgement(v any) (Judgement, error) {
	object, ok := v.(map[string]any)
	if !ok {
		return Judgement{}, judgementError("the judgement is a %s; expected an object with a score", value.Kind(v))
	}
	score, ok := object["score"].(value.Number)
	if !ok {
		if object["score"] == nil {
			return Judgement{}, judgementError("the score is missing")
		}
		return Judgement{}, judgementError("the score is a %s; expected a number from 0 to 10", value.Kind(object["score"]))
	}
	exact, message := rational(score)
	if message == "" && (exact.Sign() < 0 || exact.Cmp(big.NewRat(10, 1)) > 0) {
		message = fmt.Sprintf("is %s; expected a number from 0 to 10", score)
	}
	if message != "" {
		return Judgement{}, judgementError("the score %s", message)
	}
	j := Judgement{Score: score}
	if j.Reasoning, ok = object["reasoning"].(string); !ok && object["reasoning"] != nil {
		return Judgement{}, judgementError("the reasoning is a %s; expected a text", value.Kind(object["reasoning"]))
	}
	findings, err := texts(object["findings"])
	j.Findings = findings
	return j, err
}

func judgementError(format string, args ...any) error {
	return &InputError{Source: "evaluator", Index: -1, Message: fmt.Sprintf(format, args...)}
}

func texts(v any) ([]string, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		return []string{v}, nil
	case []any:
		var list []string
		for i, item := range v {
			text, ok := item.(string)
			if !ok {
				return nil, judgementError("findings[%d] is a %s; expected a text", i, value.Kind(item))
			}
			list = append(list, text)
		}
		return list, nil
	}
	return nil, judgementError("the findings are a %s; expected a list of texts", value.Kind(v))
}

// Record returns the evaluation with one more round.
func (e Evaluation) Record(round Judged) Evaluation {
	e.Rounds = append(append([]Judged(nil), e.Rounds...), round)
	return e
}

// StopReason says why an evaluation loop ended.
type StopReason string

// The ways in which an evaluation loop ends.
const (
	NotStopped       StopReason = ""
	ThresholdReached StopReason = "threshold_reached"
	AllRoundsRun     StopReason = "all_rounds_run"
)

// Decision is what an evaluation loop does next.
type Decision struct {
	// Continue asks for another round.
	Continue bool
	Stop     StopReason
	// Success is the verdict so far: in optimize mode that a score met the
	// threshold, in review mode that the last one does (seed 003, "Mode-Aware
	// Convergence").
	Success bool
	// Returned is the round, from 1, whose output the loop returns: the first
	// with the highest score, in either mode. 0 before the first round.
	Returned int
}

// Decide says whether to go on, and what the loop returns if it does not.
func (e Evaluation) Decide() Decision {
	scores := e.scores()
	if len(scores) == 0 {
		return Decision{Continue: true}
	}
	d := Decision{Returned: best(scores).Iteration}
	if e.Mode == Review {
		d.Success = atLeast(scores[len(scores)-1], e.Threshold)
	} else {
		d.Success = firstAtLeast(scores, e.Threshold) > 0
	}
	switch {
	case e.Mode != Review && d.Success:
		d.Stop = ThresholdReached
	case len(scores) >= e.MaxRounds:
		d.Stop = AllRoundsRun
	}
	d.Continue = d.Stop == NotStopped
	return d
}

func (e Evaluation) scores() []value.Number {
	var list []value.Number
	for _, round := range e.Rounds {
		list = append(list, round.Score)
	}
	return list
}
