package expression

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/brickoven/brickoven/recipes/value"
)

// callee is a call of a function or method.
func (t *translator) callee(n *ast.CallNode) ast.Node {
	switch callee := n.Callee.(type) {
	case *ast.MemberNode:
		return t.method(n, callee)
	case *ast.IdentifierNode:
		if i := placeholderIndex(callee.Value); i >= 0 {
			return t.fail(t.at(callee), "%s cannot be called", t.source[t.tokens[i].offset:t.tokens[i].end])
		}
		f, ok := functions()[callee.Value]
		if !ok {
			return t.fail(t.at(n), "there is no function %s; there are %s", callee.Value, nameList(functions()))
		}
		return t.checked(t.at(n), callee.Value, "function."+callee.Value, f, n.Arguments)
	}
	return t.fail(t.at(n), "this cannot be called")
}

func (t *translator) method(n *ast.CallNode, callee *ast.MemberNode) ast.Node {
	name, ok := callee.Property.(*ast.StringNode)
	if !ok || !callee.Method {
		return t.fail(t.at(n), "this cannot be called")
	}
	f, ok := methods()[name.Value]
	if !ok {
		called := name.Value
		if i := placeholderIndex(called); i >= 0 {
			called = t.tokens[i].value
		}
		return t.fail(t.at(callee), "there is no method %s; there are %s", called, nameList(methods()))
	}
	operands := append([]ast.Node{callee.Node}, n.Arguments...)
	return t.checked(t.at(callee), name.Value, "method."+name.Value, f, operands)
}

// checked is a call with a number of arguments that the function takes.
func (t *translator) checked(at int, name, operation string, f function, args []ast.Node) ast.Node {
	if len(args) < f.min || f.max >= 0 && len(args) > f.max {
		return t.fail(at, "%s takes %s", name, f.arguments)
	}
	call := t.call(at, operation, t.all(args)...)
	if f.isBool {
		call.SetType(boolType)
	}
	return call
}

func nameList(table map[string]function) string {
	list := make([]string, 0, len(table))
	for name := range table {
		list = append(list, name)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// predicate is one of expr's own loops over a list: any(items, .status == 'x').
func (t *translator) predicate(n *ast.BuiltinNode) ast.Node {
	at := t.at(n)
	kind, ok := predicates()[n.Name]
	if !ok {
		return t.fail(at, "the function %s is not allowed in a condition", n.Name)
	}
	args := []ast.Node{t.call(at, "op.list", environment(), t.translate(n.Arguments[0]))}
	outer := t.reducing
	t.reducing = n.Name == "reduce"
	args = append(args, t.body(n, kind))
	t.reducing = outer
	if len(n.Arguments) > 2 {
		args = append(args, t.translate(n.Arguments[2]))
	}
	loop := &ast.BuiltinNode{Name: n.Name, Arguments: args}
	loop.SetLocation(file.Location{From: at})
	switch kind {
	case yieldsNumber:
		return t.call(at, "op.number", loop)
	case yieldsBool:
		loop.SetType(boolType)
	}
	return loop
}

// body is the part of a loop that is evaluated for each item. count without one
// counts the items that are true.
func (t *translator) body(n *ast.BuiltinNode, kind predicateKind) ast.Node {
	if len(n.Arguments) < 2 {
		return &ast.PredicateNode{Node: t.boolCall(t.at(n), "op.truth", &ast.PointerNode{})}
	}
	inside := n.Arguments[1]
	if p, ok := inside.(*ast.PredicateNode); ok {
		inside = p.Node
	}
	if kind == yieldsItems {
		return &ast.PredicateNode{Node: t.translate(inside)}
	}
	return &ast.PredicateNode{Node: t.truth(inside)}
}

func (t *translator) pointer(n *ast.PointerNode) ast.Node {
	switch {
	case n.Name == "":
		return &ast.PointerNode{}
	case n.Name == "index":
		return t.call(t.at(n), "op.number", &ast.PointerNode{Name: "index"})
	case n.Name == "acc" && t.reducing:
		return &ast.PointerNode{Name: "acc"}
	}
	return t.fail(t.at(n), "there is no #%s here; there are # and #index, and #acc in reduce", n.Name)
}

// listOf is the list that a loop runs over. Null is no list: any(missing, …) is
// an error rather than a decision. The items of all loops count together, so
// that loops in loops end.
func listOf(args ...any) (any, error) {
	f, ok := args[0].(*frame)
	list, isList := args[1].([]any)
	if !ok || !isList {
		return nil, failf("this takes a list, not %s", describe(args[1]))
	}
	if f.items += len(list); f.items > maxItems {
		return nil, failf("the loops of this condition go over more than %d items", maxItems)
	}
	return list, nil
}

// numberOf makes one of our numbers of what expr counted.
func numberOf(args ...any) (any, error) {
	if n, ok := args[0].(int); ok {
		return integer(int64(n)), nil
	}
	return args[0], nil
}

// keyOf is the key of a map literal.
func keyOf(args ...any) (any, error) {
	if !value.IsScalar(args[0]) {
		return nil, failf("the key of a map is a text, not %s", describe(args[0]))
	}
	return value.Text(args[0]), nil
}
