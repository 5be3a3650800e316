package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (w *walker) visitWord(node syntax.Node, at spot) {
	switch n := node.(type) {
	case *syntax.Lit:
		w.readNames(n.Value, at)
		for _, m := range w.c.text.marksIn(n.Value) {
			w.assignTo(at, m)
			w.put(m, at.quote, at)
		}
	case *syntax.SglQuoted:
		w.singleQuoted(n, at)
	case *syntax.DblQuoted:
		at.quote, at.literalQuotes = double, false
		w.children(n, at)
	case *syntax.ParamExp:
		w.expansion(n, at)
	case *syntax.CmdSubst:
		w.substitution(n, at)
	case *syntax.ProcSubst:
		w.children(n, at.fresh())
	case *syntax.ExtGlob:
		w.rawPattern(n.Pattern, at)
	default:
		w.children(node, at)
	}
}

func (w *walker) assignTo(at spot, m *marker) {
	if at.variable != "" {
		w.c.assign(at.variable, []*marker{m})
	}
}

func (w *walker) singleQuoted(n *syntax.SglQuoted, at spot) {
	w.readNames(n.Value, at)
	quote := single
	switch {
	case n.Dollar:
		quote = dollarSingle
	case at.literalQuotes:
		quote = at.quote
	}
	for _, m := range w.c.text.marksIn(n.Value) {
		if at.literalQuotes && (n.Dollar || strings.ContainsAny(n.Value, "\"`\\$")) {
			w.c.fail(m, m.quoted+" stands between single quotes that are plain characters here, with other quotes", "assign it to a variable first")
			continue
		}
		w.assignTo(at, m)
		w.put(m, quote, at)
	}
}

// substitution visits a command whose output becomes part of the word. What
// it prints is evaluated where the word is.
func (w *walker) substitution(n *syntax.CmdSubst, at spot) {
	inside := at.fresh()
	if at.want != anyText {
		inside.guards |= noSubscript
	}
	if n.Backquotes {
		inside.backquotes++
	}
	w.children(n, inside)
	// v=$(echo {{x}}) carries the value too.
	for _, m := range w.marksIn(n) {
		w.assignTo(at, m)
	}
}

func (w *walker) expansion(n *syntax.ParamExp, at spot) {
	if n.Param != nil {
		w.readVariable(n, at)
		if n.Index != nil {
			key := at
			if n.Dollar.IsValid() && at.want == integer {
				key = at.plain()
			}
			w.subscript(n.Param.Value, n.Index, key)
		}
	}
	if n.Slice != nil {
		for _, x := range []syntax.ArithmExpr{n.Slice.Offset, n.Slice.Length} {
			if x != nil {
				w.visit(x, at.arithmetic())
			}
		}
	}
	pattern := at.plain()
	pattern.quote, pattern.literalQuotes = bare, false
	if n.Repl != nil {
		if n.Repl.Orig != nil {
			w.visit(n.Repl.Orig, pattern)
		}
		if n.Repl.With != nil {
			w.visit(n.Repl.With, pattern)
		}
	}
	if n.Exp == nil || n.Exp.Word == nil {
		return
	}
	switch n.Exp.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if n.Param != nil {
			at.variable = n.Param.Value
		}
		at = w.facts.variableSpot(at, at.variable)
		fallthrough
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		at.literalQuotes = at.quote == double
		w.visit(n.Exp.Word, at)
	default:
		w.visit(n.Exp.Word, pattern)
	}
}

// readVariable notes what the command does with the text of a variable.
func (w *walker) readVariable(n *syntax.ParamExp, at spot) {
	variable := n.Param.Value
	if at.want == integer && !n.Length || n.Excl && n.Names == 0 {
		w.c.evaluate(variable, inArithmetic)
	}
	if n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && n.Exp.Word != nil && n.Exp.Word.Lit() == "P" {
		w.c.evaluate(variable, asSource)
	}
}

// subscript visits what is between the brackets of an array's element.
func (w *walker) subscript(array string, index syntax.ArithmExpr, at spot) {
	if !w.facts.associative[array] {
		w.visit(index, at.arithmetic())
		return
	}
	if at.want != anyText {
		w.refuseIn(index, "bash evaluates the key of an associative array twice here")
		return
	}
	at.quote, at.literalQuotes, at.variable = bare, false, ""
	w.visit(index, at)
}

// rawPattern visits the text of @(…), which the parser leaves as it is.
func (w *walker) rawPattern(n *syntax.Lit, at spot) {
	quote := bare
	escaped := false
	for _, r := range n.Value {
		m := w.c.text.byChar[r]
		switch {
		case m != nil && strings.ContainsAny(n.Value, "`$"):
			w.c.fail(m, m.quoted+" stands in an extended pattern with expansions", "assign it to a variable first")
		case m != nil:
			w.put(m, quote, at)
		case escaped:
			escaped = false
		case r == '\\' && quote != single:
			escaped = true
		case r == '\'' && quote != double:
			quote = toggled(quote, single)
		case r == '"' && quote != single:
			quote = toggled(quote, double)
		}
	}
}

func toggled(now, q quoting) quoting {
	if now == q {
		return bare
	}
	return q
}

func (at spot) arithmetic() spot {
	return spot{quote: double, want: integer, backquotes: at.backquotes, guards: at.guards}
}

// readNames notes the variables that an arithmetic text reads by name.
func (w *walker) readNames(text string, at spot) {
	if at.want != integer {
		return
	}
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return !isName(string(r), false) }) {
		if isName(field, true) {
			w.c.evaluate(field, inArithmetic)
		}
	}
}
