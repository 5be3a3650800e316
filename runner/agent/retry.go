package agent

import "time"

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
