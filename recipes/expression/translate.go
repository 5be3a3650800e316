package expression

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/brickoven/brickoven/recipes/value"
)

// translator builds, from the tree that expr parsed, the tree that it compiles:
// every name becomes a lookup and every operator a call that follows the rules
// of package value. It never changes a node of the parsed tree, because expr
// puts one node in two places for a < b < c.
type translator struct {
	source  string
	tokens  []token
	offset  func(out int) int
	known   map[string]bool
	names   map[string]bool
	paths   map[string]bool
	remarks remarks
	nodes   int
	// reducing tells that #acc has a meaning.
	reducing bool
	// negating is the node that a not stands in front of.
	negating ast.Node
	err      *Error
}

var boolType = reflect.TypeFor[bool]()

// binaryCall finds the operation of an operator that needs
// its two operands only.
func binaryCall(operator string) (name string, isBool bool) {
	switch operator {
	case "==":
		return "op.equal", true
	case "!=":
		return "op.unequal", true
	case "in":
		return "op.in", true
	case "contains":
		return "op.contains", true
	case "startsWith":
		return "method.startswith", true
	case "endsWith":
		return "method.endswith", true
	case "matches":
		return "op.matches", true
	case "+", "-", "*", "/", "%", "**", "..":
		return "op." + operator, false
	}
	return "", false
}

func (t *translator) fail(at int, format string, args ...any) ast.Node {
	if t.err == nil {
		t.err = &Error{Source: t.source, Offset: at, Message: fmt.Sprintf(format, args...)}
	}
	return &ast.NilNode{}
}

// at is the place of a parsed node in the source.
func (t *translator) at(n ast.Node) int {
	if i := placeholderOf(n); i >= 0 {
		return t.tokens[i].offset
	}
	return t.offset(n.Location().From)
}

func placeholderOf(n ast.Node) int {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return placeholderIndex(n.Value)
	case *ast.StringNode:
		return placeholderIndex(n.Value)
	}
	return -1
}

// call builds a call of an operation; at is where a failure of it is shown.
func (t *translator) call(at int, name string, args ...ast.Node) ast.Node {
	n := &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: args}
	n.SetLocation(file.Location{From: at})
	return n
}

func (t *translator) boolCall(at int, name string, args ...ast.Node) ast.Node {
	n := t.call(at, name, args...)
	n.SetType(boolType)
	return n
}

// constant is a value that goes into the program as it is.
func constant(v any) ast.Node { return &ast.ConstantNode{Value: v} }

// environment is the frame of the run, as an argument.
func environment() ast.Node { return &ast.IdentifierNode{Value: "$env"} }

// translate is one node and everything below it. The count bounds the work: a
// node that expr shares is translated once for each place it is in.
func (t *translator) translate(n ast.Node) ast.Node {
	if t.nodes++; t.nodes > maxNodes {
		return t.fail(-1, "the condition has more than %d parts", maxNodes)
	}
	if t.err != nil {
		return &ast.NilNode{}
	}
	if p := t.path(n); p != nil {
		return t.lookup(t.at(n), p)
	}
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return t.literal(n)
	case *ast.StringNode:
		return t.quotedKey(n)
	case *ast.UnaryNode:
		return t.unary(n)
	case *ast.BinaryNode:
		return t.binary(n)
	case *ast.ChainNode:
		return t.translate(n.Node)
	case *ast.MemberNode:
		return t.call(t.at(n), "op.member", t.translate(n.Node), t.property(n.Property))
	case *ast.SliceNode:
		return t.slice(n)
	case *ast.CallNode:
		return t.callee(n)
	case *ast.BuiltinNode:
		return t.predicate(n)
	case *ast.PointerNode:
		return t.pointer(n)
	case *ast.ConditionalNode:
		return &ast.ConditionalNode{Cond: t.truth(n.Cond), Exp1: t.translate(n.Exp1), Exp2: t.translate(n.Exp2)}
	case *ast.ArrayNode:
		return &ast.ArrayNode{Nodes: t.all(n.Nodes)}
	case *ast.MapNode:
		return t.mapping(n)
	}
	return t.fail(t.at(n), "this is not part of a condition")
}

func (t *translator) all(nodes []ast.Node) []ast.Node {
	list := make([]ast.Node, len(nodes))
	for i, n := range nodes {
		list[i] = t.translate(n)
	}
	return list
}

// truth is a node whose value decides something.
func (t *translator) truth(n ast.Node) ast.Node {
	t.noteTruth(n)
	translated := t.translate(n)
	if translated.Type() == boolType {
		return translated
	}
	return t.boolCall(t.at(n), "op.truth", translated)
}

func (t *translator) lookup(at int, p *path) ast.Node {
	t.names[p.root] = true
	t.paths[p.String()] = true
	return t.call(at, "op.get", environment(), constant(p))
}

// path is the path that a node is, or nil.
func (t *translator) path(n ast.Node) *path {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		if token, ok := t.name(n); ok {
			return &path{root: token.value}
		}
	case *ast.ChainNode:
		return t.path(n.Node)
	case *ast.MemberNode:
		key, ok := t.key(n.Property)
		if !ok || n.Method {
			return nil
		}
		if p := t.path(n.Node); p != nil {
			t.noteKey(n.Property)
			return p.with(key)
		}
	}
	return nil
}

// name is the token of an identifier that names a variable.
func (t *translator) name(n *ast.IdentifierNode) (token, bool) {
	i := placeholderIndex(n.Value)
	if i < 0 || t.tokens[i].literal != nil {
		return token{}, false
	}
	if _, isWord := wordLiteral(t.tokens[i].value); isWord {
		return token{}, false
	}
	return t.tokens[i], true
}

