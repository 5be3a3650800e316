package agent

import (
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// copilotStream reads --output-format json of GitHub Copilot CLI.
type copilotStream struct {
	out   outcome
	meter meter
	tools map[string]string // the tool of each call
	turns int64
}

func (r *copilotStream) event(v map[string]any) {
	o := &r.out
	switch text(v, "type") {
	case "assistant.turn_start":
		r.turns++
	case "assistant.message":
		if content := text(v, "data.content"); strings.TrimSpace(content) != "" {
			o.text = content
		}
	case "assistant.usage":
		r.count(v)
	case "tool.execution_start":
		if r.tools == nil {
			r.tools = map[string]string{}
		}
		r.tools[text(v, "data.toolCallId")] = text(v, "data.toolName")
	case "tool.execution_complete":
		r.tool(v)
	case "session.error":
		o.failed = true
		o.message, o.status = text(v, "data.message"), httpStatus(v, "data.statusCode")
		o.kind = faultNamed(text(v, "data.errorType"))
	case "result":
		o.complete, o.structured = true, true
		o.conversation = text(v, "sessionId")
		r.meter.count(&r.meter.usage.DurationMS, "duration", at(v, "usage.sessionDurationMs"))
		if code, ok := at(v, "exitCode").(value.Number); ok && code.String() != "0" {
			o.failed = true
		}
	}
}

// tool looks for a call that was refused; other failures are the agent's own
// business.
func (r *copilotStream) tool(v map[string]any) {
	code := text(v, "data.error.code")
	if code != "denied" && code != "rejected" && !strings.Contains(strings.ToLower(text(v, "data.error.message")), "permission") {
		return
	}
	name := r.tools[text(v, "data.toolCallId")]
	if name != "" && !slices.Contains(r.out.denied, name) {
		r.out.denied = append(r.out.denied, name)
	}
}

func (r *copilotStream) count(v map[string]any) {
	m := meter{}
	m.count(&m.usage.InputTokens, "input tokens", at(v, "data.inputTokens"))
	m.count(&m.usage.CachedTokens, "cached tokens", at(v, "data.cacheReadTokens"))
	m.count(&m.usage.OutputTokens, "output tokens", at(v, "data.outputTokens"))
	r.meter.usage = r.meter.usage.Add(m.usage)
	r.meter.remarks = append(r.meter.remarks, m.remarks...)
}

func (r *copilotStream) end(string) outcome {
	o := r.out
	o.usage, o.remarks = r.used(), r.meter.remarks
	return o
}

func (r *copilotStream) used() Usage {
	u := r.meter.usage
	if turns := r.turns; turns > 0 {
		u.Turns = &turns
	}
	return u
}
