package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/runner/journal"
)

// Standing is how a run stands.
type Standing string

// The standings: the statuses of a run's end, and three for a run without one.
const (
	Success  Standing = "success"
	Weakened Standing = "degraded"
	Broken   Standing = "failed"
	Refused  Standing = "refused"
	Stopped  Standing = "interrupted" // by a signal, or its owner died
	Crashed  Standing = "crashed"
	Underway Standing = "running"
	Damaged  Standing = "damaged" // the journal cannot be relied on
	NotBegun Standing = "empty"   // there is no record
)

// End is how a run ended, or stands, and what to do about it.
type End struct {
	Standing Standing
	// Good tells that the run did what it was asked for.
	Good bool
	// Over tells that nothing more will happen by itself.
	Over bool
	// Reason is why it did not end well, in one line; empty where it did.
	Reason   string
	ExitCode int
	// Step is the step that ended the run, or that runs; nil for none.
	Step *Step
	// Loop is the loop whose end was the run's; nil for none.
	Loop *Loop
	// Advice is what to do now, in words, and Commands what to type for it.
	Advice   string
	Commands []string
	// Excerpt is the end of what the step said about its failure; empty where it
	// has none of its own.
	Excerpt string
}

// ending finds how the run stands. held tells that a living process works on it.
func (r *Run) ending(end *journal.RunFinished, held bool, damage error) End {
	e := End{Over: true}
	switch {
	case damage != nil:
		e.Standing, e.Reason = Damaged, clean(damage.Error())
	case end != nil:
		e.Standing, e.Reason, e.ExitCode = Standing(end.Status), clean(end.Reason), end.ExitCode
		e.Good = e.Standing == Success || e.Standing == Weakened
	case held:
		e.Standing, e.Over = Underway, false
	default:
		e.Standing, e.Reason = Stopped, "its process died without an end"
	}
	switch {
	case e.Standing == Underway:
		e.Step = r.last(func(s *Step) bool { return s.Status == Running && len(s.Children) == 0 })
	case !e.Good:
		e.Step = r.culprit()
	}
	for _, l := range r.Loops {
		if e.Step != nil && (e.Step == l.Step || l.Halt != nil && !l.Halt.Good && within(e.Step, l.Step)) {
			e.Loop, e.Step = l, l.Step
			break
		}
	}
	if len(r.Loops) > 0 && e.Loop == nil && (e.Good || !e.Over) {
		e.Loop = r.Loops[len(r.Loops)-1]
	}
	switch {
	case e.Step == nil || !e.Over:
	case e.Loop == nil:
		e.Excerpt = excerpt(e.Step.Error)
	case !e.Good:
		e.Excerpt = e.Loop.redCheck()
	}
	r.advise(&e)
	return e
}

// redCheck is the end of what a red check said about the last round.
func (l *Loop) redCheck() string {
	if len(l.Rounds) == 0 {
		return ""
	}
	check := l.Rounds[len(l.Rounds)-1].Check
	if check == nil || check.Status != Failed {
		return ""
	}
	return excerpt(check.Error)
}

// maxExcerpt is how many lines of an error stand at the top of a report.
const maxExcerpt = 12

// excerpt is the end of an error, which is where tools say what is wrong.
func excerpt(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > maxExcerpt {
		lines = append([]string{"…"}, lines[len(lines)-maxExcerpt:]...)
	}
	text = strings.Join(lines, "\n")
	if len(text) > maxExcerptSize {
		text = "…" + strings.ToValidUTF8(text[len(text)-maxExcerptSize:], "")
	}
	return text
}

// maxExcerptSize bounds an excerpt in bytes.
const maxExcerptSize = 2 << 10

// culprit is the step whose failure ended the run.
func (r *Run) culprit() *Step {
	var found *Step
	var look func(steps []*Step)
	look = func(steps []*Step) {
		for _, st := range steps {
			if st.Status != Failed && st.Status != Interrupted || st.Tolerated || found != nil {
				continue
			}
			if st.Type == "loop" && st.Status == Failed {
				found = st
				return
			}
			if look(st.Children); found == nil {
				found = st
			}
		}
	}
	look(r.Steps)
	return found
}

