package bricks_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/brickoven/brickoven/bricks"
	"github.com/brickoven/brickoven/bricks/evidence"
	"github.com/brickoven/brickoven/bricks/verdict"
	"github.com/brickoven/brickoven/recipes/value"
)

const (
	collector = "loop-evidence-collector"
	evaluator = "loop-health-evaluator"
)

// document reads a built-in recipe.
func document(t *testing.T, name string) (recipe map[string]any, text string) {
	t.Helper()
	raw, ok := bricks.Builtin(name)
	if !ok {
		t.Fatalf("no built-in recipe %s", name)
	}
	if err := yaml.Unmarshal(raw, &recipe); err != nil {
		t.Fatal(err)
	}
	if recipe["name"] != name {
		t.Errorf("%s calls itself %v", name, recipe["name"])
	}
	return recipe, string(raw)
}

func TestBuiltinFindsTheEmbeddedRecipesOnly(t *testing.T) {
	t.Parallel()
	for _, name := range []string{collector, evaluator} {
		if !slices.Contains(bricks.Names(), name) {
			t.Errorf("%s is not listed in %v", name, bricks.Names())
		}
		document(t, name)
	}
	for _, name := range []string{"", "nothing", "../" + collector, collector + ".yaml", `..\x`} {
		if _, ok := bricks.Builtin(name); ok {
			t.Errorf("%q is found", name)
		}
	}
}

func TestNoCapAndNoTimeoutInEitherFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{collector, evaluator} {
		recipe, _ := document(t, name)
		var keys func(v any)
		keys = func(v any) {
			switch v := v.(type) {
			case map[string]any:
				for key, item := range v {
					for _, banned := range []string{"timeout", "max_", "iteration", "retry", "rounds", "attempts", "limit", "recursion"} {
						if strings.Contains(key, banned) {
							t.Errorf("%s has the key %s", name, key)
						}
					}
					keys(item)
				}
			case []any:
				for _, item := range v {
					keys(item)
				}
			}
		}
		keys(recipe)
	}
}

