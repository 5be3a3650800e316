package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Lack is something of bash that the built-in interpreter does not have.
type Lack struct {
	Offset  int // in bytes
	Line    int // from 1
	Message string
}

// Portable lists what of a script the built-in interpreter does not have, or
// reads otherwise than bash, in the order of the text. It sees what stands in
// the script itself; what an interpreter finds out only while it runs, such as
// the signals of trap "$x", fails there.
func Portable(source string, file *syntax.File) []Lack {
	p := &portable{own: map[string]bool{}}
	if at := strings.IndexByte(source, '\r'); at >= 0 {
		p.lacks = append(p.lacks, Lack{at, strings.Count(source[:at], "\n") + 1, "there are no carriage returns in commands"})
	}
	syntax.Walk(file, p.declare)
	syntax.Walk(file, p.visit)
	return p.lacks
}

type portable struct {
	own   map[string]bool // functions and variables that the script itself sets
	above []syntax.Node   // the nodes around the one at hand
	lacks []Lack
}

// declare notes what the script defines under a name of bash's own.
func (p *portable) declare(node syntax.Node) bool {
	switch n := node.(type) {
	case *syntax.FuncDecl:
		if n.Name != nil {
			p.own[n.Name.Value] = true
		}
	case *syntax.Assign:
		if n.Name != nil {
			p.own[n.Name.Value] = true
		}
	}
	return true
}

func (p *portable) lack(node syntax.Node, message string) {
	at := node.Pos()
	p.lacks = append(p.lacks, Lack{int(at.Offset()), int(at.Line()), message})
}

func (p *portable) visit(node syntax.Node) bool {
	if node == nil {
		p.above = p.above[:len(p.above)-1]
		return true
	}
	p.look(node)
	p.above = append(p.above, node)
	return true
}

func (p *portable) look(node syntax.Node) {
	switch n := node.(type) {
	case *syntax.ProcSubst:
		p.lack(n, "there is no process substitution; use a pipe or a file")
	case *syntax.CoprocClause:
		p.lack(n, "there is no coproc")
	case *syntax.Stmt:
		if n.Coprocess || n.Disown {
			p.lack(n, "there is no such kind of background job")
		}
	case *syntax.Redirect:
		p.redirection(n)
	case *syntax.ParamExp:
		p.expansion(n)
	case *syntax.DeclClause:
		p.declaration(n)
	case *syntax.CallExpr:
		if len(n.Args) > 0 {
			p.call(n)
		}
	case *syntax.TimeClause:
		p.lack(n, "there is no time")
	case *syntax.Assign:
		if n.Append && n.Array != nil && slices.ContainsFunc(n.Array.Elems, func(e *syntax.ArrayElem) bool { return e.Index != nil }) {
			p.lack(n, "there is no name+=([key]=value)")
		}
	case *syntax.CaseItem, *syntax.BinaryTest, *syntax.SglQuoted, *syntax.DblQuoted, *syntax.ExtGlob, *syntax.Lit:
		p.reading(n)
	}
}

func (p *portable) redirection(n *syntax.Redirect) {
	switch {
	case n.N != nil && !slices.Contains([]string{"0", "1", "2"}, n.N.Value):
		p.lack(n, "there are only the file descriptors 0, 1 and 2")
	case n.Op == syntax.RdrInOut || n.Op == syntax.RdrClob || n.Op == syntax.AppClob:
		p.lack(n, "there is no redirection "+n.Op.String())
	case n.Op == syntax.DplIn && n.Word.Lit() != "-", n.Op == syntax.DplOut && n.Word.Lit() != "" &&
		!slices.Contains([]string{"1", "2", "-"}, n.Word.Lit()):
		p.lack(n, "there are only the file descriptors 0, 1 and 2, and only outputs can be joined")
	}
}

// special are variables of bash that the interpreter does not set.
var special = []string{
	"PIPESTATUS", "FUNCNAME", "BASH_SOURCE", "BASH_LINENO", "BASHPID", "BASH_SUBSHELL", "BASH_VERSINFO", "SECONDS",
	"EPOCHSECONDS", "EPOCHREALTIME", "COPROC",
}

