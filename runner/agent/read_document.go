package agent

import (
	"github.com/brickoven/brickoven/recipes/extract"
	"github.com/brickoven/brickoven/recipes/value"
)

// plainText takes the whole output for the answer. When it is complete only the
// exit of the CLI tells.
type plainText struct{}

func (plainText) event(map[string]any) {}

func (plainText) used() Usage { return Usage{} }

func (plainText) end(plain string) outcome { return outcome{text: plain} }

// document reads the one JSON document of result: json: the whole output, else
// the last object in it, so that lines before it do no harm.
type document struct{ result Result }

func (document) event(map[string]any) {}

func (document) used() Usage { return Usage{} }

func (r document) end(plain string) outcome {
	found, ok := extract.Find(plain, extract.Options{})
	if !ok {
		return outcome{}
	}
	o := outcome{complete: true, structured: true}
	if r.result.Answer == "" {
		o.text = value.Text(found.Value)
	} else if v := find(found.Value, r.result.Answer); v != nil {
		o.text = value.Text(v)
	}
	o.failed = raised(find(found.Value, r.result.Error))
	if o.failed {
		o.message = value.Text(find(found.Value, r.result.Message))
		if o.message == "" {
			o.message = value.Text(find(found.Value, r.result.Error))
		}
	}
	o.conversation = value.Text(find(found.Value, r.result.Conversation))
	var m meter
	for _, n := range []struct {
		key  string
		into **int64
	}{
		{"input_tokens", &m.usage.InputTokens}, {"output_tokens", &m.usage.OutputTokens},
		{"cached_tokens", &m.usage.CachedTokens}, {"turns", &m.usage.Turns}, {"duration_ms", &m.usage.DurationMS},
	} {
		m.count(n.into, n.key, find(found.Value, r.result.Usage[n.key]))
	}
	m.cost("cost_usd", find(found.Value, r.result.Usage["cost_usd"]))
	o.usage, o.remarks = m.usage, m.remarks
	return o
}

// find is the value at a dotted path; nil where there is none, or no path.
func find(v any, path string) any {
	parts, ok := value.SplitPath(path)
	if !ok {
		return nil
	}
	found, _ := value.At(v, parts)
	return found
}

// raised reads an error flag: everything but null, false, 0 and what is empty
// raises it, and so do not the texts that say that all is well.
func raised(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case value.Number:
		f, err := v.Float64()
		return err != nil || f != 0
	case string:
		return v != "" && v != "false" && v != "ok" && v != "success"
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}