// key is a key that is known before the run: .name, ['name'] or [0].
func (t *translator) key(n ast.Node) (key string, ok bool) {
	i := placeholderOf(n)
	if i < 0 {
		return "", false
	}
	switch literal := t.tokens[i].literal.(type) {
	case string:
		found, plain, problem := parseTemplate(literal)
		return plain, found == nil && problem == ""
	case value.Number:
		return literal.String(), true
	}
	_, byName := n.(*ast.StringNode)
	return t.tokens[i].value, byName
}

func (t *translator) property(n ast.Node) ast.Node {
	if key, ok := t.key(n); ok {
		return constant(key)
	}
	return t.translate(n)
}

// quotedKey is the key of a map literal that is a quoted text with {{x}} in it.
func (t *translator) quotedKey(n *ast.StringNode) ast.Node {
	if i := placeholderOf(n); i >= 0 {
		if text, ok := t.tokens[i].literal.(string); ok {
			return t.text(t.tokens[i].offset, text)
		}
	}
	return t.fail(t.at(n), "this is not part of a condition")
}

func wordLiteral(word string) (v any, ok bool) {
	switch {
	case word == "true" || word == "True":
		return true, true
	case word == "false" || word == "False":
		return false, true
	case isNullWord(word):
		return nil, true
	}
	return nil, false
}

// literal is an identifier that stands for a literal of the source.
func (t *translator) literal(n *ast.IdentifierNode) ast.Node {
	i := placeholderIndex(n.Value)
	if i < 0 {
		return t.fail(t.at(n), "%s is a function; call it: %s(x)", n.Value, n.Value)
	}
	token := t.tokens[i]
	switch literal := token.literal.(type) {
	case string:
		return t.text(token.offset, literal)
	case value.Number:
		return constant(literal)
	}
	v, _ := wordLiteral(token.value)
	if b, ok := v.(bool); ok {
		node := &ast.BoolNode{Value: b}
		node.SetType(boolType)
		return node
	}
	return &ast.NilNode{}
}

func (t *translator) text(at int, decoded string) ast.Node {
	found, plain, problem := parseTemplate(decoded)
	if problem != "" {
		return t.fail(at, "%s", problem)
	}
	if found == nil {
		return constant(plain)
	}
	for _, p := range found.pieces {
		if p.path != nil {
			t.names[p.path.root] = true
			t.paths[p.path.String()] = true
		}
	}
	return t.call(at, "op.render", environment(), constant(found))
}

func (t *translator) unary(n *ast.UnaryNode) ast.Node {
	switch n.Operator {
	case "not", "!":
		t.negating = n.Node
		negated := &ast.UnaryNode{Operator: "not", Node: t.truth(n.Node)}
		negated.SetType(boolType)
		return negated
	case "-":
		operand := t.translate(n.Node)
		if number, ok := constantNumber(operand); ok && !strings.HasPrefix(number.String(), "-") {
			return constant(negatedLiteral(number))
		}
		return t.call(t.at(n), "op.negative", operand)
	}
	return t.call(t.at(n), "op.positive", t.translate(n.Node))
}

func constantNumber(n ast.Node) (number value.Number, ok bool) {
	literal, ok := n.(*ast.ConstantNode)
	if !ok {
		return "", false
	}
	number, ok = literal.Value.(value.Number)
	return number, ok
}

func negatedLiteral(n value.Number) value.Number {
	if n == "0" {
		return n
	}
	return "-" + n
}

func (t *translator) binary(n *ast.BinaryNode) ast.Node {
	at := t.at(n)
	switch n.Operator {
	case "and", "&&", "or", "||":
		both := &ast.BinaryNode{Operator: n.Operator, Left: t.truth(n.Left), Right: t.truth(n.Right)}
		both.SetType(boolType)
		return both
	case "??":
		return &ast.BinaryNode{Operator: "??", Left: t.translate(n.Left), Right: t.translate(n.Right)}
	case "<", "<=", ">", ">=":
		return t.boolCall(at, "op."+n.Operator, environment(), t.translate(n.Left), t.translate(n.Right))
	}
	name, isBool := binaryCall(n.Operator)
	if name == "" {
		return t.fail(at, "the operator %s is not part of a condition", n.Operator)
	}
	t.noteComparison(n, t.negating == ast.Node(n))
	call := t.call(at, name, t.translate(n.Left), t.translate(n.Right))
	if isBool {
		call.SetType(boolType)
	}
	return call
}

func (t *translator) slice(n *ast.SliceNode) ast.Node {
	var from, to ast.Node = &ast.NilNode{}, &ast.NilNode{}
	if n.From != nil {
		from = t.translate(n.From)
	}
	if n.To != nil {
		to = t.translate(n.To)
	}
	return t.call(t.at(n), "op.slice", t.translate(n.Node), from, to)
}

func (t *translator) mapping(n *ast.MapNode) ast.Node {
	pairs := make([]ast.Node, len(n.Pairs))
	for i, p := range n.Pairs {
		pair, ok := p.(*ast.PairNode)
		if !ok {
			return t.fail(t.at(p), "this is not a pair of a map")
		}
		key := t.property(pair.Key)
		if _, known := key.(*ast.ConstantNode); !known {
			key = t.call(t.at(pair), "op.key", key)
		}
		pairs[i] = &ast.PairNode{Key: key, Value: t.translate(pair.Value)}
	}
	return &ast.MapNode{Pairs: pairs}
}
