package agent

import "strings"

// gooseStream reads --output-format stream-json of goose run.
type gooseStream struct {
	out   outcome
	id    string // of the message at hand, whose pieces come one by one
	said  strings.Builder
	meter meter
}

func (r *gooseStream) event(v map[string]any) {
	o := &r.out
	switch text(v, "type") {
	case "message":
		r.message(v)
	case "error":
		o.complete, o.structured, o.failed = true, true, true
		o.message = text(v, "error")
	case "complete":
		o.complete, o.structured = true, true
		m := &r.meter
		m.count(&m.usage.InputTokens, "input tokens", at(v, "input_tokens"))
		m.count(&m.usage.OutputTokens, "output tokens", at(v, "output_tokens"))
	}
}

func (r *gooseStream) message(v map[string]any) {
	if text(v, "message.role") != "assistant" {
		return
	}
	if id := text(v, "message.id"); id == "" || id != r.id {
		r.id = id
		r.said.Reset()
	}
	for _, part := range list(v, "message.content") {
		if text(part, "type") == "text" {
			r.said.WriteString(text(part, "text"))
		}
	}
}

func (r *gooseStream) end(string) outcome {
	o := r.out
	o.text = r.said.String()
	o.usage, o.remarks = r.meter.usage, r.meter.remarks
	return o
}

func (r *gooseStream) used() Usage { return r.meter.usage }
