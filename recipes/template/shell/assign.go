package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// passHint says how a value reaches a second shell as data.
const passHint = `pass the value as an argument or in the environment instead, such as sh -c 'cmd "$1"' sh "$v"`

// runByGit are variables whose text git gives to sh -c.
func runByGit(variable string) bool {
	switch variable {
	case "GIT_SSH_COMMAND", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND":
		return true
	}
	return false
}

// evaluatedLater are variables whose text shells and other programs run or
// expand at a time of their own.
func evaluatedLater(variable string) bool {
	switch variable {
	case "PS0", "PS1", "PS2", "PS4", "PROMPT_COMMAND", "ENV", "BASH_ENV", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "LESSOPEN", "LESSCLOSE":
		return true
	}
	return false
}

// assign visits NAME=value, NAME[i]=value and NAME=(…). declared tells that a
// builtin such as declare does it, which reads (…) in the text as an array.
func (w *walker) assign(a *syntax.Assign, at spot, declared bool) {
	if a.Name == nil {
		w.declareWord(flatten(a.Value), at, declared)
		return
	}
	variable := a.Name.Value
	if a.Array != nil {
		at.guards &^= noCompound // its elements are words of their own
	}
	if a.Index != nil {
		w.subscript(variable, a.Index, at)
	}
	inside := w.facts.variableSpot(at, variable)
	inside.variable = variable
	if a.Value != nil || a.Array != nil {
		w.copies(variable, a)
	}
	if a.Array != nil {
		w.comments(a.Array)
		for _, element := range a.Array.Elems {
			w.comments(element)
			if element.Index != nil {
				w.subscript(variable, element.Index, at)
			}
			if element.Value != nil {
				w.visit(element.Value, inside)
			}
		}
		return
	}
	if a.Value == nil {
		return
	}
	if declared && w.facts.arrays[variable] {
		inside.guards |= noCompound
	}
	w.assigned(variable, a.Value, inside)
}

// assigned visits a text that becomes the value of a variable.
func (w *walker) assigned(variable string, value *syntax.Word, inside spot) {
	marks := w.marksIn(value)
	switch {
	case len(marks) == 0:
	case runByGit(variable):
		w.inner([][]unit{flatten(value)}, []*syntax.Word{value}, reader{what: "git's " + variable, dialect: POSIX, process: true}, inside)
		return
	case evaluatedLater(variable):
		for _, m := range marks {
			if !w.c.refuseReparse(m, "goes into "+variable+", which is evaluated later", passHint) {
				return
			}
		}
	case inside.guards&noCompound != 0 && strings.HasPrefix(strings.TrimLeft(unitText(flatten(value), w.c.text.spare), " \t\n"), "("):
		for _, m := range marks {
			if !w.c.refuseReparse(m, "stands in a text in parentheses, which declare evaluates as an array", "write the array without quotes: a=("+m.quoted+")") {
				return
			}
		}
	}
	w.visit(value, inside)
}

// declare visits declare, local, export, readonly and their kin.
func (w *walker) declare(n *syntax.DeclClause, at spot) {
	flags := declareFlags(n.Args)
	for _, a := range n.Args {
		inside := at
		if strings.ContainsAny(flags, "aA") {
			inside.guards |= noCompound
		}
		w.assign(a, inside, true)
	}
}

// declareWord visits NAME, NAME[i] or NAME=value that is a word of an ordinary
// command, or that holds placeholders in its name.
func (w *walker) declareWord(units []unit, at spot, declared bool) {
	head, value := units, []unit(nil)
	for i, u := range units {
		if u.node == nil && u.char == '=' {
			head, value = units[:i], units[i+1:]
			break
		}
	}
	w.nameUnits(head, at)
	if value == nil {
		return
	}
	variable := strings.TrimSuffix(unitText(head, w.c.text.spare), "+")
	inside := w.facts.variableSpot(at, variable)
	inside.variable = variable
	if declared && (w.facts.arrays[variable] || at.guards&noCompound != 0) {
		inside.guards |= noCompound
	}
	if text := unitText(value, w.c.text.spare); declared && strings.HasPrefix(strings.TrimLeft(text, " \t\n"), "(") {
		for _, m := range w.c.text.marksIn(text) {
			if !w.c.refuseReparse(m, "stands in a text in parentheses, which declare evaluates as an array", "write the array without quotes: a=("+m.quoted+")") {
				return
			}
		}
	}
	w.visitUnits(value, inside)
}

// nameUnits visits a text that the shell reads as the name of a variable, or
// as an element of an array.
func (w *walker) nameUnits(units []unit, at spot) {
	at.variable = ""
	first := true
	for i, u := range units {
		m := w.c.text.byChar[u.char]
		switch {
		case u.node != nil:
			for _, m := range w.marksIn(u.node) {
				w.c.fail(m, m.quoted+" is part of an expansion that gives a variable's name", "use the placeholder itself as the name")
			}
		case u.char == '[' && i > 0:
			w.subscriptUnits(unitText(units[:i], w.c.text.spare), units[i+1:], at)
			return
		case m != nil:
			inside := at.plain()
			inside.want = name
			if first {
				inside.guards |= nameStart
			}
			w.put(m, u.quote, inside)
		}
		first = false
	}
}

func (w *walker) subscriptUnits(array string, units []unit, at spot) {
	for _, m := range w.c.text.marksIn(unitText(units, w.c.text.spare)) {
		if w.facts.associative[array] {
			w.c.fail(m, m.quoted+": bash evaluates the key of an associative array twice here", "use the element in an assignment or an expansion")
		}
	}
	inside := at.plain()
	inside.want, inside.shellWord = integer, true
	w.visitUnits(units, inside)
}

// visitUnits visits a part of a word.
func (w *walker) visitUnits(units []unit, at spot) {
	for _, u := range units {
		at.quote = u.quote
		if u.node != nil {
			w.visit(u.node, at)
			continue
		}
		if m := w.c.text.byChar[u.char]; m != nil {
			w.assignTo(at, m)
			w.put(m, u.quote, at)
		}
	}
}
