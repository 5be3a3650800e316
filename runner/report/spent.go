package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/brickoven/brickoven/runner/step"
)

// Spent says where time and money went.
type Spent struct {
	// Usage is what the whole run used; nil where nothing is known.
	Usage *step.Usage
	// Rows are the steps that did work, each with all its rounds and elements
	// together, the longest first.
	Rows []SpentRow
	// Work is the time of all rows; more than the run's where steps ran side by
	// side.
	Work time.Duration
}

// SpentRow is one step as its author wrote it.
type SpentRow struct {
	Path     string
	Type     string
	Times    int
	Duration time.Duration
	Usage    *step.Usage
	// Step is its last occurrence.
	Step *Step
}

// spent adds up the steps that have no steps in them.
func (r *Run) spent() {
	rows := map[string]*SpentRow{}
	var order []*SpentRow
	for _, st := range r.All {
		if !st.works() {
			continue
		}
		path := unindexed(st.Path)
		row := rows[path]
		if row == nil {
			row = &SpentRow{Path: path, Type: st.Type}
			rows[path] = row
			order = append(order, row)
		}
		row.Times++
		row.Duration += st.Duration
		row.Usage = plus(row.Usage, st.Usage)
		row.Step = st
		r.Spent.Work += st.Duration
	}
	slices.SortStableFunc(order, func(a, b *SpentRow) int { return cmp.Compare(b.Duration, a.Duration) })
	for _, row := range order {
		r.Spent.Rows = append(r.Spent.Rows, *row)
	}
	for _, st := range r.Steps {
		r.Spent.Usage = plus(r.Spent.Usage, st.Usage)
	}
}

// works tells a step whose time is counted: one that did its work itself, and a
// judge as a whole, because what it is made of is no concern of the author.
func (s *Step) works() bool {
	if s.Duration <= 0 || s.Status == Skipped || s.Part == PartRound {
		return false
	}
	if s.Part == PartJudge {
		return true
	}
	return len(s.Children) == 0 && !s.InJudge()
}

// plus adds what is known; what neither knows stays unknown.
func plus(a, b *step.Usage) *step.Usage {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	return &step.Usage{
		InputTokens: added(a.InputTokens, b.InputTokens), OutputTokens: added(a.OutputTokens, b.OutputTokens),
		CachedTokens: added(a.CachedTokens, b.CachedTokens), CostUSD: added(a.CostUSD, b.CostUSD), Turns: added(a.Turns, b.Turns),
	}
}

func added[T int64 | float64](a, b *T) *T {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	sum := *a + *b
	return &sum
}
