package agent

import (
	"fmt"
	"time"
)

// Retry is agents.retry: how a transient fault is tried again. The zero value
// never does.
type Retry struct {
	// Attempts bounds all calls of one step, the first included.
	Attempts int
	// Delay is the wait after the first fault; it doubles up to MaxDelay.
	Delay, MaxDelay time.Duration
}

// DefaultRetry is the policy where none is configured (issue "Agents").
func DefaultRetry() Retry {
	return Retry{Attempts: 5, Delay: 60 * time.Second, MaxDelay: 10 * time.Minute}
}

// Wait is a pause before the same call is made again.
type Wait struct {
	For time.Duration
	// Reason is a line for whoever watches.
	Reason string
}

// Next says how long to wait after the attempt with this number, which counts
// from 1; ok is false where the call must not be repeated. The wait lies between
// half of the backoff and all of it: random gives a number in [0,1) and spreads
// those who were turned away together. What the endpoint asked for is the least.
func (p Retry) Next(attempt int, a Answer, random func() float64) (w Wait, ok bool) {
	if a.Status == OK || a.Status == QuotaExhausted || !a.Fault.Transient() || attempt >= p.Attempts {
		return Wait{}, false
	}
	full := p.Delay
	for range attempt - 1 {
		if p.MaxDelay > 0 && full >= p.MaxDelay || full > full*2 {
			break
		}
		full *= 2
	}
	if p.MaxDelay > 0 {
		full = min(full, p.MaxDelay)
	}
	pause := full/2 + time.Duration(random()*float64(full-full/2))
	pause = max(pause, a.RetryAfter).Round(time.Millisecond)
	return Wait{pause, fmt.Sprintf("%s: waiting %s before attempt %d of %d",
		a.Fault, pause.Round(time.Second), attempt+1, p.Attempts)}, true
}

// QuotaMode is what a used-up limit leads to.
type QuotaMode string

// The modes of [Quota].
const (
	QuotaFail  QuotaMode = "fail"
	UntilReset QuotaMode = "until_reset"
	Fixed      QuotaMode = "fixed"
)

// Quota is agents.on_quota: what a used-up limit leads to.
type Quota struct {
	Mode QuotaMode // empty is fail
	// For is the wait of [Fixed].
	For time.Duration
	// MaxWait bounds all waits of one call together; zero is no bound.
	MaxWait time.Duration
	// UnknownReset is the wait where the CLI does not say when the limit is
	// there again.
	UnknownReset time.Duration
	// Jitter is the most that is added at random, so that not everyone comes
	// back in the same second.
	Jitter time.Duration
}

// DefaultQuota is the policy where none is configured: fail. The other values
// are those that agents.on_quota has where it names a wait alone.
func DefaultQuota() Quota {
	return Quota{Mode: QuotaFail, MaxWait: 12 * time.Hour, UnknownReset: 30 * time.Minute, Jitter: 30 * time.Second}
}

// Next says until when to wait before the call is made again unchanged; ok is
// false where it fails instead, and reason says why in either case. waited is
// what this call has waited for limits already. Such a wait spends no attempt,
// no round and none of the step's time.
func (p Quota) Next(now time.Time, waited time.Duration, a Answer, random func() float64) (due time.Time, reason string, ok bool) {
	if a.Status != QuotaExhausted {
		return time.Time{}, "", false
	}
	var pause time.Duration
	switch {
	case p.Mode == Fixed:
		pause = p.For
		reason = "the limit is used up"
	case p.Mode != UntilReset:
		return time.Time{}, "the limit is used up and agents.on_quota is fail", false
	case a.ResetsAt == nil || !a.ResetsAt.After(now):
		pause = p.UnknownReset
		reason = "the limit is used up and nobody says until when"
	default:
		pause = a.ResetsAt.Sub(now)
		reason = "the limit is used up until " + a.ResetsAt.Format(time.RFC3339)
	}
	if p.Jitter > 0 {
		pause += time.Duration(random() * float64(p.Jitter))
	}
	if p.MaxWait > 0 && waited+pause > p.MaxWait {
		return time.Time{}, fmt.Sprintf("%s; waiting would take more than max_wait %s", reason, p.MaxWait), false
	}
	return now.Add(pause), reason, true
}
