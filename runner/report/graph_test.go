package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/step"
)

// recipe reads recipes from texts, the first of which is r.
func recipe(t *testing.T, texts map[string]string) *recipes.Recipe {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte("name: "+name+"\nsteps:\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := recipes.NewResolver(recipes.Search{Explicit: []string{dir}, WorkDir: dir}).Resolve("r", recipes.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tree.Root
}

// drawn is a graph in a few lines.
func drawn(g *Graph, indent string) []string {
	var lines []string
	for i, layer := range g.Layers {
		for _, n := range layer {
			var after []string
			for _, on := range n.After {
				after = append(after, on.ID)
			}
			lines = append(lines, strings.TrimRight(fmt.Sprintf("%s%d %s %s %s", indent, i, n.ID, n.Status, strings.Join(after, ",")), " "))
			for _, member := range n.Group {
				lines = append(lines, indent+"  "+member.ID+" "+string(member.Status))
			}
			for _, inner := range []*Graph{n.Inner, n.Judge} {
				if inner != nil {
					lines = append(lines, drawn(inner, indent+"  ")...)
				}
			}
		}
	}
	for _, n := range g.Finally {
		lines = append(lines, indent+"finally "+n.ID+" "+string(n.Status))
	}
	return lines
}

func TestTheGraphShowsWhatBecameOfEachStep(t *testing.T) {
	t.Parallel()
	r := record(t)
	r.work("a", said("x"), step.Outcome{})
	r.work("b", said("x"), step.Outcome{Status: step.Failed, Tolerated: true})
	r.work("c", said("x"), step.Outcome{})
	r.begin("l", "loop")
	for n := 1; n <= 2; n++ {
		r.note(step.Note{Kind: step.LoopRound, Path: "l", Text: fmt.Sprint(n)})
		r.work(fmt.Sprintf("l[%d]/work", n), said("x"), step.Outcome{})
		r.work(fmt.Sprintf("l.judge[%d]/say", n), said("x"), step.Outcome{})
	}
	r.finish("l", step.Outcome{Status: step.Failed})
	r.work("z", said("x"), step.Outcome{})
	r.end("failed", 1)
	root := recipe(t, map[string]string{
		"r": `  - {id: a, command: one}
  - {id: b, parallel_group: g, command: two}
  - {id: c, parallel_group: g, command: three}
  - {id: l, type: loop, recipe: round, judge: judge}
  - {id: d, recipe: round}
finally:
  - {id: z, command: last}
`,
		"round": "  - {id: work, command: 'echo {{loop.round}}'}\n",
		"judge": "  - {id: say, command: hm, output: loop_health}\n",
	})
	run := r.report(State{Recipe: root}, Sources{})
	want := []string{
		"0 a completed", "1 g failed a", "  b failed", "  c completed", "2 l failed g", "  0 work completed", "  0 say completed",
		"3 d not reached l", "  0 work not reached", "finally z completed",
	}
	if diff := cmp.Diff(want, drawn(run.Graph, "")); diff != "" {
		t.Error(diff)
	}
	if !run.Graph.Chain || run.Graph.Layers[2][0].Inner.Layers[0][0].Times != 2 {
		t.Error("it is no chain, or the work of two rounds is not counted twice")
	}
	if does := run.All[0].Does; does != "one" {
		t.Errorf("the first step does %q", does)
	}
	for _, st := range run.All {
		if st.Path == "l[2]/work" && st.Does != "echo {{loop.round}}" || st.Path == "z" && !st.Finally {
			t.Errorf("%+v", st)
		}
	}
}

func TestAGraphOfDependenciesIsNoChain(t *testing.T) {
	t.Parallel()
	root := recipe(t, map[string]string{"r": `  - {id: first, command: x}
  - {id: last, depends_on: [left, right], command: x}
  - {id: left, depends_on: [first], command: x}
  - {id: right, depends_on: [first], command: x}
  - {id: far, depends_on: [right], command: x}
`})
	run := record(t).report(State{Recipe: root, Held: true, Now: start}, Sources{})
	if run.Graph.Chain {
		t.Error("it is a chain")
	}
	for _, line := range drawn(run.Graph, "") {
		if !strings.Contains(line, "waiting") {
			t.Errorf("%q in a run that has not begun a step", line)
		}
	}
}
