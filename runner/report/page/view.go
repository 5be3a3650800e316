package page

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/brickoven/brickoven/runner/report"
	"github.com/brickoven/brickoven/runner/step"
)

// view is a run with what only its page needs.
type view struct {
	*report.Run
	Live bool
	zone *time.Location
	// Priced tells that the cost of something is known.
	Priced bool
	// Counts are the steps by status.
	Counts []counted
}

type counted struct {
	Status string
	N      int
}

func newView(r *report.Run, o Options) *view {
	v := &view{Run: r, Live: o.Live, zone: zone(o)}
	if u := r.Spent.Usage; u != nil {
		v.Priced = u.CostUSD != nil || u.InputTokens != nil || u.OutputTokens != nil
	}
	counts := map[string]int{}
	for _, st := range r.All {
		if st.Part == report.PartAuthored && !st.InJudge() {
			counts[word(st)]++
		}
	}
	for _, status := range []string{
		string(report.Failed), tolerated, string(report.Interrupted), string(report.Running), string(report.Degraded),
		string(report.Completed), string(report.Skipped),
	} {
		if counts[status] > 0 {
			v.Counts = append(v.Counts, counted{status, counts[status]})
		}
	}
	return v
}

func zone(o Options) *time.Location {
	if o.Zone == nil {
		return time.UTC
	}
	return o.Zone
}

// row is one step on its way into a template.
type row struct {
	V *view
	S *report.Step
}

func (v *view) Row(s *report.Step) row { return row{v, s} }

// Open tells whether what lies in a step is shown before anybody asks: not the
// inside of a judge, not the early rounds of a long loop, not many elements.
func (r row) Open() bool {
	s := r.S
	if len(s.Children) == 0 {
		return false
	}
	switch s.Part {
	case report.PartJudge:
		return false
	case report.PartRound:
		siblings := s.Parent.Children
		return len(siblings) <= maxOpen || s == siblings[len(siblings)-1]
	case report.PartElement:
		return len(s.Parent.Children) <= maxOpen
	}
	return true
}

// Kind says what kind of work a step is.
func (r row) Kind() string {
	s := r.S
	switch {
	case s.Type == "recipe" && s.Does != "":
		return s.Does
	case s.Type != "" || s.Part == report.PartRound || s.Part == report.PartJudge || s.Part == report.PartCheck:
		return s.Type
	}
	return string(s.Part)
}

// maxOpen is how many rounds or elements are open at once.
const maxOpen = 4

// Bare tells a step that has nothing to open.
func (r row) Bare() bool {
	s := r.S
	return len(s.Children) == 0 && len(s.Outputs) == 0 && s.Error == "" && s.Does == "" && s.Condition == ""
}

// Bar is where the step lies in the run's time, in percent of it.
func (r row) Bar() template.HTML {
	whole := r.V.Duration.Seconds()
	if whole <= 0 || r.S.Status == report.Skipped {
		return ""
	}
	from := clamp(r.S.Started.Sub(r.V.Started).Seconds() / whole * 100)
	width := max(minBar, clamp(r.S.Duration.Seconds()/whole*100))
	from = min(from, 100-width)
	return template.HTML(fmt.Sprintf(`<svg class="bar" aria-hidden="true"><rect x="%.2f%%" width="%.2f%%" height="100%%"/></svg>`, from, width))
}

// minBar is the least width of a bar in percent, so that a short step shows.
const minBar = 0.4

func clamp(f float64) float64 { return min(100, max(0, f)) }

// Depth is the indentation of a row.
func (r row) Depth() int { return min(r.S.Depth, 7) }

// Time tells a moment.
func (v *view) Time(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.In(v.zone).Format("2006-01-02 15:04:05 MST")
}

// Clock tells a moment of the run's day.
func (v *view) Clock(t time.Time) string { return t.In(v.zone).Format("15:04:05") }

// functions are what the templates may call.
var functions = sync.OnceValue(func() template.FuncMap {
	return template.FuncMap{
		"duration": duration, "money": money, "tokens": tokens, "number": number, "glyph": glyph, "tone": tone, "size": size,
		"share": share, "plot": plot, "flowchart": flowchart, "verdict": verdict, "join": strings.Join, "plural": plural,
		"change": change, "word": word, "sentence": report.Sentence, "inc": func(i int) int { return i + 1 }, "iso": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	}
})

// duration tells a span to three figures or so.
func duration(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 0.05:
		return "0 s"
	case s < 9.95:
		return strconv.FormatFloat(s, 'f', 1, 64) + " s"
	case s < 59.5:
		return strconv.FormatFloat(s, 'f', 0, 64) + " s"
	case s < 3599.5:
		whole := int(s + 0.5)
		return fmt.Sprintf("%d min %02d s", whole/60, whole%60)
	default:
		minutes := int(s/60 + 0.5)
		return fmt.Sprintf("%d h %02d min", minutes/60, minutes%60)
	}
}

// money tells a cost in dollars; empty where it is not known.
func money(u *step.Usage) string {
	if u == nil || u.CostUSD == nil {
		return ""
	}
	places := 2
	if *u.CostUSD != 0 && *u.CostUSD < 1 {
		places = 4
	}
	return "$" + strconv.FormatFloat(*u.CostUSD, 'f', places, 64)
}

// tokens tells tokens in and out; empty where neither is known.
func tokens(u *step.Usage) string {
	if u == nil || u.InputTokens == nil && u.OutputTokens == nil {
		return ""
	}
	part := func(n *int64) string {
		if n == nil {
			return "?"
		}
		return number(*n)
	}
	return part(u.InputTokens) + " in, " + part(u.OutputTokens) + " out"
}

// number groups the digits of a count.
func number(n int64) string {
	text := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(text) - 3; i > start; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}

// size tells a length in bytes.
func size(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1_000_000:
		return strconv.FormatFloat(float64(n)/1000, 'f', 1, 64) + " kB"
	}
	return strconv.FormatFloat(float64(n)/1_000_000, 'f', 1, 64) + " MB"
}

// share tells a part of a whole in percent.
func share(part, whole time.Duration) float64 {
	if whole <= 0 {
		return 0
	}
	return clamp(float64(part) / float64(whole) * 100)
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

// change tells how a number went from the first to the last round.
func change(s report.Series) string {
	first, last := s.Points[0].Text, s.Points[len(s.Points)-1].Text
	if len(s.Points) == 1 || first == last {
		return last
	}
	return first + " → " + last
}

// Legend lists the statuses that the graph may show.
func (v *view) Legend() []report.Status {
	return []report.Status{
		report.Completed, report.Failed, report.Degraded, report.Running, report.Interrupted, report.Skipped, report.Unreached,
	}
}
