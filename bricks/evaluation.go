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
		"usage":      map[string]any{"duration_seconds": seconds(in["steps"])},
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

// seconds is how long the steps before this one took; nil where one does not
// say.
func seconds(steps any) any {
	ended, _ := steps.(map[string]any)
	var durations []value.Number
	for _, end := range ended {
		fields, _ := end.(map[string]any)
		n, _ := fields["duration"].(value.Number)
		durations = append(durations, n)
	}
	total, known := score.Sum(durations)
	if !known || len(durations) == 0 {
		return nil
	}
	return total
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
