package guard

import (
	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/recipes/value"
)

// OfHalt is the guard event for the end of a loop of ours, as [Recognise] reads
// it; nil for an end that no guard made: a goal, a verdict, a person, an error.
// A brake that found the rounds going nowhere, or a budget spent, is a doom
// loop; the fuse on rounds and a brake that protects something are no more than
// an intervention.
func OfHalt(h halt.Halt) map[string]any {
	event := map[string]any{"halt_reason": string(h.Reason), "reason": h.Evidence.Detail}
	switch h.Reason {
	case halt.NoProgressDetected:
		event["type"] = "no_progress"
	case halt.SameFailureRepeated:
		event["type"] = "repeated_failure"
	case halt.OscillationDetected:
		event["type"] = "loop_detected"
	case halt.BudgetExceeded, halt.CostAnomaly:
		event["type"] = "resource_exhaustion"
	case halt.SameTestRegressed, halt.UnsatisfiableConstraints, halt.InfeasibleSuspected:
		event["action"], event["code"] = "halt", string(h.Reason)
	case halt.MaxIterationsReached, halt.HeartbeatStale, halt.ComprehensionDebtExceeded, halt.BlockedPathModified,
		halt.MetricIntegrityViolation, halt.HarnessTampered, halt.CheckFlaky, halt.CheckHasSideEffects, halt.TerminalRefusal:
		event["type"] = string(h.Reason)
	default:
		return nil
	}
	if h.Round > 0 {
		event["iteration"] = value.From(h.Round)
	}
	return event
}
