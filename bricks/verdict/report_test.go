package verdict_test

import (
	"strings"
	"testing"

	"github.com/brickoven/brickoven/bricks/evidence"
	"github.com/brickoven/brickoven/bricks/verdict"
	"github.com/brickoven/brickoven/recipes/value"
)

func TestContinueAndDoneAreOneLineOfStdoutAndExitZero(t *testing.T) {
	t.Parallel()
	for _, token := range []string{verdict.Continue, verdict.Done} {
		health := parse(t, `{"loop_verdict":"`+token+`","verdict_source":"evaluator","loop_name":"pr\nreview","not_converging":[],"moved":[]}`)
		out, errOut, code := verdict.Enforce(verdict.Order{Health: health, Enforce: true})
		if !strings.HasPrefix(out, "LOOP_HEALTH: "+token+" ") || strings.Count(out, "\n") != 1 || !strings.HasSuffix(out, "\n") || errOut != "" || code != 0 {
			t.Errorf("got %q %q %d", out, errOut, code)
		}
		if !strings.Contains(out, evidence.Tag) {
			t.Errorf("%q lacks the tag", out)
		}
	}
}

func TestStuckReportsOnStderrAndExitsOneUnlessNotEnforced(t *testing.T) {
	t.Parallel()
	o := verdict.Order{
		Health:     parse(t, `{"loop_verdict":"STUCK","verdict_source":"evaluator","loop_name":"pr-review","not_converging":["F1 recurs\u001b[2J","\u0007F2"],"recommended_action":"ask"}`),
		Evidence:   parse(t, `{"terminal_refusal":"false","diff_lines":0,"watch_manifest":{"secret-file":"x"}}`),
		RoundLabel: "round-7",
		Enforce:    true,
	}
	for enforce, wantCode := range map[bool]int{true: 1, false: 0} {
		o.Enforce = enforce
		out, report, code := verdict.Enforce(o)
		if out != "" || code != wantCode {
			t.Errorf("enforce %v: stdout %q, exit %d, want none and %d", enforce, out, code, wantCode)
		}
		for _, part := range []string{"LOOP_HEALTH: STUCK", "pr-review", "round-7", "diff_lines: 0", "F1 recurs[2J", "F2", "ask"} {
			if !strings.Contains(report, part) {
				t.Errorf("the report lacks %q:\n%s", part, report)
			}
		}
		if strings.ContainsAny(report, "\x1b\x07") || strings.Contains(report, "secret-file") {
			t.Errorf("control bytes or the manifest in\n%q", report)
		}
		for line := range strings.Lines(report) {
			if !strings.HasPrefix(line, evidence.Tag+" ") {
				t.Errorf("the line %q lacks the tag", line)
			}
		}
	}
}

func TestReportShowsAtMost2000CharactersOfEach(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("né ", 5000)
	_, report, _ := verdict.Enforce(verdict.Order{
		Health:     map[string]any{"loop_verdict": "STUCK", "not_converging": []any{long, long}},
		Evidence:   map[string]any{"notices": []any{long}},
		RoundLabel: long,
		Enforce:    true,
	})
	section := map[string]int{}
	title := ""
	for line := range strings.Lines(report) {
		text := strings.TrimPrefix(strings.TrimSuffix(line, "\n"), evidence.Tag+" ")
		if !strings.HasPrefix(text, "  ") {
			title = text
			continue
		}
		section[title] += len([]rune(strings.TrimSpace(text)))
	}
	for _, title := range []string{"round:", "evidence:", "not converging:"} {
		if n := section[title]; n == 0 || n > 2000 {
			t.Errorf("%s %d characters, want some and at most 2000", title, n)
		}
	}
}

func TestEmptyOrMalformedHealthIsStuck(t *testing.T) {
	t.Parallel()
	for _, health := range []any{
		nil, "", "garbage", "{", []any{}, map[string]any{}, true, value.Number("1"), "CONTINUE",
		map[string]any{"loop_verdict": nil}, map[string]any{"loop_verdict": []any{"DONE"}}, map[string]any{"loop_verdict": "MAYBE"},
		map[string]any{"loop_verdict": "continue"}, `[{"loop_verdict":"DONE"}]`, `{"loop_verdict":"DONE"`,
	} {
		if out, report, code := verdict.Enforce(verdict.Order{Health: health, Enforce: true}); code != 1 || out != "" || report == "" {
			t.Errorf("%v: exit %d, stdout %q, stderr %q", health, code, out, report)
		}
	}
	if out, _, code := verdict.Enforce(verdict.Order{Health: `{"loop_verdict":"DONE"}`, Enforce: true}); code != 0 || out == "" {
		t.Errorf("the text of a health object: exit %d, stdout %q", code, out)
	}
}

func TestRulesAreATable(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, evidence, goal, rule, verdict string }{
		{"refused", `{"terminal_refusal":"true","diff_lines":5}`, "true", "refused", verdict.Stuck},
		{"unreadable evidence", `null`, "true", "refused", verdict.Stuck},
		{"the goal is met", `{"terminal_refusal":"false"}`, "true", "goal-met", verdict.Done},
		{"moved", `{"terminal_refusal":"false","diff_lines":5}`, "", "moved", verdict.Continue},
		{"a pure rename", `{"terminal_refusal":"false","files_changed":1}`, "", "moved", verdict.Continue},
		{"moved, the goal is not met", `{"terminal_refusal":"false","findings_resolved":1}`, "false", "moved", verdict.Continue},
		{"moved and waiting", `{"terminal_refusal":"false","commits_since_baseline":1,"waiting_on_output":"true","repeated_duration_count":7}`, "", "moved", verdict.Continue},
		{"an endpoint fault", `{"terminal_refusal":"false","infrastructure_fault":"true"}`, "", "fault", verdict.Stuck},
		{"standstill", `{"terminal_refusal":"false","git_observed":"true","findings_new":2}`, "", "standstill", verdict.Stuck},
		{"nothing observed", `{"terminal_refusal":"false"}`, "false", "standstill", verdict.Stuck},
		{"a goal signal that is not true", `{"terminal_refusal":"false"}`, "yes", "standstill", verdict.Stuck},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ev := parse(t, tt.evidence)
			text := verdict.Rules(ev, tt.goal)
			answer := parse(t, text).(map[string]any)
			if answer["rule"] != tt.rule || answer["loop_verdict"] != tt.verdict {
				t.Errorf("got %s, want %s by %s", text, tt.verdict, tt.rule)
			}
			if tt.verdict == verdict.Stuck && len(answer["not_converging"].([]any)) == 0 {
				t.Error("a STUCK without a reason")
			}
			if text != verdict.Rules(ev, tt.goal) {
				t.Error("the rules are not deterministic")
			}
			h, warnings := verdict.Resolve(verdict.Question{Evidence: ev, Assessment: text, GoalMet: tt.goal})
			if tt.rule != "refused" && (h.LoopVerdict != tt.verdict || h.VerdictSource != verdict.BuiltInRules || h.ContradictsEvidence != "" || len(warnings) != 0) {
				t.Errorf("resolved to %+v with warnings %q", h, warnings)
			}
		})
	}
}

func TestAnAnswerThatOnlyClaimsToBeByTheRulesIsTheEvaluators(t *testing.T) {
	t.Parallel()
	h := resolve(t, `{"judge":"rules","rule":"goal-met","loop_verdict":"DONE","not_converging":[],"moved":[],"recommended_action":""}`)
	if h.VerdictSource != verdict.Evaluator {
		t.Errorf("got %s, want evaluator", h.VerdictSource)
	}
}
