package agent

import (
	"fmt"
	"math"
	"strconv"

	"github.com/brickoven/brickoven/recipes/value"
)

// Usage is what one call reported of itself. A nil field is unknown, which is
// not zero (issue "Agents").
type Usage struct {
	// InputTokens counts all tokens that were read, CachedTokens those of them
	// that came from a cache.
	InputTokens  *int64   `json:"input_tokens"`
	OutputTokens *int64   `json:"output_tokens"`
	CachedTokens *int64   `json:"cached_tokens"`
	CostUSD      *float64 `json:"cost_usd"`
	Turns        *int64   `json:"turns"`
	// DurationMS is the CLI's own measure, in milliseconds.
	DurationMS *int64 `json:"duration_ms"`
}

// Add sums two usages. What only one of them knows is that one's; what neither
// knows stays unknown.
func (u Usage) Add(o Usage) Usage {
	return Usage{
		InputTokens: plus(u.InputTokens, o.InputTokens), OutputTokens: plus(u.OutputTokens, o.OutputTokens),
		CachedTokens: plus(u.CachedTokens, o.CachedTokens), CostUSD: plus(u.CostUSD, o.CostUSD),
		Turns: plus(u.Turns, o.Turns), DurationMS: plus(u.DurationMS, o.DurationMS),
	}
}

// Known reports whether anything is known.
func (u Usage) Known() bool { return u != Usage{} }

// own is what this call used of what the CLI reported. A CLI that counts from the
// beginning of the conversation tells it only together with what was before;
// where that is not known, it is not known either.
func (r Request) own(reported Usage) Usage {
	if !r.Agent.Result.cumulative() || r.Resume == "" {
		return reported
	}
	reported.InputTokens = minus(reported.InputTokens, r.Before.InputTokens)
	reported.OutputTokens = minus(reported.OutputTokens, r.Before.OutputTokens)
	reported.CachedTokens = minus(reported.CachedTokens, r.Before.CachedTokens)
	return reported
}

// telling is Used for what the CLI reports.
func (r Request) telling() func(Usage) {
	if r.Used == nil {
		return nil
	}
	return func(reported Usage) { r.Used(r.own(reported)) }
}

// minus is nil where it is not known.
func minus(a, b *int64) *int64 {
	if a == nil || b == nil || *a < *b {
		return nil
	}
	rest := *a - *b
	return &rest
}

// equal compares what is known.
func (u Usage) equal(o Usage) bool {
	return same(u.InputTokens, o.InputTokens) && same(u.OutputTokens, o.OutputTokens) && same(u.CachedTokens, o.CachedTokens) &&
		same(u.CostUSD, o.CostUSD) && same(u.Turns, o.Turns) && same(u.DurationMS, o.DurationMS)
}

func same[N int64 | float64](a, b *N) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func plus[N int64 | float64](a, b *N) *N {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	sum := *a + *b
	return &sum
}

// meter takes numbers from a result. What is no usable number is unknown, with a
// remark.
type meter struct {
	usage   Usage
	remarks []string
}

func (m *meter) count(into **int64, name string, v any) {
	f, ok := m.number(name, v)
	if !ok {
		return
	}
	if f != math.Trunc(f) || f > math.MaxInt64/2 {
		m.refuse(name, v)
		return
	}
	n := int64(f)
	*into = &n
}

func (m *meter) cost(name string, v any) {
	if f, ok := m.number(name, v); ok {
		m.usage.CostUSD = &f
	}
}

// number refuses what is negative, not a number, or infinite. JSON has no word
// for the last two, but a text or 1e999 can stand for them.
func (m *meter) number(name string, v any) (float64, bool) {
	var text string
	switch v := v.(type) {
	case nil:
		return 0, false
	case value.Number:
		text = v.String()
	case string:
		text = v
	default:
		m.refuse(name, v)
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || f < 0 {
		m.refuse(name, v)
		return 0, false
	}
	return f, true
}

func (m *meter) refuse(name string, v any) {
	m.remarks = append(m.remarks, fmt.Sprintf("the reported %s %s is no usable number and counts as unknown", name, value.JSON(v)))
}

// total adds parts of which the CLI reports some; nil where it reports none.
func total(parts ...*int64) *int64 {
	var sum *int64
	for _, part := range parts {
		sum = plus(sum, part)
	}
	return sum
}
