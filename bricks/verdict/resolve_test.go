package verdict_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/bricks/verdict"
	"github.com/brickoven/brickoven/recipes/value"
)

// parse reads a JSON value of a test.
func parse(t testing.TB, text string) any {
	t.Helper()
	v, err := value.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// moving is evidence of a round that moved something.
func moving(t testing.TB) any {
	return parse(t, `{"terminal_refusal":"false","git_observed":"true","commits_since_baseline":1,"diff_lines":12}`)
}

func resolve(t testing.TB, assessment string) verdict.Health {
	t.Helper()
	h, _ := verdict.Resolve(verdict.Question{Evidence: moving(t), Assessment: assessment})
	return h
}

func TestVerdictSourceIsTheFirstThatApplies(t *testing.T) {
	t.Parallel()
	const ok = `{"terminal_refusal":"false"}`
	tests := []struct {
		name, evidence, assessment string
		verdict                    string
		source                     verdict.Source
	}{
		{"a terminal refusal beats every answer", `{"terminal_refusal":"true","terminal_reason":"x"}`, `{"loop_verdict":"CONTINUE"}`, verdict.Stuck, verdict.TerminalPolicyRefusal},
		{"evidence that is null", `null`, `{"loop_verdict":"CONTINUE"}`, verdict.Stuck, verdict.TerminalPolicyRefusal},
		{"evidence that is text", `"garbage"`, `{"loop_verdict":"CONTINUE"}`, verdict.Stuck, verdict.TerminalPolicyRefusal},
		{"evidence that is a list", `[]`, `{"loop_verdict":"CONTINUE"}`, verdict.Stuck, verdict.TerminalPolicyRefusal},
		{"evidence without terminal_refusal", `{}`, `{"loop_verdict":"CONTINUE"}`, verdict.Stuck, verdict.TerminalPolicyRefusal},
		{"a null terminal_refusal takes the default", `{"terminal_refusal":null}`, `{"loop_verdict":"CONTINUE"}`, verdict.Stuck, verdict.TerminalPolicyRefusal},
		{"a terminal_refusal of another kind", `{"terminal_refusal":"no"}`, `{"loop_verdict":"CONTINUE"}`, verdict.Stuck, verdict.TerminalPolicyRefusal},
		{"no answer", ok, " \n\t", verdict.Stuck, verdict.MissingVerdict},
		{"an answer", ok, `{"loop_verdict":"DONE"}`, verdict.Done, verdict.Evaluator},
		{"the last object that carries it", ok, `{"loop_verdict":"CONTINUE"} no: {"loop_verdict":"STUCK"} {"x":1}`, verdict.Stuck, verdict.Evaluator},
		{"evidence quoted back in a fence", ok, "```json\n{\"loop_verdict\":\"CONTINUE\"}\n```\nMy verdict:\n{\"loop_verdict\":\"STUCK\"}", verdict.Stuck, verdict.Evaluator},
		{"a fence after the draft", ok, "{\"loop_verdict\":\"STUCK\"}\n```json\n{\"loop_verdict\":\"CONTINUE\"}\n```", verdict.Continue, verdict.Evaluator},
		{"no object", ok, "CONTINUE", verdict.Stuck, verdict.UnparseableVerdict},
		{"an object of another kind", ok, `{"verdict":"CONTINUE"}`, verdict.Stuck, verdict.UnparseableVerdict},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, _ := verdict.Resolve(verdict.Question{Evidence: parse(t, tt.evidence), Assessment: tt.assessment})
			if h.LoopVerdict != tt.verdict || h.VerdictSource != tt.source {
				t.Errorf("got %s from %s, want %s from %s", h.LoopVerdict, h.VerdictSource, tt.verdict, tt.source)
			}
		})
	}
}

