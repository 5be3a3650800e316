package agent

import (
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/recipes/value"
)

// claudeStream reads --output-format stream-json of Claude Code, which Amp
// prints too.
type claudeStream struct {
	out     outcome
	said    string // the text of the last message
	meter   meter
	limited *time.Time
	reject  bool
}

func (r *claudeStream) event(v map[string]any) {
	if id := text(v, "session_id"); id != "" {
		r.out.conversation = id
	}
	switch text(v, "type") {
	case "assistant":
		r.message(v)
	case "rate_limit_event":
		r.reject = text(v, "rate_limit_info.status") == "rejected"
		r.limited = moment(at(v, "rate_limit_info.resetsAt"))
	case "result":
		r.result(v)
	}
}

// message takes what the agent said; what a sub-agent says is not its answer.
func (r *claudeStream) message(v map[string]any) {
	if at(v, "parent_tool_use_id") != nil {
		return
	}
	var said []string
	for _, part := range list(v, "message.content") {
		if text(part, "type") == "text" {
			said = append(said, text(part, "text"))
		}
	}
	if len(said) > 0 {
		r.said = strings.Join(said, "\n")
	}
	if kind := text(v, "error"); kind != "" {
		r.out.kind = faultNamed(kind)
	}
}

func (r *claudeStream) result(v map[string]any) {
	o := &r.out
	o.complete, o.structured = true, true
	o.failed = truth(v, "is_error") || strings.HasPrefix(text(v, "subtype"), "error")
	o.status = httpStatus(v, "api_error_status")
	o.text = text(v, "result")
	if structured := at(v, "structured_output"); structured != nil {
		o.text = value.JSON(structured)
	}
	if o.failed {
		o.message, o.text = o.text, r.said
		if o.message == "" {
			o.message = claudeErrors(v)
		}
	}
	for _, denial := range list(v, "permission_denials") {
		if tool := text(denial, "tool_name"); tool != "" && !slices.Contains(o.denied, tool) {
			o.denied = append(o.denied, tool)
		}
	}
	m := &r.meter
	var fresh, made *int64
	m.count(&fresh, "input tokens", at(v, "usage.input_tokens"))
	m.count(&made, "cache creation tokens", at(v, "usage.cache_creation_input_tokens"))
	m.count(&m.usage.CachedTokens, "cached tokens", at(v, "usage.cache_read_input_tokens"))
	m.count(&m.usage.OutputTokens, "output tokens", at(v, "usage.output_tokens"))
	m.count(&m.usage.Turns, "turns", at(v, "num_turns"))
	m.count(&m.usage.DurationMS, "duration", at(v, "duration_ms"))
	m.cost("cost", at(v, "total_cost_usd"))
	m.usage.InputTokens = total(fresh, made, m.usage.CachedTokens)
}

// claudeErrors words a result that failed without a text.
func claudeErrors(v map[string]any) string {
	var all []string
	for _, item := range list(v, "errors") {
		all = append(all, value.Text(item))
	}
	if len(all) == 0 {
		return strings.ReplaceAll(text(v, "subtype"), "_", " ")
	}
	return strings.Join(all, "; ")
}

func (r *claudeStream) end(string) outcome {
	o := r.out
	o.usage, o.remarks = r.meter.usage, r.meter.remarks
	if !o.complete {
		o.text = r.said
	}
	if o.failed && r.reject {
		o.exhausted, o.resetsAt = true, r.limited
	}
	// The message of a failure is no answer of the agent's.
	if o.failed && o.text == o.message {
		o.text = ""
	}
	return o
}
