package expression

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/brickoven/brickoven/recipes/value"
)

// Advice is a remark on how a condition is written.
type Advice struct {
	// Code is substring-test, bare-text-flag, token-case or hyphenated-key.
	Code string
	// Offset is the place in bytes into the source.
	Offset  int
	Message string
}

// remarks are the places that may deserve advice, found while compiling. They
// hold no references into the parsed tree.
type remarks struct {
	substrings []substringTest
	flags      []flagTest
	fixed      []Advice
}

// substringTest is 'word' in subject, where subject reads one variable.
type substringTest struct {
	offset  int
	word    string
	subject *path
	negated bool
}

// flagTest is a name whose own truth decides.
type flagTest struct {
	offset int
	path   *path
}

// Advise looks for conditions that read as something else than they do, in the
// order of the source:
//   - substring-test: 'CONTINUE' in x also matches DISCONTINUE (seed 000); it
//     offers token(x) == 'CONTINUE'. A variable whose default is a list or a map
//     is left alone.
//   - bare-text-flag: a bare name whose default is a text such as "false", which
//     is true (DESIGN section 4).
//   - token-case: token(x) compared with a text that is not in upper case, which
//     is never equal.
//   - hyphenated-key: a.b-c, read as one key, where c is a name too.
//
// defaults holds the context defaults; it may be nil.
func (p *Program) Advise(defaults map[string]any) []Advice {
	advice := slices.Clone(p.remarks.fixed)
	for _, test := range p.remarks.substrings {
		if !isContainer(test.subject.defaultIn(defaults)) {
			advice = append(advice, test.advice())
		}
	}
	for _, test := range p.remarks.flags {
		text, isText := test.path.defaultIn(defaults).(string)
		if isText && looksFalse(text) {
			advice = append(advice, Advice{Code: "bare-text-flag", Offset: test.offset, Message: fmt.Sprintf(
				"%s has the text %q as its default, and a text that is not empty is true; write %s == 'true'", test.path, text, test.path)})
		}
	}
	slices.SortStableFunc(advice, func(a, b Advice) int { return cmp.Compare(a.Offset, b.Offset) })
	return advice
}

func (s substringTest) advice() Advice {
	test, operator := "in", "=="
	if s.negated {
		test, operator = "not in", "!="
	}
	return Advice{Code: "substring-test", Offset: s.offset, Message: fmt.Sprintf(
		"'%s' %s %s also matches inside other words (DISCONTINUE holds CONTINUE); for a verdict write token(%s) %s '%s'",
		s.word, test, s.subject, s.subject, operator, strings.ToUpper(s.word))}
}

func (p *path) defaultIn(defaults map[string]any) any {
	v, _ := value.At(defaults, append([]string{p.root}, p.parts...))
	return v
}

func isContainer(v any) bool { return v != nil && !value.IsScalar(v) }

func looksFalse(text string) bool {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "false", "no", "off", "0", "none", "null":
		return true
	}
	return false
}

// note keeps a remark once, however often its node is looked at.
func (t *translator) note(a Advice) {
	if !slices.Contains(t.remarks.fixed, a) {
		t.remarks.fixed = append(t.remarks.fixed, a)
	}
}

// noteTruth remembers a name, or a text that is one {{name}}, whose truth decides.
func (t *translator) noteTruth(n ast.Node) {
	if p := t.flag(n); p != nil {
		t.remarks.flags = append(t.remarks.flags, flagTest{offset: t.begin(n), path: p})
	}
}

func (t *translator) flag(n ast.Node) *path {
	if p := t.path(n); p != nil {
		return p
	}
	found, _, _ := parseTemplate(t.quoted(n))
	if found != nil && len(found.pieces) == 1 {
		return found.pieces[0].path
	}
	return nil
}

// begin is where the source of a node begins: expr places a node at its operator
// or last key.
func (t *translator) begin(n ast.Node) int {
	switch n := n.(type) {
	case *ast.MemberNode:
		return t.begin(n.Node)
	case *ast.ChainNode:
		return t.begin(n.Node)
	case *ast.BinaryNode:
		return t.begin(n.Left)
	case *ast.CallNode:
		return min(t.at(n), t.begin(n.Callee))
	}
	return t.at(n)
}

// quoted is the text of a node that is a quoted text, and "" for other nodes.
func (t *translator) quoted(n ast.Node) string {
	if i := placeholderOf(n); i >= 0 {
		if text, ok := t.tokens[i].literal.(string); ok {
			return text
		}
	}
	return ""
}

// noteComparison remembers tests of a quoted word; negated tells that a not
// stands around it.
func (t *translator) noteComparison(n *ast.BinaryNode, negated bool) {
	word, subject := n.Left, n.Right
	if n.Operator == "contains" {
		word, subject = subject, word
	}
	switch n.Operator {
	case "in", "contains":
		text := t.quoted(word)
		found, _, _ := parseTemplate(text)
		if p := t.subject(subject); p != nil && text != "" && found == nil {
			t.remarks.substrings = append(t.remarks.substrings, substringTest{
				offset: t.begin(n), word: text, subject: p, negated: negated})
		}
	case "==", "!=":
		t.noteTokenCase(n.Left, n.Right)
		t.noteTokenCase(n.Right, n.Left)
	}
}

func (t *translator) noteTokenCase(call, literal ast.Node) {
	text := t.quoted(literal)
	if f, ok := call.(*ast.CallNode); ok && isCallOf(f, "token") && text != normalToken(text) && !strings.Contains(text, "{{") {
		t.note(Advice{Code: "token-case", Offset: t.at(literal), Message: fmt.Sprintf(
			"token(x) is trimmed and in upper case, so it never equals '%s'; write '%s'", text, normalToken(text))})
	}
}

func isCallOf(n *ast.CallNode, name string) bool {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	return ok && callee.Value == name
}

// subject is the path that a node reads as a text, through methods that keep it
// a text: x, x.lower(), '{{x}}', str(x).
func (t *translator) subject(n ast.Node) *path {
	call, ok := n.(*ast.CallNode)
	if !ok {
		return t.flag(n)
	}
	if isCallOf(call, "str") && len(call.Arguments) == 1 {
		return t.subject(call.Arguments[0])
	}
	callee, ok := call.Callee.(*ast.MemberNode)
	if !ok || !callee.Method {
		return nil
	}
	switch name, _ := callee.Property.(*ast.StringNode); name.Value {
	case "strip", "lstrip", "rstrip", "lower", "upper", "title", "replace":
		return t.subject(callee.Node)
	}
	return nil
}

// noteKey remembers a key with a hyphen that may have been meant as a
// subtraction.
func (t *translator) noteKey(n ast.Node) {
	i := placeholderOf(n)
	if i < 0 || t.tokens[i].literal != nil || t.known[t.tokens[i].value] {
		return
	}
	key := t.tokens[i].value
	cut := strings.LastIndexByte(key, '-')
	if cut < 0 || !t.known[key[cut+1:]] && key[cut+1:] != "steps" {
		return
	}
	t.note(Advice{Code: "hyphenated-key", Offset: t.tokens[i].offset, Message: fmt.Sprintf(
		"%s is read as one key; put spaces around the - to subtract %s", key, key[cut+1:])})
}
