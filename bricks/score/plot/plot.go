// Package plot draws the health of a loop as an SVG picture: the score by
// round, the threshold, where the loop converged, the wasted rounds and the
// guard events.
//
// The picture needs no script, font or file from elsewhere. It has a title and a
// description for screen readers, follows the viewer's light or dark scheme, and
// says nothing by colour alone.
package plot

import (
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/brickoven/brickoven/bricks/score"
)

// The measures of the picture in pixels.
const (
	width, height = 720, 428
	left, right   = 52, 696
	top, bottom   = 96, 308
)

// style gives each kind of mark a colour for either scheme; the marks differ in
// shape as well.
const style = `<style>
.bg{fill:#fff}.ink{fill:#1f2328}.soft{fill:#59636e}.grid{stroke:#d1d9e0}
.line{fill:none;stroke:#0550ae;stroke-width:2}.under{fill:#fff;stroke:#0550ae;stroke-width:2}
.over{fill:#0550ae;stroke:#0550ae;stroke-width:2}.limit{stroke:#9a6700;stroke-width:2;stroke-dasharray:7 5}
.limit-text{fill:#7d4e00}.waste{fill:#9a6700;fill-opacity:.12}.hatch{stroke:#9a6700;stroke-opacity:.55}
.goal{fill:none;stroke:#1a7f37;stroke-width:2.5}.goal-text{fill:#116329}
.doom{fill:#cf222e;stroke:#cf222e;stroke-width:2}.guard{fill:#fff;stroke:#cf222e;stroke-width:2}
text{font:13px system-ui,sans-serif}.head{font-size:17px;font-weight:600}.small{font-size:12px}
@media (prefers-color-scheme:dark){
.bg{fill:#0d1117}.ink{fill:#e6edf3}.soft{fill:#9198a1}.grid{stroke:#3d444d}
.line{stroke:#79c0ff}.under{fill:#0d1117;stroke:#79c0ff}.over{fill:#79c0ff;stroke:#79c0ff}
.limit{stroke:#e3b341}.limit-text{fill:#e3b341}.waste{fill:#e3b341}.hatch{stroke:#e3b341}
.goal{stroke:#56d364}.goal-text{fill:#56d364}.doom{fill:#ff7b72;stroke:#ff7b72}.guard{fill:#0d1117;stroke:#ff7b72}}
</style>
<defs><pattern id="score-hatch" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M0 0V8"/></pattern></defs>
`

// chart is a picture in the making.
type chart struct {
	strings.Builder
	r    score.Result
	axis axis
}

// SVG draws the result. The same result gives the same bytes.
func SVG(r score.Result) []byte {
	c := &chart{r: r, axis: newAxis(r)}
	c.addf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="score-title score-desc">`+"\n",
		width, height, width, height)
	c.addf("<title id=\"score-title\">%s</title>\n<desc id=\"score-desc\">%s</desc>\n", escape(title(r)), escape(describe(r)))
	c.WriteString(style)
	c.addf(`<rect class="bg" width="%d" height="%d"/>`+"\n", width, height)
	c.heading()
	c.waste()
	c.grid()
	c.threshold()
	c.scores()
	c.convergence()
	c.guards()
	c.legend()
	c.WriteString("</svg>\n")
	return []byte(c.String())
}

func (c *chart) addf(format string, args ...any) { fmt.Fprintf(c, format, args...) }

func title(r score.Result) string {
	if r.Name == "" {
		return "Loop score: " + verdict(r)
	}
	return "Loop score of " + r.Name + ": " + verdict(r)
}

func verdict(r score.Result) string { return strings.ReplaceAll(string(r.Status), "_", " ") }

// describe tells in words what the picture shows.
func describe(r score.Result) string {
	var scores []string
	for i, n := range r.Scores {
		if i == maxDescribed {
			scores = append(scores, fmt.Sprintf("and %d more", len(r.Scores)-i))
			break
		}
		scores = append(scores, n.String())
	}
	list := "none"
	if len(scores) > 0 {
		list = strings.Join(scores, ", ")
	}
	return fmt.Sprintf("Scores by round: %s. Threshold %s. %s", list, r.Threshold, r.Reasoning)
}

// maxDescribed is how many scores a listener is asked to sit through.
const maxDescribed = 40

func (c *chart) heading() {
	c.addf(`<text class="ink head" x="%d" y="30">%s</text>`+"\n", left, escape(shorten(title(c.r), 72)))
	for i, line := range wrapped(c.r.Reasoning, 96, 2) {
		c.addf(`<text class="soft" x="%d" y="%d">%s</text>`+"\n", left, 52+18*i, escape(line))
	}
}

// escape makes text fit for XML; characters that XML has no place for become
// U+FFFD.
func escape(text string) string {
	var b strings.Builder
	// A strings.Builder never fails to be written to.
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}

// wrapped breaks text between words into at most the given number of lines; what
// does not fit is cut.
func wrapped(text string, runes, lines int) []string {
	list := []string{""}
	for _, word := range strings.Fields(text) {
		last := &list[len(list)-1]
		switch {
		case *last == "":
			*last = word
		case len(list) < lines && utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) > runes:
			list = append(list, word)
		default:
			*last += " " + word
		}
	}
	for i, line := range list {
		list[i] = shorten(line, runes)
	}
	return list
}

func shorten(text string, runes int) string {
	if utf8.RuneCountInString(text) <= runes {
		return text
	}
	return string([]rune(text)[:runes-1]) + "…"
}
