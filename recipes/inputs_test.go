package recipes

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInputsAreCheckedAllAtOnce(t *testing.T) {
	t.Parallel()
	r := parse(t, `name: x
context: {task: "", other: set, n: 5}
inputs:
  task: {required: true, description: what to do}
  other: {required: true, type: string}
  n: {type: number}
  flag: {type: boolean}
  level: {type: choice, options: [low, high]}
  data: {type: json}
  doc: {description: only a note}
context_validation: {repo: git_repo, dir: path, title: nonempty, spare: optional}
steps: [{id: a, command: echo}]
`)
	probe := Probe{
		Exists:    func(path string) bool { return path == "there" },
		IsGitRepo: func(path string) bool { return path == "repo" },
	}
	good := map[string]any{"repo": "repo", "dir": "there", "title": "t", "task": "x"}
	with := func(name string, v any) map[string]any {
		vars := map[string]any{name: v}
		for k, other := range good {
			if k != name {
				vars[k] = other
			}
		}
		return vars
	}
	without := func(name string) map[string]any {
		vars := with(name, nil)
		delete(vars, name)
		return vars
	}
	for name, test := range map[string]struct {
		vars map[string]any
		want []string
	}{
		"good":             {good, nil},
		"nothing":          {nil, []string{`the input "task" is required`, `the variable "repo" must be a git repository, not ""`, `the variable "dir" must be a path that exists, not ""`, `the variable "title" must not be empty`}},
		"required null":    {with("task", nil), []string{`the input "task" is required`}},
		"required empty":   {with("task", ""), nil},
		"number":           {with("n", "many"), []string{`the input "n" must be a number, not the text "many"`}},
		"number as text":   {with("n", "1.10"), nil},
		"bool":             {with("flag", json.Number("1")), []string{`the input "flag" must be true or false, not number 1`}},
		"bool as text":     {with("flag", "False"), nil},
		"choice":           {with("level", "medium"), []string{`the input "level" must be one of low, high, not the text "medium"`}},
		"choice given":     {with("level", "low"), nil},
		"json":             {with("data", "{"), []string{`the input "data" must be JSON, not the text "{"`}},
		"json as value":    {with("data", map[string]any{"a": true}), nil},
		"text is a map":    {with("other", map[string]any{}), []string{`the input "other" must be a text, not a map`}},
		"documentation":    {with("doc", []any{}), nil},
		"not a repository": {with("repo", "elsewhere"), []string{`the variable "repo" must be a git repository, not "elsewhere"`}},
		"no such path":     {with("dir", "elsewhere"), []string{`the variable "dir" must be a path that exists, not "elsewhere"`}},
		"blank":            {with("title", "  \n"), []string{`the variable "title" must not be empty`}},
		"title missing":    {without("title"), []string{`the variable "title" must not be empty`}},
	} {
		var got []string
		for _, fault := range r.CheckInputs(test.vars, probe) {
			got = append(got, fault.Message)
			if fault.Pos.Line == 0 || fault.Code != "bad-input" || fault.Warning {
				t.Errorf("%s: %+v", name, fault)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestAListOfNamesDocumentsAndChecksNothing(t *testing.T) {
	t.Parallel()
	r := parse(t, "name: x\ninputs:\n  - task\n  - name: repo\n    description: where\nsteps: [{id: a, command: echo}]\n")
	if found := r.CheckInputs(nil, Probe{}); found != nil {
		t.Error(found)
	}
}
