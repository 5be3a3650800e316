package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// evaluation is what a command does with the text of a variable.
type evaluation int

const (
	inArithmetic evaluation = 1 << iota
	asSource
)

// positional stands for $1, $2, $@ and $* of all functions.
const positional = "@"

func variableKey(name string) string {
	if name == "*" || name != "" && strings.Trim(name, "0123456789") == "" {
		return positional
	}
	return name
}

func (c *compiler) assign(variable string, marks []*marker) {
	c.assigned[variable] = append(c.assigned[variable], marks...)
}

func (c *compiler) evaluate(variable string, how evaluation) {
	c.evaluated[variableKey(variable)] |= how
}

// copies notes that the text of the variables in a word goes into another one.
func (w *walker) copies(variable string, word syntax.Node) {
	syntax.Walk(word, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil && !p.Length {
			w.c.copied[variable] = append(w.c.copied[variable], variableKey(p.Param.Value))
		}
		return true
	})
}

// followVariables guards values that the command evaluates through a variable
// of its own: v={{x}}; (( v > 1 )) runs a[$(…)] in v just as well. It follows
// copies and the arguments of functions, but neither files nor programs.
func (c *compiler) followVariables() {
	c.followCopies()
	for _, variable := range sortedKeys(c.evaluated) {
		for _, m := range c.assigned[variable] {
			if c.evaluated[variable]&inArithmetic != 0 {
				m.place.guards |= noSubscript
			}
			if c.evaluated[variable]&asSource != 0 {
				where := "the variable " + variable
				if variable == positional {
					where = "the arguments of a function"
				}
				c.refuseReparse(m, "goes into "+where+", which a shell evaluates as source", passHint)
			}
		}
	}
}

func (c *compiler) followCopies() {
	for changed := true; changed; {
		changed = false
		for variable, sources := range c.copied {
			for _, source := range sources {
				if more := c.evaluated[variable] &^ c.evaluated[source]; more != 0 {
					c.evaluated[source] |= more
					changed = true
				}
			}
		}
	}
}

func sortedKeys(m map[string]evaluation) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
