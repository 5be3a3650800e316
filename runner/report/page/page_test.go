package page

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/report"
	"github.com/brickoven/brickoven/runner/step"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// sample is a run with everything that a page can show, in which say gives every
// text.
func sample(say func() string) *report.Run {
	cost, tokens := 0.5, int64(12345)
	used := &step.Usage{CostUSD: &cost, InputTokens: &tokens}
	key := 0
	make := func(parent *report.Step, part report.Part, status report.Status) *report.Step {
		key++
		st := &report.Step{
			Key: fmt.Sprintf("s%d", key), Path: say(), Name: say(), Part: part, Status: status, Parent: parent, Error: say(),
			Does: say(), Condition: say(), Started: noon, Duration: time.Minute, Usage: used,
			Outputs: []report.Output{
				{Label: "output", Text: say(), Head: say(), Size: 99, Cut: 5, Action: say()},
				{Label: "errors", Stderr: true, Missing: say(), Action: say()},
			},
		}
		if parent != nil {
			st.Depth = parent.Depth + 1
			parent.Children = append(parent.Children, st)
		}
		return st
	}
	loop := make(nil, report.PartAuthored, report.Failed)
	loop.Type = "loop"
	round := make(loop, report.PartRound, report.Completed)
	work := make(round, report.PartAuthored, report.Skipped)
	check := make(round, report.PartCheck, report.Failed)
	r := &report.Round{
		Number: 1, Step: round, Over: true, Duration: time.Minute, Check: check, Usage: used, Decision: say(), Failing: []string{say()},
		Verdict:  report.Verdict{Word: "STUCK", Reason: say(), Source: say(), Moved: []string{say()}, NotConverging: []string{say()}, Action: say()},
		Evidence: []report.Fact{{Name: "diff", Value: say(), Moves: true}, {Name: "notice", Value: say()}},
		Numbers:  map[string]value.Number{},
	}
	l := &report.Loop{
		Path: say(), Step: loop, Session: say(), Rounds: []*report.Round{r}, Moved: r,
		Halt:   &report.Halt{Reason: say(), Stop: say(), Class: 17, Text: say(), Meaning: say(), Advice: say(), Rounds: []string{say()}, IDs: []string{say()}, Detail: say()},
		Series: []report.Series{{Name: report.Score, Points: []report.Point{{Round: 1, Value: 3, Text: say()}}, Goal: &report.Point{Value: 8, Text: say()}}},
	}
	chip := func(st *report.Step) *report.Node { return &report.Node{ID: say(), Status: report.Failed, Step: st} }
	from, to := chip(loop), chip(work)
	to.Layer, to.After = 1, []*report.Node{from}
	to.Inner = &report.Graph{Chain: true, Layers: [][]*report.Node{{chip(nil)}}}
	return &report.Run{
		ID: say(), Recipe: say(), WorkDir: say(), Host: say(), Version: say(), Started: noon, Last: noon.Add(time.Hour), Duration: time.Hour,
		Attempt: 2, Steps: []*report.Step{loop}, All: []*report.Step{loop, round, work, check}, Loops: []*report.Loop{l},
		Graph: &report.Graph{Layers: [][]*report.Node{{from}, {to}}, Finally: []*report.Node{chip(nil)}},
		Spent: report.Spent{Usage: used, Work: time.Hour, Rows: []report.SpentRow{{Path: say(), Times: 1, Duration: time.Minute, Usage: used, Step: loop}}},
		End: report.End{
			Standing: report.Broken, Over: true, Reason: say(), ExitCode: 17, Step: loop, Loop: l, Advice: say(), Commands: []string{say()}, Excerpt: say(),
		},
		Events:   []report.Event{{At: noon, Kind: "signal", Path: say(), Text: say()}},
		Warnings: []report.Warning{{Path: say(), Text: say(), Count: 2}},
		Notices:  []string{say()},
	}
}

