package recipes

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// reporters are the functions that take the code of a finding among their
// arguments.
var reporters = []string{"fail", "warn", "finding", "findingAt", "report", "remark", "cause", "search", "controlFinding"}

var codeShape = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)+$`)

// codesOf reads the codes of findings out of the source files below a folder.
func codesOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	codes := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, e := range candidates(n) {
				literal, ok := e.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					continue
				}
				if text, err := strconv.Unquote(literal.Value); err == nil && codeShape.MatchString(text) {
					codes[text] = path
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return codes
}

// candidates are the expressions of a node that may be a code: arguments of a
// reporter, the field Code, what is assigned to a variable code, the cells of
// a table that names one, and constants of shell notes.
func candidates(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.CallExpr:
		name := ""
		switch fun := n.Fun.(type) {
		case *ast.Ident:
			name = fun.Name
		case *ast.SelectorExpr:
			name = fun.Sel.Name
		}
		if slices.Contains(reporters, name) {
			return n.Args
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" {
			return []ast.Expr{n.Value}
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			name := ""
			switch left := left.(type) {
			case *ast.Ident:
				name = left.Name
			case *ast.SelectorExpr:
				name = left.Sel.Name
			}
			if strings.EqualFold(name, "code") && len(n.Rhs) == len(n.Lhs) {
				return []ast.Expr{n.Rhs[i]}
			}
		}
	case *ast.CompositeLit:
		if len(n.Elts) > 1 {
			if _, reference := n.Elts[0].(*ast.UnaryExpr); reference { // {&statusTest, "impossible-status", …}
				return n.Elts[1:2]
			}
		}
	case *ast.ValueSpec:
		return n.Values
	}
	return nil
}

var section = regexp.MustCompile(`(?m)^## (\S+)$`)

// TestEveryCodeHasASectionInTheDocumentation compares the codes in the sources
// with the sections of docs/findings.md, both ways.
func TestEveryCodeHasASectionInTheDocumentation(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "docs", "findings.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]bool{}
	for _, m := range section.FindAllStringSubmatch(string(page), -1) {
		if sections[m[1]] {
			t.Errorf("docs/findings.md has two sections %s", m[1])
		}
		sections[m[1]] = true
	}
	codes := codesOf(t, ".")
	for kind := range need { // made up of the step's type
		codes["missing-"+need[kind]] = "step.go"
	}
	for code, path := range codes {
		if !sections[code] {
			t.Errorf("docs/findings.md has no section %s (%s)", code, path)
		}
	}
	for name := range sections {
		if codes[name] == "" {
			t.Errorf("docs/findings.md explains %s, which nothing reports", name)
		}
	}
	if len(codes) < 60 {
		t.Errorf("only %d codes were found", len(codes))
	}
}
