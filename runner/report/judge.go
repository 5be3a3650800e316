package report

import (
	"cmp"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// Fact is one thing that was measured of a round.
type Fact struct {
	Name  string
	Value string
	// Moves tells a fact that counts as progress, Warns one that speaks against
	// it.
	Moves, Warns bool
}

// The names of the numbers that a [Series] may follow.
const (
	FailingTests = "failing tests"
	OpenFindings = "open findings"
	Score        = "score"
	Measured     = "progress"
	CostUSD      = "cost in $"
	Seconds      = "seconds"
)

// complete fills the rounds of a loop with what the work in them gave.
func (l *Loop) complete() {
	for _, r := range l.Rounds {
		for _, child := range r.Step.Children {
			switch child.Part {
			case PartJudge:
				child.walk(func(st *Step) { r.judge(st) })
				// A judge that says STUCK fails on purpose; it has done its work.
				if child.Status == Failed && r.Verdict.Word != "" {
					child.Status = Completed
				}
			case PartCheck:
				r.Check = child
			case PartProgress:
				if v, ok := numberOf(child.value()); ok {
					r.Numbers[Measured] = v
				}
			case PartMeasure:
			default:
				child.walk(func(st *Step) { r.scored(st.value()) })
			}
		}
		if len(r.Evidence) == 0 {
			r.Evidence = r.rated
		}
		r.Usage = r.Step.Usage
		if r.moved || len(r.Verdict.Moved) > 0 && r.Verdict.Word != "STUCK" {
			l.Moved = r
		}
	}
	l.series()
}

// judge looks through one step of a judge for evidence and verdict.
func (r *Round) judge(st *Step) {
	v, isMap := st.value().(map[string]any)
	if !isMap {
		return
	}
	if _, measured := v["git_observed"]; measured {
		r.Evidence = facts(v)
		r.findings(v)
	}
	if word, has := v["loop_verdict"].(string); has {
		said := Verdict{
			Word: cmp.Or(r.Verdict.Word, clean(word)), Reason: r.Verdict.Reason,
			Source: clean(cmp.Or(value.Text(v["verdict_source"]), value.Text(v["judge"]), r.Verdict.Source)),
			Moved:  lines(v["moved"]), NotConverging: lines(v["not_converging"]), Action: clean(value.Text(v["recommended_action"])),
		}
		r.Verdict = said
	}
}

// findings follows how many findings are open after the round, where there were
// any.
func (r *Round) findings(v map[string]any) {
	fresh, ok1 := count(v["findings_new"])
	again, ok2 := count(v["findings_recurring"])
	gone, ok3 := count(v["findings_resolved"])
	if ok1 && ok2 && ok3 && fresh+again+gone > 0 {
		n, _ := value.From(fresh + again).(value.Number)
		r.Numbers[OpenFindings] = n
	}
}

// scored takes the score that a step of an evaluation gave.
func (r *Round) scored(v any) {
	m, isMap := v.(map[string]any)
	if !isMap {
		return
	}
	if score, ok := m["score"].(value.Number); ok {
		r.Numbers[Score] = score
		r.rated = append([]Fact{{Name: "score", Value: score.String()}}, named("reasoning", m["reasoning"])...)
		r.rated = append(r.rated, named("finding", m["findings"])...)
	}
	if limit, ok := m["threshold"].(value.Number); ok && m["iterations"] != nil {
		r.goal = limit
	}
}

// measured are the facts of loop_evidence in the order in which they matter:
// what they are called, and what in them counts as movement or against it.
var measured = []struct {
	key, name  string
	moves      bool
	warns      bool
	evenIfZero bool
}{
	{"terminal_refusal", "refused for good", false, true, false},
	{"infrastructure_fault", "infrastructure fault", false, true, false},
	{"infrastructure_fault_class", "kind of fault", false, true, false},
	{"commits_since_baseline", "commits", true, false, true},
	{"diff_stat", "diff", true, false, false},
	{"diff_lines", "lines changed", true, false, true},
	{"untracked_files", "untracked files", false, false, false},
	{"findings_resolved", "findings resolved", true, false, false},
	{"findings_new", "findings new", false, false, false},
	{"findings_recurring", "findings recurring", false, true, false},
	{"tests_moved", "test signal moved", true, false, false},
	{"ci_moved", "CI signal moved", true, false, false},
	{"progress_moved", "own measure moved", true, false, false},
	{"paths_changed", "watched files changed", true, false, false},
	{"repeated_output", "output repeated", false, true, false},
	{"repeated_duration_count", "steps of equal duration", false, true, false},
	{"repeated_duration_value", "that duration", false, true, false},
	{"waiting_on_output", "says it is waiting", false, true, false},
}

// facts picks what is worth a line out of an evidence: zeros and negatives only
// where their absence would be a riddle.
func facts(v map[string]any) []Fact {
	var list []Fact
	for _, m := range measured {
		text := strings.TrimSpace(value.Text(v[m.key]))
		if m.key == "diff_lines" && value.Text(v["diff_stat"]) != "" {
			continue // the other says it all
		}
		nothing := text == "" || text == "0" || text == "false"
		if nothing && (!m.evenIfZero || text == "") {
			continue
		}
		if text == "true" {
			text = "yes"
		}
		list = append(list, Fact{Name: m.name, Value: clean(text), Moves: m.moves && !nothing, Warns: m.warns})
	}
	if value.Text(v["git_observed"]) == "false" {
		list = append(list, Fact{Name: "git", Value: "not looked at", Warns: true})
	}
	for _, notice := range lines(v["notices"]) {
		list = append(list, Fact{Name: "notice", Value: notice})
	}
	return list
}

// named are the texts of a value as facts of one name.
func named(name string, v any) []Fact {
	var list []Fact
	for _, text := range lines(v) {
		list = append(list, Fact{Name: name, Value: text})
	}
	return list
}

func count(v any) (int, bool) {
	n, isNumber := v.(value.Number)
	if !isNumber {
		return 0, false
	}
	i, err := n.Int64()
	return int(i), err == nil
}

func numberOf(v any) (value.Number, bool) {
	switch v := v.(type) {
	case value.Number:
		return v, true
	case string:
		n, ok := value.Guess(strings.TrimSpace(v)).(value.Number)
		return n, ok
	}
	return "", false
}

// walk visits a step and all below it, in order.
func (s *Step) walk(visit func(*Step)) {
	visit(s)
	for _, child := range s.Children {
		child.walk(visit)
	}
}

// value is what the step's last work gave: nil where that is too large to be at
// hand, or nothing.
func (s *Step) value() any {
	for i := len(s.actions) - 1; i >= 0; i-- {
		a := s.actions[i]
		if a.kind == step.Hook || a.result == nil {
			continue
		}
		if text, isText := a.result.Value.(string); isText {
			return value.Guess(text)
		}
		return a.result.Value
	}
	return nil
}
