package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shell visits bash, sh and alike.
func (w *walker) shell(command string, dialect Dialect, args []*syntax.Word, at spot) {
	s := w.parseShellCall(args)
	if s.markedAt > 0 {
		w.refuseIn(args[s.markedAt], "an option of "+command+" cannot come from a placeholder")
	}
	for i, word := range args[1:] {
		switch i + 1 {
		case s.command:
			w.inner([][]unit{flatten(word)}, []*syntax.Word{word}, reader{what: command + " -c", dialect: dialect, process: true}, at)
		case s.script:
			w.scriptFile(word, command, at)
		default:
			w.visit(word, at)
		}
	}
}

// scriptFile visits the name of a file that a shell runs.
func (w *walker) scriptFile(word *syntax.Word, command string, at spot) {
	for _, part := range word.Parts {
		if p, ok := part.(*syntax.ProcSubst); ok {
			for _, m := range w.marksIn(p) {
				w.c.refuseReparse(m, "is printed into the source that "+command+" runs", passHint)
			}
		}
	}
	w.visit(word, at)
	w.guardLeading(word, noOption)
}

func (w *walker) sourced(args []*syntax.Word, at spot) {
	for i, word := range args {
		if i == 0 {
			w.scriptFile(word, "source", at)
			continue
		}
		w.visit(word, at)
	}
}

func (w *walker) trap(args []*syntax.Word, at spot) {
	done := false
	for _, word := range args {
		text := unitText(flatten(word), w.c.text.spare)
		if done || text == "--" || text == "-p" || text == "-l" {
			w.visit(word, at)
			continue
		}
		w.inner([][]unit{flatten(word)}, []*syntax.Word{word}, reader{what: "trap", dialect: w.c.dialect}, at)
		done = true
	}
}

// switchUser visits su -c text and flock file -c text.
func (w *walker) switchUser(command string, args []*syntax.Word, at spot) {
	cleared := false
	for i, word := range args {
		text := unitText(flatten(word), w.c.text.spare)
		cleared = cleared || text == "-" || text == "-l" || text == "--login"
		before := ""
		if i > 0 {
			before = staticText(args[i-1])
		}
		source := before == "-c" || before == "--command" || strings.HasPrefix(text, "--command=") ||
			strings.HasPrefix(before, "-") && !strings.HasPrefix(before, "--") && strings.HasSuffix(before, "c")
		if source && cleared {
			w.refuseIn(word, command+" - hides its variable from the inner shell")
		}
		if source && !strings.HasPrefix(text, "--") {
			w.inner([][]unit{flatten(word)}, []*syntax.Word{word}, reader{what: command + " -c", dialect: POSIX, process: true}, at)
			continue
		}
		if source {
			w.refuseIn(word, "write --command and its text as two words")
		}
		w.visit(word, at)
	}
	if command == "flock" && len(args) > 2 {
		for i, word := range args {
			if _, isShell := shellDialect(commandName(word)); isShell && len(args) > i+2 {
				w.refuseIn(args[i+2], "use flock with -c, or a lock on a file descriptor")
			}
		}
	}
}

// find visits the commands behind -exec.
func (w *walker) find(args []*syntax.Word, at spot) {
	for i := 1; i < len(args); i++ {
		switch staticText(args[i]) {
		case "-exec", "-execdir", "-ok", "-okdir":
		default:
			w.visit(args[i], at)
			continue
		}
		end := i + 1
		for end < len(args) && staticText(args[end]) != ";" && staticText(args[end]) != "+" {
			end++
		}
		w.splicesNames(args[:i], args[i+1:end])
		w.call(args[i+1:end], at)
		i = end
	}
}

// splicesNames refuses find {{x}} -exec sh -c '… {} …', which makes the names
// of the files found, and so the value, a part of the source.
func (w *walker) splicesNames(before, command []*syntax.Word) {
	if len(command) == 0 {
		return
	}
	if _, isShell := shellDialect(commandName(command[0])); !isShell {
		return
	}
	s := w.parseShellCall(command)
	if s.command == 0 || !strings.Contains(unitText(flatten(command[s.command]), w.c.text.spare), "{}") {
		return
	}
	for _, m := range w.marksOf(before) {
		w.c.refuseReparse(m, "is a part of the names that find puts into the source of a shell", `pass the name as an argument: sh -c 'cmd "$1"' sh {} \;`)
	}
}
