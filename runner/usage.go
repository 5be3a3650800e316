package runner

import (
	"slices"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// sum adds what is known of two usages; what neither knows stays unknown.
func sum(a, b *step.Usage) *step.Usage { return a.Plus(b) }

// usageValue is a usage as recipes see it; null where no agent was called, and
// each number is null that is not known.
func usageValue(u *step.Usage) any {
	if u == nil {
		return nil
	}
	return map[string]any{
		"input_tokens": number(u.InputTokens), "output_tokens": number(u.OutputTokens),
		"cached_tokens": number(u.CachedTokens), "turns": number(u.Turns), "cost_usd": number(u.CostUSD),
		"duration_ms": number(u.DurationMS), "calls": value.From(u.Calls), "unknown_cost": value.From(u.UnknownCost),
		"unknown_tokens": value.From(u.UnknownTokens),
	}
}

func number[T int64 | float64](n *T) any {
	if n == nil {
		return nil
	}
	return value.From(*n)
}

// meter counts what the agent calls under a halt use, those under way included.
type meter struct {
	halt  *halt
	ended *step.Usage // by the calls that have ended
	tell  func(soFar *step.Usage)
}

// metered has tell called whenever agent calls under a halt report what they
// have used so far, and when they end. It is called between flows, and may stop
// the halt. The meter is to be taken away with unmetered.
func (r *Run) metered(h *halt, tell func(soFar *step.Usage)) *meter {
	m := &meter{halt: h, tell: tell}
	r.meters = append(r.meters, m)
	return m
}

func (r *Run) unmetered(m *meter) {
	r.meters = slices.DeleteFunc(r.meters, func(other *meter) bool { return other == m })
}

// soFar is the sum of what ended and what is under way.
func (r *Run) soFar(m *meter) *step.Usage {
	total := m.ended
	for _, id := range r.order() {
		if p := r.pending[id]; p.flow.halt.within(m.halt) {
			total = sum(total, sum(p.lost, p.used))
		}
	}
	return total
}

// used takes a report of an agent call that goes on. One that comes late, after
// the end of its call, says nothing new.
func (r *Run) used(ev step.Event) {
	p := r.pending[ev.ID]
	if p == nil {
		return
	}
	if len(ev.Tools) > 0 {
		r.usedTools(p, ev.Tools)
	}
	if ev.Usage == nil {
		return
	}
	p.seenBy(ev.Attempt)
	p.used = ev.Usage
	r.tellMeters(p.flow.halt)
}

// spent takes the usage of a call that has ended.
func (r *Run) spent(p *pending) {
	u := p.usage()
	if u == nil {
		return
	}
	for _, m := range r.meters {
		if p.flow.halt.within(m.halt) {
			m.ended = sum(m.ended, u)
		}
	}
	r.tellMeters(p.flow.halt)
}

func (r *Run) tellMeters(h *halt) {
	for _, m := range slices.Clone(r.meters) {
		if h.within(m.halt) {
			m.tell(r.soFar(m))
		}
	}
}
