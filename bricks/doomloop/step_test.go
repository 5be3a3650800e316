package doomloop

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/recipes/value"
)

func loopsAt(paths ...string) func(string) bool {
	return func(path string) bool { return slices.Contains(paths, path) }
}

// The same step of two rounds is the same action; that of two elements is not.
func TestAPathLosesTheNumbersOfRoundsOnly(t *testing.T) {
	t.Parallel()
	isLoop := loopsAt("rounds", "outer", "outer[2]/inner", "call/loop[x]")
	for path, want := range map[string]string{
		"rounds[2]/test":             "rounds/test",
		"rounds[12]/build[3]":        "rounds/build[3]",
		"rounds.check[2]":            "rounds.check",
		"rounds.judge[2]/decide":     "rounds.judge/decide",
		"rounds.progress[0]":         "rounds.progress",
		"outer[2]/inner[5]/x":        "outer/inner/x",
		"outer[3]/inner[5]/x":        "outer/inner[5]/x",
		"build[2]":                   "build[2]",
		"call/loop[x][1]/a":          "call/loop[x]/a",
		"other.check[1]":             "other.check[1]",
		"rounds/no[number":           "rounds/no[number",
		"":                           "",
		"rounds":                     "rounds",
		"rounds[2]/rounds[3]/nested": "rounds/rounds[3]/nested",
	} {
		if got := WithoutRounds(path, isLoop); got != want {
			t.Errorf("%s became %s, want %s", path, got, want)
		}
	}
}

func TestWhichRoundAPathBelongsToAndWhatIsTheLoopsOwn(t *testing.T) {
	t.Parallel()
	isLoop := loopsAt("outer", "outer[2]/inner")
	for path, want := range map[string]struct {
		outer, inner int
		own          bool
	}{
		"outer[2]/x":                  {2, 0, false},
		"outer[2]/inner[13]/x[4]":     {2, 13, false},
		"outer[2]/inner.check[3]":     {2, 3, false},
		"outer[2]/inner.judge[3]/ask": {2, 3, true},
		"outer.progress[0]":           {0, 0, true},
		"outer.check[probe1]":         {0, 0, true},
		"outer.failing[reference]":    {0, 0, true},
		"outer.failing[7]":            {7, 0, true},
		"outer.measure.speed[2]":      {2, 0, true},
		"outer.measure[2]":            {0, 0, false},
		"outer.other[7]":              {0, 0, false},
		"outer2[7]":                   {0, 0, false},
		"outer":                       {0, 0, false},
		"outer[-1]":                   {0, 0, false},
		"outer[1":                     {0, 0, false},
		"other.judge[1]":              {0, 0, false},
	} {
		if got := RoundOf(path, "outer"); got != want.outer {
			t.Errorf("%s is of round %d of outer, want %d", path, got, want.outer)
		}
		if got := RoundOf(path, "outer[2]/inner"); got != want.inner {
			t.Errorf("%s is of round %d of inner, want %d", path, got, want.inner)
		}
		if got := OwnWork(path, isLoop); got != want.own {
			t.Errorf("%s: own work %v", path, got)
		}
	}
}

func TestAStepBecomesAnEvent(t *testing.T) {
	t.Parallel()
	at := time.Unix(7, 0)
	event := Step{
		Path: "rounds[2]/test", Args: "a", Output: " said\n", Waited: time.Minute, At: at, Tokens: 3, CostUSD: 0.5,
	}.Event(loopsAt("rounds"))
	want := Event{
		Action: "rounds/test", Label: "rounds[2]/test", Args: "a", Status: Succeeded, Output: event.Output, OutputSize: 4,
		Waited: time.Minute, At: at, Tokens: 3, CostUSD: 0.5,
	}
	if diff := cmp.Diff(want, event); diff != "" || event.Output == "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	one := Step{Failed: true, Error: "at 2026-01-02 03:04:05: no such test"}.Event(loopsAt())
	two := Step{Failed: true, Error: "at 2026-01-02 09:09:09: no such test"}.Event(loopsAt())
	if one.Status != Failed || one.Error == "" || one.Error != two.Error {
		t.Errorf("errors of two times are %q and %q", one.Error, two.Error)
	}
	large := Step{Output: value.Ref{Hash: "beef", Size: 1 << 20}}.Event(loopsAt())
	if large.Output != "beef" || large.OutputSize != 1<<20 {
		t.Errorf("a large output is %+v", large)
	}
	if empty := (Step{Output: " \n"}).Event(loopsAt()); empty.Output != "" {
		t.Errorf("an empty output is %q", empty.Output)
	}
}

