package tests

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent is a client of brickoven mcp, as an agent is.
type agent struct {
	t       *testing.T
	folder  *folder
	session *mcp.ClientSession
}

// connect starts the server over stdio.
func (p *folder) connect(args ...string) *agent {
	p.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	session, err := client.Connect(p.t.Context(), &mcp.CommandTransport{Command: p.command(append([]string{"mcp"}, args...)...)}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = session.Close() })
	return &agent{p.t, p, session}
}

// call calls a tool and reads its answer; fault is the text of a tool's error.
func (a *agent) call(tool string, args map[string]any, into any) (fault string) {
	a.t.Helper()
	res, err := a.session.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err.Error()
	}
	var text strings.Builder
	for _, content := range res.Content {
		if part, is := content.(*mcp.TextContent); is {
			text.WriteString(part.Text)
		}
	}
	if res.IsError {
		return text.String()
	}
	data, err := json.Marshal(res.StructuredContent)
	if err == nil && into != nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		a.t.Fatalf("%s: %v\n%s", tool, err, text.String())
	}
	return ""
}

var mcpRecipes = map[string]string{
	"recipes/hello.yaml": `name: hello
description: Says hello
context: {who: world, times: 1}
steps:
  - {id: greet, command: 'echo "hello {{who}}"; test {{times}} -lt 3 || exit 4'}
`,
	"recipes/other.yaml": "name: other\nsteps: [{id: other, command: 'echo x >ran'}]\n",
	"recipes/slow.yaml": `name: slow
steps: [{id: wait, command: "touch began; while ! test -e go; do sleep 0.02; done; echo went"}]
finally: [{id: tidy, command: echo x >tidied}]
`,
	"recipes/wrong.yaml": "name: wrong\nsteps: [{id: a, command: 'echo {{nothere}}'}, {id: a, command: b}]\n",
}

type mcpRun struct {
	Run      string   `json:"run"`
	Status   string   `json:"status"`
	EndedOK  bool     `json:"ended_ok"`
	Running  bool     `json:"running"`
	ExitCode int      `json:"exit_code"`
	Step     string   `json:"step"`
	Commands []string `json:"commands"`
	Steps    []struct {
		Path   string `json:"path"`
		Status string `json:"status"`
	} `json:"steps"`
}

func TestAnAgentUsesEveryToolOverMCP(t *testing.T) {
	t.Parallel()
	p := newFolder(t, mcpRecipes)
	a := p.connect("--allow-run", "hello")
	tools, err := a.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names, readers []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
		if tool.Description == "" {
			t.Errorf("%s has no description", tool.Name)
		}
		if tool.Annotations != nil && tool.Annotations.ReadOnlyHint {
			readers = append(readers, tool.Name)
		}
	}
	slices.Sort(names)
	want := []string{"explain_recipe", "list_recipes", "list_runs", "read_output", "run_recipe", "show_run", "validate_recipe"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if len(readers) != len(want)-1 || slices.Contains(readers, "run_recipe") {
		t.Errorf("read only are %v", readers)
	}

	var list struct {
		Recipes []struct {
			Name   string `json:"name"`
			MayRun bool   `json:"may_run"`
		} `json:"recipes"`
	}
	a.must("list_recipes", nil, &list)
	may := map[string]bool{}
	for _, r := range list.Recipes {
		may[r.Name] = r.MayRun
	}
	if !may["hello"] || may["other"] || len(may) < 6 {
		t.Errorf("the recipes are %+v", list)
	}

	var told struct{ Text, Graph string }
	a.must("explain_recipe", map[string]any{"recipe": "hello"}, &told)
	if !strings.Contains(told.Text, "Recipe: hello") || !strings.Contains(told.Graph, "flowchart") {
		t.Errorf("explained: %+v", told)
	}

	var found struct {
		OK     bool           `json:"ok"`
		Report map[string]any `json:"report"`
	}
	a.must("validate_recipe", map[string]any{"recipe": "hello"}, &found)
	if !found.OK {
		t.Errorf("validated: %+v", found)
	}
	a.must("validate_recipe", map[string]any{"recipe": "recipes/wrong.yaml"}, &found)
	if text, _ := json.Marshal(found.Report); found.OK || !strings.Contains(string(text), "wrong.yaml") {
		t.Errorf("validated: %+v", found)
	}

	var run mcpRun
	a.must("run_recipe", map[string]any{"recipe": "hello", "inputs": map[string]any{"who": "moon's \"dark\" side"}}, &run)
	if !run.EndedOK || run.Status != "success" || run.Run == "" {
		t.Errorf("ran: %+v", run)
	}
	var outputs struct {
		Outputs []struct{ What, Text string } `json:"outputs"`
	}
	a.must("read_output", map[string]any{"step": "greet"}, &outputs)
	if len(outputs.Outputs) != 1 || outputs.Outputs[0].Text != "hello moon's \"dark\" side\n" {
		t.Errorf("the output is %+v", outputs)
	}

	// A run that fails is no fault of the tool, and says what to do.
	var failed mcpRun
	a.must("run_recipe", map[string]any{"recipe": "hello", "inputs": map[string]any{"times": 3}}, &failed)
	if failed.EndedOK || failed.ExitCode != 1 || failed.Step != "greet" || len(failed.Commands) == 0 {
		t.Errorf("failed: %+v", failed)
	}

	var runs struct {
		Runs []struct {
			Run    string `json:"run"`
			Status string `json:"status"`
		} `json:"runs"`
	}
	a.must("list_runs", map[string]any{"limit": 5}, &runs)
	if len(runs.Runs) != 2 || runs.Runs[0].Run != failed.Run || runs.Runs[1].Status != "success" {
		t.Errorf("the runs are %+v", runs)
	}
	var again mcpRun
	a.must("show_run", map[string]any{"run": run.Run}, &again)
	if diff := cmp.Diff(run, again); diff != "" {
		t.Error(diff)
	}
}