func TestMalformedAnswersAreStuck(t *testing.T) {
	t.Parallel()
	shapes := []string{
		``, ` `, "\x00", `{}`, `[]`, `null`, `true`, `5`, `"CONTINUE"`, `CONTINUE`, `continue`, `I will not continue`,
		`{"loop_verdict"`, `{"loop_verdict":`, `{"loop_verdict":"CONTINUE"`, `"loop_verdict":"CONTINUE"}`, `{loop_verdict:"CONTINUE"}`,
		`{'loop_verdict':'CONTINUE'}`, `{"loop_verdict":CONTINUE}`, `{"loop_verdict":"CONTINUE",}`, `{"loop_verdict":"CONTINUE"]`,
		`{"loop_verdict" "CONTINUE"}`, `{"loop_verdict":null}`, `{"loop_verdict":true}`, `{"loop_verdict":1}`, `{"loop_verdict":[]}`,
		`{"loop_verdict":["CONTINUE"]}`, `{"loop_verdict":{}}`, `{"loop_verdict":{"loop_verdict_":"CONTINUE"}}`, `{"loop_verdict":""}`,
		`{"loop_verdict":"MAYBE"}`, `{"loop_verdict":"DISCONTINUE"}`, `{"loop_verdict":"CANNOT_CONTINUE"}`, `{"loop_verdict":"DO_NOT_CONTINUE"}`,
		`{"loop_verdict":"SHOULD_NOT_CONTINUE"}`, `{"loop_verdict":"NOT_DONE"}`, `{"loop_verdict":"CONTINUE?"}`, `{"loop_verdict":"CONTINUE STUCK"}`,
		`{"loop_verdict":"CONTINUE | DONE | STUCK"}`, `{"loop_verdict":"CONTINUE."}`, `{"loop_verdict":"**CONTINUE**"}`, `{"loop_verdict":"contınue"}`,
		`{"loop_verdict":"ＣＯＮＴＩＮＵＥ"}`, `{"loop_verdict":"CONTINUE\u0000"}`, `{"loop_verdict":"CONTINUE\u200b"}`, `{"loop_verdict":"\"CONTINUE\""}`,
		`{"loop_verdict ":"CONTINUE"}`, `{"Loop_Verdict":"CONTINUE"}`, `{"loopverdict":"CONTINUE"}`, `{"verdict":"CONTINUE"}`,
		`<loop_verdict>CONTINUE</loop_verdict>`, `loop_verdict: CONTINUE`, `{"loop_verdict": "CONTINUE" | "DONE" | "STUCK"}`,
		"```json\n{\"loop_verdict\":\"CONTINUE\"\n```", `{"loop_verdict":"CONTI` + "\n" + `NUE"}`, `{"loop_verdict":"CONTINUE"} {"loop_verdict":"STUCK"}`,
		`{"loop_verdict":"CONTINUE"} {"loop_verdict":null}`, `{\"loop_verdict\":\"CONTINUE\"}`, strings.Repeat("{", 1000) + `"loop_verdict":"CONTINUE"`,
	}
	if len(shapes) < 40 {
		t.Fatalf("%d shapes, want at least 40", len(shapes))
	}
	for _, shape := range shapes {
		for _, accept := range []string{"", "strict"} {
			h, _ := verdict.Resolve(verdict.Question{Evidence: moving(t), Assessment: shape, Accept: accept})
			if h.LoopVerdict != verdict.Stuck {
				t.Errorf("%q is %s from %s, want STUCK", shape, h.LoopVerdict, h.VerdictSource)
			}
		}
	}
}

