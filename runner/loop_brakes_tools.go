package runner

import (
	"fmt"
	"slices"
	"time"

	"github.com/brickoven/brickoven/bricks/doomloop"
	"github.com/brickoven/brickoven/runner/step"
)

// ToolEvent is a tool call of an agent as [doomloop] takes it. Path is that of
// the step that called the agent, and number counts the tool calls of that agent
// call from 1.
func ToolEvent(path string, number int, use step.ToolUse, at time.Time) doomloop.Event {
	e := doomloop.Event{
		Action: use.Name, Label: fmt.Sprintf("%s: %s, tool call %d", path, use.Name, number), Args: use.Args,
		Status: doomloop.Succeeded, Output: use.Output, OutputSize: use.OutputSize, Error: use.Error, At: at,
	}
	if use.Failed {
		e.Status = doomloop.Failed
	}
	return e
}

// watchesTools tells whether a loop around a step wants to know of the tool
// calls of its agents.
func (r *Run) watchesTools(f *flow) bool {
	return slices.ContainsFunc(r.braked, func(l *loop) bool {
		return l.braking.circling.steps != nil && f.halt.within(l.braking.inside)
	})
}

// usedTools lets the loops around an agent call look at its tool calls. Each
// call of an agent is looked at by itself.
func (r *Run) usedTools(p *pending, uses []step.ToolUse) {
	for _, l := range slices.Clone(r.braked) {
		c := &l.braking.circling
		if c.steps == nil || !p.flow.halt.within(l.braking.inside) {
			continue
		}
		call := c.calls[p.action.ID]
		if call == nil {
			d, err := doomloop.New(l.braking.config.DoomLoop.Tools)
			if err != nil {
				continue // the thresholds were checked when the brakes were read
			}
			call = &toolCalls{detector: d}
			c.calls[p.action.ID] = call
		}
		for _, use := range uses {
			call.n++
			l.circled(call.detector.Feed(ToolEvent(p.action.Path, call.n, use, r.now)))
		}
	}
}

// toolCalls are those of one call of an agent so far.
type toolCalls struct {
	detector *doomloop.Detector
	n        int
}
