package agent

import (
	"slices"
	"strings"
)

// geminiStream reads --output-format stream-json of Gemini CLI.
type geminiStream struct {
	out   outcome
	said  strings.Builder
	meter meter
	tools map[string]string // the tool of each call
}

func (r *geminiStream) event(v map[string]any) {
	o := &r.out
	switch text(v, "type") {
	case "init":
		o.conversation = text(v, "session_id")
	case "message":
		if text(v, "role") == "assistant" {
			if !truth(v, "delta") {
				r.said.Reset()
			}
			r.said.WriteString(text(v, "content"))
		}
	case "tool_use":
		// What was said before a tool call is no part of the answer.
		r.said.Reset()
		if r.tools == nil {
			r.tools = map[string]string{}
		}
		r.tools[text(v, "tool_id")] = text(v, "tool_name")
	case "tool_result":
		r.tool(v)
	case "error":
		if text(v, "severity") != "warning" {
			o.message = text(v, "message")
		}
	case "result":
		r.result(v)
	}
}

func (r *geminiStream) tool(v map[string]any) {
	if text(v, "status") != "error" {
		return
	}
	kind, message := text(v, "error.type"), strings.ToLower(text(v, "error.message"))
	name := r.tools[text(v, "tool_id")]
	refused := kind == "policy_violation" || kind == "tool_not_registered" && slices.Contains(geminiGated, name) ||
		strings.Contains(message, "denied by policy") || strings.Contains(message, "requires user confirmation")
	if refused && name != "" && !slices.Contains(r.out.denied, name) {
		r.out.denied = append(r.out.denied, name)
	}
}

// geminiGated are the tools that Gemini CLI does not offer where its approval mode
// would have to ask for them and nobody is there.
var geminiGated = []string{"write_file", "replace", "run_shell_command"}

func (r *geminiStream) result(v map[string]any) {
	o := &r.out
	o.complete, o.structured = true, true
	o.failed = text(v, "status") != "success"
	if message := text(v, "error.message"); message != "" {
		o.message = message
	}
	o.status = httpStatus(v, "error.code")
	m := &r.meter
	m.count(&m.usage.InputTokens, "input tokens", at(v, "stats.input_tokens"))
	m.count(&m.usage.CachedTokens, "cached tokens", at(v, "stats.cached"))
	m.count(&m.usage.OutputTokens, "output tokens", at(v, "stats.output_tokens"))
	m.count(&m.usage.DurationMS, "duration", at(v, "stats.duration_ms"))
}

func (r *geminiStream) end(string) outcome {
	o := r.out
	o.text = r.said.String()
	o.usage, o.remarks = r.meter.usage, r.meter.remarks
	return o
}

func (r *geminiStream) used() Usage { return r.meter.usage }
