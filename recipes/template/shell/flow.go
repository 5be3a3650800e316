package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// statement visits a command with its redirections.
func (w *walker) statement(s *syntax.Stmt, at spot) {
	source := s.Cmd != nil && w.facts.readsSource(s.Cmd)
	for _, r := range s.Redirs {
		w.redirection(s, r, source, at)
	}
	w.outputToShell(s)
	if s.Cmd != nil {
		w.visit(s.Cmd, at)
	}
}

func (w *walker) redirection(s *syntax.Stmt, r *syntax.Redirect, source bool, at spot) {
	what := "is in the input of a shell, which runs it as source"
	if r.Hdoc != nil {
		w.refuseIn(r.Word, "the delimiter of a heredoc cannot come from a placeholder")
		marks := w.marksIn(r.Hdoc)
		for _, m := range marks {
			if source && !w.c.refuseReparse(m, what, passHint) {
				return
			}
		}
		if len(marks) > 0 {
			w.interpreterInput(s.Cmd, marks)
			w.readInto(s.Cmd, marks)
		}
		w.heredoc(r, marks, at)
		return
	}
	feeds := r.Op == syntax.WordHdoc || r.Op == syntax.RdrIn && len(r.Word.Parts) == 1 && isProcess(r.Word.Parts[0])
	if feeds {
		marks := w.marksIn(r.Word)
		w.readInto(s.Cmd, marks)
		for _, m := range marks {
			if source && !w.c.refuseReparse(m, what, passHint) {
				return
			}
		}
	}
	w.visit(r.Word, at)
}

func isProcess(part syntax.WordPart) bool {
	_, ok := part.(*syntax.ProcSubst)
	return ok
}

// pipeline refuses {{x}} before | sh.
func (w *walker) pipeline(n *syntax.BinaryCmd) {
	if n.Op != syntax.Pipe && n.Op != syntax.PipeAll {
		return
	}
	marks := w.marksIn(n.X)
	if len(marks) > 0 {
		w.interpreterInput(n.Y.Cmd, marks)
		w.readInto(n.Y, marks)
	}
	if !w.facts.readsSource(n.Y) {
		return
	}
	for _, m := range marks {
		w.c.refuseReparse(m, "goes through a pipe into a shell, which runs it as source", passHint)
	}
}

// readInto notes that read and mapfile put the markers of their input into
// variables.
func (w *walker) readInto(node syntax.Node, marks []*marker) {
	if len(marks) == 0 || node == nil {
		return
	}
	syntax.Walk(node, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		if command := commandName(call.Args[0]); command != "read" && command != "mapfile" && command != "readarray" {
			return true
		}
		for _, word := range append(call.Args[1:], &syntax.Word{}) {
			variable := staticText(word)
			switch {
			case isName(variable, true):
			case variable == "":
				variable = "REPLY"
			default:
				continue
			}
			w.c.assign(variable, marks)
		}
		return true
	})
}

// lateReaders refuses all markers of a text that keeps a shell ready for
// anything printed: coproc bash, exec > >(sh).
func (w *walker) lateReaders(tree *syntax.File) {
	found := false
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CoprocClause:
			found = found || w.facts.readsSource(n.Stmt)
		case *syntax.Stmt:
			call, ok := n.Cmd.(*syntax.CallExpr)
			if !ok || len(call.Args) != 1 || commandName(call.Args[0]) != "exec" {
				break
			}
			for _, r := range n.Redirs {
				found = found || w.facts.readsSource(r.Word)
			}
		}
		return !found
	})
	if !found {
		return
	}
	for _, m := range w.marksIn(tree) {
		w.c.refuseReparse(m, "may be printed into the shell that the command keeps open", passHint)
	}
}

// outputToShell refuses > >(sh) and coproc sh in a statement with markers.
func (w *walker) outputToShell(s *syntax.Stmt) {
	var target syntax.Node
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			return n == s || target == nil
		case *syntax.ProcSubst:
			if n.Op == syntax.CmdOut && w.facts.readsSource(n) {
				target = n
			}
		}
		return true
	})
	if target == nil {
		return
	}
	for _, m := range w.marksIn(s) {
		w.c.refuseReparse(m, "is printed into a shell, which runs it as source", passHint)
	}
}

// readsSource reports whether a command runs a shell that takes its source
// from the input.
func (f *facts) readsSource(node syntax.Node) bool {
	found := false
	syntax.Walk(node, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && f.callReadsSource(call.Args) {
			found = true
		}
		return !found
	})
	return found
}

