package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// signature says which words of a builtin are names of variables.
type signature struct {
	textOptions  string // letters of options that take a text
	nameOptions  string // letters of options that take a name
	innerOptions string // letters of options that take shell source
	// names tells from which operand on the operands are names; 0 is none, 1
	// is the first. single limits that to one operand.
	names  int
	single bool
}

func builtinSignature(command string) (signature, bool) {
	switch command {
	case "read":
		return signature{textOptions: "dinNptu", nameOptions: "a", names: 1}, true
	case "mapfile", "readarray":
		return signature{textOptions: "dnOsuc", innerOptions: "C", names: 1}, true
	case "printf":
		return signature{nameOptions: "v"}, true
	case "unset":
		return signature{names: 1}, true
	case "getopts":
		return signature{names: 2, single: true}, true
	case "wait":
		return signature{nameOptions: "p"}, true
	}
	return signature{}, false
}

// builtin visits the words of a builtin after its name.
func (w *walker) builtin(command string, s signature, args []*syntax.Word, at spot) {
	if command == "printf" && len(args) > 2 && staticText(args[0]) == "-v" {
		at.variable = staticText(args[1])
		at = w.facts.variableSpot(at, at.variable)
	}
	operands := 0
	pending := byte(0) // the option whose argument comes next
	options := true
	for _, word := range args {
		units := flatten(word)
		text := unitText(units, w.c.text.spare)
		switch {
		case pending != 0:
			w.optionValue(command, s, pending, units, word, at)
			pending = 0
		case options && text == "--":
			options = false
		case options && len(text) > 1 && text[0] == '-':
			pending = w.optionWord(command, s, units, text, word, at)
		default:
			operands++
			w.operand(command, s, operands, options, word, at)
			options = command == "unset" && options
		}
	}
}

// optionWord visits -abc and returns the letter whose argument is the next word.
func (w *walker) optionWord(command string, s signature, units []unit, text string, word *syntax.Word, at spot) byte {
	for i, letter := range []byte(text[1:]) {
		if letter >= 0x80 {
			break
		}
		if strings.IndexByte(s.textOptions+s.nameOptions+s.innerOptions, letter) < 0 {
			continue
		}
		if rest := units[i+2:]; len(rest) > 0 {
			w.optionValue(command, s, letter, rest, word, at)
			return 0
		}
		return letter
	}
	for _, m := range w.marksIn(word) {
		w.c.fail(m, m.quoted+" is part of an option of "+command, "write the option itself")
	}
	return 0
}

func (w *walker) optionValue(command string, s signature, letter byte, units []unit, word *syntax.Word, at spot) {
	switch {
	case strings.IndexByte(s.nameOptions, letter) >= 0:
		w.nameUnits(units, at)
	case strings.IndexByte(s.innerOptions, letter) >= 0:
		w.inner([][]unit{units}, []*syntax.Word{word}, reader{what: command, dialect: w.c.dialect}, at)
	default:
		w.visitUnits(units, at)
	}
}

func (w *walker) operand(command string, s signature, operand int, options bool, word *syntax.Word, at spot) {
	if s.names > 0 && (operand == s.names || operand > s.names && !s.single) {
		w.nameUnits(flatten(word), at)
		return
	}
	if command == "printf" && operand == 1 {
		for _, m := range w.marksIn(word) {
			w.c.note(m, FormatString, m.quoted+` is in the format of printf, which reads % and \ in it; printf '%s' prints the value as it is`)
		}
	}
	w.visit(word, at)
	if options {
		w.guardLeading(word, noOption)
	}
}

// guardLeading guards the marker that a word begins with.
func (w *walker) guardLeading(word *syntax.Word, g guard) {
	if units := flatten(word); len(units) > 0 && units[0].node == nil {
		if m := w.c.text.byChar[units[0].char]; m != nil {
			m.place.guards |= g
		}
	}
}
