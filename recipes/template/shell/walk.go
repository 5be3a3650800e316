package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// compiler finds the place of every marker of one command.
type compiler struct {
	text         *text
	dialect      Dialect
	allowReparse bool
	edits        []edit
	notes        []Note
	err          *Error
	// assigned lists the markers that go into a variable of the command,
	// evaluated the variables that it evaluates later: in arithmetic, as the
	// name of another variable, or as the source of a shell.
	// copied lists the variables whose text goes into another one.
	assigned  map[string][]*marker
	evaluated map[string]evaluation
	copied    map[string][]string
}

func (c *compiler) parse(source string) (*syntax.File, error) {
	variant := syntax.LangBash
	if c.dialect == POSIX {
		variant = syntax.LangPOSIX
	}
	parser := syntax.NewParser(syntax.KeepComments(true), syntax.Variant(variant))
	return parser.Parse(strings.NewReader(source), "")
}

// place finds the place of all markers, and refuses what it does not know.
func (c *compiler) place(tree *syntax.File) {
	c.assigned, c.evaluated, c.copied = map[string][]*marker{}, map[string]evaluation{}, map[string][]string{}
	w := &walker{c: c, source: c.text.marked, facts: collectFacts(tree)}
	w.visit(tree, spot{})
	for _, m := range c.text.marks {
		if !m.placed && c.err == nil {
			c.fail(m, m.quoted+" stands in a place where its value cannot be put safely", "assign it to a variable first: v="+m.quoted)
		}
	}
	c.followVariables()
	for _, m := range c.text.marks {
		if m.place.form == asReference {
			s := &c.text.slots[m.slot]
			s.referenced = true
			s.exported = s.exported || m.place.inner
		}
	}
}

// want is what the shell expects in a place.
type want int

const (
	anyText want = iota
	integer
	name
)

// spot describes the place that the walker is in.
type spot struct {
	quote quoting
	want  want
	// shellWord tells that an integer stands in a word of the shell's own
	// grammar, where bare parentheses mean something else.
	shellWord bool
	// literalQuotes tells that single quotes are plain characters here.
	literalQuotes bool
	backquotes    int
	guards        guard
	variable      string // that the text is assigned to
}

// fresh is the spot of a command inside a word.
func (at spot) fresh() spot {
	return spot{backquotes: at.backquotes, guards: at.guards & noSubscript}
}

func (at spot) plain() spot {
	return spot{quote: at.quote, literalQuotes: at.literalQuotes, backquotes: at.backquotes, guards: at.guards & noSubscript}
}

// walker goes through the tree of one text: the command's, or one that a
// second shell parses.
type walker struct {
	c        *compiler
	source   string // the text itself
	facts    *facts
	outer    map[rune][]layer // the quoting of each marker around this text
	exported bool             // another process than the command's shell reads this text
	nested   bool             // the text is not the command's own
}

func (w *walker) visit(node syntax.Node, at spot) {
	w.comments(node)
	switch n := node.(type) {
	case *syntax.Stmt:
		w.statement(n, at)
	case *syntax.BinaryCmd:
		w.pipeline(n)
		w.children(n, at)
	case *syntax.CallExpr:
		for _, a := range n.Assigns {
			w.assign(a, at, false)
		}
		w.call(n.Args, at)
	case *syntax.DeclClause:
		w.declare(n, at)
	case *syntax.Assign:
		w.assign(n, at, false)
	case *syntax.LetClause:
		at.want, at.shellWord = integer, true
		w.children(n, at)
	case *syntax.ArithmCmd, *syntax.ArithmExp, *syntax.CStyleLoop:
		w.children(n, at.arithmetic())
	case *syntax.BinaryTest:
		w.binaryTest(n, at)
	case *syntax.UnaryTest:
		w.unaryTest(n, at)
	case *syntax.File:
		w.lateReaders(n)
		w.children(n, at)
	case *syntax.WordIter:
		w.refuseIn(n.Name, "the variable of a loop cannot come from a placeholder")
		at.variable = n.Name.Value
		at = w.facts.variableSpot(at, n.Name.Value)
		w.children(n, at)
	case *syntax.FuncDecl:
		if n.Name != nil { // the parser lets () stand without a name
			w.refuseIn(n.Name, "the name of a function cannot come from a placeholder")
		}
		w.visit(n.Body, at)
	case *syntax.CoprocClause:
		w.coprocess(n, at)
	case *syntax.Comment:
		w.comment(n)
	default:
		w.visitWord(node, at)
	}
}

// children visits what is directly below a node.
func (w *walker) children(node syntax.Node, at spot) {
	syntax.Walk(node, func(n syntax.Node) bool {
		if n == node {
			return true
		}
		if n != nil {
			w.visit(n, at)
		}
		return false
	})
}

// refuseIn refuses all markers below a node.
func (w *walker) refuseIn(node syntax.Node, message string) {
	for _, m := range w.marksIn(node) {
		w.c.fail(m, m.quoted+": "+message, "")
	}
}

// comments leaves all comments of a node alone. [syntax.Walk] passes over some
// of these.
func (w *walker) comments(node syntax.Node) {
	var all []syntax.Comment
	switch n := node.(type) {
	case *syntax.Stmt:
		all = n.Comments
	case *syntax.CaseItem:
		all = n.Comments
	case *syntax.ArrayElem:
		all = n.Comments
	case *syntax.ArrayExpr:
		all = n.Last
	}
	for i := range all {
		w.comment(&all[i])
	}
}

func (w *walker) comment(n *syntax.Comment) {
	for _, m := range w.c.text.marksIn(n.Text) {
		// The parser takes # for a comment after a quote as well, bash does not.
		if at := int(n.Hash.Offset()); at > 0 && at <= len(w.source) && strings.IndexByte(" \t\r\n;&|()<>`", w.source[at-1]) < 0 {
			w.c.fail(m, m.quoted+" stands after a # that may or may not begin a comment", "put a blank before the #, or quote it")
			continue
		}
		m.placed = true
		m.place = place{form: asWritten, text: m.quoted}
	}
}

func (w *walker) coprocess(n *syntax.CoprocClause, at spot) {
	if n.Name != nil {
		w.refuseIn(n.Name, "the name of a coprocess cannot come from a placeholder")
	}
	w.visit(n.Stmt, at)
}

// marksIn lists the markers below a node, comments left out.
func (w *walker) marksIn(node syntax.Node) []*marker {
	var found []*marker
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			found = append(found, w.c.text.marksIn(n.Value)...)
		case *syntax.SglQuoted:
			found = append(found, w.c.text.marksIn(n.Value)...)
		}
		return true
	})
	return found
}
