package shell

import "mvdan.cc/sh/v3/syntax"

// binaryTest visits [[ a op b ]].
func (w *walker) binaryTest(n *syntax.BinaryTest, at spot) {
	switch n.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		at.want, at.shellWord = integer, true
		w.arithmeticWord(n.X)
		w.arithmeticWord(n.Y)
	}
	w.visit(n.X, at)
	w.visit(n.Y, at)
}

// arithmeticWord notes the variables that [[ -eq ]] and alike read by name.
func (w *walker) arithmeticWord(x syntax.TestExpr) {
	if word, ok := x.(*syntax.Word); ok {
		if text := staticText(word); isName(text, true) {
			w.c.evaluate(text, inArithmetic)
		}
	}
}

// unaryTest visits [[ op a ]].
func (w *walker) unaryTest(n *syntax.UnaryTest, at spot) {
	word, ok := n.X.(*syntax.Word)
	if ok && (n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar) {
		w.nameUnits(flatten(word), at)
		return
	}
	w.visit(n.X, at)
}

// testCommand visits test and [, which read their operators from the text of
// the arguments, so that a value can pose as one.
func (w *walker) testCommand(args []*syntax.Word, at spot) {
	for i, word := range args {
		if i > 0 {
			if before := staticText(args[i-1]); before == "-v" || before == "-R" {
				w.nameUnits(flatten(word), at)
				continue
			}
		}
		w.visit(word, at)
		if i+1 < len(args) && len(w.marksIn(args[i+1])) > 0 {
			w.guardLeading(word, noOperator)
		}
	}
}
