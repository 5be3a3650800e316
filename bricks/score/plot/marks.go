package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/bricks/score"
)

func (c *chart) grid() {
	a := c.axis
	for i := 0; ; i++ {
		value := a.low + float64(i)*a.step
		if value > a.high+a.step/2 {
			break
		}
		c.addf(`<path class="grid" d="M%d %.1fH%d"/><text class="soft small" x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
			left, a.y(value), right, left-8, a.y(value)+4, strconv.FormatFloat(value, 'g', 6, 64))
	}
	for round := 1; round <= a.rounds; round += a.labelEvery() {
		c.addf(`<text class="soft small" x="%.1f" y="%d" text-anchor="middle">%d</text>`+"\n", a.x(float64(round)), bottom+40, round)
	}
	c.addf(`<text class="soft small" x="%d" y="%d" text-anchor="middle">round</text>`+"\n", (left+right)/2, bottom+58)
	if a.rounds == 0 {
		c.addf(`<text class="soft" x="%d" y="%d" text-anchor="middle">no scores</text>`+"\n", (left+right)/2, (top+bottom)/2)
	}
}

func (c *chart) waste() {
	if c.r.WastedIterations == 0 {
		return
	}
	x := c.axis.x(float64(c.r.IterationsToSuccess) + 0.5)
	for _, fill := range []string{`class="waste"`, `fill="url(#score-hatch)"`} {
		c.addf(`<rect %s x="%.1f" y="%d" width="%.1f" height="%d"/>`+"\n", fill, x, top, right-x, bottom-top)
	}
	c.addf(`<text class="limit-text small" x="%.1f" y="%d">%d wasted</text>`+"\n", math.Min(x+4, right-64), bottom-8, c.r.WastedIterations)
}

func (c *chart) threshold() {
	y := c.axis.y(number(c.r.Threshold.String()))
	c.addf(`<path class="limit" d="M%d %.1fH%d"/><text class="limit-text small" x="%d" y="%.1f">threshold %s</text>`+"\n",
		left, y, right, left+4, y-6, escape(shorten(c.r.Threshold.String(), 20)))
}

func (c *chart) scores() {
	a, limit := c.axis, number(c.r.Threshold.String())
	var line []string
	for i, n := range c.r.Scores {
		line = append(line, fmt.Sprintf("%.1f,%.1f", a.x(float64(i+1)), a.y(number(n.String()))))
	}
	if len(line) == 0 {
		return
	}
	c.addf(`<polyline class="line" points="%s"/>`+"\n", strings.Join(line, " "))
	for i, n := range c.r.Scores {
		f := number(n.String())
		x, y, size := a.x(float64(i+1)), a.y(f), a.mark()
		label := fmt.Sprintf("<title>round %d: %s</title>", i+1, escape(n.String()))
		if f >= limit {
			c.addf(`<rect class="over" x="%.1f" y="%.1f" width="%.1f" height="%.1f">%s</rect>`+"\n", x-size, y-size, 2*size, 2*size, label)
			continue
		}
		c.addf(`<circle class="under" cx="%.1f" cy="%.1f" r="%.1f">%s</circle>`+"\n", x, y, size, label)
	}
}

func (c *chart) convergence() {
	if c.r.ConvergedIteration == nil {
		return
	}
	round := *c.r.ConvergedIteration
	x, y := c.axis.x(float64(round)), c.axis.y(number(c.r.Scores[round-1].String()))
	anchor, at := "end", x-16
	if x < left+150 {
		anchor, at = "start", x+16
	}
	c.addf(`<path class="goal" d="M%.1f %.1fl12 12l-12 12l-12 -12z"/><text class="goal-text" x="%.1f" y="%.1f" text-anchor="%s">converged in %d</text>`+"\n",
		x, y-12, at, y-12, anchor, round)
}

// guards draws a row of triangles under the chart: filled for a doom loop,
// hollow for an intervention. Events of the same round stand side by side;
// those that name no round are counted in words.
func (c *chart) guards() {
	perRound := map[int]int{}
	adrift, crowded := 0, 0
	for _, event := range c.r.GuardEvents {
		round := event.Iteration
		switch {
		case round < 1 || round > c.axis.rounds:
			adrift++
		case perRound[round] == maxSideBySide:
			crowded++
		default:
			c.triangle(c.axis.x(float64(round))+13*float64(perRound[round]), bottom+9, event)
			perRound[round]++
		}
	}
	var notes []string
	if adrift > 0 {
		notes = append(notes, fmt.Sprintf("%d guard event(s) of no known round", adrift))
	}
	if crowded > 0 {
		notes = append(notes, fmt.Sprintf("%d more guard event(s) in the marked rounds", crowded))
	}
	for _, finding := range c.r.Findings {
		notes = append(notes, fmt.Sprintf("%s at step %d", finding.Kind, finding.Last))
	}
	if len(notes) > 0 {
		c.addf(`<text class="ink small" x="%d" y="%d">%s</text>`+"\n", left, height-12, escape(shorten(strings.Join(notes, "; "), 100)))
	}
}

// maxSideBySide is how many triangles of one round fit beside each other.
const maxSideBySide = 4

func (c *chart) triangle(x, y float64, event score.Intervention) {
	class, what := "guard", "guard intervention"
	if event.DoomLoop {
		class, what = "doom", "doom loop"
	}
	c.addf(`<path class="%s" d="M%.1f %.1fl6 12h-12z"><title>%s</title></path>`+"\n",
		class, x, y, escape(strings.TrimSpace(what+" "+event.Kind+" "+event.Reason)))
}

// legend names each mark beside its shape.
func (c *chart) legend() {
	const y = bottom + 82
	entries := []struct{ mark, text string }{
		{`<circle class="under" cx="%[1]d" cy="%[2]d" r="5"/>`, "under threshold"},
		{`<path class="over" d="M%[1]d %[2]dm-5 -5h10v10h-10z"/>`, "at or over"},
		{`<path class="goal" d="M%[1]d %[2]dm0 -8l8 8l-8 8l-8 -8z"/>`, "converged"},
		{`<path class="waste" d="M%[1]d %[2]dm-7 -7h14v14h-14z"/><path fill="url(#score-hatch)" d="M%[1]d %[2]dm-7 -7h14v14h-14z"/>`, "wasted"},
		{`<path class="doom" d="M%[1]d %[2]dm0 -6l6 12h-12z"/>`, "doom loop"},
		{`<path class="guard" d="M%[1]d %[2]dm0 -6l6 12h-12z"/>`, "guard intervened"},
	}
	x := left + 6
	for _, entry := range entries {
		c.addf(entry.mark, x, y)
		c.addf(`<text class="soft small" x="%d" y="%d">%s</text>`+"\n", x+13, y+4, entry.text)
		x += 38 + 6*len(entry.text)
	}
}