func (f *facts) callReadsSource(args []*syntax.Word) bool {
	if len(args) == 0 {
		return false
	}
	command := commandName(args[0])
	if command == "sudo" || command == "doas" || command == "env" || command == "su" || command == "runuser" {
		if loginShell(command, args[1:]) {
			return true
		}
	}
	if command == "xargs" && f.xargsSource(args) {
		return true
	}
	if wr, ok := wrapperOf(command); ok {
		next := wr.skip(args)
		return next < len(args) && command != "xargs" && f.callReadsSource(args[next:])
	}
	if command != "" && f.readers[command] {
		return true
	}
	if _, isShell := shellDialect(command); isShell || otherShell(command) {
		s := (&walker{c: &compiler{text: &text{}}}).parseShellCall(args)
		return s.readsInput() || fromInput(args[max(s.script, 0)]) && s.script > 0
	}
	if (command == "source" || command == ".") && len(args) > 1 {
		return fromInput(args[1])
	}
	return runsRemote(command) && f.remoteReadsSource(command, args) || command == "at" || command == "batch" || command == "parallel"
}

func otherShell(command string) bool {
	return command == "csh" || command == "tcsh" || command == "fish"
}

func fromInput(word *syntax.Word) bool {
	text := staticText(word)
	return text == "/dev/stdin" || text == "/dev/fd/0" || text == "/proc/self/fd/0"
}

// loginShell tells sudo -s, sudo -i and su without a command.
func loginShell(command string, args []*syntax.Word) bool {
	su := command == "su" || command == "runuser"
	for _, word := range args {
		text := staticText(word)
		if su && (strings.HasPrefix(text, "-") && strings.HasSuffix(text, "c") || strings.HasPrefix(text, "--command")) {
			return false
		}
		if command == "sudo" && (text == "-s" || text == "-i" || text == "--shell" || text == "--login") {
			return true
		}
	}
	return su
}

// xargsSource tells xargs sh -c without a text of its own, and with -I, which
// puts the input into that text.
func (f *facts) xargsSource(args []*syntax.Word) bool {
	wr, _ := wrapperOf("xargs")
	next := wr.skip(args)
	if next >= len(args) {
		return false
	}
	replaces := false
	for _, word := range args[1:next] {
		text := staticText(word)
		replaces = replaces || strings.HasPrefix(text, "-I") || strings.HasPrefix(text, "-i") || strings.HasPrefix(text, "--replace")
	}
	for i, word := range args[next:] {
		command := commandName(word)
		_, isShell := shellDialect(command)
		if command == "eval" {
			return true
		}
		if !isShell {
			continue
		}
		s := (&walker{c: &compiler{text: &text{}}}).parseShellCall(args[next+i:])
		return replaces && s.command > 0 || s.command == 0 && s.script == 0
	}
	return false
}

// remoteReadsSource tells ssh host, ssh host bash -s, docker exec -i c sh.
func (f *facts) remoteReadsSource(command string, args []*syntax.Word) bool {
	for i := 1; i < len(args); i++ {
		words := strings.Fields(staticText(args[i]))
		if len(words) == 0 {
			continue
		}
		name := words[len(words)-1]
		if len(words) > 1 && strings.HasPrefix(name, "-") {
			name = words[len(words)-2]
		}
		if _, isShell := shellDialect(name[strings.LastIndexByte(name, '/')+1:]); isShell {
			s := (&walker{c: &compiler{text: &text{}}}).parseShellCall(args[i:])
			return s.readsInput()
		}
	}
	return remoteLogin(command, args)
}

// remoteLogin tells ssh and alike without a command: a login shell reads the
// input there.
func remoteLogin(command string, args []*syntax.Word) bool {
	if command != "ssh" && command != "rsh" && command != "mosh" {
		return false
	}
	wr := wrapper{textOptions: "bcDEeFIiJLlmOopQRSWwB"}
	return wr.skip(args)+1 >= len(args)
}

// interpreterInput notes values in the source of another interpreter.
func (w *walker) interpreterInput(command syntax.Command, marks []*marker) {
	call, ok := command.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	args := call.Args
	for {
		wr, ok := wrapperOf(commandName(args[0]))
		if !ok || wr.skip(args) >= len(args) {
			break
		}
		args = args[wr.skip(args):]
	}
	name := commandName(args[0])
	option := codeOption(name)
	if option == "" || option == "first" {
		return
	}
	for _, word := range args[1:] {
		text := staticText(word)
		database := name == "psql" || name == "mysql" || name == "mariadb"
		if text == "-" {
			break // the source is the input, whatever follows
		}
		if !database && (text == "" || text[0] != '-') || strings.ContainsAny(text, option) && len(text) == 2 {
			return
		}
	}
	for _, m := range marks {
		w.c.note(m, InterpreterHeredoc, m.quoted+" is in the source that "+name+" reads and parses; pass it as an argument or read it from the environment")
	}
}
