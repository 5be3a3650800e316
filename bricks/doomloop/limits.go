package doomloop

import (
	"fmt"
	"time"
)

// limits finds a run that has used up what its author allowed. Retries that
// wait count here like any other event.
type limits struct {
	config Config
	events int
	tokens int64
	cost   float64
	first  time.Time
}

func (l *limits) see(s sighting) []loop {
	l.events++
	l.tokens += max(s.Tokens, 0)
	// A cost that is not a number is unknown; added, it would silence the limit
	// for good.
	if s.CostUSD > 0 {
		l.cost += s.CostUSD
	}
	var elapsed time.Duration
	if !s.At.IsZero() {
		if l.first.IsZero() {
			l.first = s.At
		}
		elapsed = s.At.Sub(l.first)
	}
	var loops []loop
	exceeded := func(what string, over bool, used, allowed any) {
		if over {
			loops = append(loops, l.found(s.number, what, fmt.Sprintf("the run used %v %s, more than the %v allowed", used, what, allowed)))
		}
	}
	c := l.config
	exceeded("events", c.MaxEvents > 0 && l.events > c.MaxEvents, l.events, c.MaxEvents)
	exceeded("of time", c.MaxElapsed > 0 && elapsed > c.MaxElapsed, elapsed, c.MaxElapsed)
	exceeded("tokens", c.MaxTokens > 0 && l.tokens > c.MaxTokens, l.tokens, c.MaxTokens)
	exceeded("USD", c.MaxCostUSD > 0 && l.cost > c.MaxCostUSD, l.cost, c.MaxCostUSD)
	return loops
}

func (l *limits) found(number int, what, reason string) loop {
	return loop{
		id: loopID{kind: ResourceExhaustion, detail: what},
		Finding: Finding{
			Kind: ResourceExhaustion, Count: l.events, Witnesses: []int{number}, Last: number, Reason: reason,
		},
	}
}
