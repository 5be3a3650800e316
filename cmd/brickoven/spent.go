package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/brickoven/brickoven/runner/step"
)

// agentResult is how the last agent call of a step ended.
type agentResult struct {
	Agent  string `json:"agent"`
	Status string `json:"status"`
	// Fault is null where there was none, ResetsAt where it is unknown, and
	// RetryAfter, in seconds, where the endpoint did not say.
	Fault        *string    `json:"fault"`
	ResetsAt     *time.Time `json:"resets_at"`
	RetryAfter   *float64   `json:"retry_after"`
	Conversation *string    `json:"conversation"`
	Denied       []string   `json:"denied"`
}

func newAgentResult(a *step.Answered) *agentResult {
	if a == nil {
		return nil
	}
	r := &agentResult{
		Agent: a.Agent, Status: a.Status, Fault: given(a.Fault), ResetsAt: a.ResetsAt, Conversation: given(a.Conversation),
		Denied: append([]string{}, a.Denied...),
	}
	if a.RetryAfter > 0 {
		seconds := a.RetryAfter.Seconds()
		r.RetryAfter = &seconds
	}
	return r
}

// given is a text, or nil where it is empty.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// spent is a usage in words; empty where nothing is known. What some of the calls
// did not report is said, so that nobody takes the rest for the whole.
func spent(u *step.Usage) string {
	if u == nil {
		return ""
	}
	var words []string
	for _, count := range []struct {
		n    *int64
		what string
	}{{u.InputTokens, "tokens in"}, {u.OutputTokens, "tokens out"}, {u.CachedTokens, "cached"}, {u.Turns, "turns"}} {
		if count.n != nil {
			words = append(words, fmt.Sprintf("%d %s", *count.n, count.what))
		}
	}
	if u.CostUSD != nil {
		words = append(words, fmt.Sprintf("$%.4f", *u.CostUSD))
	}
	if u.DurationMS != nil {
		words = append(words, "agent time "+(time.Duration(*u.DurationMS)*time.Millisecond).Round(100*time.Millisecond).String())
	}
	if len(words) == 0 {
		return ""
	}
	if n := u.UnknownTokens; n > 0 {
		words = append(words, "tokens unknown for "+calls(n))
	}
	if n := u.UnknownCost; n > 0 {
		words = append(words, "cost unknown for "+calls(n))
	}
	return strings.Join(words, ", ")
}

func calls(n int64) string {
	if n == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", n)
}