func rendered(t interface {
	Helper()
	Fatal(...any)
}, r *report.Run, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Report(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	tagPattern  = regexp.MustCompile(`<(/?[a-zA-Z!][a-zA-Z0-9-]*)((?:[^>"]|"[^"]*")*)>`)
	attrPattern = regexp.MustCompile(`([a-zA-Z-]+)(?:="[^"]*")?`)
)

// skeleton is the page without texts: tags with the names of their attributes.
func skeleton(page string) []string {
	page, _, _ = strings.Cut(page, "<script>")
	_, body, _ := strings.Cut(page, "</style>")
	var tags []string
	for _, m := range tagPattern.FindAllStringSubmatch(body, -1) {
		tag := m[1]
		for _, a := range attrPattern.FindAllStringSubmatch(m[2], -1) {
			tag += " " + a[1]
		}
		tags = append(tags, tag)
	}
	return tags
}

// Whatever the texts of a run are, the page has the same elements with the same
// attributes.
func TestNoTextBecomesMarkup(t *testing.T) {
	t.Parallel()
	hostile := []string{
		`</script><img src=x onerror=alert(1)>`, `"><svg onload=alert(1)>`, `' onmouseover='x`, `</style>`, `<!--`, `]]>`, `javascript:alert(1)`,
		`{{template "x"}}`, "</textarea></pre></details>", "\u202e", "&lt;script&gt;", "`${x}`", "\x00",
	}
	for _, live := range []bool{false, true} {
		want := skeleton(rendered(t, sample(func() string { return "word" }), Options{Live: live}))
		if len(want) < 150 {
			t.Fatalf("the page has only %d tags", len(want))
		}
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.OneOf(rapid.SampledFrom(hostile), rapid.StringN(1, 20, 40)).Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
			page := rendered(t, sample(func() string { return text.Draw(t, "text") }), Options{Live: live})
			if diff := cmp.Diff(want, skeleton(page)); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

// A page takes nothing from elsewhere, and its policy lets nothing in.
func TestThePageStandsByItself(t *testing.T) {
	t.Parallel()
	page := rendered(t, sample(func() string { return "word" }), Options{})
	for _, m := range regexp.MustCompile(`(?:src|href|action|srcset|data)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[1], "#") && m[1] != "data:," {
			t.Errorf("the page refers to %q", m[1])
		}
	}
	for _, word := range []string{"@import", "url(", "http-equiv=\"refresh\"", "connect-src", " style=", "onclick"} {
		if strings.Contains(page, word) {
			t.Errorf("the page has %q", word)
		}
	}
	for _, want := range []string{"default-src &#39;none&#39;", "script-src &#39;sha256-", "style-src &#39;sha256-"} {
		if !strings.Contains(page, want) {
			t.Errorf("the policy lacks %s", want)
		}
	}
	// What the policy allows by its hash is what the page holds.
	_, inner, _ := strings.Cut(page, "<script>")
	inner, _, _ = strings.Cut(inner, "</script>")
	if inner != script {
		t.Error("the script of the page is not the one that the policy allows")
	}
}

func TestEveryLinkWithinThePageLeadsSomewhere(t *testing.T) {
	t.Parallel()
	page := rendered(t, sample(func() string { return "word" }), Options{})
	var ids []string
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if slices.Contains(ids, m[1]) {
			t.Errorf("two elements have the id %s", m[1])
		}
		ids = append(ids, m[1])
	}
	for _, m := range regexp.MustCompile(` href="#([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !slices.Contains(ids, m[1]) {
			t.Errorf("#%s leads nowhere", m[1])
		}
	}
}

func TestTheSameRunGivesTheSamePage(t *testing.T) {
	t.Parallel()
	r := sample(func() string { return "word" })
	first, second := rendered(t, r, Options{}), rendered(t, r, Options{})
	if first != second {
		t.Error("two pages of one run differ")
	}
}

func TestALivePageThatRunsRenewsItselfWithoutScriptsToo(t *testing.T) {
	t.Parallel()
	r := sample(func() string { return "word" })
	r.End.Over = false
	if page := rendered(t, r, Options{Live: true}); !strings.Contains(page, `<noscript><meta http-equiv="refresh"`) || !strings.Contains(page, "connect-src &#39;self&#39;") {
		t.Error("it does not")
	}
	r.End.Over = true
	if page := rendered(t, r, Options{Live: true}); strings.Contains(page, "http-equiv=\"refresh\"") {
		t.Error("the page of a run that has ended renews itself")
	}
}

func TestTheIndexListsRunsWithTheirEnds(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	runs := []journal.Summary{
		{RunID: "two", Recipe: "<b>", Started: noon, Last: noon.Add(90 * time.Second), Status: journal.StatusFinished, End: &journal.RunFinished{Status: "failed", ExitCode: 17}},
		{RunID: "one", Recipe: "r", Started: noon, Last: noon, Status: journal.StatusRunning},
	}
	if err := Index(&b, runs, "/state", Options{Live: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`href="runs/two/"`, "&lt;b&gt;", "failed", ">17<", "1 min 30 s", "running", "2026-01-02 12:00:00"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the list lacks %s", want)
		}
	}
}

func TestNumbersReadWell(t *testing.T) {
	t.Parallel()
	for in, want := range map[time.Duration]string{
		0: "0 s", 40 * time.Millisecond: "0 s", 123 * time.Millisecond: "0.1 s", 9940 * time.Millisecond: "9.9 s", 9960 * time.Millisecond: "10 s",
		59400 * time.Millisecond: "59 s", 59600 * time.Millisecond: "1 min 00 s", 61 * time.Second: "1 min 01 s",
		3599600 * time.Millisecond: "1 h 00 min", 2*time.Hour + 47*time.Minute + 40*time.Second: "2 h 48 min",
	} {
		if got := duration(in); got != want {
			t.Errorf("%s is %q, want %q", in, got, want)
		}
	}
	for in, want := range map[int64]string{0: "0", 999: "999", 1000: "1\u202f000", -1234567: "-1\u202f234\u202f567"} {
		if got := number(in); got != want {
			t.Errorf("%d is %q, want %q", in, got, want)
		}
	}
	for in, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 5_000_000: "5.0 MB"} {
		if got := size(in); got != want {
			t.Errorf("%d is %q, want %q", in, got, want)
		}
	}
}

// A plot stays within its picture, whatever the numbers are, and says them.
func TestAPlotStaysInItsPicture(t *testing.T) {
	t.Parallel()
	place := regexp.MustCompile(`c[xy]="([^"]*)"`)
	rapid.Check(t, func(t *rapid.T) {
		s := report.Series{Name: "score"}
		for i, v := range rapid.SliceOfN(rapid.Float64Range(-1e15, 1e15), 1, 60).Draw(t, "values") {
			s.Points = append(s.Points, report.Point{Round: i + 1, Value: v, Text: fmt.Sprint(v)})
		}
		svg := string(plot(s, rapid.IntRange(0, 80).Draw(t, "rounds")))
		for _, m := range place.FindAllStringSubmatch(svg, -1) {
			var at float64
			if _, err := fmt.Sscan(m[1], &at); err != nil || at < 0 || at > plotWidth {
				t.Fatalf("a point is at %s", m[1])
			}
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || !strings.Contains(svg, `aria-label="score by round`) {
			t.Fatal(svg)
		}
	})
}
