package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call visits the words of a simple command.
func (w *walker) call(args []*syntax.Word, at spot) {
	if len(args) == 0 {
		return
	}
	if !w.anyMarks(args) {
		// Its variables may still be evaluated.
		w.callWithout(args, at)
		return
	}
	if w.nested && w.unknownCommand(args[0]) {
		for _, m := range w.marksOf(args) {
			if !w.c.refuseReparse(m, "is an argument of a command that an expansion names in the text of a second shell", passHint) {
				return
			}
		}
	}
	command := commandName(args[0])
	if command == "set" || w.facts.functions[command] {
		w.c.assign(positional, w.marksOf(args[1:]))
	}
	if wr, ok := wrapperOf(command); ok && len(args) > 1 {
		w.wrapped(command, wr, args, at)
		return
	}
	w.simple(command, args, at)
}

func (w *walker) anyMarks(args []*syntax.Word) bool {
	for _, word := range args {
		if len(w.marksIn(word)) > 0 {
			return true
		}
	}
	return false
}

func (w *walker) marksOf(args []*syntax.Word) []*marker {
	var all []*marker
	for _, word := range args {
		all = append(all, w.marksIn(word)...)
	}
	return all
}

// callWithout visits a command that holds no marker, for what it does with
// variables that do.
func (w *walker) callWithout(args []*syntax.Word, at spot) {
	w.visitAll(args, at)
	if command := commandName(args[0]); command == "set" || w.facts.functions[command] {
		for _, word := range args[1:] {
			w.copies(positional, word)
		}
	}
	for i := 0; i < len(args); {
		command := commandName(args[i])
		if wr, ok := wrapperOf(command); ok {
			i += max(wr.skip(args[i:]), 1)
			continue
		}
		w.evaluates(command, args[i:])
		return
	}
}

// evaluates notes the variables whose text eval and alike run as source.
func (w *walker) evaluates(command string, args []*syntax.Word) {
	_, isShell := shellDialect(command)
	var texts []*syntax.Word
	switch {
	case command == "eval" || command == "trap":
		texts = args[1:]
	case isShell:
		if s := w.parseShellCall(args); s.command > 0 {
			texts = args[s.command : s.command+1]
		}
	}
	for _, word := range texts {
		w.runsVariables(word)
	}
	if command == "let" {
		for _, word := range args[1:] {
			for _, field := range strings.FieldsFunc(staticText(word), func(r rune) bool { return !isName(string(r), false) }) {
				if isName(field, true) {
					w.c.evaluate(field, inArithmetic)
				}
			}
		}
	}
}

func (w *walker) runsVariables(word *syntax.Word) {
	syntax.Walk(word, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil && !p.Length {
			w.c.evaluate(p.Param.Value, asSource)
		}
		return true
	})
}

func (w *walker) unknownCommand(word *syntax.Word) bool {
	return strings.ContainsRune(unitText(flatten(word), w.c.text.spare), w.c.text.spare)
}

// wrapped visits a command such as sudo or env and the command that it runs.
func (w *walker) wrapped(command string, wr wrapper, args []*syntax.Word, at spot) {
	next := wr.skip(args)
	if command == "env" {
		w.envSplit(args)
	}
	for _, word := range args[:next] {
		text := unitText(flatten(word), w.c.text.spare)
		if wr.assigns && isAssignment(word) && text[0] != '-' {
			w.declareWord(flatten(word), at, false)
			continue
		}
		w.visit(word, at)
	}
	if next >= len(args) {
		return
	}
	options := ""
	for _, word := range args[1:next] {
		options += " " + staticText(word) + " "
	}
	w.environment(command, options, args[next:])
	w.call(args[next:], at)
	w.guardLeading(args[next], noOption)
}

// envSplit refuses env -S text: env reads quotes and variables in it.
func (w *walker) envSplit(args []*syntax.Word) {
	for i, word := range args[1:] {
		text, before := unitText(flatten(word), w.c.text.spare), staticText(args[i])
		if !strings.HasPrefix(text, "-S") && !strings.HasPrefix(text, "--split-string") && before != "-S" && before != "--split-string" {
			continue
		}
		for _, m := range w.marksIn(word) {
			w.c.refuseReparse(m, "is in a text that env splits into words", passHint)
		}
	}
}

