package page

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"github.com/brickoven/brickoven/runner/report"
)

// The measures of a plot in its own units.
const (
	plotWidth, plotHeight = 280, 116
	plotLeft, plotRight   = 44, 270
	plotTop, plotBottom   = 10, 92
)

// plot draws a series over the rounds of its loop.
func plot(s report.Series, rounds int) template.HTML {
	low, high := bounds(s)
	last := max(rounds, s.Points[len(s.Points)-1].Round)
	first := min(1, s.Points[0].Round)
	x := func(round int) float64 {
		if last <= first {
			return (plotLeft + plotRight) / 2
		}
		return plotLeft + float64(round-first)/float64(last-first)*(plotRight-plotLeft)
	}
	y := func(v float64) float64 { return plotBottom - (v-low)/(high-low)*(plotBottom-plotTop) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="plot" viewBox="0 0 %d %d" role="img" aria-label="%s">`, plotWidth, plotHeight, template.HTMLEscapeString(spoken(s)))
	for _, v := range []float64{low, high} {
		fmt.Fprintf(&b, `<path class="grid" d="M%d %.1fH%d"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`,
			plotLeft, y(v), plotRight, plotLeft-6, y(v)+4, brief(v))
	}
	fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`, x(first), plotBottom+17, first)
	if last > first {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`, x(last), plotBottom+17, last)
	}
	var line []string
	for _, p := range s.Points {
		line = append(line, fmt.Sprintf("%.1f,%.1f", x(p.Round), y(p.Value)))
	}
	if s.Goal != nil {
		fmt.Fprintf(&b, `<path class="goal" d="M%d %.1fH%d"><title>goal %s</title></path>`, plotLeft, y(s.Goal.Value), plotRight, template.HTMLEscapeString(s.Goal.Text))
	}
	fmt.Fprintf(&b, `<polyline class="line" points="%s"/>`, strings.Join(line, " "))
	for i, p := range s.Points {
		class := "dot"
		if i == len(s.Points)-1 {
			class = "dot last"
		}
		fmt.Fprintf(&b, `<circle class="%s" cx="%.1f" cy="%.1f" r="%s"><title>round %d: %s</title></circle>`,
			class, x(p.Round), y(p.Value), radius(len(s.Points)), p.Round, template.HTMLEscapeString(p.Text))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

func radius(points int) string {
	if points > 40 {
		return "1.5"
	}
	return "3"
}

// bounds are the least and the greatest value that a plot shows: from zero where
// nothing is below it.
func bounds(s report.Series) (low, high float64) {
	points := s.Points
	if s.Goal != nil {
		points = append(points[:len(points):len(points)], *s.Goal)
	}
	for _, p := range points {
		low, high = math.Min(low, p.Value), math.Max(high, p.Value)
	}
	if s.Name == report.Score && low >= 0 && high <= 10 {
		return 0, 10
	}
	if high <= low {
		high = low + 1
	}
	return low, high
}

// brief is a number in few letters.
func brief(v float64) string {
	for _, unit := range []struct {
		from float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if math.Abs(v) >= unit.from {
			scale := unit.from
			if unit.name == "k" {
				scale = 1e3
			}
			return strconv.FormatFloat(v/scale, 'g', 3, 64) + unit.name
		}
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// maxSpoken is how many numbers a listener is asked to sit through.
const maxSpoken = 40

// spoken tells the series in words.
func spoken(s report.Series) string {
	var parts []string
	for i, p := range s.Points {
		if i == maxSpoken {
			parts = append(parts, fmt.Sprintf("and %d more", len(s.Points)-i))
			break
		}
		parts = append(parts, p.Text)
	}
	goal := ""
	if s.Goal != nil {
		goal = ", goal " + s.Goal.Text
	}
	return s.Name + goal + " by round, from round " + strconv.Itoa(s.Points[0].Round) + ": " + strings.Join(parts, ", ")
}
