package ledger

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Places answers what an evidence command needs to know of the machine. dir is
// relative to the project's root, "" for the root itself, or absolute.
type Places interface {
	// Program tells whether name is a program on PATH, or a file in dir.
	Program(dir, name string) bool
	// File tells whether name, seen from dir, is a file.
	File(dir, name string) bool
}

// CheckCommand reads an evidence command as bash would, without running
// anything, and returns what keeps it from running as written: it does not
// parse, carries a placeholder, runs nothing, or names a program or script that
// resolves nowhere. Quotes, pipes, redirections, compound commands and
// functions count as the shell counts them, and a literal cd changes the folder
// that what follows is resolved in. A nil places leaves out what needs the
// machine.
func CheckCommand(command string, places Places) []string {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		faults := []string{fmt.Sprintf("does not parse as a shell command: %s", err)}
		if mark := angleMark.Get().FindString(command); mark != "" {
			faults = append(faults, placeholderFault(mark))
		}
		return faults
	}
	c := &commandCheck{places: places, functions: map[string]bool{}, known: true}
	syntax.Walk(file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil {
			c.functions[f.Name.Value] = true
		}
		return true
	})
	syntax.Walk(file, c.visit)
	if !c.ran {
		c.add("runs no program")
	}
	return c.faults
}

// commandCheck walks a parsed command in the order of its text.
type commandCheck struct {
	places    Places
	functions map[string]bool
	dir       string
	known     bool // whether dir is known
	ran       bool
	stack     []folder
	faults    []string
}

// folder is the working folder to return to when a subshell ends.
type folder struct {
	dir     string
	known   bool
	restore bool
}

func (c *commandCheck) add(format string, args ...any) {
	if fault := fmt.Sprintf(format, args...); !slices.Contains(c.faults, fault) {
		c.faults = append(c.faults, fault)
	}
}

func (c *commandCheck) visit(n syntax.Node) bool {
	if n == nil {
		last := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		if last.restore {
			c.dir, c.known = last.dir, last.known
		}
		return true
	}
	_, sub := n.(*syntax.Subshell)
	_, substitution := n.(*syntax.CmdSubst)
	_, process := n.(*syntax.ProcSubst)
	c.stack = append(c.stack, folder{dir: c.dir, known: c.known, restore: sub || substitution || process})
	switch n := n.(type) {
	case *syntax.CallExpr:
		c.placeholders(n)
		c.call(n.Args)
	case *syntax.Stmt:
		c.redirects(n.Redirs)
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.DeclClause, *syntax.LetClause:
		c.ran = true
	}
	return true
}

// call resolves the program of one simple command.
func (c *commandCheck) call(words []*syntax.Word) {
	if len(words) == 0 {
		return
	}
	c.ran = true
	name, literal := wordText(words[0])
	if !literal {
		c.add("the program %s is not written out, so it can not be resolved", printed(words[0]))
		return
	}
	args := words[1:]
	switch {
	case c.functions[name]:
	case name == "cd" || name == "pushd":
		c.changeFolder(args)
	case name == "." || name == "source":
		c.script(args, interpreter{})
	case name == "command" || name == "exec" || name == "builtin":
		if rest := afterOptions(args, "a"); len(rest) > 0 && !querying(args) {
			c.call(rest)
		}
	case slices.Contains(builtins(), name):
	default:
		c.program(name, args)
	}
}

// querying knows "command -v x", which asks and does not run.
func querying(args []*syntax.Word) bool {
	option, literal := wordText(args[0])
	return literal && (option == "-v" || option == "-V")
}

func (c *commandCheck) program(name string, args []*syntax.Word) {
	if c.places == nil {
		return
	}
	if !c.known && strings.Contains(name, "/") && !path.IsAbs(name) {
		c.add("the folder that %q is looked up in is only known when the command runs", name)
		return
	}
	if !c.places.Program(c.dir, name) {
		c.add("the program %q is neither on PATH nor a file in the project", name)
		return
	}
	switch base := path.Base(name); base {
	case "env":
		rest := afterOptions(args, "uCS")
		for len(rest) > 0 && isAssignment(rest[0]) {
			rest = rest[1:]
		}
		c.call(rest)
	case "nohup", "setsid":
		c.call(afterOptions(args, ""))
	case "nice", "stdbuf":
		c.call(afterOptions(args, "nioe"))
	case "timeout":
		if rest := afterOptions(args, "ks"); len(rest) > 1 {
			c.call(rest[1:])
		}
	default:
		if i, ok := interpreters()[base]; ok {
			c.script(args, i)
		}
	}
}

func isAssignment(w *syntax.Word) bool {
	name, _, found := strings.Cut(printed(w), "=")
	return found && syntax.ValidName(name)
}

// afterOptions skips the options in front of a wrapped command. valued are the
// short options whose value is a word of its own.
func afterOptions(args []*syntax.Word, valued string) []*syntax.Word {
	for len(args) > 0 {
		text, literal := wordText(args[0])
		if !literal || !strings.HasPrefix(text, "-") || text == "-" {
			break
		}
		args = args[1:]
		if text == "--" {
			break
		}
		if len(text) == 2 && strings.Contains(valued, text[1:]) && len(args) > 0 {
			args = args[1:]
		}
	}
	return args
}

func (c *commandCheck) changeFolder(args []*syntax.Word) {
	args = afterOptions(args, "")
	if len(args) == 0 {
		c.known = false
		return
	}
	target, literal := wordText(args[0])
	switch {
	case !literal || target == "-" || strings.HasPrefix(target, "~"):
		c.known = false
	case path.IsAbs(target):
		c.dir, c.known = path.Clean(target), true
	default:
		c.dir = path.Join(c.dir, target)
	}
}

// interpreter says how a program takes its script: inline are the options that
// bring the program text themselves, valued those with a value of their own.
type interpreter struct{ inline, valued string }

var interpreters = sync.OnceValue(func() map[string]interpreter {
	return map[string]interpreter{
		"bash": {"cs", "oO"}, "sh": {"cs", "o"}, "dash": {"cs", "o"}, "zsh": {"cs", "o"}, "ksh": {"cs", "o"},
		"python": {"cmV", "WX"}, "python2": {"cmV", "WX"}, "python3": {"cmV", "WX"},
		"node": {"epv", "rC"}, "ruby": {"ev", "rIEC"}, "perl": {"eEv", "IMm"}, "php": {"rv", "dc"},
	}
})

// script checks that the script an interpreter is given exists.
func (c *commandCheck) script(args []*syntax.Word, i interpreter) {
	for at := 0; at < len(args); at++ {
		text, literal := wordText(args[at])
		if !literal || text == "-" {
			return
		}
		if !strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "+") {
			if c.places != nil && c.known && !c.places.File(c.dir, text) {
				c.add("the script %q is not a file in the project", text)
			}
			return
		}
		if strings.HasPrefix(text, "--") {
			if text == "--version" || text == "--help" || text == "--eval" || text == "--test" {
				return
			}
			continue
		}
		if len(text) > 1 && strings.ContainsAny(text[1:], i.inline) {
			return
		}
		if len(text) > 1 && strings.ContainsAny(text[len(text)-1:], i.valued) {
			at++
		}
	}
}
