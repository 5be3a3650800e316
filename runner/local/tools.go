package local

import (
	"context"
	"io"

	"github.com/brickoven/brickoven/runner/agent"
	"github.com/brickoven/brickoven/runner/step"
)

// tools passes on the tool calls that an agent's CLI streams, as digests; nil
// where nobody asks for them.
func (m *Machine) tools(ctx context.Context, a *step.Action) io.Writer {
	if !a.Tools || m.Agents.Used == nil || m.Agents.Digest == nil {
		return nil
	}
	return agent.WatchTools(func(uses []agent.ToolUse) {
		ev := step.Event{Kind: step.Used, ID: a.ID}
		for _, use := range uses {
			ev.Tools = append(ev.Tools, m.Agents.Digest(use))
		}
		select {
		case m.Agents.Used <- ev:
		case <-ctx.Done():
		}
	})
}
