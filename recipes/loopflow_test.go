package recipes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoopsThatWouldReadEachOthersWork(t *testing.T) {
	t.Parallel()
	const (
		loop   = "type: loop, judge: judge, recipe: child"
		judge  = "name: judge\nsteps:\n  - {id: j, command: echo x, output: loop_health}\n"
		child  = "name: child\nsteps: [{id: c, command: echo}]\n"
		nested = "name: nested\nsteps: [{id: n, " + loop + "}]\n"
	)
	one := []string{"loops-in-one-tree"}
	for name, c := range map[string]struct {
		steps string
		want  []string
	}{
		"one behind the other":         {"[{id: a, " + loop + "}, {id: b, " + loop + "}]", nil},
		"in one group":                 {"[{id: a, parallel_group: g, " + loop + "}, {id: b, parallel_group: g, " + loop + "}]", one},
		"in different folders":         {"[{id: a, parallel_group: g, working_dir: x, " + loop + "}, {id: b, parallel_group: g, working_dir: y, " + loop + "}]", nil},
		"in one folder":                {"[{id: a, parallel_group: g, working_dir: x, " + loop + "}, {id: b, parallel_group: g, working_dir: x, " + loop + "}]", one},
		"in called recipes":            {"[{id: a, parallel_group: g, recipe: nested}, {id: b, parallel_group: g, " + loop + "}]", one},
		"a group that is divided":      {"[{id: a, parallel_group: g, " + loop + "}, {id: m, command: echo}, {id: b, parallel_group: g, " + loop + "}]", nil},
		"in a graph without order":     {"[{id: z, command: echo}, {id: a, depends_on: [z], " + loop + "}, {id: b, depends_on: [z], " + loop + "}]", one},
		"in a graph, one after other":  {"[{id: a, " + loop + "}, {id: m, depends_on: [a], command: echo}, {id: b, depends_on: [m], " + loop + "}]", nil},
		"for each, one by one":         {"[{id: a, foreach: '{{l}}', " + loop + "}]", nil},
		"for each, at once":            {"[{id: a, foreach: '{{l}}', parallel: 2, " + loop + "}]", one},
		"for each in its own folder":   {"[{id: a, foreach: '{{l}}', parallel: 2, working_dir: '{{item}}', " + loop + "}]", nil},
		"a judge that says nothing":    {"[{id: a, type: loop, recipe: child, judge: child}]", []string{"judge-without-verdict"}},
		"a judge that asks another":    {"[{id: a, type: loop, recipe: child, judge: asking}]", nil},
		"a loop and a step beside it":  {"[{id: a, parallel_group: g, command: echo}, {id: b, parallel_group: g, " + loop + "}]", nil},
		"loops of a loop's own rounds": {"[{id: a, type: loop, judge: judge, recipe: nested}]", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := treeOf(t, map[string]string{
				"root": "name: root\ncontext: {l: [x]}\nsteps: " + c.steps + "\n", "child": child, "judge": judge, "nested": nested,
				"asking": "name: asking\nsteps: [{id: ask, recipe: judge}]\n",
			})
			var got []string
			for _, f := range tree.Flow() {
				if f.Code != "unused-output" {
					got = append(got, f.Code)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s\n%s", c.steps, diff)
			}
		})
	}
}
