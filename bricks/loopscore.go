package bricks

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/bricks/score"
	"github.com/brickoven/brickoven/recipes/value"
)

// scoreLoop tells the health of the loop whose record is in loop_record.
func scoreLoop(_ context.Context, call Call) (Result, error) {
	record, err := score.Parse(jsonText(call.Inputs["loop_record"]))
	if err != nil {
		return Result{}, fmt.Errorf("loop_record: %w", err)
	}
	if given := call.Inputs["loop_guard_events"]; given != nil {
		events, err := score.ParseGuardEvents(jsonText(given))
		if err != nil {
			return Result{}, fmt.Errorf("loop_guard_events: %w", err)
		}
		record.GuardEvents = append(record.GuardEvents, events...)
	}
	options := score.Options{Name: call.input("loop_score_name")}
	if text := call.input("loop_score_threshold"); text != "" {
		if options.Threshold, err = score.ParseThreshold(text); err != nil {
			return Result{}, fmt.Errorf("loop_score_threshold: %w", err)
		}
	}
	if text := call.input("loop_score_max_wasted"); text != "" {
		n, err := value.Number(text).Int64()
		if err != nil || n < 0 || n > 1<<30 {
			return Result{}, fmt.Errorf("loop_score_max_wasted is %q; expected a whole number from 0 on", text)
		}
		options.MaxWasted = int(n)
	}
	result, err := score.Evaluate(record.Loop, record.GuardEvents, nil, options)
	if err != nil {
		return Result{}, err
	}
	printed, err := json.Marshal(result)
	if err != nil {
		return Result{}, err
	}
	return Result{Stdout: string(printed) + "\n"}, nil
}

// jsonText is a value as the text of a JSON document; a text is one already.
func jsonText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	return value.JSON(v)
}

// enforceLoopScore fails where the loop was not healthy, with the exit codes of
// the command score: 1 for an unhealthy loop, 4 for nothing to examine.
func enforceLoopScore(_ context.Context, call Call) (Result, error) {
	field := func(name string) string {
		v, _ := value.At(call.Inputs["loop_score"], []string{name})
		return value.Text(v)
	}
	line := strings.ReplaceAll(field("reasoning"), "\n", " ") + "\n"
	code := 0
	switch score.Status(field("status")) {
	case score.Healthy:
	case score.Unhealthy:
		code = 1
	case score.Nothing:
		code = 4
	default:
		return Result{}, fmt.Errorf("loop_score is no result of loop-score")
	}
	if code == 0 || call.flag("loop_score_enforce") == "false" {
		return Result{Stdout: line}, nil
	}
	return Result{Stderr: line, ExitCode: code}, nil
}
