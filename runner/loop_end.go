package runner

import (
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/bricks/session"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// report is the end of a loop that the coordinator ended. The result is the
// loop's output however it ended, because finally steps and reports want it.
func (l *loop) report() report {
	state := l.co.State()
	stop := *state.Stop
	h := l.halted(stop)
	l.noteEnd(h)
	o := l.out
	o.Status = step.Completed
	switch {
	case stop.StopReason == session.GuardRefused:
		o.Status, o.ExitCode, o.Cause = step.Failed, step.ExitRefused, step.CauseGuard
		o.Error = "BLOCKED_TERMINAL: " + stop.Reason
	case state.Status != session.StatusGoalMet:
		o.Status, o.ExitCode, o.Cause = step.Failed, h.Class.ExitCode(), step.CauseLoop
		o.Error = fmt.Sprintf("the loop ended after %s without its goal: %s (%s): %s",
			rounds(l.round), stop.HaltReason, stop.StopReason, strings.TrimSpace(stop.Reason))
		if l.check != "" {
			o.Error += "\n" + l.check
		}
	}
	result := l.summary(state, stop)
	result["halt"], result["brakes"] = value.From(h), l.braking.braked()
	o.Loop, o.Value, o.Output = result, result, value.JSON(result)
	rep := report{outcome: o}
	o.Outputs = map[string]any{}
	for _, pair := range renames(l.st) {
		var v any
		for _, set := range l.carried {
			if set.name == pair.Child {
				v = set.v
				o.Outputs[pair.Name] = v
			}
		}
		rep.sets = append(rep.sets, assignment{pair.Name, v})
	}
	if l.st.Output != "" {
		rep.sets = append(rep.sets, assignment{l.st.Output, result})
	}
	return rep
}

func rounds(n int) string {
	if n == 1 {
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", n)
}

// summary is the value of a loop's output.
func (l *loop) summary(state session.State, stop session.Stop) map[string]any {
	verdict := ""
	if last, ok := l.verdict.(map[string]any); ok {
		verdict = value.Text(last["loop_verdict"])
	}
	result := map[string]any{
		"verdict": verdict, "stop_reason": string(stop.StopReason), "halt_reason": string(stop.HaltReason),
		"reason": stop.Reason, "rounds": value.From(l.round), "verdicts": append([]any{}, l.history...), "usage": usageValue(l.out.Usage),
		"session": state.SessionID, "duration": value.From(l.fr.run.now.Sub(l.started).Seconds()),
	}
	if l.st.Loop.Contract != nil {
		result["evaluation"] = l.book.evaluation
	}
	return result
}
