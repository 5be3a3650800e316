package plot

import (
	"math"
	"strconv"

	"github.com/brickoven/brickoven/bricks/score"
)

// axis maps rounds and scores to pixels.
type axis struct {
	rounds    int
	low, high float64
	step      float64 // between grid lines, in units of the score
}

// newAxis shows 0 to 10 where all scores lie within, as those of an evaluation
// loop do, and otherwise round numbers around what is there.
func newAxis(r score.Result) axis {
	a := axis{rounds: len(r.Scores), low: 0, high: 10, step: 2}
	low, high := number(r.Threshold.String()), number(r.Threshold.String())
	for _, n := range r.Scores {
		f := number(n.String())
		low, high = math.Min(low, f), math.Max(high, f)
	}
	if low >= 0 && high <= 10 {
		if high <= 1 {
			a.high, a.step = 1, 0.2
		}
		return a
	}
	// Halves first: the difference of two large numbers may overflow.
	span := math.Max(high/2-low/2, 1) * 2
	magnitude := math.Pow(10, math.Floor(math.Log10(span)))
	a.step = magnitude / 2
	if span/magnitude > 4 {
		a.step = magnitude * 2
	}
	a.low, a.high = math.Floor(low/a.step)*a.step, math.Ceil(high/a.step)*a.step
	if a.high <= a.low {
		a.high = a.low + a.step
	}
	return a
}

// number reads a score for drawing; the verdict has been computed exactly, and
// half a pixel does not matter here.
func number(text string) float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(f) > maxDrawn {
		return math.Copysign(math.Min(math.Abs(f), maxDrawn), f)
	}
	return f
}

// maxDrawn bounds the scale, so that its arithmetic stays finite.
const maxDrawn = 1e12

// x is where a round, counted from 1, stands.
func (a axis) x(round float64) float64 {
	slot := float64(right-left) / math.Max(float64(a.rounds), 1)
	return left + slot*(round-0.5)
}

func (a axis) y(score float64) float64 {
	return bottom - (score-a.low)/(a.high-a.low)*(bottom-top)
}

// labelEvery keeps the numbers of the rounds from running into each other.
func (a axis) labelEvery() int { return a.rounds/24 + 1 }

// mark is the size of a point: smaller where there are many.
func (a axis) mark() float64 {
	if a.rounds > 60 {
		return 2.5
	}
	return 5
}
