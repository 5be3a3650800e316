package recipes

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree resolves the recipe root of a folder with these files.
func treeOf(t *testing.T, files map[string]string) *Tree {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name+".yaml"), text)
	}
	tree, err := NewResolver(Search{WorkDir: dir}).Resolve("root", LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestFlow(t *testing.T) {
	t.Parallel()
	judge := "name: judge\nsteps:\n  - {id: j, command: echo x, output: loop_health}\n"
	for name, c := range map[string]struct {
		root, child string
		want        []string
	}{
		"an output that nothing reads": {"steps:\n  - {id: a, command: echo, output: x}\n  - {id: b, command: echo}\n", "", []string{"unused-output"}},
		"the output of the last step":  {"steps:\n  - {id: a, command: echo, output: x}\n", "", nil},
		"read in a template":           {"steps:\n  - {id: a, command: echo, output: x}\n  - {id: b, command: 'echo {{x.y}}'}\n", "", nil},
		"read in a condition":          {"steps:\n  - {id: a, command: echo, output: x}\n  - {id: b, command: echo, condition: x == 1}\n", "", nil},
		"read under its alias":         {"steps:\n  - {id: a, command: echo, output: my-x}\n  - {id: b, command: 'echo $MY_X'}\n", "", nil},
		"read under its long name":     {"steps:\n  - {id: a, command: echo, output: x}\n  - {id: b, command: 'echo $RECIPE_VAR_x__y'}\n", "", nil},
		"part of another word":         {"steps:\n  - {id: a, command: echo, output: x}\n  - {id: b, command: 'echo x-y xy'}\n", "", []string{"unused-output"}},
		"read by a called recipe": {"steps:\n  - {id: a, command: echo, output: x}\n  - {id: b, recipe: child}\n",
			"name: child\nsteps: [{id: c, command: 'echo {{x}}'}]\n", nil},
		"perhaps read by a native step": {"steps:\n  - {id: a, command: echo, output: x}\n  - {id: b, uses: f}\n", "", nil},
		"a report of all variables":     {"output: {format: json}\nsteps:\n  - {id: a, command: echo, output: x}\n  - {id: b, command: echo}\n", "", nil},
		"a list that nothing reads": {"context: {l: [1]}\nsteps:\n  - {id: a, foreach: '{{l}}', command: echo, collect: x}\n  - {id: b, command: echo}\n", "",
			[]string{"unused-output"}},

		"behind a step that fails":        {"steps:\n  - {id: a, command: exit 2}\n  - {id: b, command: echo}\n", "", []string{"never-reached"}},
		"behind one that may fail":        {"steps:\n  - {id: a, command: 'false', continue_on_error: true}\n  - {id: b, command: echo}\n", "", nil},
		"behind one that may be skipped":  {"steps:\n  - {id: a, command: 'false', condition: 'b == 1'}\n  - {id: b, command: echo}\n", "", nil},
		"behind one that exits with 0":    {"steps:\n  - {id: a, command: exit 0}\n  - {id: b, command: echo}\n", "", nil},
		"finally runs behind any failure": {"steps:\n  - {id: a, command: exit 2}\nfinally:\n  - {id: b, command: echo}\n", "", nil},

		"a later step":             {"steps:\n  - {id: a, command: echo, condition: steps.b.status == 'failed'}\n  - {id: b, command: echo}\n", "", []string{"later-step"}},
		"the step itself":          {"steps:\n  - {id: a, command: echo, condition: \"steps['a'].status == 'failed'\"}\n", "", []string{"later-step"}},
		"an earlier step":          {"steps:\n  - {id: a, command: echo}\n  - {id: a-b, command: echo, condition: steps.a.status == 'failed'}\n", "", nil},
		"order is that of a graph": {"steps:\n  - {id: z, command: echo}\n  - {id: a, command: echo, depends_on: [b], condition: steps.b.status == 'failed'}\n  - {id: b, command: echo, depends_on: [z]}\n", "", nil},

		"a status that is none":  {"steps:\n  - {id: a, command: echo}\n  - {id: b, command: echo, condition: steps.a.status != 'success'}\n", "", []string{"impossible-status"}},
		"a verdict that is none": {"context: {h: {}}\nsteps:\n  - {id: b, command: echo, condition: h.loop_verdict == 'stuck'}\n", "", []string{"impossible-verdict"}},

		"a gate that garbage opens": {"context: {h: {}}\nsteps:\n  - {id: b, command: echo, condition: h.loop_verdict != 'STUCK'}\n", "", []string{"judge-without-failsafe"}},
		"a gate for one word":       {"context: {h: {}}\nsteps:\n  - {id: b, command: echo, condition: h.loop_verdict != 'STUCK' and h.loop_verdict == 'DONE'}\n", "", nil},
		"an answer that may lack its JSON": {"steps:\n  - {id: a, prompt: p, output: x, parse_json: true}\n  - {id: b, command: echo, condition: x.go == 'GO'}\n", "",
			[]string{"judge-without-failsafe"}},
		"an answer that must hold JSON": {"steps:\n  - {id: a, prompt: p, output: x, parse_json: true, parse_json_required: true}\n  - {id: b, command: echo, condition: x.go == 'GO'}\n", "", nil},
		"an answer that is not parsed":  {"steps:\n  - {id: a, prompt: p, output: x}\n  - {id: b, command: echo, condition: x.go == 'GO'}\n", "", []string{"unparsed-answer"}},

		"a tolerated judge": {"steps:\n  - {id: a, recipe: child, continue_on_error: true}\n  - {id: b, command: echo}\n", judge, []string{"judge-without-failsafe"}},
		"a judge that only reports": {"steps:\n  - {id: a, recipe: child, context: {loop_health_enforce: 'false'}}\n  - {id: b, command: echo}\n", judge,
			[]string{"judge-without-failsafe"}},
		"a tolerated judge that is asked": {"steps:\n  - {id: a, recipe: child, continue_on_error: true}\n  - {id: b, command: echo, condition: loop_health.loop_verdict == 'DONE'}\n", judge, nil},
		"a judge that stops the run":      {"steps:\n  - {id: a, recipe: child}\n  - {id: b, command: echo}\n", judge, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"root": "name: root\n" + c.root}
			if c.child != "" {
				files["child"] = c.child
			}
			var got []string
			for _, f := range treeOf(t, files).Flow() {
				if !f.Warning || f.Pos.Line == 0 {
					t.Errorf("%+v", f)
				}
				got = append(got, f.Code)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s\n%s", c.root, diff)
			}
		})
	}
}

