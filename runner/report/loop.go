package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/recipes/value/pattern"
	"github.com/brickoven/brickoven/runner/step"
)

// Loop is one loop of a run, round by round.
type Loop struct {
	Path string
	Step *Step
	// Session is the id of the loop's session; empty where it is not known.
	Session string
	Rounds  []*Round
	// Before are the tests that failed before the first round; nil where that is
	// not known.
	Before []string
	// Halt is the loop's end; nil while it has none.
	Halt *Halt
	// Moved is the last round that moved something; nil where none did.
	Moved *Round
	// Series are the numbers that changed from round to round.
	Series []Series
	// Usage is what all rounds and judgements used; nil where nothing is known.
	Usage *step.Usage
}

// Round is one round of a loop.
type Round struct {
	Number   int // from 1
	Step     *Step
	Started  time.Time
	Duration time.Duration
	// Over tells that the round has ended.
	Over    bool
	Verdict Verdict
	// Evidence is what was measured of the round, the important facts first;
	// empty where nothing was.
	Evidence []Fact
	// Check is how the loop's check ended; nil where it did not run.
	Check *Step
	// Usage is what the round and its judge used.
	Usage *step.Usage
	// Numbers are what was measured of the round, by the name of a [Series].
	Numbers map[string]value.Number
	// Decision says what became of the round's changes, such as revert; empty
	// where nothing is known.
	Decision string
	// Failing lists the tests that fail after the round; nil where not known.
	Failing []string

	moved bool         // the judge saw something move
	rated []Fact       // what an evaluator said of the round's output
	goal  value.Number // the score to reach; empty where none is known
}

// Verdict is what a judge said about a round.
type Verdict struct {
	// Word is CONTINUE, DONE or STUCK; empty where no judge was heard.
	Word   string
	Reason string
	// Source says who judged: rules, or an agent.
	Source        string
	Moved         []string
	NotConverging []string
	Action        string // what the judge recommends
}

// Halt is why a loop ended and what to do.
type Halt struct {
	// Reason is a word of docs/halt-reasons.md, and Stop that of the session.
	Reason, Stop string
	Class        int
	// Text says in one line what happened.
	Text string
	// Good tells that the loop met its goal.
	Good bool
	// Meaning and Advice are those of the halt table.
	Meaning, Advice string
	// Rounds and IDs are the evidence, as far as it was recorded.
	Rounds []string
	IDs    []string
	Detail string
}

// Latest are the rounds, the latest first.
func (l *Loop) Latest() []*Round {
	rounds := slices.Clone(l.Rounds)
	slices.Reverse(rounds)
	return rounds
}

// loop finds the loop of a path, or begins it.
func (c *Collector) loop(path string, at time.Time) *Loop {
	l := c.loops[path]
	if l == nil {
		l = &Loop{Path: path, Step: c.step(path, at)}
		c.loops[path] = l
		c.order = append(c.order, l)
	}
	return l
}

// round begins a round of a loop. A resume announces the round that it goes on
// with again.
func (c *Collector) round(path string, number int, at time.Time) {
	c.loopish[unindexed(path)] = true
	l := c.loop(path, at)
	if n := len(l.Rounds); n > 0 && l.Rounds[n-1].Number == number {
		return
	}
	l.endRound(at)
	st := c.step(fmt.Sprintf("%s[%d]", path, number), at)
	st.Started, st.Status = at, Running
	l.Rounds = append(l.Rounds, &Round{Number: number, Step: st, Started: at, Numbers: map[string]value.Number{}})
}

// endRound ends the round that runs, if there is one.
func (l *Loop) endRound(at time.Time) {
	if len(l.Rounds) == 0 {
		return
	}
	r := l.Rounds[len(l.Rounds)-1]
	if r.Over {
		return
	}
	r.Over = true
	r.Duration = max(0, at.Sub(r.Started))
	r.Step.Duration = r.Duration
}

// session takes the answer of a loop's session; the first names it.
func (c *Collector) session(ev step.Event) {
	path, _, _ := strings.Cut(ev.ID, "#")
	given, _ := ev.Result.Value.(map[string]any)
	id, isText := given["id"].(string)
	if isText && c.loopish[unindexed(path)] {
		c.loop(path, ev.At).Session = id
	}
}

// finish takes the end of the loop's step.
func (l *Loop) finish(o *step.Outcome, at time.Time) {
	l.endRound(at)
	l.Usage = o.Usage
	if o.Loop != nil {
		l.Halt = haltOf(o.Loop)
		l.Session = cmp.Or(l.Session, value.Text(o.Loop["session"]))
		return
	}
	if l.Halt = haltFrom(o); l.Halt != nil || o.Status != step.Completed {
		return
	}
	l.Halt = described(&Halt{Good: true, Reason: string(halt.JudgedDone)})
}

// haltOf reads the result of a loop.
func haltOf(result map[string]any) *Halt {
	h := &Halt{
		Reason: value.Text(result["halt_reason"]), Stop: value.Text(result["stop_reason"]), Text: clean(value.Text(result["reason"])),
	}
	given, has := result["halt"].(map[string]any)
	if !has {
		return described(h)
	}
	h.Reason = cmp.Or(value.Text(given["reason"]), h.Reason)
	h.Advice = clean(value.Text(given["advice"]))
	if evidence, ok := given["evidence"].(map[string]any); ok {
		h.Rounds, h.IDs = lines(evidence["rounds"]), lines(evidence["ids"])
		if detail := clean(value.Text(evidence["detail"])); detail != h.Text {
			h.Detail = detail
		}
		if strings.Join(h.IDs, "; ") == h.Text {
			h.IDs = nil
		}
	}
	return described(h)
}

// haltText is how a loop without its goal says so in its error.
var haltText = pattern.Pattern{Source: `(?s)^the loop ended after \d+ rounds? without its goal: (\w+) \((\w+)\): ?(.*)`}

// haltFrom reads the error of a loop whose result was not recorded.
func haltFrom(o *step.Outcome) *Halt {
	m := haltText.Get().FindStringSubmatch(o.Error)
	if m == nil {
		return nil
	}
	return described(&Halt{Reason: m[1], Stop: m[2], Text: clean(m[3])})
}

// described completes a halt from the table of reasons.
func described(h *Halt) *Halt {
	row, known := halt.Lookup(halt.Reason(h.Reason))
	if !known {
		return h
	}
	h.Class, h.Meaning = int(row.Class), row.Meaning
	h.Good = row.Class == halt.Success
	h.Advice = cmp.Or(h.Advice, row.Advice)
	return h
}

// lines are the texts of a list, or the one text that a value is.
func lines(v any) []string {
	list, isList := v.([]any)
	if !isList {
		if text := strings.TrimSpace(value.Text(v)); text != "" {
			return []string{clean(text)}
		}
		return nil
	}
	var texts []string
	for _, item := range list {
		texts = append(texts, clean(strings.TrimSpace(value.Text(item))))
	}
	return texts
}
