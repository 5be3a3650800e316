package score

import (
	"math/big"

	"github.com/brickoven/brickoven/recipes/value"
)

// waste adds up what the rounds after the threshold used. Where there is no
// such round nothing was wasted, which is known without any record of usage.
func waste(loop Loop, r Result) Waste {
	w := Waste{Rounds: r.WastedIterations, AcceptedImprovements: improvements(loop)}
	after := loop.Rounds
	if after != nil {
		after = after[len(after)-w.Rounds:]
	}
	if after == nil && w.Rounds > 0 {
		return w
	}
	w.Minutes = total(after, func(r Round) value.Number { return r.Duration }, big.NewRat(1, 60), 4)
	w.Tokens = total(after, func(r Round) value.Number { return r.Tokens }, big.NewRat(1, 1), 0)
	w.CostUSD = total(after, func(r Round) value.Number { return r.CostUSD }, big.NewRat(1, 1), 6)
	if w.AcceptedImprovements > 0 && loop.Rounds != nil {
		w.CostPerImprovement = total(loop.Rounds, func(r Round) value.Number { return r.CostUSD },
			big.NewRat(1, int64(w.AcceptedImprovements)), 6)
	}
	return w
}

func total(rounds []Round, amount func(Round) value.Number, factor *big.Rat, places int) *value.Number {
	var numbers []value.Number
	for _, round := range rounds {
		numbers = append(numbers, amount(round))
	}
	n, ok := sum(numbers)
	if !ok {
		return nil
	}
	return orNull(decimal(n.Mul(n, factor), places))
}

// improvements counts the accepted rounds, or where no round is marked those
// that beat every score before them.
func improvements(loop Loop) int {
	marked, accepted := false, 0
	for _, round := range loop.Rounds {
		if round.Accepted == nil {
			continue
		}
		marked = true
		if *round.Accepted {
			accepted++
		}
	}
	if marked {
		return accepted
	}
	beaten, top := 0, value.Number("")
	for i, score := range loop.Scores {
		switch {
		case i == 0:
			top = score
		case !atLeast(top, score):
			beaten, top = beaten+1, score
		}
	}
	return beaten
}
