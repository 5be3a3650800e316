package runner

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/brickoven/brickoven/runner/step"
)

// Patience says how a run waits for what keeps an agent from answering (issue
// "Agents"). The zero value never waits.
type Patience struct {
	// Attempts bounds the calls that end in transient faults, the first included.
	Attempts int
	// Delay is the wait after the first fault; it doubles up to MaxDelay, where
	// that is not zero.
	Delay, MaxDelay time.Duration
	// Quota is what a used-up limit leads to.
	Quota QuotaPatience
}

// QuotaPatience says how a run waits for a used-up limit. The zero value fails.
type QuotaPatience struct {
	// UntilReset waits until the limit is there again, else For counts; a For of
	// zero fails.
	UntilReset bool
	For        time.Duration
	// MaxWait bounds all waits of one call together; zero is no bound.
	MaxWait time.Duration
	// UnknownReset is the wait where nobody says when the limit is there again.
	UnknownReset time.Duration
	// Jitter is the most that is added, so that not everyone comes back in the
	// same second.
	Jitter time.Duration
}

// patience is what an agent call has waited for so far.
type patience struct {
	Patience
	attempts int           // calls that ended in transient faults
	quota    time.Duration // waited for used-up limits
	waits    int
}

// pause is a wait before the same call is made again.
type pause struct {
	due    time.Time
	reason string
	quota  bool // it spends no minutes
}

// next says what to wait for after a call; ok is false where the call must not
// be repeated, and why says more about that than the call itself does. spread
// gives a number in [0,1).
func (p *patience) next(now time.Time, a *step.Answered, spread func() float64) (w pause, why string, ok bool) {
	switch {
	case a == nil || a.Status == step.AgentOK:
		return pause{}, "", false
	case a.Status == step.AgentQuotaExhausted:
		return p.limit(now, a, spread)
	case !a.Transient:
		return pause{}, "", false
	}
	p.attempts++
	if p.attempts >= p.Attempts {
		if p.attempts > 1 {
			why = fmt.Sprintf("gave up after %d attempts", p.attempts)
		}
		return pause{}, why, false
	}
	// The wait lies between half of the backoff and all of it, which spreads those
	// who were turned away together. What the endpoint asked for is the least.
	full := p.backoff()
	wait := full/2 + time.Duration(spread()*float64(full-full/2))
	wait = max(wait, a.RetryAfter).Round(time.Millisecond)
	return pause{due: now.Add(wait), reason: fmt.Sprintf("%s, before attempt %d of %d", a.Fault, p.attempts+1, p.Attempts)}, "", true
}

func (p *patience) backoff() time.Duration {
	full := p.Delay
	for range p.attempts - 1 {
		if p.MaxDelay > 0 && full >= p.MaxDelay || full > full*2 {
			break
		}
		full *= 2
	}
	if p.MaxDelay > 0 {
		full = min(full, p.MaxDelay)
	}
	return full
}

// limit waits for a used-up limit, which spends no attempt.
func (p *patience) limit(now time.Time, a *step.Answered, spread func() float64) (w pause, why string, ok bool) {
	q := p.Quota
	reason := "the limit is used up and nobody says until when"
	if a.ResetsAt != nil {
		reason = "the limit is used up until " + a.ResetsAt.UTC().Format(time.RFC3339)
	}
	if !q.UntilReset && q.For <= 0 {
		return pause{}, reason + "; agents.on_quota says fail", false
	}
	wait := q.For
	if q.UntilReset {
		wait = q.UnknownReset
		if a.ResetsAt != nil && a.ResetsAt.After(now) {
			wait = a.ResetsAt.Sub(now)
		}
	}
	if q.MaxWait > 0 && p.quota+wait > q.MaxWait {
		return pause{}, fmt.Sprintf("%s; waiting for it would take more than max_wait, %s", reason, q.MaxWait), false
	}
	wait += time.Duration(spread() * float64(q.Jitter))
	return pause{due: now.Add(wait), reason: reason, quota: true}, "", true
}

// consult makes an agent call. What passes by itself is waited for, and the call
// is made again unchanged.
func (fr *frame) consult(f *flow, act *step.Action) step.Result {
	p := patience{}
	if fr.run.opts.Patience != nil {
		p.Patience = fr.run.opts.Patience(fr.recipe)
	}
	var used *step.Usage
	for {
		if !fr.run.work.enter(f) {
			res := cancelled()
			res.Usage = used
			return res
		}
		call := *act
		res := f.do(&call)
		fr.run.work.leave()
		used = sum(used, res.Usage)
		res.Usage = used
		w, why, ok := p.next(fr.run.now, res.Agent, func() float64 { return fr.run.spread(act.Path, p.waits) })
		if !ok {
			res.Error = remarked(res.Error, why)
			return res
		}
		p.waits++
		if waited := fr.wait(f, act, w, &p); !waited.OK {
			waited.Usage, waited.Agent = used, res.Agent
			return waited
		}
	}
}

// wait waits, and says so to those who watch.
func (fr *frame) wait(f *flow, act *step.Action, w pause, p *patience) step.Result {
	fr.run.note(step.Note{Kind: step.Waiting, Path: act.Path, Text: w.reason, Due: &w.due})
	began := fr.run.now
	if co := fr.loops.co; co != nil {
		co.Wait(w.reason, w.due, began)
		defer func() { co.WaitOver(fr.run.now.Before(w.due), fr.run.now) }()
	}
	if w.quota {
		f.halt.pause(began)
	}
	res := f.do(&step.Action{
		Kind: step.Wait, Path: act.Path, Def: act.Def, Recipe: act.Recipe, Vars: act.Vars, Env: act.Env, Loops: act.Loops,
		Due: w.due, Reason: w.reason,
	})
	if w.quota {
		f.halt.unpause(fr.run.now)
		p.quota += fr.run.now.Sub(began)
	}
	return res
}

// spread is a number in [0,1) that is another one for each run and wait, and the
// same in every replay.
func (r *Run) spread(path string, n int) float64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %d", r.started.UnixNano(), path, n))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// remarked puts a remark into the message of a failure, in front of the line that
// the evidence collector reads, which is to be the last.
func remarked(message, why string) string {
	if why == "" {
		return message
	}
	if at := strings.LastIndex(message, "\n{\"class\":"); at >= 0 {
		return message[:at] + "\n" + why + message[at:]
	}
	return message + "\n" + why
}

// pausing counts the waits for used-up limits under a halt.
type pausing struct {
	now   int       // waits under way
	since time.Time // of the first of them
	spent time.Duration
}

// pause tells a halt, and those around it, that something under it waits for a
// limit.
func (h *halt) pause(now time.Time) {
	for ; h != nil; h = h.parent {
		if h.pausing.now == 0 {
			h.pausing.since = now
		}
		h.pausing.now++
	}
}

func (h *halt) unpause(now time.Time) {
	for ; h != nil; h = h.parent {
		h.pausing.now--
		if h.pausing.now == 0 {
			h.pausing.spent += now.Sub(h.pausing.since)
		}
	}
}

// paused is how long something under the halt has waited for used-up limits so
// far. That time counts for no timeout and no budget.
func (h *halt) paused(now time.Time) time.Duration {
	if h.pausing.now > 0 {
		return h.pausing.spent + now.Sub(h.pausing.since)
	}
	return h.pausing.spent
}