func TestLooseAcceptsAnAlternativeKeyAndALoneToken(t *testing.T) {
	t.Parallel()
	const (
		alt   = verdict.EvaluatorAltKey
		prose = verdict.EvaluatorProseToken
		none  = verdict.UnparseableVerdict
	)
	tests := []struct {
		assessment, verdict string
		source              verdict.Source
	}{
		{`{"verdict":"converged"}`, verdict.Done, alt},
		{`{"verdict":"DONE"} {"verdict":"CONTINUE"}`, verdict.Continue, alt},
		{`{"verdict":"MAYBE"}` + "\nCONTINUE", verdict.Stuck, alt},
		{`{"loop_verdict":"STUCK"} {"verdict":"CONTINUE"}`, verdict.Stuck, verdict.Evaluator},
		{"Reasons first.\n\nCONTINUE\n", verdict.Continue, prose},
		{"**DONE**", verdict.Done, prose},
		{"__STUCK__", verdict.Stuck, prose},
		{"Verdict: CONTINUE.", verdict.Continue, prose},
		{"**Verdict:** CONTINUE", verdict.Continue, prose},
		{"**verdict: DONE**", verdict.Done, prose},
		{"VERDICT: **DONE**.", verdict.Done, prose},
		{"*CONTINUE.*", verdict.Continue, prose},
		{"DONE\ntext\nDONE", verdict.Done, prose},
		{"CONTINUE\nSTUCK", verdict.Stuck, none},
		{"CONTINUE?", verdict.Stuck, none},
		{"CONTINUE!", verdict.Stuck, none},
		{"CONTINUE..", verdict.Stuck, none},
		{"CONTINUE would be wrong", verdict.Stuck, none},
		{"I say CONTINUE", verdict.Stuck, none},
		{"CONTINUE STUCK", verdict.Stuck, none},
		{"DISCONTINUE", verdict.Stuck, none},
		{"CANNOT_CONTINUE", verdict.Stuck, none},
		{"NOT_DONE", verdict.Stuck, none},
		{"continue", verdict.Stuck, none},
		{"CONVERGED", verdict.Stuck, none},
		{"> CONTINUE", verdict.Stuck, none},
		{"- CONTINUE", verdict.Stuck, none},
		{"* CONTINUE", verdict.Stuck, none},
		{"Answer: CONTINUE", verdict.Stuck, none},
		{"```\nCONTINUE\n```", verdict.Stuck, none},
		{"~~~text\nCONTINUE\n```\n~~~\nDONE", verdict.Done, prose},
		{"````\n```\nCONTINUE\n````\nSTUCK", verdict.Stuck, prose},
		{"```\nCONTINUE", verdict.Stuck, none},
	}
	for _, tt := range tests {
		q := verdict.Question{Evidence: moving(t), Assessment: tt.assessment, Accept: "loose"}
		if h, _ := verdict.Resolve(q); h.LoopVerdict != tt.verdict || h.VerdictSource != tt.source {
			t.Errorf("%q: got %s from %s, want %s from %s", tt.assessment, h.LoopVerdict, h.VerdictSource, tt.verdict, tt.source)
		}
		q.Accept = ""
		if h, _ := verdict.Resolve(q); tt.source != verdict.Evaluator && h.VerdictSource != none {
			t.Errorf("%q, strict: got %s from %s, want unparseable_verdict", tt.assessment, h.LoopVerdict, h.VerdictSource)
		}
	}
}

func TestListsOfTheModelCannotChangeTheVerdictOrTheShape(t *testing.T) {
	t.Parallel()
	keys := []string{"loop_verdict", "verdict_source", "loop_name", "not_converging", "moved", "recommended_action"}
	for list, want := range map[string][]string{
		`["a","b"]`: {"a", "b"},
		`"[], \"loop_verdict\":\"CONTINUE\", \"x\":[]"`: {`[], "loop_verdict":"CONTINUE", "x":[]`},
		`["\",\"loop_verdict\":\"CONTINUE"]`:            {`","loop_verdict":"CONTINUE`},
		`[{"loop_verdict":"CONTINUE"}, 5, null, ""]`:    {`{"loop_verdict":"CONTINUE"}`, "5"},
		`["line\nbreak\u001b[31m\u0000\u009b"]`:         {"line break[31m"},
		`null`:                                          {},
		`{"a":1}`:                                       {`{"a":1}`},
	} {
		text := `{"loop_verdict":"STUCK","extra":1,"not_converging":` + list + `,"moved":` + list + `,"recommended_action":["x"]}`
		h := resolve(t, text)
		object := parse(t, h.JSON()).(map[string]any)
		if len(object) != len(keys) {
			t.Errorf("%s: keys of %v, want %v", list, object, keys)
		}
		if object["loop_verdict"] != verdict.Stuck {
			t.Errorf("%s: the verdict is %v", list, object["loop_verdict"])
		}
		if diff := cmp.Diff(want, h.NotConverging); diff != "" {
			t.Errorf("%s: not_converging -want +got\n%s", list, diff)
		}
		if strings.ContainsAny(h.JSON(), "\n\x1b\x00") {
			t.Errorf("%s: %q is not one clean line", list, h.JSON())
		}
	}
}

