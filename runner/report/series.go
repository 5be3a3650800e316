package report

import (
	"math"
	"strconv"

	"github.com/brickoven/brickoven/recipes/value"
)

// Series is one number of a loop by round.
type Series struct {
	Name string
	// Points are the rounds in which the number is known.
	Points []Point
	// Goal is the level to reach; nil where there is none.
	Goal *Point
}

// Point is the value in one round; round 0 is before the first. Text is as it was recorded.
type Point struct {
	Round int
	Value float64
	Text  string
}

// series collects what can be followed from round to round. One point is no
// line, but a score is worth a look from the first.
func (l *Loop) series() {
	for _, r := range l.Rounds {
		if r.Over {
			r.Numbers[Seconds] = value.Number(strconv.FormatFloat(r.Duration.Seconds(), 'f', 1, 64))
		}
		if r.Usage != nil && r.Usage.CostUSD != nil {
			r.Numbers[CostUSD] = value.Number(strconv.FormatFloat(*r.Usage.CostUSD, 'f', -1, 64))
		}
	}
	for _, name := range []string{FailingTests, Score, Measured, OpenFindings, CostUSD, Seconds} {
		s := Series{Name: name}
		if name == FailingTests && l.Before != nil {
			s.Points = append(s.Points, Point{Value: float64(len(l.Before)), Text: strconv.Itoa(len(l.Before))})
		}
		for _, r := range l.Rounds {
			if p, ok := point(r.Number, r.Numbers[name]); ok {
				s.Points = append(s.Points, p)
			}
			if goal, ok := point(r.Number, r.goal); ok && name == Score {
				s.Goal = &goal
			}
		}
		if len(s.Points) > 0 {
			l.Series = append(l.Series, s)
		}
	}
}

// point is a number that can be drawn; ok is false for one that is not known.
func point(round int, n value.Number) (p Point, ok bool) {
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil || math.Abs(f) > maxPlotted {
		return Point{}, false
	}
	return Point{Round: round, Value: f, Text: n.String()}, true
}

// maxPlotted bounds what is drawn, so that the arithmetic of scales stays
// finite.
const maxPlotted = 1e15
