package brakes

import (
	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/doomloop"
)

// DoomLoop sets what ends a loop whose steps go round in circles. The zero
// DoomLoop looks for nothing.
type DoomLoop struct {
	// Steps are the thresholds for the steps of the rounds, and Tools those for
	// the tool calls of one agent call.
	Steps, Tools doomloop.Config
}

// IsOn tells whether anything is looked for.
func (d DoomLoop) IsOn() bool { return d != DoomLoop{} }

func (r *reader) doomLoop(e entry) (d DoomLoop) {
	var err error
	if d.Steps, err = doomloop.ParseConfig(e.value, doomloop.Default()); err == nil {
		d.Tools, err = doomloop.ParseConfig(e.value, doomloop.DefaultTools())
	}
	if err != nil {
		r.fail(e.path, "%s", err)
	}
	return d
}

// Doomed ends the loop for a doom loop that was found while a round runs, which
// has used so much until then. rounds are those of its witnesses.
func (e *Engine) Doomed(f doomloop.Finding, rounds []int, m Meter) Decision {
	if e.state.Halted != nil {
		return Decision{Tree: Keep, Halt: e.state.Halted}
	}
	e.state.Round++
	e.state.Total = Total{e.state.Total.Add(m.Spend), e.state.Total.Elapsed + m.Elapsed}
	return e.End(doomReason(f.Kind), halt.Evidence{
		Rounds: rounds, IDs: f.Names, Period: f.Period, Detail: string(f.Kind) + ": " + f.Reason,
	})
}

func doomReason(kind doomloop.Kind) halt.Reason {
	switch kind {
	case doomloop.Cycle, doomloop.CircularPlan:
		return halt.OscillationDetected
	case doomloop.RepeatedFailure:
		return halt.SameFailureRepeated
	case doomloop.ResourceExhaustion:
		return halt.BudgetExceeded
	}
	return halt.NoProgressDetected
}
