package tests

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// examples are the recipes of the examples folder that a reader would run, with
// what they print.
var examples = []struct {
	name, recipe string
	args         []string
	code         int
	want         string
}{
	{name: "hello", recipe: "hello/hello.yaml", want: "hello world (11 bytes)\n"},
	{name: "hello loud", recipe: "hello/hello.yaml", args: []string{"--set", "loud=true", "--set", "who=moon"}, want: "HELLO MOON (10 bytes)\n"},
	{name: "checks", recipe: "parallel/checks.yaml", want: "# Checks: success\n\n- lint passed\n- tests passed\n- lengths of the names: 9, 8, 9\n"},
	{name: "build", recipe: "parallel/build.yaml", want: "unit tests of what was compiled\ndocs of what was compiled\nshipped\n"},
	{name: "release", recipe: "compose/release.yaml", want: "now: 1.10, in bold (1 line)\nnext: 2.0, in plain\n"},
	{name: "strict", recipe: "extends/strict.yaml", want: "preparing core\nchecking core twice\n"},
	{name: "answers", recipe: "answers/answers.yaml", want: "passed with 8, because it's tested\n"},
	{name: "evaluation", recipe: "evaluation/slogan.yaml", want: "round 4, 8 of 10: Know when to stop\n"},
	{name: "review moves", recipe: "review-loop/review-loop.yaml", args: []string{"--stub-file", "review-loop/moving.yaml"}, want: "verdict: CONTINUE\n"},
	{name: "review is stuck", recipe: "review-loop/review-loop.yaml", args: []string{"--stub-file", "review-loop/stuck.yaml"}, code: 1, want: "verdict: STUCK\n"},
}

// otherExamples are recipes that others call or extend, recipes whose run has a
// test of its own, and files that are no recipes.
var otherExamples = []string{
	"compose/changelog.yaml", "evaluation/judge-slogan.yaml", "evaluation/write-slogan.yaml", "extends/base.yaml", "review-loop/review-round.yaml",
	"loop-health/judge.yaml", "loop/loop.yaml",
	"review-loop/moving.yaml", "review-loop/stuck.yaml",
}

func TestExamplesPrintWhatTheySay(t *testing.T) {
	t.Parallel()
	for _, example := range examples {
		t.Run(example.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			dir := d.copy(t, "../examples", "examples")
			args := append([]string{"run", example.recipe}, example.args...)
			out, errOut, code := d.run(t, dir, binary, args...)
			if code != example.code || out != example.want {
				t.Errorf("exit %d, want %d\nstdout %q\nwant   %q\nstderr %s", code, example.code, out, example.want, errOut)
			}
		})
	}
}

func TestTheLoopsOfTheExampleEndAsTheySay(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	dir := d.copy(t, "../examples", "examples")
	out, errOut, code := d.run(t, dir, "bash", "-c", `BRICKOVEN=$0 bash loop/run.sh`, binary)
	want := "== idler\njudged_stuck after 2 rounds\n== claimer\ndone_but_check_red after 2 rounds\n" +
		"== helper\nsuccess_condition_met after 3 rounds\nhello world.\n"
	if code != 0 || out != want {
		t.Errorf("exit %d\n%s%s", code, out, errOut)
	}
}

func TestExamplesAreValidWithoutWarnings(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, path := range exampleRecipes(t) {
		out, errOut, code := d.run(t, "../examples", binary, "validate", "--strict", path)
		if code != 0 || !strings.HasPrefix(out, "✓") {
			t.Errorf("%s: exit %d\n%s%s", path, code, out, errOut)
		}
	}
}

func TestEveryExampleIsRun(t *testing.T) {
	t.Parallel()
	known := slices.Clone(otherExamples)
	for _, example := range examples {
		known = append(known, example.recipe)
	}
	for _, path := range exampleRecipes(t) {
		if !slices.Contains(known, path) {
			t.Errorf("examples/%s is neither run nor named among the others", path)
		}
	}
}

// exampleRecipes lists the recipes below examples, with slashes.
func exampleRecipes(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../examples/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(text), "name:") {
			list = append(list, strings.TrimPrefix(filepath.ToSlash(path), "../examples/"))
		}
	}
	if len(list) < len(examples)/2 {
		t.Fatalf("only %d recipes below examples", len(list))
	}
	return list
}