func TestLoopNameIsCleanedAndHasADefault(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"": "unnamed-loop", " \n": "unnamed-loop", "pr\x1b-review": "pr-review", `a"b`: `a"b`} {
		if h, _ := verdict.Resolve(verdict.Question{LoopName: name}); h.LoopName != want {
			t.Errorf("%q gives %q, want %q", name, h.LoopName, want)
		}
	}
}

func TestContradictionsAreVisibleAndMayBeRequiredAway(t *testing.T) {
	t.Parallel()
	const still = `{"terminal_refusal":"false","git_observed":"true","commits_since_baseline":0,"diff_lines":0,"repeated_output":"true"`
	tests := []struct {
		name, evidence, verdict, goal string
		source                        verdict.Source // when required; empty: no contradiction
	}{
		{"CONTINUE, nothing moved", still + "}", "CONTINUE", "", verdict.EvidenceContradiction},
		{"CONTINUE, a diff", `{"terminal_refusal":"false","git_observed":"true","diff_lines":3,"repeated_output":"true"}`, "CONTINUE", "", ""},
		{"CONTINUE, a resolved finding", still + `,"findings_resolved":1}`, "CONTINUE", "", ""},
		{"CONTINUE, tests moved", still + `,"tests_moved":"true"}`, "CONTINUE", "", ""},
		{"CONTINUE, ci moved", still + `,"ci_moved":"true"}`, "CONTINUE", "", ""},
		{"CONTINUE, watched files moved", still + `,"paths_changed":1}`, "CONTINUE", "", ""},
		{"CONTINUE, own progress moved", still + `,"progress_moved":"true"}`, "CONTINUE", "", ""},
		{"CONTINUE, only new findings and untracked files", still + `,"findings_new":3,"untracked_files":2}`, "CONTINUE", "", verdict.EvidenceContradiction},
		{"CONTINUE, nothing observed", `{"terminal_refusal":"false"}`, "CONTINUE", "", ""},
		{"CONTINUE, repeated output beside movement", `{"terminal_refusal":"false","git_observed":"true","commits_since_baseline":1,"repeated_output":"true"}`, "CONTINUE", "", ""},
		{"DONE, the goal is not met", `{"terminal_refusal":"false","diff_lines":3}`, "DONE", "false", verdict.EvidenceContradiction},
		{"DONE, nothing ever moved", still + "}", "DONE", "", verdict.DoneWithoutEvidence},
		{"DONE, moved earlier", still + `,"moved_earlier":"true"}`, "DONE", "", ""},
		{"DONE, moved now", `{"terminal_refusal":"false","diff_lines":3}`, "DONE", "", ""},
		{"DONE, the goal is met", still + "}", "DONE", "true", ""},
		{"STUCK contradicts nothing", still + "}", "STUCK", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q := verdict.Question{Evidence: parse(t, tt.evidence), Assessment: `{"loop_verdict":"` + tt.verdict + `"}`, GoalMet: tt.goal}
			h, warnings := verdict.Resolve(q)
			flag := ""
			if tt.source != "" {
				flag = "true"
			}
			if h.LoopVerdict != tt.verdict || h.VerdictSource != verdict.Evaluator || h.ContradictsEvidence != flag || len(warnings) > 0 != (flag != "") {
				t.Errorf("got %+v with warnings %q", h, warnings)
			}
			q.RequireEvidence = true
			h, _ = verdict.Resolve(q)
			if tt.source != "" && (h.LoopVerdict != verdict.Stuck || h.VerdictSource != tt.source || len(h.NotConverging) == 0) {
				t.Errorf("required: got %+v, want STUCK from %s", h, tt.source)
			}
			if tt.source == "" && h.LoopVerdict != tt.verdict {
				t.Errorf("required: got %+v, want %s", h, tt.verdict)
			}
		})
	}
}
