package recipes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTreeTexts resolves the recipe root of every archive in testdata/trees and
// compares the outcome with the archive's file want: the recipes and their
// steps, what was said about them, and the document after inheritance where the
// archive's comment asks to show it.
func TestTreeTexts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/trees/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			input, want, _ := strings.Cut(string(text), "-- want --\n")
			comment, files, _ := strings.Cut(input, "-- ")
			dir := t.TempDir()
			for part := range strings.SplitSeq("\n"+"-- "+files, "\n-- ") {
				name, body, found := strings.Cut(part, " --\n")
				if found {
					write(t, filepath.Join(dir, name), body+"\n")
				}
			}
			got := strings.ReplaceAll(outcome(dir, comment), dir, "$DIR")
			if *update {
				write(t, file, input+"-- want --\n"+got)
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func outcome(dir, comment string) string {
	var names []string
	if _, list, found := strings.Cut(comment, "supplied: "); found {
		list, _, _ = strings.Cut(list, "\n")
		names = strings.Fields(list)
	}
	var vars []Variable
	for i, name := range names {
		if name, text, valued := strings.Cut(name, "="); valued {
			names[i] = name
			vars = append(vars, Variable{Name: name, Value: text})
		}
	}
	tree, err := NewResolver(Search{WorkDir: dir}).Resolve("root", LoadOptions{Names: names, Vars: vars})
	if err != nil {
		return fmt.Sprintf("error (%T):\n%v\n", err, err)
	}
	var b strings.Builder
	for _, recipe := range tree.All {
		b.WriteString(recipe.Name + ":")
		for _, s := range recipe.allSteps() {
			b.WriteString(" " + s.ID)
		}
		b.WriteString("\n")
	}
	if strings.Contains(comment, "show") {
		b.WriteString("document:\n" + tree.Root.Document())
	}
	if len(tree.Warnings) > 0 {
		b.WriteString("warnings:\n" + Findings(tree.Warnings).Error() + "\n")
	}
	for _, finding := range tree.Check(names) {
		kind := "fault"
		if finding.Warning {
			kind = "remark"
		}
		fmt.Fprintf(&b, "%s %s %v\n", kind, finding.Code, finding)
	}
	return b.String()
}

func TestStepsAreFoundByPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "root.yaml"), "name: root\nsteps:\n  - {id: a, command: echo}\n  - {id: call, recipe: child}\n  - {id: a/b, command: echo}\nfinally:\n  - {id: last, command: echo}\n")
	write(t, filepath.Join(dir, "child.yaml"), "name: the-child\nsteps:\n  - {id: b, command: echo}\n  - {id: deep, recipe: leaf}\n")
	write(t, filepath.Join(dir, "leaf.yaml"), "name: leaf\nsteps:\n  - {id: c, command: echo}\n")
	tree := resolve(t, dir)
	for path, want := range map[string]string{
		"a": "a", "last": "last", "a/b": "a/b", "the-child/b": "b", "call/b": "b", "leaf/c": "c", "call/deep/c": "c",
		"b": "", "c": "", "call/c": "", "child/b": "", "": "", "/": "", "call/": "",
	} {
		s, ok := tree.Step(path)
		if ok != (want != "") || ok && s.ID != want {
			t.Errorf("Step(%q) = %v, %v; want %q", path, s, ok, want)
		}
	}
	if got := tree.StepCount(); got != 7 {
		t.Errorf("StepCount() = %d, want 7", got)
	}
}

func resolve(t *testing.T, dir string) *Tree {
	t.Helper()
	tree, err := NewResolver(Search{WorkDir: dir}).Resolve("root", LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestADiamondSharesItsRecipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "root.yaml"), "name: root\nsteps:\n  - {id: b, recipe: b}\n  - {id: c, recipe: c}\n  - {id: again, recipe: c}\n")
	write(t, filepath.Join(dir, "b.yaml"), "name: b\nsteps:\n  - {id: c, recipe: c}\n")
	write(t, filepath.Join(dir, "c.yaml"), "name: c\nsteps:\n  - {id: x, command: echo}\n")
	tree := resolve(t, dir)
	if len(tree.All) != 3 {
		t.Fatalf("%d recipes in the tree, want 3", len(tree.All))
	}
	one, two := tree.Root.Steps[1].Child, tree.Root.Steps[0].Child.Steps[0].Child
	if one == nil || one != two || one != tree.Root.Steps[2].Child {
		t.Error("the recipe c was read more than once")
	}
}

func TestAMissingSubRecipeFailsOnlyItsStep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "root.yaml"), "name: root\nsteps:\n  - {id: a, recipe: nowhere}\n")
	tree := resolve(t, dir)
	missing, ok := errors.AsType[*NotFoundError](tree.Root.Steps[0].Missing)
	if !ok || missing.Name != "nowhere" || len(missing.Tried) == 0 {
		t.Errorf("Missing = %v", tree.Root.Steps[0].Missing)
	}
	if got := Findings(tree.Warnings).Codes(); len(got) != 1 || got[0] != "recipe-not-found" {
		t.Errorf("warnings %v", got)
	}
}

func TestTextsHoldTheDocumentsAfterInheritance(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "root.yaml"), "name: root\nextends: base\nsteps:\n  - {id: b, recipe: leaf}\n")
	write(t, filepath.Join(dir, "base.yaml"), "name: base\nsteps:\n  - {id: a, command: echo}\n")
	leaf := "name: leaf # as written\nsteps:\n  - {id: c, command: echo}\n"
	write(t, filepath.Join(dir, "leaf.yaml"), leaf)
	texts := resolve(t, dir).Texts()
	if len(texts) != 2 || texts[1].Text != leaf {
		t.Fatalf("texts %v", texts)
	}
	again, err := Parse("root.yaml", []byte(texts[0].Text), LoadOptions{})
	if err != nil || len(again.Steps) != 2 || again.Extends != "" {
		t.Errorf("the recorded text reads as %v, %v:\n%s", again, err, texts[0].Text)
	}
}

func TestResolveReportsARootThatIsNotThere(t *testing.T) {
	t.Parallel()
	_, err := NewResolver(Search{WorkDir: t.TempDir()}).Resolve("root", LoadOptions{})
	if _, ok := errors.AsType[*NotFoundError](err); !ok || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
}

func TestSchemaFilesAreReadFromTheRecipesFolder(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		schema, text, fault string
	}{
		"json":    {"s.json", `{"type": "object", "minimum": 1.10}`, ""},
		"yaml":    {"s.yaml", "type: object\nminimum: 1.10\n", ""},
		"list":    {"s.json", `[1]`, "holds no JSON Schema but a list"},
		"broken":  {"s.json", `{"type": `, "did not find expected"},
		"missing": {"other.json", "", "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "root.yaml"), "name: root\nsteps:\n  - {id: a, recipe: ./sub/child.yaml}\n")
			write(t, filepath.Join(dir, "sub", "child.yaml"), "name: c\nsteps:\n  - {id: a, command: echo, output_schema: ./"+test.schema+"}\n")
			if test.text != "" {
				write(t, filepath.Join(dir, "sub", test.schema), test.text)
			}
			tree, err := NewResolver(Search{WorkDir: dir}).Resolve("root", LoadOptions{})
			if test.fault != "" {
				if err == nil || !strings.Contains(err.Error(), test.fault) {
					t.Errorf("err = %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			schema, _ := tree.Root.Steps[0].Child.Steps[0].OutputSchema.(map[string]any)
			if fmt.Sprint(schema["minimum"]) != "1.10" || schema["type"] != "object" {
				t.Errorf("schema %v", schema)
			}
		})
	}
}