func (p *portable) expansion(n *syntax.ParamExp) {
	switch {
	case n.Param != nil && slices.Contains(special, n.Param.Value) && !p.own[n.Param.Value]:
		p.lack(n, "there is no $"+n.Param.Value)
	case n.Excl && n.Names == 0 && n.Index == nil:
		p.lack(n, "there is no indirection ${!name}")
	case n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && n.Exp.Word != nil && slices.Contains([]string{"P", "K", "k"}, n.Exp.Word.Lit()):
		p.lack(n, "there is no ${name@"+n.Exp.Word.Lit()+"}")
	case n.Exp != nil && n.Exp.Word != nil:
		p.operand(n)
	}
}

// declaration reports the attributes of declare that the interpreter does not
// know.
func (p *portable) declaration(n *syntax.DeclClause) {
	for _, arg := range n.Args {
		if arg.Name != nil || arg.Value == nil {
			continue
		}
		p.options(arg.Value, n.Variant.Value, arg.Value.Lit(), "xraAngfp")
	}
}

// options reports the letters of an option word that are not among those known.
func (p *portable) options(node syntax.Node, command, word, known string) {
	if len(word) < 2 || word[0] != '-' && word[0] != '+' {
		return
	}
	for _, letter := range word[1:] {
		if !strings.ContainsRune(known, letter) {
			p.lack(node, "there is no "+command+" "+word[:1]+string(letter))
			return
		}
	}
}

// missing are builtins of bash that the interpreter has not.
var missing = []string{
	"fc", "bg", "fg", "jobs", "kill", "newgrp", "umask", "bind", "caller", "compgen", "complete", "compopt", "disown",
	"enable", "history", "logout", "suspend", "ulimit",
}

// letters are the options that a builtin of the interpreter knows, of those that
// know fewer than bash's.
var letters = map[string]string{"read": "rsa", "mapfile": "td", "readarray": "td", "wait": "", "set": "aefnuxo", "trap": "", "printf": ""}

func (p *portable) call(n *syntax.CallExpr) {
	command := n.Args[0].Lit()
	if p.own[command] {
		return
	}
	if slices.Contains(missing, command) {
		p.lack(n, "there is no "+command)
		return
	}
	if command == "shopt" {
		p.shopt(n.Args[1:])
	}
	known, limited := letters[command]
	if !limited {
		return
	}
	for i, arg := range n.Args[1:] {
		word := arg.Lit()
		if word == "--" || word == "-" || len(word) < 2 || word[0] != '-' && (word[0] != '+' || command != "set") {
			break
		}
		p.options(arg, command, word, known)
		if strings.HasSuffix(word, "o") && command == "set" && len(n.Args) > i+2 {
			p.setting(n.Args[i+2])
			break
		}
	}
	if command == "trap" && len(n.Args) > 2 {
		p.signals(n.Args[2:])
	}
}

// setting reports an option of set -o.
func (p *portable) setting(name *syntax.Word) {
	text := name.Lit()
	if text != "" && !slices.Contains([]string{"allexport", "errexit", "noexec", "noglob", "nounset", "xtrace", "pipefail"}, text) {
		p.lack(name, "there is no set -o "+text)
	}
}

// signals reports what trap cannot wait for.
func (p *portable) signals(words []*syntax.Word) {
	for _, word := range words {
		if text := word.Lit(); text != "" && text != "EXIT" && text != "ERR" {
			p.lack(word, "trap knows EXIT and ERR only, not "+text)
		}
	}
}

// shopt reports options that cannot be changed.
func (p *portable) shopt(words []*syntax.Word) {
	known := []string{"dotglob", "expand_aliases", "extglob", "globstar", "nocaseglob", "nullglob"}
	for _, word := range words {
		if text := word.Lit(); text != "" && text[0] != '-' && !slices.Contains(known, text) {
			p.lack(word, "there is no shopt "+text)
		}
	}
}
