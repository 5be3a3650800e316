package expression

import (
	"errors"
	"slices"
	"strings"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// compile runs the passes one after the other.
func compile(source string, known map[string]bool) (*Program, *Error) {
	tokens, failed := tokenize(source, known)
	if failed != nil {
		return nil, failed
	}
	if len(tokens) == 0 {
		return nil, &Error{Source: source, Offset: 0, Message: "the condition is empty"}
	}
	r := rewriter{source: source, tokens: tokens}
	rewritten, failed := r.rewrite()
	if failed != nil {
		return nil, failed
	}
	config := newConfig()
	tree, err := parser.ParseWithConfig(rewritten, config)
	if err != nil {
		return nil, r.syntaxError(err)
	}
	t := translator{source: source, tokens: tokens, offset: r.offset, known: known, paths: map[string]bool{}, names: map[string]bool{}}
	t.noteTruth(tree.Node)
	tree.Node = t.translate(tree.Node)
	if t.err != nil {
		return nil, t.err
	}
	tree.Source = file.NewSource(source)
	code, err := compiler.Compile(tree, config)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, &Error{Source: source, Offset: -1, Message: first, Err: err}
	}
	return &Program{source: source, code: code, names: sorted(t.names), paths: sorted(t.paths), remarks: t.remarks}, nil
}

// newConfig lets expr know our functions and none of its own: a built-in that is
// on the allow-list reaches the translator as a call like any other, or as the
// predicate it is.
func newConfig() *conf.Config {
	config := &conf.Config{
		ShortCircuit: true,
		MaxNodes:     maxNodes,
		Functions:    operations(),
		Disabled:     disabledBuiltins(),
	}
	config.WithEnv(map[string]any{})
	return config
}

// syntaxError tells what expr's parser found in the words of the source.
func (r *rewriter) syntaxError(err error) *Error {
	failed := &Error{Source: r.source, Offset: -1, Message: err.Error(), Err: err}
	var located *file.Error
	if !errors.As(err, &located) {
		return failed
	}
	failed.Offset, failed.Message = r.offset(located.From), located.Message
	if !strings.HasPrefix(located.Message, "unexpected ") && located.Message != "expected name" {
		return failed
	}
	if strings.Contains(located.Message, "EOF") || strings.HasPrefix(located.Message, "unexpected end") {
		failed.Offset = len(r.source)
	}
	failed.Message = "the condition ends too early"
	for _, t := range r.tokens {
		if t.offset == failed.Offset {
			failed.Message = "unexpected " + r.source[t.offset:t.end]
		}
	}
	return failed
}

func disabledBuiltinNames() map[string]bool {
	disabled := make(map[string]bool, len(builtin.Names))
	for _, name := range builtin.Names {
		disabled[name] = true
	}
	return disabled
}

func sorted(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for item := range set {
		list = append(list, item)
	}
	slices.Sort(list)
	return list
}
