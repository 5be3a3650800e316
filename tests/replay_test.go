package tests

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner"
	"github.com/brickoven/brickoven/runner/journal"
	"github.com/brickoven/brickoven/runner/local"
)

// onlyRun is the folder of the only run, relative to the folder.
func (p *folder) onlyRun() string {
	p.t.Helper()
	found, err := filepath.Glob(p.path("state/brickoven/*/runs/*"))
	if err != nil || len(found) != 1 {
		p.t.Fatalf("runs: %v, %v", found, err)
	}
	relative, err := filepath.Rel(p.dir, found[0])
	if err != nil {
		p.t.Fatal(err)
	}
	return relative
}

// replayed are recipes whose decisions hang on results: groups, graphs, lists,
// called recipes, rounds of a loop, repeated attempts, failures.
var replayed = map[string]string{
	"group": `
name: r
steps:
  - {id: a, parallel_group: g, command: "sleep 0.0$((RANDOM % 9)); echo 1", output: a}
  - {id: b, parallel_group: g, command: "sleep 0.0$((RANDOM % 9)); echo 2", output: b}
  - {id: c, parallel_group: g, command: "sleep 0.0$((RANDOM % 9)); exit 3", continue_on_error: true}
  - {id: d, condition: "a < b and steps.c.failed", command: "echo {{a}}{{b}}"}
`,
	"graph": `
name: r
max_parallel: 2
steps:
  - {id: a, command: "sleep 0.0$((RANDOM % 9)); echo a", output: a}
  - {id: d, depends_on: [b, c], command: "echo {{b}}{{c}}", output: d}
  - {id: b, depends_on: [a], command: "sleep 0.0$((RANDOM % 9)); echo b{{a}}", output: b}
  - {id: c, depends_on: [a], command: "sleep 0.0$((RANDOM % 9)); echo c{{a}}", output: c}
  - {id: e, depends_on: [a], parallel_group: e, command: "sleep 0.0$((RANDOM % 9)); exit 2", continue_on_error: true}
  - {id: f, depends_on: [a], parallel_group: e, condition: "false", command: "echo f"}
  - {id: g, depends_on: [e, d], command: "echo {{d}}", output: g}
  - {id: h, command: "echo {{g}}"}
`,
	"list": `
name: r
context: {list: [3, 1, 4, 1, 5, 9, 2, 6]}
steps:
  - {id: each, foreach: "{{list}}", parallel: 3, collect: found, command: "sleep 0.0{{item}}; test {{item}} -ne 4 && echo {{item}}", continue_on_error: true}
  - {id: nest, foreach: "{{list}}", recipe: child, collect: sums}
`,
	"child": `
name: r
steps:
  - {id: one, recipe: child, context: {item: 5}, output: report}
  - {id: two, recipe: child, context: {item: "{{twice}}"}, timeout: 1m}
  - {id: fails, recipe: broken, continue_on_error: true}
  - {id: again, command: "echo x >>count; test $(wc -l <count) -gt 2", retry: {attempts: 4, delay: 10ms}}
  - {id: large, command: "head -c 200000 /dev/zero | tr '\\0' 'x'", output: big}
  - {id: asked, condition: "len(big) > 100000 and 'x' in big", command: "echo {{twice}}"}
  - {id: stops, command: "exit 7"}
finally:
  - {id: last, command: "echo {{run}}"}
`,
}

const replayedChild = "name: child\ncontext: {item: 0}\nsteps:\n  - {id: twice, command: 'echo $(({{item}} * 2))', output: twice}\n" +
	"  - {id: even, condition: 'twice > 4', command: 'echo {{twice}}', output: even}\n"

