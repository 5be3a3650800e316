package score

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// defaultMaxRounds is the number of rounds where the recipe sets none, as in
// seed 003's first example.
const defaultMaxRounds = 5

// RecordRound is the native function evaluation-record: it adds one round to an
// evaluation and decides what comes next. Its inputs are
//
//	evaluation   what it returned after the last round; null before the first
//	judgement    the evaluator's answer, see [ParseJudgement]
//	output       what the producer made
//	mode         optimize (also when empty) or review
//	threshold    0 counts; 8.0 when null
//	max_rounds   5 when null
//	usage        an object with duration_seconds, tokens and cost_usd; null, or
//	             a field that is null, is unknown
//
// It returns the [Evaluation.Report]. A faulty input is an [*InputError].
func RecordRound(inputs map[string]any) (map[string]any, error) {
	e, err := parseSettings(inputs)
	if err != nil {
		return nil, err
	}
	if e.Rounds, err = parseRounds(inputs["evaluation"]); err != nil {
		return nil, err
	}
	if !e.Decide().Continue {
		return nil, inputError("evaluation", "has ended already; there is no round to record")
	}
	if inputs["output"] == nil {
		return nil, inputError("output", "is missing: the producer gave none")
	}
	judgement, err := ParseJudgement(inputs["judgement"])
	if err != nil {
		return nil, err
	}
	return e.Record(Judged{
		Output: inputs["output"], Judgement: judgement, Used: parseUsage(inputs["usage"]),
	}).Report(), nil
}

// DecideRound is the native function evaluation-decide: it reads what
// evaluation-record returned, under the input evaluation, and says what comes
// next in the shape of a loop-health verdict. loop_verdict is CONTINUE, DONE, or
// STUCK for a loop that has run all its rounds without success; the best output
// is in the evaluation in every case.
//
// The input round, where there is one, is the number of rounds that have run. A
// round that was not recorded, because its producer, its judge or the reading of
// its score failed, is STUCK; the input last_output says why in its last line.
func DecideRound(inputs map[string]any) (map[string]any, error) {
	e, err := parseReport(inputs["evaluation"])
	if err != nil {
		return nil, err
	}
	health := map[string]any{
		"loop_verdict": "CONTINUE", "verdict_source": "evaluation", "loop_name": "evaluation-loop",
		"not_converging": []any{}, "moved": e.moved(), "recommended_action": "run the next round",
	}
	stuck := func(action string, why ...any) {
		health["loop_verdict"], health["recommended_action"], health["not_converging"] = "STUCK", action, why
	}
	d := e.Decide()
	ran, known := value.Rational(value.Number(value.Text(inputs["round"])))
	switch {
	case known && ran.Cmp(big.NewRat(int64(len(e.Rounds)), 1)) > 0:
		stuck("look at what failed in the round", fmt.Sprintf("round %s was not recorded: %s",
			value.Text(inputs["round"]), lastLine(value.Text(inputs["last_output"]))))
	case inputs["evaluation"] == nil:
		return nil, inputError("evaluation", "is not what evaluation-record returned")
	case d.Continue:
	case d.Success:
		health["loop_verdict"] = "DONE"
		health["recommended_action"] = fmt.Sprintf("take the output of round %d", d.Returned)
	default:
		last := e.Rounds[len(e.Rounds)-1]
		why := []any{fmt.Sprintf("no score reached %s: the best of %d is %s", e.Threshold, len(e.Rounds), e.Rounds[d.Returned-1].Score)}
		if e.Mode == Review {
			why[0] = fmt.Sprintf("the last score, %s, is below %s", last.Score, e.Threshold)
		}
		for _, finding := range last.Findings {
			why = append(why, finding)
		}
		stuck(fmt.Sprintf("look at the findings; the best output is that of round %d", d.Returned), why...)
	}
	return health, nil
}

// lastLine is the last line that says something by itself, shortened. A line
// that is indented, or that ends in a colon, belongs to another one.
func lastLine(text string) string {
	for _, line := range slices.Backward(strings.Split(text, "\n")) {
		said := []rune(strings.TrimSpace(line))
		if len(said) == 0 || strings.HasPrefix(line, " ") || strings.HasSuffix(string(said), ":") {
			continue
		}
		if len(said) > 200 {
			said = append(said[:200], '…')
		}
		return string(said)
	}
	return "it said nothing"
}

// parseReport reads what evaluation-record returned; null is an evaluation
// before its first round.
func parseReport(v any) (Evaluation, error) {
	if v == nil {
		return parseSettings(nil)
	}
	report, ok := v.(map[string]any)
	if !ok {
		return Evaluation{}, inputError("evaluation", "is not what evaluation-record returned")
	}
	e, err := parseSettings(report)
	if err != nil {
		return Evaluation{}, err
	}
	e.Rounds, err = parseRounds(report)
	return e, err
}

