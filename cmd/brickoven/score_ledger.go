package main

import (
	"fmt"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// A loop with a contract has a number for each round that was measured: the
// weighted total of its rubric, at which 100 means that every dimension has
// reached its target. That is a score with a threshold of 100.
const ledgerThreshold value.Number = "100"

// measured keeps the total of a round of a loop with a contract.
func (h *scoreHistory) measured(path string, res *step.Result) {
	l := h.loop(path)
	total, found := value.At(res.Value, []string{"evaluation", "weighted_total"})
	if n, isNumber := total.(value.Number); l != nil && found && isNumber {
		l.totals = append(l.totals, measurement{round: l.last, total: n})
	}
}

type measurement struct {
	round int
	total value.Number
}

// ledgers are the scores of the loops that have a contract and recorded no
// others.
func (h *scoreHistory) ledgers() []*scoreSource {
	var list []*scoreSource
	for _, l := range h.loops {
		if len(l.totals) == 0 || h.hasScores(l.path) {
			continue
		}
		history := []any{}
		for _, m := range l.totals {
			history = append(history, m.total)
		}
		list = append(list, &scoreSource{path: fmt.Sprintf("%s[%d]", l.path, l.last), label: l.path, loop: l.path, value: map[string]any{
			"score_history": history, "threshold": ledgerThreshold, "mode": "optimize",
		}})
	}
	return list
}

func (h *scoreHistory) hasScores(loop string) bool {
	for _, s := range h.scores {
		if s.loop == loop {
			return true
		}
	}
	return false
}
