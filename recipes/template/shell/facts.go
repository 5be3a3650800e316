package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// facts is what a text says about its own variables and functions.
type facts struct {
	associative map[string]bool
	arrays      map[string]bool
	integers    map[string]bool
	references  map[string]bool
	functions   map[string]bool
	readers     map[string]bool // functions that run a shell on their input
}

// evaluatedByBash are variables whose assignment bash evaluates as arithmetic.
func evaluatedByBash(variable string) bool {
	switch variable {
	case "OPTIND", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "HISTCMD", "BASHPID", "EPOCHSECONDS", "EPOCHREALTIME", "BASH_SUBSHELL":
		return true
	}
	return false
}

func newFacts() *facts {
	return &facts{
		associative: map[string]bool{}, arrays: map[string]bool{}, integers: map[string]bool{},
		references: map[string]bool{}, functions: map[string]bool{}, readers: map[string]bool{},
	}
}

func collectFacts(tree syntax.Node) *facts {
	f := newFacts()
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DeclClause:
			f.declaration(n.Variant.Value, n.Args)
		case *syntax.CallExpr:
			f.call(n)
		case *syntax.Assign:
			if n.Name != nil && (n.Array != nil || n.Index != nil) {
				f.arrays[n.Name.Value] = true
			}
		case *syntax.FuncDecl:
			if n.Name != nil {
				f.functions[n.Name.Value] = true
				f.readers[n.Name.Value] = f.readsSource(n.Body)
			}
		}
		return true
	})
	return f
}

func (f *facts) declaration(variant string, args []*syntax.Assign) {
	flags := declareFlags(args)
	if variant == "nameref" {
		flags += "n"
	}
	for _, a := range args {
		if a.Name != nil {
			f.attributes(a.Name.Value, flags)
		} else if a.Value != nil {
			f.attributes(beforeValue(staticText(a.Value)), flags)
		}
	}
}

// call sees declarations behind command and builtin, and those of POSIX shells.
func (f *facts) call(n *syntax.CallExpr) {
	flags := ""
	for i, word := range n.Args {
		text := staticText(word)
		switch {
		case i == 0 && text != "command" && text != "builtin" && text != "local":
			return
		case len(text) > 1 && (text[0] == '-' || text[0] == '+'):
			flags += text[1:]
		case i > 0:
			f.attributes(beforeValue(text), flags)
		}
	}
}

func beforeValue(text string) string {
	name, _, _ := strings.Cut(text, "=")
	return strings.TrimSuffix(name, "+")
}

func (f *facts) attributes(variable, flags string) {
	f.associative[variable] = f.associative[variable] || strings.Contains(flags, "A")
	f.arrays[variable] = f.arrays[variable] || strings.ContainsAny(flags, "aA")
	f.integers[variable] = f.integers[variable] || strings.Contains(flags, "i")
	f.references[variable] = f.references[variable] || strings.Contains(flags, "n")
}

func declareFlags(args []*syntax.Assign) string {
	flags := ""
	for _, a := range args {
		if a.Naked && a.Value != nil {
			if text := staticText(a.Value); len(text) > 1 && text[0] == '-' {
				flags += text[1:]
			}
		}
	}
	return flags
}

// variableSpot is the spot of a text that is assigned to a variable.
func (f *facts) variableSpot(at spot, variable string) spot {
	switch {
	case f.integers[variable] || evaluatedByBash(variable):
		at.want, at.shellWord = integer, true
	case f.references[variable]:
		at.want = name
		at.guards |= nameStart
	}
	return at
}