// BestOutput is the native function evaluation-best: the output that an evaluation
// returns, and nil where no round was recorded.
func BestOutput(inputs map[string]any) (any, error) {
	e, err := parseReport(inputs["evaluation"])
	if err != nil || len(e.Rounds) == 0 {
		return nil, err
	}
	return e.Rounds[e.Decide().Returned-1].Output, nil
}

// Enforce is the native function evaluation-enforce: it says in one sentence
// what an evaluation returns, and whether it may pass. One that missed its
// threshold passes only where the input enforce is "false". One that did not
// come to its end never passes: that is no verdict on the output. The input
// reason says in words why its loop ended.
func Enforce(inputs map[string]any) (sentence string, passes bool, err error) {
	e, err := parseReport(inputs["evaluation"])
	if err != nil {
		return "", false, err
	}
	reason := lastLine(value.Text(inputs["reason"]))
	if len(e.Rounds) == 0 {
		return "There is no output to return, because no round was recorded: " + reason, false, nil
	}
	d := e.Decide()
	sentence = fmt.Sprintf("Returned is the output of round %d of %d, the best with %s; the threshold is %s.",
		d.Returned, len(e.Rounds), e.Rounds[d.Returned-1].Score, e.Threshold)
	last := e.Rounds[len(e.Rounds)-1].Score
	switch {
	case d.Continue:
		return sentence + " The loop did not come to its end: " + reason, false, nil
	case d.Success:
		return sentence, true, nil
	case e.Mode == Review:
		sentence += fmt.Sprintf(" In review the last round counts, and it scored %s.", last)
	}
	return sentence, normalised(value.Text(inputs["enforce"])) == "false", nil
}

// moved says how the last round changed the score.
func (e Evaluation) moved() []any {
	n := len(e.Rounds)
	if n < 2 || value.Equal(e.Rounds[n-1].Score, e.Rounds[n-2].Score) {
		return []any{}
	}
	return []any{fmt.Sprintf("score %s -> %s", e.Rounds[n-2].Score, e.Rounds[n-1].Score)}
}

func parseSettings(inputs map[string]any) (Evaluation, error) {
	e := Evaluation{Threshold: DefaultThreshold, MaxRounds: defaultMaxRounds}
	recorded := Loop{Mode: value.Text(inputs["mode"])}
	mode, known := recorded.mode()
	if !known {
		return e, inputError("mode", fmt.Sprintf("is %q; expected optimize or review", recorded.Mode))
	}
	e.Mode = mode
	if v := inputs["threshold"]; v != nil {
		n, err := ParseThreshold(value.Text(v))
		if err != nil {
			return e, inputError("threshold", fmt.Sprintf("is %q; expected a finite decimal number", value.Text(v)))
		}
		e.Threshold = n
	}
	if v := inputs["max_rounds"]; v != nil {
		n, err := value.Number(value.Text(v)).Int64()
		if err != nil || n < 1 || n > maxRounds {
			return e, inputError("max_rounds", fmt.Sprintf("is %q; expected a whole number from 1 to %d", value.Text(v), maxRounds))
		}
		e.MaxRounds = int(n)
	}
	return e, nil
}

// maxRounds keeps the record of an evaluation, which holds every output, from
// growing without bounds.
const maxRounds = 10000

func parseRounds(v any) ([]Judged, error) {
	if v == nil {
		return nil, nil
	}
	report, _ := v.(map[string]any)
	iterations, ok := report["iterations"].([]any)
	if !ok {
		return nil, inputError("evaluation", "is not what a round before this one returned")
	}
	var rounds []Judged
	for i, item := range iterations {
		judgement, err := ParseJudgement(item)
		if err != nil {
			return nil, fmt.Errorf("round %d of the evaluation: %w", i+1, err)
		}
		round, _ := item.(map[string]any)
		rounds = append(rounds, Judged{Output: round["output"], Judgement: judgement, Used: parseUsage(round)})
	}
	return rounds, nil
}

// parseUsage takes what is a number of 0 or more; everything else is unknown.
func parseUsage(v any) Round {
	fields, _ := v.(map[string]any)
	amount := func(name string) value.Number {
		n, _ := fields[name].(value.Number)
		if exact, ok := value.Rational(n); !ok || exact.Sign() < 0 {
			return ""
		}
		return n
	}
	return Round{Duration: amount("duration_seconds"), Tokens: amount("tokens"), CostUSD: amount("cost_usd")}
}

func inputError(path, message string) error {
	return &InputError{Path: path, Index: -1, Message: message}
}
