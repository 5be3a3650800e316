package brakes

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/brickoven/brickoven/bricks/brakes/halt"
)

// Spend is what calls of agents, judges and checks used. What a call did not
// report is unknown, which is not nothing: it is counted apart. The zero Spend
// is no call.
type Spend struct {
	USD           float64 `json:"usd"`
	Tokens        int64   `json:"tokens"`
	UnknownUSD    int     `json:"unknown_usd,omitempty"`    // calls without a price
	UnknownTokens int     `json:"unknown_tokens,omitempty"` // calls without a count
}

// Usage is what one call reports; nil is unknown.
type Usage struct {
	USD    *float64
	Tokens *int64
}

// Call adds one call. A value that cannot be a usage (negative, NaN, infinite)
// is unknown.
func (s Spend) Call(u Usage) Spend {
	if u.USD != nil && *u.USD >= 0 && !math.IsInf(*u.USD, 0) {
		s.USD += *u.USD
	} else {
		s.UnknownUSD++
	}
	if u.Tokens != nil && *u.Tokens >= 0 {
		s.Tokens = saturate(s.Tokens, *u.Tokens)
	} else {
		s.UnknownTokens++
	}
	return s
}

// Add joins the spending of several calls.
func (s Spend) Add(other Spend) Spend {
	return Spend{
		USD:           s.USD + other.USD,
		Tokens:        saturate(s.Tokens, other.Tokens),
		UnknownUSD:    s.UnknownUSD + other.UnknownUSD,
		UnknownTokens: s.UnknownTokens + other.UnknownTokens,
	}
}

func saturate(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Total is what a whole run used so far.
type Total struct {
	Spend
	Elapsed time.Duration `json:"elapsed_ns"`
}

// overBudget finds the first budget that a run has used up. A budget is used up
// when it is reached, because another call would exceed it.
func (c Config) overBudget(total Total) (detail string, over bool) {
	switch {
	case c.BudgetUSD > 0 && total.USD >= c.BudgetUSD:
		return fmt.Sprintf("%.4g of %.4g USD spent", total.USD, c.BudgetUSD), true
	case c.BudgetTokens > 0 && total.Tokens >= c.BudgetTokens:
		return fmt.Sprintf("%d of %d tokens used", total.Tokens, c.BudgetTokens), true
	case c.BudgetTime > 0 && total.Elapsed >= c.BudgetTime:
		return fmt.Sprintf("%s of %s used", total.Elapsed.Round(time.Second), c.BudgetTime), true
	}
	if unknown := c.unknown(total.Spend); unknown != "" && c.HaltOnUnknown {
		return unknown + ", and on_unknown_cost is halt", true
	}
	return "", false
}

// unknown says what a budget cannot count; empty if it counts everything.
// Without a budget, everything that is unknown counts for on_unknown_cost.
func (c Config) unknown(s Spend) string {
	all := c.HaltOnUnknown && c.BudgetUSD == 0 && c.BudgetTokens == 0
	var parts []string
	if s.UnknownUSD > 0 && (all || c.BudgetUSD > 0) {
		parts = append(parts, fmt.Sprintf("the price of %d calls is unknown", s.UnknownUSD))
	}
	if s.UnknownTokens > 0 && (all || c.BudgetTokens > 0) {
		parts = append(parts, fmt.Sprintf("the tokens of %d calls are unknown", s.UnknownTokens))
	}
	return strings.Join(parts, " and ")
}

// rate is the cost of one round in one unit.
type rate struct {
	unit  string
	value float64
	known bool
}

// rates gives the cost of a round in each unit that can be compared.
func rates(s Spend) [2]rate {
	return [2]rate{
		{"USD", s.USD, s.UnknownUSD == 0},
		{"tokens", float64(s.Tokens), s.UnknownTokens == 0},
	}
}

// find compares a round with those before it: in money where enough of them
// have a price, else in tokens. Rounds of unknown cost are left out.
func (a *Anomaly) find(before []Spend, now Spend) (detail string, found bool) {
	if a == nil {
		return "", false
	}
	for unit, current := range rates(now) {
		var known []float64
		for _, s := range before {
			if r := rates(s)[unit]; r.known {
				known = append(known, r.value)
			}
		}
		mean, deviation := spread(known)
		// Where nothing was spent there is no rate to rise from.
		if len(known) < a.MinRounds || mean == 0 {
			continue
		}
		limit := mean + a.Sigma*max(deviation, a.Floor*mean)
		if current.value > limit {
			return fmt.Sprintf("the round cost %.4g %s; the %d rounds before cost %.4g on average, and the limit is %.4g", current.value, current.unit, len(known), mean, limit), true
		}
		if current.known {
			return "", false
		}
	}
	return "", false
}

// spread is the mean and the population's standard deviation.
func spread(values []float64) (mean, deviation float64) {
	if len(values) == 0 {
		return 0, 0
	}
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		deviation += (v - mean) * (v - mean) / float64(len(values))
	}
	return mean, math.Sqrt(deviation)
}

// runaway compares the cost of a round with those before it, and the run's
// total with the budgets.
func (e *Engine) runaway(rounds []int, total Total, before []Spend, now Spend) *halt.Halt {
	if detail, found := e.config.Anomaly.find(before, now); found {
		return e.halt(halt.CostAnomaly, halt.Evidence{Rounds: rounds[len(rounds)-1:], Detail: detail})
	}
	if detail, over := e.config.overBudget(total); over {
		return e.halt(halt.BudgetExceeded, halt.Evidence{Rounds: rounds, Detail: detail})
	}
	return nil
}
