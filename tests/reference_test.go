package tests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/recipes/template"
	"github.com/brickoven/brickoven/runner/exit"
)

// The pages are a reference: what the program knows is in them.

func TestTheRecipesPageNamesEveryKey(t *testing.T) {
	t.Parallel()
	page := readText(t, "../docs/recipes.md")
	for _, table := range []struct{ file, variable string }{
		{"toplevel.go", "recipeKeys"}, {"step.go", "stepKeys"}, {"foreign.go", "foreignKeys"},
	} {
		keys := keysOf(t, filepath.Join("../recipes", table.file), table.variable)
		if len(keys) < 10 {
			t.Fatalf("%s has only %d keys", table.variable, len(keys))
		}
		for _, key := range keys {
			if !strings.Contains(page, "`"+key+"`") {
				t.Errorf("%s: docs/recipes.md does not name %s", table.variable, key)
			}
		}
	}
}

// keysOf reads the keys of a map literal out of a source file.
func keysOf(t *testing.T, file, variable string) (keys []string) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || spec.Names[0].Name != variable {
			return true
		}
		var table *ast.CompositeLit
		ast.Inspect(spec.Values[0], func(n ast.Node) bool {
			if lit, ok := n.(*ast.CompositeLit); ok && table == nil {
				table = lit
			}
			return table == nil
		})
		for _, entry := range table.Elts {
			key, err := strconv.Unquote(entry.(*ast.KeyValueExpr).Key.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, key)
		}
		return false
	})
	return keys
}

var (
	helpFlag    = regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z-]+)`)
	helpCommand = regexp.MustCompile(`(?m)^  ([a-z]+) {2,}\S`)
)

func TestTheCommandLinePageNamesEveryCommandAndFlag(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	page := readText(t, "../docs/cli.md")
	help, _, _ := d.run(t, d.dir, binary, "--help")
	_, commands, found := strings.Cut(help, "Available Commands:\n")
	if !found {
		t.Fatalf("no commands in\n%s", help)
	}
	commands, _, _ = strings.Cut(commands, "\n\n")
	own := []string{"ledger", "score", "completion"} // these have pages, or a help, of their own
	for _, m := range helpCommand.FindAllStringSubmatch(commands, -1) {
		command := m[1]
		if !strings.Contains(page, "`"+command) {
			t.Errorf("docs/cli.md does not name the command %s", command)
		}
		if slices.Contains(own, command) {
			continue
		}
		text, _, _ := d.run(t, d.dir, binary, command, "--help")
		for _, flag := range helpFlag.FindAllStringSubmatch(text, -1) {
			if !regexp.MustCompile(regexp.QuoteMeta(flag[1]) + `[^a-z-]`).MatchString(page) {
				t.Errorf("docs/cli.md does not name %s of %s", flag[1], command)
			}
		}
	}
}

func TestTheCommandLinePageNamesEveryExitCode(t *testing.T) {
	t.Parallel()
	page := readText(t, "../docs/cli.md")
	for _, code := range exit.Codes() {
		if !strings.Contains(page, fmt.Sprintf("\n| %d | ", code.Number)) {
			t.Errorf("docs/cli.md has no row for %d (%s)", code.Number, code.Meaning)
		}
	}
}

func TestTheTemplatesPageNamesEveryFunction(t *testing.T) {
	t.Parallel()
	page := readText(t, "../docs/templates.md")
	for _, name := range template.Functions() {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/templates.md does not name %s", name)
		}
	}
}

func TestTheConditionsPageNamesEveryFunction(t *testing.T) {
	t.Parallel()
	page := readText(t, "../docs/conditions.md")
	var names []string
	for line := range strings.Lines(readText(t, "../recipes/expression/allowed.txt")) {
		if name, _, ok := strings.Cut(line, " "); ok && name != "#" {
			names = append(names, name)
		}
	}
	if len(names) < 5 {
		t.Fatalf("only %d names in the allow-list", len(names))
	}
	for _, name := range names {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/conditions.md does not name %s", name)
		}
	}
}

func TestTheDependenciesPageNamesEveryDirectRequirement(t *testing.T) {
	t.Parallel()
	page := readText(t, "../docs/dependencies.md")
	required := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(readText(t, "../go.mod"), -1)
	if len(required) < 5 {
		t.Fatalf("only %d requirements in go.mod", len(required))
	}
	for _, m := range required {
		if !strings.Contains(page, "`"+m[1]+"`") {
			t.Errorf("docs/dependencies.md gives no reason for %s", m[1])
		}
	}
}

func TestTheArchitecturePageNamesEveryRoom(t *testing.T) {
	t.Parallel()
	page := readText(t, "../docs/architecture.md")
	rooms := map[string]bool{}
	for _, top := range []string{"cmd", "recipes", "runner", "bricks", "schema"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(file string, entry fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") {
				rooms[strings.TrimPrefix(filepath.ToSlash(filepath.Dir(file)), "../")] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for room := range rooms {
		short := path.Join(path.Base(path.Dir(room)), path.Base(room))
		if !strings.Contains(page, "`"+room+"`") && !strings.Contains(page, "`"+short+"`") {
			t.Errorf("docs/architecture.md does not name %s", room)
		}
	}
}

func TestThePagesNameTargetsOfTheMakefile(t *testing.T) {
	t.Parallel()
	makefile := readText(t, "../Makefile")
	for _, page := range []string{"../README.md", "../CONTRIBUTING.md", "../docs/getting-started.md"} {
		for _, m := range regexp.MustCompile("(?:`|\\$ |^)make ([a-z]+)").FindAllStringSubmatch(readText(t, page), -1) {
			if !strings.Contains(makefile, "\n"+m[1]+":") {
				t.Errorf("%s names make %s, which the Makefile lacks", page, m[1])
			}
		}
	}
}
