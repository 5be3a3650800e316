package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// reading reports what the built-in interpreter has, but reads otherwise than
// bash does.
func (p *portable) reading(node syntax.Node) {
	switch n := node.(type) {
	case *syntax.CaseItem:
		for _, pattern := range n.Patterns {
			p.literalPattern(pattern)
		}
	case *syntax.BinaryTest:
		p.comparison(n)
	case *syntax.SglQuoted, *syntax.DblQuoted:
		if slices.ContainsFunc(p.above, func(node syntax.Node) bool { _, ok := node.(*syntax.LetClause); return ok }) {
			p.lack(n, "let reads no quotes; write $(( ))")
		}
	case *syntax.ExtGlob:
		if strings.ContainsAny(n.Pattern.Value, "\"'$`\\") {
			p.lack(n, "there are only plain characters in "+n.Op.String()+"…)")
		}
	case *syntax.Lit:
		if p.arithmetic() && tooLarge(n.Value) {
			p.lack(n, n.Value+" is too large a number")
		}
	}
}

// operand looks at the word behind the operator of ${name…}.
func (p *portable) operand(n *syntax.ParamExp) {
	switch n.Exp.Op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		if quoted(n.Exp.Word) {
			p.lack(n, "quotes do not make the pattern of ${name"+n.Exp.Op.String()+"…} literal")
		}
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull,
		syntax.AssignUnset, syntax.AssignUnsetOrNull:
		p.substitute(n)
	}
}

// substitute looks at what stands in for a variable: in a bare word its quotes
// do not keep blanks together, and within quotes single ones keep expansions
// from being made.
func (p *portable) substitute(n *syntax.ParamExp) {
	inQuotes, inCommand := false, false
	for _, node := range slices.Backward(p.above) {
		switch node.(type) {
		case *syntax.DblQuoted, *syntax.Redirect:
			inQuotes = true
		case *syntax.CallExpr, *syntax.WordIter, *syntax.ArrayElem:
			inCommand = true
		case *syntax.Word, *syntax.ParamExp:
			continue
		}
		break
	}
	for _, part := range n.Exp.Word.Parts {
		switch part := part.(type) {
		case *syntax.SglQuoted:
			if inQuotes && strings.Contains(part.Value, "$") || inCommand && strings.ContainsAny(part.Value, " \t\n") {
				p.lack(n, "single quotes in ${name"+n.Exp.Op.String()+"…} are read otherwise than by bash")
			}
		case *syntax.DblQuoted:
			if inCommand && part.Pos() != part.End() {
				p.lack(n, `quotes in a bare ${name`+n.Exp.Op.String()+`…} do not keep a word together; write "${name`+n.Exp.Op.String()+`…}"`)
			}
		}
	}
}

// comparison looks at the right side of [[ ]].
func (p *portable) comparison(n *syntax.BinaryTest) {
	word, ok := n.Y.(*syntax.Word)
	if !ok {
		return
	}
	switch n.Op {
	case syntax.TsMatchShort, syntax.TsMatch, syntax.TsNoMatch:
		if !ComparesTexts(n) {
			p.literalPattern(word)
		}
	case syntax.TsReMatch:
		if quoted(word) {
			p.lack(n, "quotes do not make a part of =~ literal")
		}
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		for _, side := range []syntax.TestExpr{n.X, n.Y} {
			if side, ok := side.(*syntax.Word); ok && !plainNumber(side) {
				p.lack(n, "numbers are not calculated in [[ ]]; write (( ))")
			}
		}
	}
}

// literalPattern reports quoted parts of a pattern that may hold what stays a
// pattern all the same: @( ) and its kin.
func (p *portable) literalPattern(word *syntax.Word) {
	for _, part := range word.Parts {
		open := false
		switch part := part.(type) {
		case *syntax.SglQuoted:
			open = extended(part.Value)
		case *syntax.DblQuoted:
			open = slices.ContainsFunc(part.Parts, func(inner syntax.WordPart) bool {
				lit, ok := inner.(*syntax.Lit)
				return !ok || extended(lit.Value)
			})
		}
		if open {
			p.lack(word, "quotes do not make @( ), +( ) and !( ) in a pattern literal")
			return
		}
	}
}

func extended(text string) bool {
	return strings.Contains(text, "@(") || strings.Contains(text, "+(") || strings.Contains(text, "!(")
}

// ComparesTexts tells whether a comparison of [[ ]] with = or != is one of texts:
// its right side is quoted as a whole, and both sides can be read twice.
func ComparesTexts(n *syntax.BinaryTest) bool {
	left, ok := n.X.(*syntax.Word)
	if !ok {
		return false
	}
	right, ok := n.Y.(*syntax.Word)
	return ok && len(right.Parts) == 1 && quoted(right) && pure(left) && pure(right)
}

// pure tells whether reading a word runs and sets nothing.
func pure(word *syntax.Word) bool {
	holds := true
	syntax.Walk(word, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.CmdSubst, *syntax.ArithmExp:
			holds = false
		case *syntax.ParamExp:
			holds = holds && (n.Exp == nil || n.Exp.Op != syntax.AssignUnset && n.Exp.Op != syntax.AssignUnsetOrNull)
		}
		return holds
	})
	return holds
}

// quoted tells whether a word has quotes in it.
func quoted(word *syntax.Word) bool {
	return slices.ContainsFunc(word.Parts, func(part syntax.WordPart) bool {
		switch part.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		}
		return false
	})
}

// plainNumber tells whether a word is one number or the value of one expansion.
func plainNumber(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	part := word.Parts[0]
	if in, ok := part.(*syntax.DblQuoted); ok && len(in.Parts) == 1 {
		part = in.Parts[0]
	}
	lit, ok := part.(*syntax.Lit)
	if !ok {
		_, text := part.(*syntax.SglQuoted)
		return !text
	}
	_, err := strconv.ParseInt(lit.Value, 10, 64)
	return err == nil
}

func (p *portable) arithmetic() bool {
	return slices.ContainsFunc(p.above, func(node syntax.Node) bool {
		switch node.(type) {
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause:
			return true
		}
		return false
	})
}

// tooLarge tells whether digits are no number of 64 bits.
func tooLarge(digits string) bool {
	if len(digits) < 19 || strings.Trim(digits, "0123456789") != "" {
		return false
	}
	_, err := strconv.ParseInt(digits, 10, 64)
	return err != nil
}
