package score

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/brickoven/brickoven/bricks/doomloop"
)

// WriteText writes the result for people: the verdict, the reasoning and the
// numbers, a line each. Control characters in names and reasons are shown as
// spaces, so that a record cannot steer a terminal.
func (r Result) WriteText(w io.Writer) error {
	var b strings.Builder
	head := strings.ToUpper(strings.ReplaceAll(string(r.Status), "_", " "))
	if r.Name != "" {
		head += "  " + r.Name
	}
	fmt.Fprintf(&b, "%s\n%s\n\n", oneLine(head), oneLine(r.Reasoning))
	row := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "  %-14s%s\n", label, oneLine(fmt.Sprintf(format, args...)))
	}
	row("scores", "%s", r.scoreLine())
	row("threshold", "%s (%s, from the %s)", r.Threshold, r.Mode, r.ThresholdFrom)
	row("wasted", "%d of %d rounds, %d tolerated", r.WastedIterations, len(r.Scores), r.MaxWasted)
	row("", "%s minutes, %s tokens, %s USD", orUnknown(r.Waste.Minutes), orUnknown(r.Waste.Tokens), orUnknown(r.Waste.CostUSD))
	row("improvements", "%d, %s USD each", r.Waste.AcceptedImprovements, orUnknown(r.Waste.CostPerImprovement))
	row("duration", "%s s", orUnknown(r.TotalDuration))
	row("doom loop", "%s, %d guard intervention(s)", yesNo(r.DoomLoopFired), r.GuardInterventions)
	for _, event := range r.GuardEvents {
		row("", "guard event %d: %s", event.Index+1, event.sentence())
	}
	for _, finding := range r.Findings {
		row("", "%s: %s, %s", finding.Kind, finding.Reason, witnesses(finding))
	}
	for _, warning := range r.Warnings {
		row("warning", "%s", warning)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Result) scoreLine() string {
	if len(r.Scores) == 0 {
		return "none"
	}
	line := r.Scores[0].String()
	for i, delta := range r.Deltas {
		sign := "+"
		if strings.HasPrefix(delta.String(), "-") {
			sign = ""
		}
		line += fmt.Sprintf("  %s (%s%s)", r.Scores[i+1], sign, delta)
	}
	return line
}

func (i Intervention) sentence() string {
	words := []string{"an intervention, no doom loop"}
	if i.DoomLoop {
		words[0] = "doom loop"
	}
	words = append(words, "by rule "+string(i.Rule))
	if i.Kind != "" {
		words = append(words, i.Kind)
	}
	if i.Reason != "" {
		words = append(words, i.Reason)
	}
	return strings.Join(words, ", ")
}

func orUnknown(n *json.Number) string {
	if n == nil {
		return "unknown"
	}
	return n.String()
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// witnesses names the events of a finding, by their labels where they have some.
func witnesses(f doomloop.Finding) string {
	if f.Names != nil {
		return "steps " + strings.Join(f.Names, ", ")
	}
	return "events " + numbers(f.Witnesses)
}

func numbers(list []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ", "), "[]")
}

// oneLine replaces line ends and other control characters by spaces.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}
