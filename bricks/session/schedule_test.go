package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// past writes history as words: a workflow's id, with a ! behind a failure.
func past(text string) []Run {
	var runs []Run
	for _, word := range strings.Fields(text) {
		id, failed := strings.CutSuffix(word, "!")
		runs = append(runs, Run{Workflow: id, Success: !failed})
	}
	return runs
}

func on(w Workflow) Workflow {
	w.Enabled = true
	w.RunEvery = max(w.RunEvery, 1)
	return w
}

func TestTheSchedulersRules(t *testing.T) {
	t.Parallel()
	plan, work := on(Workflow{ID: "plan"}), on(Workflow{ID: "work"})
	for name, tc := range map[string]struct {
		set  Workflows
		want map[string]string
	}{
		"in turn, the first by id": {Workflows{work, plan}, map[string]string{"": "plan", "plan": "work", "plan work": "plan", "plan!": "work"}},
		"priority":                 {Workflows{on(Workflow{ID: "work", Priority: 1}), plan}, map[string]string{"": "work", "work": "work", "work!": "work"}},
		"disabled":                 {Workflows{{ID: "plan", RunEvery: 1}, work}, map[string]string{"": "work", "work work": "work"}},
		"run_every counts successes": {Workflows{on(Workflow{ID: "plan", Priority: 1, RunEvery: 3}), work},
			map[string]string{"": "plan", "plan": "work", "plan work": "work", "plan work work": "plan", "plan work work!": "work", "plan!": "plan"}},
		"not_before": {Workflows{on(Workflow{ID: "plan", Priority: 1, NotBefore: 2}), work}, map[string]string{"": "work", "work": "work", "work work!": "plan"}},
		"must_follow": {Workflows{on(Workflow{ID: "review", Priority: 1, MustFollow: "work"}), work},
			map[string]string{"": "work", "work": "review", "work review": "work", "work!": "work", "work review!": "review", "work review! work!": "review"}},
		"run_after_successes": {Workflows{on(Workflow{ID: "review", Priority: 1, RunAfterSuccesses: &AfterSuccesses{"work", 2}}), work},
			map[string]string{"": "work", "work": "work", "work work!": "work", "work work": "review", "work work review": "work", "work work review work work": "review", "work work review!": "review"}},
		"run_on_start lifts waiting for others": {Workflows{on(Workflow{ID: "review", Priority: 1, RunOnStart: true, MustFollow: "work", RunAfterSuccesses: &AfterSuccesses{"work", 2}}), work},
			map[string]string{"": "review", "review!": "review", "review": "work", "review work": "work", "review work work": "review"}},
		"goal_check waits for another's success": {Workflows{on(Workflow{ID: GoalCheckWorkflow, Priority: 1}), work},
			map[string]string{"": "work", "work!": "work", "work": GoalCheckWorkflow}},
		"goal_check alone": {Single(GoalCheckWorkflow, "r"), map[string]string{"": GoalCheckWorkflow, "goal_check goal_check!": GoalCheckWorkflow}},
		"a wait is cut short rather than forever": {Workflows{on(Workflow{ID: "a", RunEvery: 5}), on(Workflow{ID: "b", RunEvery: 3})},
			map[string]string{"": "a", "a": "b", "a b": "b", "a b b": "a"}},
		"none": {Workflows{on(Workflow{ID: "a", MustFollow: "b"}), on(Workflow{ID: "b", MustFollow: "a"})}, map[string]string{"": ""}},
	} {
		for history, want := range tc.want {
			got, ok := tc.set.Next(past(history))
			if got != want || ok != (want != "") {
				t.Errorf("%s, after %q: got %q, want %q\n%+v", name, history, got, want, tc.set.Explain(past(history)))
			}
		}
	}
}

