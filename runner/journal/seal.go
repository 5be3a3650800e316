package journal

import (
	"encoding/json"
	"fmt"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// rewrite gives another value in place of one: the sealed one, or the value
// that was sealed.
type rewrite func(v any) (any, error)

// A texts payload knows which of its members come from recipes, variables and
// outputs, and may hold secrets. IDs, paths, times, hashes and the identities of
// processes are none of them, so that a run can be watched and taken over by
// those who do not have the secrets. texts returns a rewritten copy.
type texts interface {
	texts(f rewrite) (any, error)
}

// changes collects the first error of many rewrites.
type changes struct {
	f   rewrite
	err error
}

func (c *changes) value(v any) any {
	if c.err != nil || v == nil {
		return v
	}
	changed, err := c.f(v)
	if err != nil {
		c.err = err
		return v
	}
	return changed
}

func (c *changes) text(s string) string {
	if s == "" {
		return s
	}
	return value.Text(c.value(s))
}

func (c *changes) list(items []string) []string {
	if items == nil {
		return nil
	}
	changed := make([]string, len(items))
	for i, item := range items {
		changed[i] = c.text(item)
	}
	return changed
}

func (c *changes) carried(v Value) Value { return Carry(c.value(v.Get())) }

func (d RunStarted) texts(f rewrite) (any, error) {
	c := &changes{f: f}
	vars := make([]Variable, len(d.Vars))
	for i, v := range d.Vars {
		vars[i] = Variable{v.Name, c.carried(v.Value)}
	}
	sources := make([]Source, len(d.Sources))
	for i, s := range d.Sources {
		sources[i] = Source{s.Path, s.SHA256, c.text(s.Text)}
	}
	d.Vars, d.Sources = vars, sources
	if len(d.Options) > 0 {
		options, err := value.Parse(string(d.Options))
		if err != nil {
			return d, fmt.Errorf("the options: %w", err)
		}
		d.Options = json.RawMessage(value.JSON(c.value(options)))
	}
	return d, c.err
}

func (d GuardRefused) texts(f rewrite) (any, error) {
	c := &changes{f: f}
	d.Text = c.text(d.Text)
	return d, c.err
}

func (d Wait) texts(f rewrite) (any, error) {
	c := &changes{f: f}
	d.Reason = c.text(d.Reason)
	return d, c.err
}

func (d RunFinished) texts(f rewrite) (any, error) {
	c := &changes{f: f}
	d.Reason = c.text(d.Reason)
	return d, c.err
}

func (d finished) texts(f rewrite) (any, error) {
	c := &changes{f: f}
	d.Result.Text = c.carried(d.Result.Text)
	if d.Result.Value != nil {
		carried := c.carried(*d.Result.Value)
		d.Result.Value = &carried
	}
	d.Result.Error = c.text(d.Result.Error)
	d.Result.Warnings = c.list(d.Result.Warnings)
	return d, c.err
}

func (d noted) texts(f rewrite) (any, error) {
	c := &changes{f: f}
	d.Note.Value = c.value(d.Note.Value)
	d.Note.Text = c.text(d.Note.Text)
	if d.Note.Outcome != nil {
		d.Note.Outcome = c.outcome(d.Note.Outcome)
	}
	return d, c.err
}

func (c *changes) outcome(o *step.Outcome) *step.Outcome {
	changed := *o
	changed.Output = c.value(o.Output)
	changed.Error = c.text(o.Error)
	if o.Outputs != nil {
		changed.Outputs = make(map[string]any, len(o.Outputs))
		for name, v := range o.Outputs {
			changed.Outputs[name] = c.value(v)
		}
	}
	if o.Loop != nil {
		changed.Loop, _ = c.value(o.Loop).(map[string]any)
	}
	if o.Failures != nil {
		changed.Failures, _ = c.value(o.Failures).([]any)
	}
	return &changed
}
