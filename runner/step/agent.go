package step

import "time"

// Usage is what agent calls reported of themselves. A nil field is unknown,
// which is not zero. In a sum it is what is known of the parts; UnknownCost and
// UnknownTokens tell how many of the calls it lacks.
type Usage struct {
	// InputTokens counts everything that was read, CachedTokens what of it came
	// from a cache.
	InputTokens  *int64   `json:"input_tokens"`
	OutputTokens *int64   `json:"output_tokens"`
	CachedTokens *int64   `json:"cached_tokens"`
	CostUSD      *float64 `json:"cost_usd"`
	Turns        *int64   `json:"turns"`
	// DurationMS is the agents' own measure, in milliseconds.
	DurationMS *int64 `json:"duration_ms"`
	// Calls counts the calls, UnknownCost those of them without a cost, and
	// UnknownTokens those without input or output tokens.
	Calls         int64 `json:"calls"`
	UnknownCost   int64 `json:"unknown_cost"`
	UnknownTokens int64 `json:"unknown_tokens"`
}

// Plus adds what is known of two usages; what neither knows stays unknown. Nil is
// the usage where no agent was called.
func (u *Usage) Plus(o *Usage) *Usage {
	if u == nil || o == nil {
		if u == nil {
			return o
		}
		return u
	}
	return &Usage{
		InputTokens:  plus(u.InputTokens, o.InputTokens),
		OutputTokens: plus(u.OutputTokens, o.OutputTokens),
		CachedTokens: plus(u.CachedTokens, o.CachedTokens),
		CostUSD:      plus(u.CostUSD, o.CostUSD),
		Turns:        plus(u.Turns, o.Turns),
		DurationMS:   plus(u.DurationMS, o.DurationMS),
		Calls:        u.Calls + o.Calls, UnknownCost: u.UnknownCost + o.UnknownCost, UnknownTokens: u.UnknownTokens + o.UnknownTokens,
	}
}

func plus[T int64 | float64](a, b *T) *T {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	total := *a + *b
	return &total
}

// The statuses of [Answered] that decisions ask for. Package agent has them all.
const (
	AgentOK             = "ok"
	AgentDenied         = "denied"
	AgentQuotaExhausted = "quota_exhausted"
)

// Conversation is one that can be gone on with.
type Conversation struct {
	// ID is the agent's own name for it.
	ID string
	// Used is the [Answered.Total] of its last call.
	Used *Usage
}

// Answered is what is known of the end of an agent call beyond its exit code.
type Answered struct {
	// Agent is the name of the agent that was called.
	Agent string `json:"agent"`
	// Status is ok, error, rate_limited, quota_exhausted, no_result, denied or
	// refused.
	Status string `json:"status"`
	// Fault is the kind of an infrastructure fault; empty where there was none.
	// Transient tells that it passes by itself.
	Fault     string `json:"fault,omitempty"`
	Transient bool   `json:"transient,omitempty"`
	// ResetsAt is when a used-up limit is there again; nil where unknown.
	ResetsAt *time.Time `json:"resets_at,omitempty"`
	// RetryAfter is the wait that the endpoint asked for, in nanoseconds; zero
	// where it did not.
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	// Conversation continues the conversation; empty where there is none. Total is
	// what the agent says that all of it used, where it does not count by calls.
	Conversation string `json:"conversation,omitempty"`
	Total        *Usage `json:"total,omitempty"`
	// Denied are the tools that the permission mode refused, each once.
	Denied []string `json:"denied,omitempty"`
	// Recording is the file that a played-back answer came from; empty for one
	// that was not played back.
	Recording string `json:"recording,omitempty"`
}
