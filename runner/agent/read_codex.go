package agent

import "slices"

// codexStream reads the events of codex exec --json.
type codexStream struct {
	out   outcome
	meter meter
	turns int64
}

func (r *codexStream) event(v map[string]any) {
	o := &r.out
	switch text(v, "type") {
	case "thread.started":
		o.conversation = text(v, "thread_id")
	case "turn.started":
		o.complete, o.structured, o.failed = false, false, false
	case "item.completed":
		r.item(v)
	case "error":
		o.message = text(v, "message")
	case "turn.failed":
		o.complete, o.structured, o.failed = true, true, true
		if message := text(v, "error.message"); message != "" {
			o.message = message
		}
	case "turn.completed":
		o.complete, o.structured, o.failed, o.message = true, true, false, ""
		r.turns++
		r.count(v)
	}
}

// item takes a finished item. An item of the type error is a warning: the turn
// goes on.
func (r *codexStream) item(v map[string]any) {
	switch kind := text(v, "item.type"); kind {
	case "agent_message":
		r.out.text = text(v, "item.text")
	default:
		if text(v, "item.status") == "declined" && !slices.Contains(r.out.denied, kind) {
			r.out.denied = append(r.out.denied, kind)
		}
	}
}

// count takes the usage of a turn, which is that of the whole conversation so far.
func (r *codexStream) count(v map[string]any) {
	m := meter{}
	m.count(&m.usage.InputTokens, "input tokens", at(v, "usage.input_tokens"))
	m.count(&m.usage.CachedTokens, "cached tokens", at(v, "usage.cached_input_tokens"))
	m.count(&m.usage.OutputTokens, "output tokens", at(v, "usage.output_tokens"))
	r.meter.usage = m.usage
	r.meter.remarks = append(r.meter.remarks, m.remarks...)
}

func (r *codexStream) end(string) outcome {
	o := r.out
	o.usage, o.remarks = r.used(), r.meter.remarks
	return o
}

func (r *codexStream) used() Usage {
	u := r.meter.usage
	if turns := r.turns; turns > 0 {
		u.Turns = &turns
	}
	return u
}
