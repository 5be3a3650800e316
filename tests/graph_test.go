//go:build linux

package tests

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

var (
	mermaidNode  = regexp.MustCompile(`^\s*(?:subgraph )?(\w+)\["[^"]*"\]$`)
	mermaidArrow = regexp.MustCompile(`^\s*(\w+) (?:-->|-\.->) (\w+)$`)
)

// Every line of a graph is a node, a subgraph, its end or an arrow; arrows join
// what is drawn, and no name is drawn twice.
func TestAGraphIsWellFormedMermaid(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for n := 1; n <= 6; n++ {
		p.write(fmt.Sprintf("level%d.yaml", n), fmt.Sprintf(level, n, n+1))
	}
	p.write("level7.yaml", bottom)
	p.write("odd.yaml", `name: odd
context: {quote: 'say "hi" <b> #1'}
steps:
  - {id: a-b, command: "true", condition: "quote == 'say \"hi\" <b> #1 `+"`x`"+`'"}
  - {id: a_b, command: "true"}
  - {id: missing, recipe: not-there}
finally:
  - {id: end, command: "true"}
`)
	for _, name := range []string{"level1", "level6", "odd", "loop-health-evaluator", "loop-evidence-collector"} {
		code, output := p.run("explain", name, "--graph")
		if code != 0 {
			t.Fatalf("%s: exit code %d\n%s", name, code, output)
		}
		checkMermaid(t, name, output)
	}
}

func checkMermaid(t *testing.T, name, output string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(output, "\n"), "\n")
	if lines[0] != "flowchart TD" {
		t.Errorf("%s: the first line is %q", name, lines[0])
	}
	drawn := map[string]bool{}
	open := 0
	var arrows [][]string
	for _, line := range lines[1:] {
		node, arrow := mermaidNode.FindStringSubmatch(line), mermaidArrow.FindStringSubmatch(line)
		switch {
		case node != nil:
			if drawn[node[1]] {
				t.Errorf("%s: %s is drawn twice", name, node[1])
			}
			drawn[node[1]] = true
			if strings.HasPrefix(strings.TrimSpace(line), "subgraph ") {
				open++
			}
		case arrow != nil:
			arrows = append(arrows, arrow[1:])
		case strings.TrimSpace(line) == "end":
			open--
		default:
			t.Errorf("%s: a line of another kind: %q", name, line)
		}
	}
	if open != 0 {
		t.Errorf("%s: %d subgraphs are not closed", name, open)
	}
	for _, arrow := range arrows {
		for _, end := range arrow {
			if !drawn[end] {
				t.Errorf("%s: the arrow %v leads to %s, which is not drawn", name, arrow, end)
			}
		}
	}
}
