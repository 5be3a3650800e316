package process

import (
	"sync/atomic"
	"time"
)

// alarm is a timer that may not exist: without a bound it never rings.
type alarm struct{ timer *time.Timer }

func newAlarm(after time.Duration) alarm {
	if after <= 0 {
		return alarm{}
	}
	return alarm{time.NewTimer(after)}
}

func (a alarm) ring() <-chan time.Time {
	if a.timer == nil {
		return nil
	}
	return a.timer.C
}

func (a alarm) again(after time.Duration) { a.timer.Reset(after) }

func (a alarm) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// pulse remembers when a child last printed something. A nil pulse is not
// asked for and costs nothing.
type pulse struct {
	begun time.Time
	last  atomic.Int64 // nanoseconds since begun
}

func (p *pulse) beat() {
	if p != nil {
		p.last.Store(int64(time.Since(p.begun)))
	}
}

func (p *pulse) silence() time.Duration {
	return time.Since(p.begun) - time.Duration(p.last.Load())
}