func TestStepsHaveTheSeedsIdsOrderAndOutputs(t *testing.T) {
	t.Parallel()
	fields := func(name string, keys ...string) (rows [][]any) {
		recipe, _ := document(t, name)
		for _, step := range recipe["steps"].([]any) {
			var row []any
			for _, key := range keys {
				row = append(row, step.(map[string]any)[key])
			}
			rows = append(rows, row)
		}
		return rows
	}
	want := [][]any{
		{"step-01-collect-loop-evidence", "recipe", nil, nil},
		{"step-02-evaluate-loop-health", "agent", "loop_health_assessment", nil},
		{"step-03-resolve-loop-verdict", nil, "loop_health", true},
		{"step-04-enforce-loop-verdict", nil, "loop_health_enforcement", nil},
	}
	if diff := cmp.Diff(want, fields(evaluator, "id", "type", "output", "parse_json")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	want = [][]any{{"step-01-collect-loop-evidence", "loop_evidence", true}}
	if diff := cmp.Diff(want, fields(collector, "id", "output", "parse_json")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	recipe, _ := document(t, evaluator)
	if got := recipe["steps"].([]any)[1].(map[string]any)["condition"]; got != "loop_evidence.terminal_refusal == 'false'" {
		t.Errorf("step-02's condition is %v", got)
	}
}

func TestDefaultsAreThoseOfTheSeed(t *testing.T) {
	t.Parallel()
	want := map[string]any{
		"loop_name": "unnamed-loop", "loop_round_label": "", "loop_history": "", "loop_last_round_output": "", "loop_repo_path": ".",
		"loop_baseline_ref": "", "loop_child_exit_code": "", "loop_findings_current": "", "loop_findings_previous": "",
		"loop_test_signal": "", "loop_test_signal_previous": "", "loop_ci_signal": "", "loop_ci_signal_previous": "", "loop_health_enforce": "true",
	}
	recipe, _ := document(t, evaluator)
	for name, text := range want {
		if got := recipe["context"].(map[string]any)[name]; got != text {
			t.Errorf("%s is %#v, want %#v", name, got, text)
		}
	}
	measured, _ := document(t, collector)
	for name, text := range measured["context"].(map[string]any) {
		if got := recipe["context"].(map[string]any)[name]; got != text {
			t.Errorf("%s differs: %v in the collector, %v in the evaluator", name, text, got)
		}
	}
}

func TestEveryNativeOfTheRecipesExists(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, name := range bricks.Names() {
		recipe, _ := document(t, name)
		for _, step := range recipe["steps"].([]any) {
			if uses, ok := step.(map[string]any)["uses"].(string); ok {
				used[uses] = true
				if bricks.Natives()[uses] == nil {
					t.Errorf("%s uses %s, which does not exist", name, uses)
				}
			}
		}
	}
}

func TestPromptStatesTheContractFirstAndLast(t *testing.T) {
	t.Parallel()
	recipe, _ := document(t, evaluator)
	prompt := recipe["steps"].([]any)[1].(map[string]any)["prompt"].(string)
	at := -1
	for _, part := range []string{
		"## OUTPUT CONTRACT\n", `{"loop_verdict":`, "If you are not sure, STUCK", "2h47m", "{{ clip 65536 loop_evidence }}", "{{ clip 65536 loop_history }}",
		"{{ clip 65536 loop_last_round_output }}", "## OUTPUT CONTRACT (repeated)\n", `{"loop_verdict":`, "any other word is STUCK",
	} {
		next := strings.Index(prompt[at+1:], part)
		if next < 0 {
			t.Fatalf("%q is missing after byte %d", part, at)
		}
		at += 1 + next
	}
	if strings.Contains(prompt[at:], "{{") {
		t.Error("data stands after the repeated contract")
	}
	e := evidence.Collect(evidence.Inputs{}, world().evidence())
	for key := range parse(t, e.JSON()).(map[string]any) {
		if !strings.Contains(prompt, key) && key != "measured_by" && key != "watch_manifest" && !strings.HasPrefix(key, "terminal_") {
			t.Errorf("the prompt does not say how to read %s", key)
		}
	}
}

// The example object is what a lazy model copies, so it must not go on.
func TestAnEchoedPromptIsStuck(t *testing.T) {
	t.Parallel()
	recipe, _ := document(t, evaluator)
	prompt := recipe["steps"].([]any)[1].(map[string]any)["prompt"].(string)
	for _, accept := range []string{"strict", "loose"} {
		h, _ := verdict.Resolve(verdict.Question{Evidence: map[string]any{"terminal_refusal": "false"}, Assessment: prompt, Accept: accept})
		if h.LoopVerdict != verdict.Stuck {
			t.Errorf("%s: an echoed prompt is %s", accept, h.LoopVerdict)
		}
	}
}

func parse(t *testing.T, text string) any {
	t.Helper()
	v, err := value.Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

// place is a working directory for natives.
type place struct {
	git   func(dir string, args ...string) (string, error)
	files func(dir string) fs.FS
}

func world() place {
	return place{
		git:   func(string, ...string) (string, error) { return "", errors.New("fatal: not a git repository") },
		files: func(string) fs.FS { return fstest.MapFS{} },
	}
}

func (p place) evidence() evidence.World { return evidence.World{Git: p.git, Files: p.files} }

// evaluate runs the evaluator's steps as the runner does, with answer as the
// judge's; an empty answer means the built-in rules.
func evaluate(t *testing.T, vars map[string]any, answer string) (health map[string]any, enforced bricks.Result, log string) {
	t.Helper()
	p := world()
	scope := map[string]any{}
	for name, v := range vars {
		scope[name] = v
	}
	run := func(f bricks.Native) bricks.Result {
		result, err := f(context.Background(), bricks.Call{Inputs: scope, Git: p.git, Files: p.files})
		if err != nil {
			t.Fatal(err)
		}
		log += result.Stderr
		return result
	}
	natives := bricks.Natives()
	_, scope["loop_evidence"] = value.Capture(run(natives["collect-loop-evidence"]).Stdout)
	if refused, _ := value.At(scope["loop_evidence"], []string{"terminal_refusal"}); refused == "false" {
		if answer == "" {
			answer = run(bricks.Agents()["rules"]).Stdout
		}
		_, scope["loop_health_assessment"] = value.Capture(answer)
	}
	_, scope["loop_health"] = value.Capture(run(natives["resolve-loop-verdict"]).Stdout)
	enforced = run(natives["enforce-loop-verdict"])
	return scope["loop_health"].(map[string]any), enforced, log
}

func TestTheBrickDoesNotPoisonItselfOverRounds(t *testing.T) {
	t.Parallel()
	moving := map[string]any{"loop_progress": "2", "loop_progress_previous": "1"}
	refused, enforced, log := evaluate(t, map[string]any{"loop_child_exit_code": "79", "loop_last_round_output": "BLOCKED_TERMINAL, exit code 79"}, "")
	if refused["verdict_source"] != "terminal_policy_refusal" || enforced.ExitCode != 1 {
		t.Fatalf("got %v, exit %d", refused, enforced.ExitCode)
	}
	history := ""
	for round := range 5 {
		history += log + enforced.Stdout + value.JSON(refused) + "\n" + `{"round":` + value.JSON(round) + `,"report":` + value.JSON(log) + `,"health":` + value.JSON(refused) + "}\n"
		moving["loop_history"] = history
		var health map[string]any
		health, enforced, log = evaluate(t, moving, "")
		if health["loop_verdict"] != "CONTINUE" {
			t.Fatalf("round %d is %v after its own reports:\n%s", round, health, history)
		}
	}
}

func TestWorkedExampleIsStuckByTheRulesToo(t *testing.T) {
	t.Parallel()
	health, enforced, _ := evaluate(t, map[string]any{
		"loop_history":           strings.Repeat("step finished in 10m 0s\n", 7),
		"loop_last_round_output": "The review workflow is still running; I'm waiting for its structured findings.",
		"loop_findings_current":  []any{"F1", "F2"},
		"loop_findings_previous": "F1\nF2",
	}, "")
	if health["loop_verdict"] != "STUCK" || health["verdict_source"] != "rules" || enforced.ExitCode != 1 {
		t.Errorf("got %v, exit %d", health, enforced.ExitCode)
	}
	if !strings.Contains(enforced.Stderr, "7 steps report the same duration 10m 0s") {
		t.Errorf("the report does not name the ceiling:\n%s", enforced.Stderr)
	}
}

func TestRulesSayWhyTheyJudge(t *testing.T) {
	t.Parallel()
	for judge, want := range map[string]string{"rules": "loop_judge is rules", "auto": "no agent is configured", "": "no agent is configured"} {
		_, _, log := evaluate(t, map[string]any{"loop_judge": judge}, "")
		if !strings.Contains(log, want) {
			t.Errorf("loop_judge %q: the log lacks %q:\n%s", judge, want, log)
		}
	}
}

func TestAnAnswerOfAFailedOrSkippedJudgeDoesNotCount(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{"completed": "CONTINUE", "failed": "STUCK", "skipped": "STUCK", "degraded": "STUCK"} {
		vars := map[string]any{
			"loop_progress": "2", "loop_progress_previous": "1",
			"steps": map[string]any{"step-02-evaluate-loop-health": map[string]any{"status": status}},
		}
		if health, _, _ := evaluate(t, vars, `{"loop_verdict":"CONTINUE"}`); health["loop_verdict"] != want {
			t.Errorf("%s: got %v, want %s", status, health, want)
		}
	}
}

func TestStuckIsReportedButNotEnforcedOnRequest(t *testing.T) {
	t.Parallel()
	for enforce, want := range map[any]int{"false": 0, false: 0, "False": 0, "true": 1, nil: 1, "": 1, "no": 1} {
		_, enforced, _ := evaluate(t, map[string]any{"loop_health_enforce": enforce}, `{"loop_verdict":"STUCK"}`)
		if enforced.ExitCode != want || enforced.Stdout != "" || enforced.Stderr == "" {
			t.Errorf("%v: exit %d, stdout %q", enforce, enforced.ExitCode, enforced.Stdout)
		}
	}
}

func TestReferencePageMatchesTheRules(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/loop-health.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range verdict.RuleTable() {
		if row := "| " + rule.Name + " | " + rule.When + " | " + rule.Verdict + " |"; !strings.Contains(string(page), row) {
			t.Errorf("docs/loop-health.md lacks the row\n%s", row)
		}
	}
	for key := range parse(t, evidence.Evidence{}.JSON()).(map[string]any) {
		if !strings.Contains(string(page), "`"+key+"`") {
			t.Errorf("docs/loop-health.md lacks the field %s", key)
		}
	}
	recipe, _ := document(t, evaluator)
	for name := range recipe["context"].(map[string]any) {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/loop-health.md lacks the input %s", name)
		}
	}
}