func TestExplainSaysWhy(t *testing.T) {
	t.Parallel()
	set := Workflows{on(Workflow{ID: "work", Priority: 2}), on(Workflow{ID: "review", MustFollow: "work", RunAfterSuccesses: &AfterSuccesses{"work", 2}, NotBefore: 3}), {ID: "off", RunEvery: 1}}
	got := set.Explain(past("work"))
	want := Explanation{
		Iteration: 2, Chosen: "work", Reason: "the highest priority, then the longest wait, then the id",
		Workflows: []Standing{
			{Workflow: "off", Rules: []Rule{{"enabled", false, "it is not enabled", 0}, {"not_before", true, "1 iterations have finished, and it waits for 0", 0}, {"run_every", true, "it has had no success yet", 0}}},
			{Workflow: "review", Rules: []Rule{{"enabled", true, "it is enabled", 0}, {"not_before", false, "1 iterations have finished, and it waits for 3", 2},
				{"must_follow", true, "the last success was work, and it follows work", 0}, {"run_after_successes", false, "work has had 1 successes since its last, and it waits for 2", 0},
				{"run_every", true, "it has had no success yet", 0}}},
			{Workflow: "work", Eligible: true, Chosen: true, Priority: 2, LastRun: 1, Rules: []Rule{{"enabled", true, "it is enabled", 0}, {"not_before", true, "1 iterations have finished, and it waits for 0", 0},
				{"run_every", true, "it would be success 1 since its last, and it runs on every 1", 0}}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// workflowSets generates sets that Check accepts or not.
func workflowSets() *rapid.Generator[Workflows] {
	return rapid.Custom(func(t *rapid.T) Workflows {
		ids := []string{"a", "b", "c", GoalCheckWorkflow}[:rapid.IntRange(1, 4).Draw(t, "size")]
		var set Workflows
		for _, id := range ids {
			w := Workflow{
				ID: id, Recipe: id, Enabled: rapid.IntRange(0, 5).Draw(t, "on") > 0, Priority: rapid.IntRange(-1, 1).Draw(t, "priority"),
				RunEvery: rapid.IntRange(1, 4).Draw(t, "every"), NotBefore: rapid.IntRange(0, 3).Draw(t, "before"),
				RunOnStart: rapid.Bool().Draw(t, "start"), EmitsGoalCheck: id == GoalCheckWorkflow,
			}
			if rapid.IntRange(0, 3).Draw(t, "follows") == 0 {
				w.MustFollow = rapid.SampledFrom(ids).Draw(t, "follow")
			}
			if rapid.IntRange(0, 3).Draw(t, "waits") == 0 {
				w.RunAfterSuccesses = &AfterSuccesses{rapid.SampledFrom(ids).Draw(t, "after"), rapid.IntRange(1, 3).Draw(t, "times")}
			}
			set = append(set, w)
		}
		return set
	})
}

func histories(set Workflows) *rapid.Generator[[]Run] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Run {
		return Run{Workflow: rapid.SampledFrom(set).Draw(t, "workflow").ID, Success: rapid.Bool().Draw(t, "success")}
	}), 0, 30)
}

func TestTheChoiceDependsOnSetAndPastOnly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		set := workflowSets().Draw(t, "set")
		runs := histories(set).Draw(t, "past")
		e := set.Explain(runs)
		shuffled := rapid.Permutation(set).Draw(t, "order")
		before := slices.Clone(shuffled)
		if diff := cmp.Diff(e, shuffled.Explain(runs)); diff != "" {
			t.Fatalf("another order of the set (-want +got):\n%s", diff)
		}
		if !cmp.Equal(before, shuffled) {
			t.Fatal("the set was changed")
		}
	})
}

func TestTheChosenIsTheBestOfTheEligible(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		set := workflowSets().Draw(t, "set")
		e := set.Explain(histories(set).Draw(t, "past"))
		chosen := slices.IndexFunc(e.Workflows, func(s Standing) bool { return s.Chosen })
		anyEligible := slices.ContainsFunc(e.Workflows, func(s Standing) bool { return s.Eligible })
		if (chosen >= 0) != (e.Chosen != "") || anyEligible && (chosen < 0 || !e.Workflows[chosen].Eligible) {
			t.Fatalf("chosen %q of %+v", e.Chosen, e.Workflows)
		}
		for _, s := range e.Workflows {
			waits := slices.ContainsFunc(s.Rules, func(r Rule) bool { return !r.Met && r.Wait == 0 })
			met := !slices.ContainsFunc(s.Rules, func(r Rule) bool { return !r.Met })
			if s.Eligible != met || s.Eligible && anyEligible && s.before(&e.Workflows[chosen]) || s.Chosen && waits {
				t.Fatalf("%+v against %q", s, e.Chosen)
			}
		}
	})
}

func TestAOneWorkflowSetKeepsRunning(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := on(Workflow{
			ID: rapid.SampledFrom([]string{"work", GoalCheckWorkflow}).Draw(t, "id"), RunEvery: rapid.IntRange(1, 9).Draw(t, "every"),
			NotBefore: rapid.IntRange(0, 9).Draw(t, "before"), RunOnStart: rapid.Bool().Draw(t, "start"), Priority: rapid.Int().Draw(t, "priority"),
		})
		set := Workflows{w}
		if rapid.Bool().Draw(t, "beside one that is off") {
			set = append(set, Workflow{ID: "off", RunEvery: 1})
		}
		if err := set.Check(); err != nil {
			t.Fatal(err)
		}
		var runs []Run
		for range 30 {
			id, ok := set.Next(runs)
			if !ok || id != w.ID {
				t.Fatalf("stops after %d: %+v", len(runs), set.Explain(runs))
			}
			runs = append(runs, Run{Workflow: id, Success: rapid.Bool().Draw(t, "success")})
		}
	})
}

