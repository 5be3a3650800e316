package score

import (
	"fmt"

	"github.com/brickoven/brickoven/bricks/doomloop"
	"github.com/brickoven/brickoven/bricks/guard"
	"github.com/brickoven/brickoven/recipes/value"
)

// Options are what the caller decides about a verdict.
type Options struct {
	// Threshold takes precedence over the loop's own, 0 included; empty means
	// that the caller has none.
	Threshold value.Number
	// MaxWasted is the number of wasted rounds that is tolerated.
	MaxWasted int
	// Name overrides the loop's name; empty keeps it.
	Name string
	// ID is carried into the result.
	ID string
}

// Evaluate tells the health of a finished loop from its record, its guard
// events and the doom loops found in its steps (seed 003). Guard events are JSON
// values in any order. The only error is an [*InputError] about a number that
// is none.
func Evaluate(loop Loop, events []any, findings []doomloop.Finding, options Options) (Result, error) {
	if err := check(loop, options); err != nil {
		return Result{}, err
	}
	mode, known := loop.mode()
	r := Result{
		ID: options.ID, Name: options.Name, Mode: mode, MaxWasted: options.MaxWasted,
		TotalDuration: orNull(loop.TotalDuration),
		Metadata:      Metadata{NumIterations: len(loop.Scores)},
		Scores:        append([]value.Number{}, loop.Scores...),
		Deltas:        deltas(loop.Scores),
		Best:          best(loop.Scores),
		Findings:      append([]doomloop.Finding{}, findings...),
		Warnings:      []string{},
	}
	if r.Name == "" {
		r.Name = loop.Name
	}
	if !known {
		r.Warnings = append(r.Warnings, fmt.Sprintf("mode %q is unknown and was read as optimize", loop.Mode))
	}
	r.Threshold, r.ThresholdFrom = threshold(loop, options)
	r.converge(loop)
	r.guards(events)
	r.Waste = waste(loop, r)
	r.SuccessDisagrees = disagrees(loop, r)
	r.Success = r.Converged && !r.DoomLoopFired && r.WastedIterations <= r.MaxWasted
	r.Passed = r.Success
	r.Status = status(r)
	r.Reasoning = reasoning(loop, r)
	return r, nil
}

func check(loop Loop, options Options) error {
	for i, score := range loop.Scores {
		if _, message := rational(score); message != "" {
			return &InputError{Path: fmt.Sprintf("score_history[%d]", i), Index: i, Message: message}
		}
	}
	for _, number := range []struct {
		path string
		n    value.Number
	}{
		{"threshold", loop.Threshold},
		{"the threshold of the caller", options.Threshold},
		{"total_duration_seconds", loop.TotalDuration},
	} {
		if number.n == "" {
			continue
		}
		if _, message := rational(number.n); message != "" {
			return &InputError{Path: number.path, Index: -1, Message: message}
		}
	}
	if loop.Rounds != nil && len(loop.Rounds) != len(loop.Scores) {
		return &InputError{Path: "iterations", Index: -1,
			Message: fmt.Sprintf("has %d entries, but score_history has %d", len(loop.Rounds), len(loop.Scores))}
	}
	if options.MaxWasted < 0 {
		return &InputError{Path: "max wasted iterations", Index: -1, Message: "is negative; expected 0 or more"}
	}
	return nil
}

// threshold applies the precedence: the caller's, the loop's, the default.
func threshold(loop Loop, options Options) (n value.Number, from string) {
	switch {
	case options.Threshold != "":
		return options.Threshold, "option"
	case loop.Threshold != "":
		return loop.Threshold, "loop"
	}
	return DefaultThreshold, "default"
}

// converge sets what depends on mode: in optimize the first score at the
// threshold counts, in review the loop's own verdict and else its last score.
func (r *Result) converge(loop Loop) {
	n := len(loop.Scores)
	r.IterationsToSuccess = n
	if n == 0 {
		return
	}
	switch {
	case r.Mode == Optimize:
		r.ConvergedBy = "first_score_at_threshold"
		if first := firstAtLeast(loop.Scores, r.Threshold); first > 0 {
			r.Converged, r.IterationsToSuccess = true, first
			r.WastedIterations = n - first
		}
	case loop.Success != nil:
		r.ConvergedBy, r.Converged = "loop_success", *loop.Success
	default:
		r.ConvergedBy, r.Converged = "last_score", atLeast(loop.Scores[n-1], r.Threshold)
	}
	if r.Converged {
		at := r.IterationsToSuccess
		r.ConvergedIteration = &at
	}
}

func atLeast(score, threshold value.Number) bool {
	order, ok := value.Compare(score, threshold)
	return ok && order >= 0
}

// firstAtLeast is the number, from 1, of the first score at the threshold, or 0.
func firstAtLeast(scores []value.Number, threshold value.Number) int {
	for i, score := range scores {
		if atLeast(score, threshold) {
			return i + 1
		}
	}
	return 0
}

func deltas(scores []value.Number) []value.Number {
	list := []value.Number{}
	for i := 1; i < len(scores); i++ {
		list = append(list, difference(scores[i-1], scores[i]))
	}
	return list
}

func best(scores []value.Number) *Best {
	var top *Best
	for i, score := range scores {
		if top == nil || !atLeast(top.Score, score) {
			top = &Best{Iteration: i + 1, Score: score}
		}
	}
	return top
}

func (r *Result) guards(events []any) {
	r.GuardInterventions = len(events)
	r.GuardEvents = []Intervention{}
	r.DoomLoopFired = len(r.Findings) > 0
	for i, event := range events {
		recognised := guard.Recognise(event)
		r.GuardEvents = append(r.GuardEvents, Intervention{Index: i, Recognition: recognised})
		r.DoomLoopFired = r.DoomLoopFired || recognised.DoomLoop
	}
}

// disagrees compares the loop's own success with its scores at the loop's own
// threshold, because that is the one it judged itself by.
func disagrees(loop Loop, r Result) bool {
	n := len(loop.Scores)
	if loop.Success == nil || n == 0 {
		return false
	}
	own := r.Threshold
	if loop.Threshold != "" {
		own = loop.Threshold
	}
	if r.Mode == Review {
		return *loop.Success != atLeast(loop.Scores[n-1], own)
	}
	return *loop.Success != (firstAtLeast(loop.Scores, own) > 0)
}

func status(r Result) Status {
	switch {
	case r.Success:
		return Healthy
	case len(r.Scores) == 0 && !r.DoomLoopFired:
		return Nothing
	}
	return Unhealthy
}
