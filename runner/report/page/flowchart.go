package page

import (
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"

	"github.com/brickoven/brickoven/runner/report"
)

// The measures of a flowchart in pixels.
const (
	nodeWidth, nodeHeight = 164, 32
	layerGap, nodeGap     = 36, 12
)

// flowchart draws a graph whose arrows do not follow from the order of its
// layers: columns of steps, and an arrow for each that waits for another.
func flowchart(g *report.Graph) template.HTML {
	place := map[*report.Node][2]int{}
	tallest := 0
	for column, layer := range g.Layers {
		for i, n := range layer {
			place[n] = [2]int{column * (nodeWidth + layerGap), i * (nodeHeight + nodeGap)}
		}
		tallest = max(tallest, len(layer))
	}
	width := len(g.Layers)*(nodeWidth+layerGap) - layerGap
	height := tallest*(nodeHeight+nodeGap) - nodeGap
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" width="%d" height="%d" viewBox="-1 -1 %d %d">`, width+2, height+2, width+2, height+2)
	for _, layer := range g.Layers {
		for _, n := range layer {
			for _, on := range n.After {
				arrow(&b, place[on], place[n])
			}
		}
	}
	for _, layer := range g.Layers {
		for _, n := range layer {
			node(&b, n, place[n])
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

func arrow(b *strings.Builder, from, to [2]int) {
	x1, y1 := from[0]+nodeWidth, from[1]+nodeHeight/2
	x2, y2 := to[0], to[1]+nodeHeight/2
	bend := layerGap / 2
	fmt.Fprintf(b, `<path class="edge" d="M%d %dC%d %d %d %d %d %d"/>`, x1, y1, x1+bend, y1, x2-bend, y2, x2-1, y2)
	fmt.Fprintf(b, `<path class="tip" d="M%d %dl-6 -3.5v7z"/>`, x2, y2)
}

func node(b *strings.Builder, n *report.Node, at [2]int) {
	name := template.HTMLEscapeString(n.ID)
	label := template.HTMLEscapeString(shorten(n.ID, 17))
	f := formOf(n.Status)
	fmt.Fprintf(b, `<a%s aria-label="%s, %s"><title>%s: %s</title>`, target(n), name, n.Status, name, n.Status)
	fmt.Fprintf(b, `<rect class="box %s" x="%d" y="%d" width="%d" height="%d" rx="3"/>`, f.tone, at[0], at[1], nodeWidth, nodeHeight)
	fmt.Fprintf(b, `<use class="g %s" href="#g-%s" x="%d" y="%d" width="14" height="14"/>`, f.tone, f.shape, at[0]+9, at[1]+9)
	fmt.Fprintf(b, `<text x="%d" y="%d">%s</text></a>`, at[0]+30, at[1]+21, label)
}

// target leads to the step; empty for one that never began.
func target(n *report.Node) string {
	if n.Step == nil {
		return ""
	}
	return ` href="#` + n.Step.Key + `"`
}

func shorten(text string, runes int) string {
	if utf8.RuneCountInString(text) <= runes {
		return text
	}
	return string([]rune(text)[:runes-1]) + "…"
}
