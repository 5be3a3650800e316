package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/brickoven/brickoven/recipes/value/pattern"
)

// mentioned finds $NAME, ${NAME…} and any word that is RECIPE_VAR_….
var mentioned = pattern.Pattern{Source: `\$(?:\{[#!]?)?([A-Za-z_][A-Za-z0-9_]*)|\b(RECIPE_VAR_[A-Za-z0-9_]+)`, Needs: []string{"$", "RECIPE_VAR_"}}

// mentions lists the variables that a text reads by itself. tree is nil for a
// text that does not parse.
func mentions(source string, tree syntax.Node) []string {
	var names []string
	for _, at := range mentioned.FindAll(source) {
		first, last := at[2], at[3]
		if first < 0 {
			first, last = at[4], at[5]
		}
		names = append(names, source[first:last])
	}
	if tree != nil {
		syntax.Walk(tree, func(n syntax.Node) bool {
			names = append(names, arithmeticNames(n)...)
			return true
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// arithmeticNames lists the variables that an expression reads without a $.
func arithmeticNames(n syntax.Node) []string {
	var names []string
	for _, x := range operandsOf(n) {
		if word, ok := x.(*syntax.Word); ok {
			if name := staticText(word); isName(name, true) {
				names = append(names, name)
			}
		}
	}
	return names
}

func operandsOf(n syntax.Node) []syntax.Node {
	switch n := n.(type) {
	case *syntax.ArithmExp:
		return []syntax.Node{n.X}
	case *syntax.ArithmCmd:
		return []syntax.Node{n.X}
	case *syntax.BinaryArithm:
		return []syntax.Node{n.X, n.Y}
	case *syntax.UnaryArithm:
		return []syntax.Node{n.X}
	case *syntax.ParenArithm:
		return []syntax.Node{n.X}
	case *syntax.UnaryTest:
		return []syntax.Node{n.X}
	case *syntax.BinaryTest:
		return []syntax.Node{n.X, n.Y}
	}
	return nil
}
