package plot

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/bricks/doomloop"
	"github.com/brickoven/brickoven/bricks/score"
)

func draw(t interface{ Fatal(...any) }, loop score.Loop, events []any, findings []doomloop.Finding) (string, score.Result) {
	r, err := score.Evaluate(loop, events, findings, score.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return string(SVG(r)), r
}

// elements reads the picture as XML and counts its elements by name and class.
func elements(t interface{ Fatal(...any) }, svg string) map[string]int {
	counts := map[string]int{}
	dec := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return counts
		}
		if err != nil {
			t.Fatal("not well-formed: ", err, "\n", svg)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		class := ""
		for _, attr := range start.Attr {
			if attr.Name.Local == "class" {
				class = attr.Value
			}
		}
		counts[start.Name.Local]++
		counts[start.Name.Local+"."+class]++
	}
}

func example() (score.Loop, []any) {
	return score.Loop{Name: "writer", Scores: []json.Number{"3", "8.5", "8.0"}}, []any{
		map[string]any{"loop_type": "repeated_action", "iteration": json.Number("1")},
		map[string]any{"action": "warn", "iteration": json.Number("2")},
		map[string]any{"action": "warn"},
	}
}

func TestThePictureShowsEveryPartOfTheVerdict(t *testing.T) {
	t.Parallel()
	loop, events := example()
	svg, _ := draw(t, loop, events, []doomloop.Finding{{Kind: doomloop.Cycle, Last: 9}})
	got := elements(t, svg)
	// The legend has one mark of each kind; the picture has the others.
	for mark, want := range map[string]int{
		"circle.under": 1 + 1, "rect.over": 2, "path.limit": 1, "rect.waste": 1,
		"path.goal": 1 + 1, "path.doom": 1 + 1, "path.guard": 1 + 1, "polyline.line": 1,
	} {
		if got[mark] != want {
			t.Errorf("%s: %d, want %d", mark, got[mark], want)
		}
	}
	for _, text := range []string{"threshold 8.0", "converged in 2", "1 wasted", "1 guard event(s) of no known round", "cycle at step 9"} {
		if !strings.Contains(svg, ">"+text) && !strings.Contains(svg, text+"<") {
			t.Errorf("the picture does not say %q", text)
		}
	}
}

func TestThePictureIsAccessible(t *testing.T) {
	t.Parallel()
	loop, events := example()
	svg, r := draw(t, loop, events, nil)
	for _, want := range []string{
		`role="img"`, `aria-labelledby="score-title score-desc"`,
		`<title id="score-title">Loop score of writer: unhealthy</title>`,
		"Scores by round: 3, 8.5, 8.0. Threshold 8.0. " + r.Reasoning,
		"prefers-color-scheme:dark",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
}

func TestThePictureHoldsNothingThatRunsOrLoads(t *testing.T) {
	t.Parallel()
	loop, events := example()
	loop.Name = `</title><script>alert(1)</script><image href="http://x"/>` + "\x00\x1b\xff"
	events = append(events, map[string]any{"loop_type": `"><script>`, "reason": "]]><script>", "iteration": json.Number("1")})
	svg, _ := draw(t, loop, events, nil)
	got := elements(t, svg)
	for _, name := range []string{"script", "image", "foreignObject", "a", "use"} {
		if got[name] > 0 {
			t.Errorf("the picture has an element %s", name)
		}
	}
	if strings.Count(svg, "http") != strings.Count(svg, `xmlns="http`)+strings.Count(svg, "&#34;http") {
		t.Error("the picture refers to another place")
	}
}

func TestThePictureCountsInWordsTheGuardEventsItHasNoRoomFor(t *testing.T) {
	t.Parallel()
	loop, _ := example()
	var events []any
	for range 9 {
		events = append(events, map[string]any{"action": "warn", "round": json.Number("3")})
	}
	svg, _ := draw(t, loop, events, nil)
	if got := elements(t, svg)["path.guard"]; got != maxSideBySide+1 || !strings.Contains(svg, "5 more guard event(s)") {
		t.Errorf("%d triangles\n%s", got, svg)
	}
}

func TestThePictureOfNothingSaysSo(t *testing.T) {
	t.Parallel()
	svg, _ := draw(t, score.Loop{}, nil, nil)
	if got := elements(t, svg); got["polyline"] != 0 || !strings.Contains(svg, "no scores") {
		t.Error(svg)
	}
}

func TestThePictureIsWellFormedAndFiniteForAnyResult(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		loop := score.Loop{
			Name: rapid.String().Draw(t, "name"),
			Mode: rapid.SampledFrom([]string{"optimize", "review", "\x01"}).Draw(t, "mode"),
		}
		numbers := rapid.OneOf(rapid.Float64Range(0, 10), rapid.Float64Range(-1e300, 1e300), rapid.Just(1e300), rapid.Just(0.0))
		for _, f := range rapid.SliceOfN(numbers, 0, 80).Draw(t, "scores") {
			loop.Scores = append(loop.Scores, json.Number(fmt.Sprintf("%.3f", f)))
		}
		var events []any
		for _, kind := range rapid.SliceOfN(rapid.String(), 0, 5).Draw(t, "kinds") {
			events = append(events, map[string]any{"loop_type": kind, "iteration": json.Number("1")})
		}
		svg, _ := draw(t, loop, events, nil)
		elements(t, svg)
		if strings.Contains(svg, "NaN") && !strings.Contains(loop.Name, "NaN") || strings.Contains(svg, "+Inf") {
			t.Fatalf("a coordinate is no number:\n%s", svg)
		}
	})
}