func TestTheReplayOfARecordedRunTakesTheSameDecisions(t *testing.T) {
	t.Parallel()
	for name, text := range replayed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newFolder(t, map[string]string{
				"r.yaml": text, "child.yaml": replayedChild,
				"broken.yaml": "name: broken\nsteps:\n  - {id: good, command: echo good, output: good}\n  - {id: bad, command: exit 9}\n",
			})
			end := p.run("run", "r.yaml", "--output-format", "json")
			var told struct {
				Status string         `json:"status"`
				Reason string         `json:"reason"`
				Steps  []outcomeShape `json:"step_results"`
				Last   []outcomeShape `json:"finally"`
			}
			if err := json.Unmarshal([]byte(end.stdout), &told); err != nil || told.Status == "" {
				t.Fatalf("%v\n%s%s", err, end.stdout, end.stderr)
			}
			outcome, asked := p.replay()
			if outcome == nil {
				t.Fatal("the replay does not reach the run's end")
			}
			if string(outcome.Status) != told.Status || outcome.Reason != told.Reason {
				t.Errorf("ended %s (%s), the run %s (%s)", outcome.Status, outcome.Reason, told.Status, told.Reason)
			}
			if len(outcome.Steps) != len(told.Steps) || len(outcome.Finally) != len(told.Last) {
				t.Fatalf("%d and %d steps, the run had %d and %d", len(outcome.Steps), len(outcome.Finally), len(told.Steps), len(told.Last))
			}
			for i, st := range told.Steps {
				o := outcome.Steps[i]
				if o.ID != st.ID || string(o.Status) != st.Status || o.ExitCode != st.ExitCode || o.Error != st.Error || o.Attempts != st.Attempts {
					t.Errorf("step %d: %s %s %d %q, the run had %+v", i, o.ID, o.Status, o.ExitCode, o.Error, st)
				}
			}
			var recorded []string
			for _, rec := range p.records() {
				if rec["kind"] == "action_started" {
					recorded = append(recorded, rec["data"].(map[string]any)["id"].(string))
				}
			}
			if diff := cmp.Diff(recorded, asked); diff != "" {
				t.Errorf("what was asked for, in order (-recorded +replayed):\n%s", diff)
			}
		})
	}
}

type outcomeShape struct {
	ID       string `json:"step_id"`
	Status   string `json:"status"`
	ExitCode int    `json:"exit_code"`
	Error    string `json:"error"`
	Attempts int    `json:"attempts"`
}

// replay feeds the only run's record to the decisions, and gives their end and
// what they asked for, in order.
func (p *folder) replay() (*runner.Outcome, []string) {
	p.t.Helper()
	reader, err := journal.Read(p.path(p.onlyRun()))
	if err != nil {
		p.t.Fatal(err)
	}
	past := local.NewHistory(nil)
	for rec, err := range reader.Records() {
		if err == nil {
			err = past.Add(rec)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	if err := reader.Close(); err != nil {
		p.t.Fatal(err)
	}
	var set struct {
		Recording *recipes.Recording `json:"recording"`
	}
	if err := json.Unmarshal(past.Start.Options, &set); err != nil {
		p.t.Fatal(err)
	}
	tree, err := recipes.Restore(set.Recording, recipes.LoadOptions{})
	if err != nil {
		p.t.Fatal(err)
	}
	run := runner.New(tree, runner.Options{})
	restored, err := past.Replay(run, tree)
	if err != nil {
		p.t.Fatal(err)
	}
	if len(restored.Known) > 0 {
		p.t.Errorf("results that nobody asked for: %v", restored.Known)
	}
	return run.Outcome(), restored.Asked
}

// A run that died and was resumed replays to the same end as well.
func TestTheReplayOfAResumedRunReachesItsEnd(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"r.yaml": `
name: r
context: {list: [1, 2, 3]}
steps:
  - {id: each, foreach: "{{list}}", parallel: 2, collect: all, command: "echo {{item}}"}
  - {id: skipped, on_interrupt: skip, command: "echo x >>ready; sleep ${NAP:-0}"}
  - {id: after, condition: "steps.skipped.status == 'skipped'", command: "echo after"}
`})
	cmd := p.command("run", "r.yaml")
	cmd.Env = append(cmd.Env, "NAP=60")
	p.killRun("ready", cmd)
	if end := p.run("resume"); end.code != 0 || !strings.Contains(end.stdout, "[completed] after") {
		t.Fatalf("resume: exit %d\n%s%s", end.code, end.stdout, end.stderr)
	}
	if p.read("ready") != "x\n" {
		t.Errorf("the step ran again: %q", p.read("ready"))
	}
	if outcome, _ := p.replay(); outcome == nil || outcome.Status != runner.Succeeded {
		t.Errorf("the replay ended with %+v", outcome)
	}
}