func (r *Run) last(match func(*Step) bool) *Step {
	for i := len(r.All) - 1; i >= 0; i-- {
		if match(r.All[i]) {
			return r.All[i]
		}
	}
	return nil
}

func within(st, around *Step) bool {
	for ; st != nil; st = st.Parent {
		if st == around {
			return true
		}
	}
	return false
}

// advise says what to do now.
func (r *Run) advise(e *End) {
	logs := func() {
		if e.Step != nil && e.Step.leaf() {
			e.Commands = append(e.Commands, "brickoven runs logs "+quoted(unindexed(e.Step.Path))+" --run "+r.ID)
		}
	}
	again := func() {
		if top := e.Step.root(); top != nil {
			e.Commands = append(e.Commands, "brickoven resume "+r.ID+" --from "+quoted(top.Path))
		}
	}
	switch e.Standing {
	case Success:
		if e.Loop != nil && e.Loop.Halt != nil {
			e.Advice = Sentence(e.Loop.Halt.Advice)
		}
	case Weakened:
		e.Advice = "The run went on with less than it was asked for. Look at the steps marked degraded before you rely on it."
	case Underway:
		e.Commands = append(e.Commands, "brickoven watch "+r.ID)
	case Stopped, Crashed:
		e.Advice = "Nothing that was completed is lost: a resume goes on where the run stopped."
		e.Commands = append(e.Commands, "brickoven resume "+r.ID)
	case Damaged:
		e.Advice = "The record was changed or is broken; what follows the damage is not shown. Find the line, and do not rely on this page."
		e.Commands = append(e.Commands, "brickoven runs verify "+r.ID)
	case Refused:
		e.Advice = "A structural guard refused to start a child. This is final: change the recipe, not the number of attempts."
		logs()
	default:
		if e.Loop != nil && e.Loop.Halt != nil {
			e.Advice = Sentence(e.Loop.Halt.Advice)
			e.Reason = cmp.Or(e.Loop.Halt.Text, e.Reason)
			return
		}
		e.Advice = "Read what the failed step said, mend the cause, and go on from there: earlier steps are not run again."
		logs()
		again()
	}
}

// leaf tells a step of a recipe that did its work itself.
func (s *Step) leaf() bool { return len(s.Children) == 0 && s.Part == PartAuthored }

// root is the step of the root recipe that s lies in; nil for nil.
func (s *Step) root() *Step {
	for s != nil && s.Parent != nil {
		s = s.Parent
	}
	return s
}

// quoted is a word as a shell reads it back.
func quoted(word string) string {
	plain := strings.IndexFunc(word, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_./", r)
	}) < 0
	if plain && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Sentence is a text as a sentence of its own.
func Sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + strings.Repeat(".", 1-min(1, strings.Count(".!?", text[len(text)-1:])))
}

// Title is the end in one line.
func (r *Run) Title() string {
	e := r.End
	switch {
	case e.Loop != nil && e.Loop.Halt != nil && e.Good:
		return fmt.Sprintf("Ended well: %s", e.Loop.Halt.Reason)
	case e.Loop != nil && e.Loop.Halt != nil && e.Over:
		return fmt.Sprintf("Halted: %s", e.Loop.Halt.Reason)
	case e.Good && e.Standing == Weakened:
		return "Ended, but degraded"
	case e.Good:
		return "Ended well"
	}
	switch e.Standing {
	case Underway:
		return "Running"
	case Stopped:
		return "Interrupted"
	case Refused:
		return "Refused by a guard"
	case Crashed:
		return "Crashed"
	case Damaged:
		return "The record is damaged"
	case NotBegun:
		return "Nothing was recorded"
	}
	return "Failed"
}
