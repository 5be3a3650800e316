package verdict

import "github.com/brickoven/brickoven/recipes/value"

// Rule is one line of the built-in judge's table; the first one that applies
// gives the verdict.
type Rule struct {
	Name    string
	When    string // in words, for the reference page
	Verdict string

	applies func(f facts, goalMet string) bool
	action  string
}

// RuleTable is the built-in judge (issue: the loop-health bricks, "Judge
// without a model"). The last rule always applies.
func RuleTable() []Rule {
	return []Rule{
		{
			Name: "refused", When: "`terminal_refusal` is not \"false\"", Verdict: Stuck,
			applies: func(f facts, _ string) bool { return f.text("terminal_refusal") != "false" },
			action:  "Report the refusal; do not retry.",
		},
		{
			Name: "goal-met", When: "the caller passes `loop_goal_met: \"true\"`", Verdict: Done,
			applies: func(_ facts, goalMet string) bool { return goalMet == "true" },
			action:  "Advance to the next phase.",
		},
		{
			Name: "moved", When: "something moved: a commit, a changed line or file, a resolved finding, the test or CI signal, a watched file, or the loop's own progress", Verdict: Continue,
			applies: func(f facts, _ string) bool { return len(f.movements()) > 0 },
			action:  "Start another round.",
		},
		{
			Name: "fault", When: "nothing moved, and `infrastructure_fault` is \"true\"", Verdict: Stuck,
			applies: func(f facts, _ string) bool { return f.is("infrastructure_fault") },
			action:  "Repair the model endpoint or its credentials, then repeat the round.",
		},
		{
			Name: "standstill", When: "anything else", Verdict: Stuck,
			applies: func(facts, string) bool { return true },
			action:  "Stop and look at what does not converge before another round is spent.",
		},
	}
}

// Rules judges without a model: it returns the assessment as one line of JSON,
// in the form that a judging agent must end with. ev is the loop_evidence
// value; goalMet is the caller's signal, as in [Question].
func Rules(ev any, goalMet string) string {
	f := factsOf(ev)
	for _, rule := range RuleTable() {
		if !rule.applies(f, goalMet) {
			continue
		}
		stuck := []string{}
		if rule.Verdict == Stuck {
			if stuck = f.standstill(); len(stuck) == 0 {
				stuck = append(stuck, "nothing that could show movement was observed")
			}
		}
		return value.JSON(map[string]any{
			"judge":              "rules",
			"rule":               rule.Name,
			"loop_verdict":       rule.Verdict,
			"not_converging":     value.From(stuck),
			"moved":              value.From(f.movements()),
			"recommended_action": rule.action,
		})
	}
	return ""
}
