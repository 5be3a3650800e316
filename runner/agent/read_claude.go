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
	spent   map[string]Usage // by message, while there is no result
	limited *time.Time
	reject  bool
}

func (r *claudeStream) event(v map[string]any) {
	if id := text(v, "session_id"); id != "" {
		r.out.conversation = id
	}
	switch text(v, "type") {
	case "assistant":
		r.spend(v)
		r.message(v)
	case "rate_limit_event":
		r.reject = text(v, "rate_limit_info.status") == "rejected"
		r.limited = moment(at(v, "rate_limit_info.resetsAt"))
	case "result":
		r.result(v)
	}
}

// spend takes the usage of a message, a sub-agent's too. Its events repeat it,
// and the tokens of the output grow from one to the next.
func (r *claudeStream) spend(v map[string]any) {
	m := meter{}
	claudeTokens(&m, at(v, "message.usage"))
	if id := text(v, "message.id"); id != "" && m.usage.Known() {
		if r.spent == nil {
			r.spent = map[string]Usage{}
		}
		r.spent[id] = m.usage
	}
}

// claudeTokens reads the tokens of a message or of the whole call.
func claudeTokens(m *meter, usage any) {
	var fresh, made *int64
	m.count(&fresh, "input tokens", at(usage, "input_tokens"))
	m.count(&made, "cache creation tokens", at(usage, "cache_creation_input_tokens"))
	m.count(&m.usage.CachedTokens, "cached tokens", at(usage, "cache_read_input_tokens"))
	m.count(&m.usage.OutputTokens, "output tokens", at(usage, "output_tokens"))
	m.usage.InputTokens = total(fresh, made, m.usage.CachedTokens)
}

// used is what the result says, and before it what the messages said.
func (r *claudeStream) used() Usage {
	if r.out.complete {
		return r.meter.usage
	}
	var sum Usage
	for _, u := range r.spent {
		sum = sum.Add(u)
	}
	return sum
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
	claudeTokens(m, at(v, "usage"))
	m.count(&m.usage.Turns, "turns", at(v, "num_turns"))
	m.count(&m.usage.DurationMS, "duration", at(v, "duration_ms"))
	m.cost("cost", at(v, "total_cost_usd"))
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
	o.usage, o.remarks = r.used(), r.meter.remarks
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