func (a *agent) must(tool string, args map[string]any, into any) {
	a.t.Helper()
	if args == nil {
		args = map[string]any{}
	}
	if fault := a.call(tool, args, into); fault != "" {
		a.t.Fatalf("%s: %s", tool, fault)
	}
}

func TestWhatIsNotAllowedDoesNotRunOverMCP(t *testing.T) {
	t.Parallel()
	p := newFolder(t, mcpRecipes)
	a := p.connect("--allow-run", "hello")
	for name, want := range map[string]string{
		"other":                     "not allowed",
		"./recipes/hello.yaml":      "not allowed",
		"recipes/../recipes/x.yaml": "not allowed",
		"--help":                    "not allowed",
		"":                          "not allowed",
	} {
		if fault := a.call("run_recipe", map[string]any{"recipe": name}, nil); !strings.Contains(fault, want) {
			t.Errorf("%q: %q", name, fault)
		}
	}
	// What was allowed is what it was when the server started.
	if err := os.WriteFile(p.path("recipes/hello.yaml"), []byte("name: hello\nsteps: [{id: other, command: 'echo x >ran'}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if fault := a.call("run_recipe", map[string]any{"recipe": "hello"}, nil); !strings.Contains(fault, "has changed since") {
		t.Errorf("a changed recipe: %q", fault)
	}
	if _, err := os.Stat(p.path("ran")); err == nil {
		t.Error("it ran")
	}
	// Without --allow-run nothing runs.
	if fault := p.connect().call("run_recipe", map[string]any{"recipe": "other"}, nil); !strings.Contains(fault, "not allowed") {
		t.Errorf("nothing is allowed: %q", fault)
	}
}

func TestMCPReadsNothingOutsideOfTheProject(t *testing.T) {
	t.Parallel()
	p := newFolder(t, mcpRecipes)
	a := p.connect()
	outside := filepath.Join(t.TempDir(), "outside.yaml")
	if err := os.WriteFile(outside, []byte("name: outside\nsteps: [{id: a, command: the secret word}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(p.dir, outside)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{outside, relative, "recipes/../" + relative} {
		for _, tool := range []string{"explain_recipe", "validate_recipe"} {
			fault := a.call(tool, map[string]any{"recipe": name}, nil)
			if !strings.Contains(fault, "below the working directory") || strings.Contains(fault, "secret") {
				t.Errorf("%s %s: %q", tool, name, fault)
			}
		}
	}
	if fault := a.call("read_output", map[string]any{"run": "../..", "step": "a"}, nil); fault == "" {
		t.Error("a run outside was read")
	}
}

// A run that takes longer than its caller waits goes on, and is interrupted when
// the client goes away.
func TestARunOutlivesTheWaitButNotTheClient(t *testing.T) {
	t.Parallel()
	p := newFolder(t, mcpRecipes)
	a := p.connect("--allow-run", "slow")
	var run mcpRun
	a.must("run_recipe", map[string]any{"recipe": "slow", "wait_seconds": 1}, &run)
	if !run.Running || run.Run == "" {
		t.Fatalf("%+v", run)
	}
	if err := a.session.Close(); err != nil {
		var exited *exec.ExitError
		if !asExit(err, &exited) {
			t.Fatal(err)
		}
	}
	var end mcpRun
	soon(t, "the run has ended", func() bool {
		p.connect().must("show_run", map[string]any{"run": run.Run}, &end)
		return !end.Running
	})
	if end.Status != "interrupted" {
		t.Errorf("the run is %+v", end)
	}
	if _, err := os.Stat(p.path("tidied")); err != nil {
		t.Errorf("its finally steps did not run: %v", err)
	}
}

// A client that takes its request back ends the run that it asked for, and not
// the server.
func TestACancelledRequestEndsItsRun(t *testing.T) {
	t.Parallel()
	p := newFolder(t, mcpRecipes)
	a := p.connect("--allow-run", "slow")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	called := make(chan error, 1)
	go func() {
		_, err := a.session.CallTool(ctx, &mcp.CallToolParams{Name: "run_recipe", Arguments: map[string]any{"recipe": "slow", "wait_seconds": 0}})
		called <- err
	}()
	soon(t, "the step begins", func() bool { _, err := os.Stat(p.path("began")); return err == nil })
	cancel()
	if err := <-called; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ends with %v", err)
	}
	var list struct {
		Runs []struct{ Run, Status string }
	}
	soon(t, "the run is interrupted", func() bool {
		a.must("list_runs", nil, &list)
		return len(list.Runs) == 1 && list.Runs[0].Status == "interrupted"
	})
	if _, err := os.Stat(p.path("tidied")); err != nil {
		t.Errorf("its finally steps did not run: %v", err)
	}
}

// soon waits until something holds.
func soon(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("within a minute it is not so that %s", what)
		}
	}
}

func asExit(err error, exited **exec.ExitError) bool {
	found, is := err.(*exec.ExitError)
	*exited = found
	return is
}

func TestAServerThatMayRunWhatIsNotThereDoesNotStart(t *testing.T) {
	t.Parallel()
	p := newFolder(t, mcpRecipes)
	if end := p.run("mcp", "--allow-run", "nothing"); end.code != 3 || !strings.Contains(end.stderr, "nothing") {
		t.Errorf("exit %d: %s", end.code, end.stderr)
	}
}