// rounds are the events of a loop with two steps a round that always say the
// same.
func sameRounds(n int, moved bool) (events []Event) {
	for round := range n {
		number := string(rune('1' + round))
		for _, path := range []string{"rounds[" + number + "]/fix", "rounds[" + number + "]/test"} {
			events = append(events, Step{Path: path, Output: strings.Repeat("the same ", 20) + path[len("rounds[1]"):]}.Event(loopsAt("rounds")))
		}
		if moved {
			events = append(events, Moved("rounds["+number+"]", time.Time{}))
		}
	}
	return events
}

// Steps that say the same round after round are a cycle, which names them;
// where the judge saw something move they are not.
func TestRoundsThatSayTheSameAreACycleUnlessSomethingMoved(t *testing.T) {
	t.Parallel()
	found, err := Scan(sameRounds(5, false), Default())
	if err != nil || len(found) != 1 || found[0].Kind != Cycle || found[0].Period != 2 {
		t.Fatalf("%+v, %v", found, err)
	}
	want := []string{"rounds[1]/fix", "rounds[1]/test", "rounds[2]/fix", "rounds[2]/test"}
	if diff := cmp.Diff(want, found[0].Names); diff != "" {
		t.Errorf("witnesses (-want +got):\n%s", diff)
	}
	if found, err := Scan(sameRounds(9, true), Default()); err != nil || len(found) > 0 {
		t.Errorf("with progress: %+v, %v", found, err)
	}
}

// The elements of a list may say the same; other steps in a row may not.
func TestElementsThatSayTheSameAreNoRepeatedOutput(t *testing.T) {
	t.Parallel()
	said := strings.Repeat("nothing to complain about ", 4)
	for path, want := range map[string]int{"rounds[1]/lint[#]": 0, "rounds[1]/lint-#": 1} {
		var events []Event
		for i := range 8 {
			events = append(events, Step{Path: strings.Replace(path, "#", strconv.Itoa(i), 1), Output: said}.Event(loopsAt("rounds")))
		}
		if found, err := Scan(events, Default()); err != nil || len(found) != want {
			t.Errorf("%s: %+v, %v", path, found, err)
		}
	}
}

// A failure that survives round after round is one, whatever moved beside it.
func TestTheSameFailureOfManyRoundsIsALoopAlthoughSomethingMoves(t *testing.T) {
	t.Parallel()
	var events []Event
	for range 6 {
		events = append(events,
			Step{Path: "rounds[1]/test", Failed: true, Error: "no such test"}.Event(loopsAt("rounds")), Moved("rounds[1]", time.Time{}))
	}
	found, err := Scan(events, Default())
	if err != nil || len(found) != 1 || found[0].Kind != RepeatedFailure || found[0].Count != 6 {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestALabelThatComesLateIsThatOfItsEvent(t *testing.T) {
	t.Parallel()
	events := []Event{{Action: "a"}, {Action: "a"}, {Action: "a", Label: "third"}}
	found, err := Scan(events, Default())
	if err != nil || len(found) != 1 || !slices.Equal(found[0].Names, []string{"", "", "third"}) {
		t.Errorf("%+v, %v", found, err)
	}
}
