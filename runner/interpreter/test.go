package interpreter

import (
	"github.com/brickoven/brickoven/recipes/template/shell"
	"mvdan.cc/sh/v3/syntax"
)

// compareTexts makes comparisons of texts of those of [[ ]] whose right side is
// quoted as a whole, because the interpreter would see @( ) in it as a pattern:
// two texts are equal if neither comes before the other.
func compareTexts(file *syntax.File) {
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.TestClause:
			n.X = compared(n.X)
		case *syntax.ParenTest:
			n.X = compared(n.X)
		case *syntax.UnaryTest:
			n.X = compared(n.X)
		case *syntax.BinaryTest:
			n.X, n.Y = compared(n.X), compared(n.Y)
		}
		return true
	})
}

func compared(expr syntax.TestExpr) syntax.TestExpr {
	n, ok := expr.(*syntax.BinaryTest)
	if !ok || n.Op != syntax.TsMatchShort && n.Op != syntax.TsMatch && n.Op != syntax.TsNoMatch {
		return expr
	}
	if !shell.ComparesTexts(n) {
		return expr
	}
	before := &syntax.BinaryTest{OpPos: n.OpPos, Op: syntax.TsBefore, X: n.X, Y: n.Y}
	after := &syntax.BinaryTest{OpPos: n.OpPos, Op: syntax.TsAfter, X: n.X, Y: n.Y}
	if n.Op == syntax.TsNoMatch {
		return &syntax.BinaryTest{OpPos: n.OpPos, Op: syntax.OrTest, X: before, Y: after}
	}
	return &syntax.BinaryTest{
		OpPos: n.OpPos, Op: syntax.AndTest,
		X: &syntax.UnaryTest{OpPos: n.OpPos, Op: syntax.TsNot, X: before}, Y: &syntax.UnaryTest{OpPos: n.OpPos, Op: syntax.TsNot, X: after},
	}
}

// plainTest decides the forms of test and [ that POSIX defines by the number of
// their operands, because the interpreter would take a value such as -f for an
// operator. known is false for any other form.
func plainTest(args []string) (holds, known bool) {
	operands := args[1:]
	if args[0] == "[" {
		if len(operands) == 0 || operands[len(operands)-1] != "]" {
			return false, false
		}
		operands = operands[:len(operands)-1]
	}
	return decided(operands)
}

func decided(operands []string) (holds, known bool) {
	switch len(operands) {
	case 0:
		return false, true
	case 1:
		return operands[0] != "", true
	case 2:
		switch operands[0] {
		case "!", "-z":
			return operands[1] == "", true
		case "-n":
			return operands[1] != "", true
		}
	case 3:
		switch operands[1] {
		case "=", "==":
			return operands[0] == operands[2], true
		case "!=":
			return operands[0] != operands[2], true
		}
		fallthrough
	case 4:
		if operands[0] == "!" {
			holds, known = decided(operands[1:])
			return !holds, known
		}
	}
	return false, false
}
