package bricks

import (
	"context"
	"strings"

	"github.com/brickoven/brickoven/bricks/score"
	"github.com/brickoven/brickoven/recipes/extract"
	"github.com/brickoven/brickoven/recipes/value"
)

// recordEvaluation adds a round of evaluation-loop to its report.
func recordEvaluation(in map[string]any) (any, error) {
	return score.RecordRound(map[string]any{
		"evaluation": in["evaluation"],
		"judgement":  judgement(in["evaluation_judgement"]),
		"output":     in["evaluation_output"],
		"mode":       in["evaluation_mode"],
		"threshold":  in["evaluation_threshold"],
		"max_rounds": in["evaluation_max_rounds"],
		"usage":      used(in["steps"]),
	})
}

// judgement is a judge's answer. In a text, such as an agent gives, it is the
// last object that carries a score.
func judgement(v any) any {
	text, isText := v.(string)
	if !isText {
		return v
	}
	if found, ok := extract.Find(text, extract.Options{RequireField: "score"}); ok {
		return found.Value
	}
	return v
}

// used is what the steps before this one took: their time, which is nil where
// one does not say, and the tokens and the cost of their agents, which are nil
// where a call told nothing or none was made.
func used(steps any) map[string]any {
	ended, _ := steps.(map[string]any)
	var durations, tokens, costs []value.Number
	for _, end := range ended {
		fields, _ := end.(map[string]any)
		durations = append(durations, amount(fields, "duration"))
		usage, _ := fields["usage"].(map[string]any)
		if usage == nil {
			continue // it called no agent
		}
		tokens = append(tokens, told(usage, "unknown_tokens", "input_tokens", "output_tokens")...)
		costs = append(costs, told(usage, "unknown_cost", "cost_usd")...)
	}
	return map[string]any{"duration_seconds": total(durations), "tokens": total(tokens), "cost_usd": total(costs)}
}

// told are numbers of a usage; a single empty one where some call told none.
func told(usage map[string]any, unknown string, names ...string) []value.Number {
	if amount(usage, unknown) != "0" {
		return []value.Number{""}
	}
	var numbers []value.Number
	for _, name := range names {
		numbers = append(numbers, amount(usage, name))
	}
	return numbers
}

// amount is a number of a map; empty where there is none.
func amount(fields map[string]any, name string) value.Number {
	n, _ := fields[name].(value.Number)
	return n
}

// total is nil where there are no numbers, or one is unknown.
func total(numbers []value.Number) any {
	sum, known := score.Sum(numbers)
	if !known || len(numbers) == 0 {
		return nil
	}
	return sum
}

func decideEvaluation(in map[string]any) (any, error) {
	round, _ := value.At(in["loop"], []string{"round"})
	return score.DecideRound(map[string]any{
		"evaluation": in["evaluation"], "round": round, "last_output": in["loop_last_round_output"],
	})
}

// bestEvaluation prints the best output as it is; nothing where there is none.
func bestEvaluation(_ context.Context, call Call) (Result, error) {
	best, err := score.BestOutput(call.Inputs)
	if err != nil {
		return Result{}, err
	}
	return Result{Stdout: value.Text(best)}, nil
}

func enforceEvaluation(_ context.Context, call Call) (Result, error) {
	reason, _ := value.At(call.Inputs["evaluation_rounds"], []string{"reason"})
	sentence, passes, err := score.Enforce(map[string]any{
		"evaluation": call.Inputs["evaluation"], "enforce": call.Inputs["evaluation_enforce"], "reason": reason,
	})
	if err != nil {
		return Result{}, err
	}
	line := strings.ReplaceAll(sentence, "\n", " ") + "\n"
	if !passes {
		return Result{Stderr: line, ExitCode: 1}, nil
	}
	return Result{Stdout: line}, nil
}
