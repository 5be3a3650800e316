package agent

import (
	"slices"
	"strings"
)

// opencodeStream reads --format json of opencode run.
type opencodeStream struct {
	out     outcome
	said    []string // the texts of the message at hand
	message string   // its id
	meter   meter
	turns   int64
}

func (r *opencodeStream) event(v map[string]any) {
	o := &r.out
	if id := text(v, "sessionID"); id != "" {
		o.conversation = id
	}
	switch text(v, "type") {
	case "text":
		if id := text(v, "part.messageID"); id != r.message {
			r.message, r.said = id, nil
		}
		r.said = append(r.said, text(v, "part.text"))
	case "tool_use":
		r.tool(v)
	case "step_finish":
		r.turns++
		r.count(v)
		if reason := text(v, "part.reason"); reason != "tool-calls" {
			o.complete, o.structured = true, true
		}
	case "error":
		o.complete, o.structured, o.failed = true, true, true
		o.message = text(v, "error.data.message")
		if o.message == "" {
			o.message = text(v, "error.name")
		}
		o.status = httpStatus(v, "error.data.statusCode")
	}
}

func (r *opencodeStream) tool(v map[string]any) {
	reason := strings.ToLower(text(v, "part.state.error"))
	if text(v, "part.state.status") != "error" ||
		!strings.Contains(reason, "rejected permission") && !strings.Contains(reason, "specified a rule which prevents") {
		return
	}
	if name := text(v, "part.tool"); name != "" && !slices.Contains(r.out.denied, name) {
		r.out.denied = append(r.out.denied, name)
	}
}

func (r *opencodeStream) count(v map[string]any) {
	m := meter{}
	var fresh, written *int64
	m.count(&fresh, "input tokens", at(v, "part.tokens.input"))
	m.count(&written, "cache tokens", at(v, "part.tokens.cache.write"))
	m.count(&m.usage.CachedTokens, "cached tokens", at(v, "part.tokens.cache.read"))
	m.count(&m.usage.OutputTokens, "output tokens", at(v, "part.tokens.output"))
	m.cost("cost", at(v, "part.cost"))
	m.usage.InputTokens = total(fresh, written, m.usage.CachedTokens)
	r.meter.usage = r.meter.usage.Add(m.usage)
	r.meter.remarks = append(r.meter.remarks, m.remarks...)
}

func (r *opencodeStream) end(string) outcome {
	o := r.out
	o.text = strings.Join(r.said, "\n")
	o.usage, o.remarks = r.used(), r.meter.remarks
	return o
}

func (r *opencodeStream) used() Usage {
	u := r.meter.usage
	if turns := r.turns; turns > 0 {
		u.Turns = &turns
	}
	return u
}