func TestWorkflowsThatWaitForNobodyNeverEndTheLoopNorStarve(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var set Workflows
		for i := range rapid.IntRange(1, 4).Draw(t, "size") {
			set = append(set, on(Workflow{ID: fmt.Sprintf("w%d", i), RunEvery: rapid.IntRange(1, 3).Draw(t, "every"), NotBefore: rapid.IntRange(0, 3).Draw(t, "before")}))
		}
		var runs []Run
		ran := map[string]bool{}
		for range 20 {
			id, ok := set.Next(runs)
			if !ok {
				t.Fatalf("none after %d", len(runs))
			}
			ran[id] = true
			runs = append(runs, Run{Workflow: id, Success: true})
		}
		if len(ran) != len(set) {
			t.Fatalf("only %v ran of %+v", ran, set)
		}
	})
}

func TestDecodeWorkflows(t *testing.T) {
	t.Parallel()
	list := []any{
		map[string]any{"recipe": "plan", "run_on_start": true},
		map[string]any{"id": "check", "recipe": "goal", "run_every": num("2"), "priority": num("-1"), "enabled": false, "emits_goal_check": true, "not_before": num("3"), "must_follow": "plan",
			"run_after_successes": map[string]any{"workflow": "plan", "every": num("2")}, "description": "d"},
		map[string]any{"id": GoalCheckWorkflow},
	}
	want := Workflows{
		{ID: "check", Recipe: "goal", Priority: -1, RunEvery: 2, NotBefore: 3, MustFollow: "plan", EmitsGoalCheck: true, RunAfterSuccesses: &AfterSuccesses{"plan", 2}, Description: "d"},
		{ID: GoalCheckWorkflow, Recipe: GoalCheckWorkflow, Enabled: true, RunEvery: 1, EmitsGoalCheck: true},
		{ID: "plan", Recipe: "plan", Enabled: true, RunEvery: 1, RunOnStart: true},
	}
	got, err := DecodeWorkflows(list)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("a list: %v (-want +got):\n%s", err, diff)
	}
	byID := map[string]any{"plan": list[0], GoalCheckWorkflow: map[string]any{"recipe": GoalCheckWorkflow}}
	got, err = DecodeWorkflows(byID)
	if diff := cmp.Diff(want[1:], got); diff != "" || err != nil {
		t.Errorf("a map: %v (-want +got):\n%s", err, diff)
	}
	for _, w := range want {
		if got := want.Emits(w.ID); got != w.EmitsGoalCheck || (Workflows{{ID: "x"}}).Emits("x") {
			t.Errorf("%s emits: %v", w.ID, got)
		}
	}
}

func TestDecodeWorkflowsListsAllFindings(t *testing.T) {
	t.Parallel()
	_, err := DecodeWorkflows([]any{map[string]any{"id": "a", "run_every": "2", "every": num("1")}, num("3"), map[string]any{"enabled": num("1")}})
	wantInvalid(t, "", err, "workflows[0].every: is not a key of this document", "workflows[0].run_every: is a string, not a number", "workflows[1]: is a number, not a map",
		"workflows[2].enabled: is a number, not a bool", "workflows[2].recipe: is missing, and so is id")
	_, err = DecodeWorkflows([]any{
		map[string]any{"id": "a", "run_every": num("0"), "must_follow": "a"}, map[string]any{"id": "a/b", "not_before": num("-1")},
		map[string]any{"id": "c", "run_after_successes": map[string]any{"workflow": "nobody", "every": num("0")}}, map[string]any{"id": "c", "must_follow": "off"},
		map[string]any{"id": "off", "enabled": false},
	})
	wantInvalid(t, "", err, "workflows.a.run_every: must be at least 1", "workflows.a.must_follow: a workflow that waits for itself never runs", "workflows.a/b: an id has letters",
		"workflows.a/b.not_before: must be at least 0", `workflows.c.run_after_successes.workflow: there is no workflow "nobody"`, "workflows.c.run_after_successes.every: must be at least 1",
		"workflows.c: is there twice", `workflows.c.must_follow: the workflow "off" is not enabled`)
	for _, v := range []any{nil, "plan", []any{}, map[string]any{}, []any{map[string]any{"id": "a", "enabled": false}}} {
		if set, err := DecodeWorkflows(v); err == nil {
			t.Errorf("%v is %v", v, set)
		}
	}
	_, err = DecodeWorkflows([]any{map[string]any{"id": "a", "must_follow": "b"}, map[string]any{"id": "b", "must_follow": "a"}})
	wantInvalid(t, "", err, "no workflow can run first")
}
