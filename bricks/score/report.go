package score

import (
	"fmt"
	"math/big"

	"github.com/brickoven/brickoven/recipes/value"
)

// Report is the evaluation as a value: what the recipe evaluation-loop gives
// back, and what [Parse] reads to score its health. It has the keys of the
// original's result, then ours: best_iteration, returned (always best),
// returned_iteration, stop_reason, and feedback, which tells a producer in words
// what became of the last round. passed in an iteration is measured at the
// loop's own threshold.
func (e Evaluation) Report() map[string]any {
	d := e.Decide()
	report := map[string]any{
		"success": d.Success, "threshold": e.Threshold, "mode": string(e.Mode),
		"score_history": []any{}, "iterations": []any{}, "accumulated_findings": []any{},
		"num_iterations": value.From(len(e.Rounds)), "max_rounds": value.From(e.MaxRounds),
		"total_duration_seconds": e.totalDuration(),
		"final_score":            nil, "final_output": nil,
		"best_score": nil, "best_output": nil, "best_iteration": nil,
		"returned": "best", "returned_iteration": nil,
		"stop_reason": string(d.Stop), "feedback": e.feedback(), "metadata": map[string]any{},
	}
	if len(e.Rounds) == 0 {
		return report
	}
	last, top := e.Rounds[len(e.Rounds)-1], e.Rounds[d.Returned-1]
	report["final_score"], report["final_output"] = last.Score, last.Output
	report["best_score"], report["best_output"] = top.Score, top.Output
	report["best_iteration"], report["returned_iteration"] = value.From(d.Returned), value.From(d.Returned)
	report["score_history"], report["iterations"], report["accumulated_findings"] = e.lists()
	return report
}

// feedback is empty before the first round.
func (e Evaluation) feedback() string {
	n := len(e.Rounds)
	if n == 0 {
		return ""
	}
	last := e.Rounds[n-1]
	text := fmt.Sprintf("Round %d scored %s of 10; the threshold is %s.", n, last.Score, e.Threshold)
	if last.Reasoning != "" {
		text += "\n" + last.Reasoning
	}
	for _, finding := range last.Findings {
		text += "\n- " + finding
	}
	return text
}

func (e Evaluation) lists() (history, iterations, findings []any) {
	findings = []any{}
	seen := map[string]bool{}
	for i, round := range e.Rounds {
		own := []any{}
		for _, finding := range round.Findings {
			own = append(own, finding)
			if !seen[finding] {
				seen[finding] = true
				findings = append(findings, finding)
			}
		}
		history = append(history, round.Score)
		iterations = append(iterations, map[string]any{
			"iteration": value.From(i + 1), "output": round.Output, "score": round.Score,
			"reasoning": round.Reasoning, "findings": own, "passed": atLeast(round.Score, e.Threshold),
			"duration_seconds": nullable(round.Used.Duration), "tokens": nullable(round.Used.Tokens),
			"cost_usd": nullable(round.Used.CostUSD),
		})
	}
	return history, iterations, findings
}

func nullable(n value.Number) any {
	if n == "" {
		return nil
	}
	return n
}

// totalDuration is null as soon as one round's duration is unknown.
func (e Evaluation) totalDuration() any {
	var rounds []Round
	for _, round := range e.Rounds {
		rounds = append(rounds, round.Used)
	}
	if n := total(rounds, func(r Round) value.Number { return r.Duration }, big.NewRat(1, 1), 6); n != nil {
		return *n
	}
	return nil
}