// environment looks at what a wrapper does to the variables that an inner
// shell needs.
func (w *walker) environment(command, options string, args []*syntax.Word) {
	marks := w.marksOf(args)
	_, isShell := shellDialect(commandName(args[0]))
	switch {
	case len(marks) == 0:
	case command == "sudo" && (strings.Contains(options, " -i ") || strings.Contains(options, " -s ")):
		for _, m := range marks {
			w.c.refuseReparse(m, "is parsed by the shell that sudo starts", "leave out -i and -s")
		}
	case command == "env" && isShell && (strings.Contains(options, " -i ") || strings.Contains(options, " - ") || strings.Contains(options, " --ignore-environment ")):
		for _, m := range marks {
			w.c.fail(m, "env -i hides the variable of "+m.quoted+" from the inner shell", `pass it as an argument: sh -c 'cmd "$1"' sh `+m.quoted)
		}
	case (command == "sudo" || command == "doas") && isShell && !strings.Contains(options, "-E") && !strings.Contains(options, "--preserve-env"):
		w.c.note(marks[0], EnvironmentReset, command+" may clear the environment, so that "+marks[0].quoted+" would be empty in the inner shell; --preserve-env keeps it")
	}
}

// simple visits a command that is no wrapper.
func (w *walker) simple(command string, args []*syntax.Word, at spot) {
	w.visitCommandWord(args[0], at)
	rest := args[1:]
	dialect, isShell := shellDialect(command)
	s, isBuiltin := builtinSignature(command)
	switch {
	case isShell:
		w.shell(command, dialect, args, at)
	case isBuiltin:
		w.builtin(command, s, rest, at)
	case parsesText(command):
		for _, m := range w.marksOf(rest) {
			if !w.c.refuseReparse(m, "is an argument of "+command+", which gives it to a shell or an interpreter of its own", passHint) {
				return
			}
		}
		w.visitAll(rest, at)
	default:
		w.special(command, args, at)
	}
}

// special visits the commands that have a rule of their own.
func (w *walker) special(command string, args []*syntax.Word, at spot) {
	rest := args[1:]
	switch command {
	case "eval":
		w.inner(flattenAll(rest), rest, reader{what: "eval", dialect: w.c.dialect}, at)
	case "trap":
		w.trap(rest, at)
	case "su", "runuser", "flock":
		w.switchUser(command, rest, at)
	case "test", "[":
		w.testCommand(rest, at)
	case "let":
		at.want, at.shellWord = integer, true
		w.visitAll(rest, at)
	case "export", "readonly", "local", "declare", "typeset":
		for _, word := range rest {
			if text := staticText(word); len(text) > 1 && text[0] == '-' {
				continue
			}
			w.declareWord(flatten(word), at, true)
		}
	case "find":
		w.find(args, at)
	case "source", ".":
		w.sourced(rest, at)
	default:
		w.unknown(command, args, at)
	}
}

func (w *walker) visitAll(words []*syntax.Word, at spot) {
	for _, word := range words {
		w.visit(word, at)
	}
}

// visitCommandWord visits the name of a command. NAME=… with a placeholder in
// the name is no assignment to the parser, and is none to the shell either.
func (w *walker) visitCommandWord(word *syntax.Word, at spot) {
	marks := w.marksIn(word)
	if len(marks) > 0 {
		if text := unitText(flatten(word), w.c.text.spare); strings.Contains(text, "=") {
			w.c.fail(marks[0], marks[0].quoted+" is the name in an assignment", `use declare "`+marks[0].quoted+`=value"`)
			return
		}
		w.c.note(marks[0], CommandName, marks[0].quoted+" decides which command runs; its value is one word, the name of a program")
	}
	w.visit(word, at)
}

// unknown visits any other command. A shell among its arguments is out of sight.
func (w *walker) unknown(command string, args []*syntax.Word, at spot) {
	for i := range args {
		if i == 0 && command != "" {
			continue
		}
		_, isShell := shellDialect(commandName(args[i]))
		if i == 0 {
			isShell = staticText(args[0]) == ""
		}
		if !isShell {
			continue
		}
		if s := w.parseShellCall(args[i:]); s.command > 0 {
			for _, m := range w.marksIn(args[i+s.command]) {
				w.c.refuseReparse(m, "is in the source of a shell whose environment cannot be seen", passHint)
			}
		}
	}
	w.interpreter(command, args)
	w.visitAll(args[1:], at)
}