func TestFunctionsThatDoNotExistAreErrorsWithTheNearestName(t *testing.T) {
	t.Parallel()
	tree := treeOf(t, map[string]string{"root": "name: root\nsteps:\n  - {id: a, uses: known}\n  - {id: b, uses: konwn}\n"})
	found := tree.Functions(func() []string { return []string{"known"} })
	if len(found) != 1 || found[0].Warning || found[0].Code != "unknown-function" || found[0].Hint != "did you mean known?" {
		t.Errorf("%v", found)
	}
}

func TestFilesAreRecipesOutsideHiddenFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	recipe := "name: a\nsteps: []\n"
	for name, text := range map[string]string{
		"a.yaml": recipe, "sub/b.yml": recipe, "c.yaml": "services: {}\n", "d.test.yaml": "recipe: a\ncases: []\n", "e.txt": recipe,
		".git/f.yaml": recipe, ".brickoven/recipes/g.yaml": recipe, "node_modules/h.yaml": recipe,
	} {
		write(t, filepath.Join(dir, name), text)
	}
	if err := os.Symlink(filepath.Join(dir, "sub"), filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	check := func(list func(string) ([]string, error), want ...string) {
		t.Helper()
		files, err := list(dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, file := range files {
			rel, err := filepath.Rel(dir, file)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, filepath.ToSlash(rel))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	check(Files, ".brickoven/recipes/g.yaml", "a.yaml", "sub/b.yml")
	check(TestFiles, "d.test.yaml")
	if _, err := Files(filepath.Join(dir, "nothing")); err == nil {
		t.Error("a folder that is not there has files")
	}
}
