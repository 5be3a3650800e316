package doomloop

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brickoven/brickoven/bricks/signature"
	"github.com/brickoven/brickoven/recipes/value"
)

// Step is one action of a run: a command, an agent call or a check, as the
// decisions of the run and its journal know it alike. So a brake in the run and
// a report after it find the same.
type Step struct {
	// Path is the path of the step from the root recipe, with the numbers of
	// rounds and elements: rounds[2]/test, build[3].
	Path string
	// Args is a hash of what the step reads; empty where that is nothing.
	Args   string
	Failed bool
	// Output is what came back: a text, or a [value.Ref] where that is large.
	Output any
	// Error is the message of a failure, as it is.
	Error  string
	Waited time.Duration
	At     time.Time
	// Tokens and CostUSD are what an agent call used; 0 means nothing or unknown.
	Tokens  int64
	CostUSD float64
}

// Event is the step for a [Detector]. isLoop tells whether a path is that of a
// loop step: the same step of two rounds is the same action, and that of two
// elements of a foreach is not.
func (s Step) Event(isLoop func(path string) bool) Event {
	e := Event{
		Action: WithoutRounds(s.Path, isLoop), Label: s.Path, Args: s.Args, Status: Succeeded,
		Waited: s.Waited, At: s.At, Tokens: s.Tokens, CostUSD: s.CostUSD,
	}
	e.Element = strings.ContainsRune(e.Action, '[')
	if s.Failed {
		e.Status, e.Error = Failed, signature.Of(s.Error)
	}
	if ref, large := s.Output.(value.Ref); large {
		e.Output, e.OutputSize = ref.Hash, ref.Size
		return e
	}
	if text := strings.TrimSpace(value.Text(s.Output)); text != "" {
		sum := sha256.Sum256([]byte(text))
		e.Output, e.OutputSize = hex.EncodeToString(sum[:]), int64(len(text))
	}
	return e
}

// Moved is the event of a round in which the judge of the loop saw something
// move. A round in which it saw nothing move is no event: that is for the judge
// to say, and for the other events to show.
func Moved(round string, at time.Time) Event {
	return Event{Action: "the judge saw something move", Label: round, Progress: Made, At: at}
}

// WithoutRounds is a path without the numbers of the rounds of loops in it,
// those of a loop's own steps included: rounds.check[2] is rounds.check.
func WithoutRounds(path string, isLoop func(path string) bool) string {
	segments := strings.Split(path, "/")
	for i, part := range segments {
		open := strings.LastIndexByte(part, '[')
		if open < 0 || !strings.HasSuffix(part, "]") {
			continue
		}
		loop := strings.Join(append(append([]string(nil), strings.Split(path, "/")[:i]...), part[:open]), "/")
		for _, own := range append([]string{""}, parts...) {
			if name, has := strings.CutSuffix(loop, own); has && isLoop(name) {
				segments[i] = part[:open]
				break
			}
		}
	}
	return strings.Join(segments, "/")
}

// parts are what a loop runs beside the recipe of its rounds. It is never
// written to.
var parts = []string{".check", ".failing", ".judge", ".progress"}

// measure begins what a loop with a contract runs for each dimension.
const measure = ".measure."

// RoundOf is the round of a loop that a path belongs to, its own check, judge and
// measures included; 0 for none.
func RoundOf(path, loop string) int {
	rest, below := strings.CutPrefix(path, loop)
	open := strings.IndexByte(rest, '[')
	if !below || open < 0 || open > 0 && !slices.Contains(parts, rest[:open]) && !strings.HasPrefix(rest[:open], measure) {
		return 0
	}
	number, _, closed := strings.Cut(rest[open+1:], "]")
	n, err := strconv.Atoi(number)
	if !closed || err != nil || n < 0 {
		return 0
	}
	return n
}

// OwnWork tells whether a path is what a loop does for itself: its judge, its
// measures, and what comes before its first round. That a judge says the same of
// every round is no loop of what it judges. The check of a round is the round's.
func OwnWork(path string, isLoop func(path string) bool) bool {
	for i, c := range path {
		if c != '[' {
			continue
		}
		if at := strings.LastIndex(path[:i], measure); at >= 0 && isLoop(path[:at]) {
			return true
		}
		for _, part := range parts {
			loop, has := strings.CutSuffix(path[:i], part)
			if has && isLoop(loop) && (part != ".check" || RoundOf(path, loop) == 0) {
				return true
			}
		}
	}
	return false
}
