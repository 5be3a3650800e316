package recipes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/template"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/recipes/value/pattern"
)

var (
	statusTest  = pattern.Pattern{Source: `\bsteps(?:\.[\w-]+|\[["'][^"'\]]+["']\])\.status\s*[!=]=\s*["']([^"']*)["']`, Needs: []string{".status"}}
	verdictTest = pattern.Pattern{Source: `\bloop_verdict\s*[!=]=\s*["']([^"']*)["']`, Needs: []string{"loop_verdict"}}
	// negative is a test that everything passes but the word named.
	negative = pattern.Pattern{Source: `([A-Za-z_][\w.-]*)\s*(?:!=|not\s+in\b)`, Needs: []string{"!=", "not"}}

	statuses = []string{"completed", "skipped", "failed", "degraded"}
	verdicts = []string{"CONTINUE", "DONE", "STUCK"}
)

// gates looks at the conditions that decide by a verdict or a status. A gate
// must open for the one word that is meant: what a model says may be anything
// (seed 000, "Anything unclear is STUCK").
func (r *Recipe) gates() Findings {
	answers := map[string]*Step{}
	for _, s := range r.allSteps() {
		if s.Type == Agent && s.Output != "" {
			answers[s.Output] = s
		}
	}
	var found Findings
	for _, s := range r.allSteps() {
		for _, f := range s.fields {
			if f.condition == nil {
				continue
			}
			found = append(found, f.words()...)
			found = append(found, f.openGates(answers)...)
			found = append(found, f.looseAnswers(answers)...)
		}
		found = append(found, r.switchedOff(s)...)
	}
	return found
}

func (f *field) remark(offset int, code, message, hint string) *Finding {
	found := f.spot.finding(offset, code, message)
	found.Hint, found.Warning = hint, true
	return found
}

// words reports comparisons with words that a status or a verdict never is.
func (f *field) words() Findings {
	var found Findings
	for _, of := range []struct {
		test  *pattern.Pattern
		code  string
		what  string
		words []string
	}{
		{&statusTest, "impossible-status", "a step's status", statuses},
		{&verdictTest, "impossible-verdict", "a loop_verdict", verdicts},
	} {
		source := f.condition.Source()
		for _, at := range of.test.FindAll(source) {
			word := source[at[2]:at[3]]
			if slices.Contains(of.words, word) {
				continue
			}
			found = append(found, f.remark(at[2], of.code, fmt.Sprintf("%s is never %s", of.what, quoteShort(word)),
				"it is "+orList(of.words)))
		}
	}
	return found
}

// openGates reports tests that a garbled verdict passes.
func (f *field) openGates(answers map[string]*Step) Findings {
	var found Findings
	source := f.condition.Source()
	for _, at := range negative.FindAll(source) {
		path := source[at[2]:at[3]]
		root, _, _ := strings.Cut(path, ".")
		last := path[strings.LastIndexByte(path, '.')+1:]
		if answers[root] == nil && !strings.Contains(strings.ToLower(last), "verdict") {
			continue
		}
		if regexp.MustCompile(regexp.QuoteMeta(path) + `\s*==`).MatchString(source) {
			continue
		}
		found = append(found, f.remark(at[2], "judge-without-failsafe",
			fmt.Sprintf("everything passes this test of %s but the word it names, a missing or garbled verdict too", path),
			"test with == for the word that may go on"))
	}
	return found
}

// looseAnswers reports gates on fields of an agent's answer that need not hold
// any JSON: the gates stay shut, and the run ends well.
func (f *field) looseAnswers(answers map[string]*Step) Findings {
	var found Findings
	told := map[*Step]bool{}
	for _, path := range f.paths() {
		parts, ok := value.SplitPath(path)
		if !ok || len(parts) < 2 {
			continue
		}
		s := answers[parts[0]]
		if s == nil || told[s] {
			continue
		}
		told[s] = true
		switch {
		case !s.ParseJSON && s.RequireField == "":
			found = append(found, f.remark(f.find(path), "unparsed-answer",
				fmt.Sprintf("%s reads JSON, but the agent's answer is only text, unless it is JSON and nothing else", path),
				"add parse_json: true and parse_json_required: true to the step "+s.ID))
		case !s.ParseJSONRequired && s.OutputSchema == nil && !s.Tolerate:
			found = append(found, f.remark(f.find(path), "judge-without-failsafe",
				fmt.Sprintf("an answer without JSON only degrades the step %s, and the run goes on as if it had been judged", s.ID),
				"add parse_json_required: true to the step "+s.ID))
		}
	}
	return found
}

// switchedOff reports a judge whose STUCK stops nothing: the caller tolerates
// it or asks for a report only, and no condition looks for a verdict.
func (r *Recipe) switchedOff(s *Step) Findings {
	if s.Type != Call || !s.judges() || !s.Tolerate && !s.unenforced() {
		return nil
	}
	for _, other := range r.allSteps() {
		for _, f := range other.fields {
			if f.condition != nil && strings.Contains(f.condition.Source(), "verdict") {
				return nil
			}
		}
	}
	return Findings{s.remark(s.recipeNode, "judge-without-failsafe",
		fmt.Sprintf("a STUCK of %s stops nothing here, and no condition looks for a verdict", s.Recipe),
		"let the judge stop the run, or write condition: loop_health.loop_verdict == 'CONTINUE' on what may go on")}
}

// judges tells whether the called recipe gives a verdict about a loop.
func (s *Step) judges() bool {
	if s.Child == nil {
		return false
	}
	return slices.ContainsFunc(s.Child.allSteps(), func(inner *Step) bool { return inner.Output == "loop_health" })
}

// unenforced tells whether the call asks the judge for a report only.
func (s *Step) unenforced() bool {
	for _, argument := range s.Context {
		if argument.Name != "loop_health_enforce" {
			continue
		}
		if t, ok := argument.Value.(*template.Template); ok {
			return t.Source() == "false"
		}
		return value.Text(argument.Value) == "false"
	}
	return false
}
