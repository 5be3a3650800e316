package expression

import (
	"sort"
	"strings"

	"github.com/expr-lang/expr/parser/lexer"
)

// rewriter writes the tokens down for expr's parser. Names and literals become
// placeholders, and what Python orders otherwise gets brackets.
type rewriter struct {
	source string
	tokens []token
	out    strings.Builder
	marks  []mark
	err    *Error
}

// mark says which place of the source a place of the output stands for.
type mark struct{ out, offset int }

// rewrite returns the whole expression for expr's parser.
func (r *rewriter) rewrite() (string, *Error) {
	r.group(0, len(r.tokens))
	return r.out.String(), r.err
}

// offset maps a place of the output back to the source.
func (r *rewriter) offset(out int) int {
	i := sort.Search(len(r.marks), func(i int) bool { return r.marks[i].out > out })
	if i == 0 {
		return 0
	}
	return r.marks[i-1].offset
}

func (r *rewriter) fail(i int, message string) {
	if r.err == nil {
		r.err = &Error{Source: r.source, Offset: r.tokens[i].offset, Message: message}
	}
}

func (r *rewriter) write(text string, offset int) {
	if r.out.Len() > 0 {
		r.out.WriteByte(' ')
	}
	r.marks = append(r.marks, mark{out: r.out.Len(), offset: offset})
	r.out.WriteString(text)
}

// after is the index behind the token i, or behind its whole bracket.
func (r *rewriter) after(i int) int {
	if match := r.tokens[i].match; match > i {
		return match + 1
	}
	return i + 1
}

// start is the offset of the token i, or the end of the source.
func (r *rewriter) start(i int) int {
	if i < len(r.tokens) {
		return r.tokens[i].offset
	}
	return len(r.source)
}

// group writes what stands between two brackets: segments and separators.
func (r *rewriter) group(lo, hi int) {
	start := lo
	for i := lo; i < hi; i = r.after(i) {
		if r.tokens[i].is(",", ":", "?", "|") {
			r.segment(start, i)
			r.write(r.tokens[i].value, r.tokens[i].offset)
			start = i + 1
		}
	}
	r.segment(start, hi)
}

// segment writes `a if c else b` in the order that expr has for it.
func (r *rewriter) segment(lo, hi int) {
	condition, otherwise := r.find("if", lo, hi), -1
	if condition >= 0 {
		otherwise = r.find("else", condition, hi)
	}
	if otherwise < 0 {
		r.plain(lo, hi)
		return
	}
	at := r.tokens[condition].offset
	if condition == lo {
		r.fail(condition, "write x if c else y, or c ? x : y")
		return
	}
	r.write("( (", at)
	r.plain(condition+1, otherwise)
	r.write(") ? (", at)
	r.plain(lo, condition)
	r.write(") : (", r.tokens[otherwise].offset)
	r.segment(otherwise+1, hi)
	r.write(") )", r.start(hi))
}

func (r *rewriter) find(word string, lo, hi int) int {
	for i := lo; i < hi; i = r.after(i) {
		if r.tokens[i].is(word) {
			return i
		}
	}
	return -1
}

// plain writes tokens in their order. A `not` in front of an operand reaches up
// to the next and, or, or end, as in Python.
func (r *rewriter) plain(lo, hi int) {
	negations := 0
	compared := "" // the comparison in front, in this and-term
	for i := lo; i < hi; i++ {
		t := r.tokens[i]
		prefix := i == lo || !r.tokens[i-1].endsOperand()
		switch {
		case t.is("and", "or", "&&", "||"):
			r.closeNegations(negations, t.offset)
			negations, compared = 0, ""
			r.write(t.value, t.offset)
		case t.is("not") && prefix:
			negations++
			compared = ""
			r.write("not (", t.offset)
		case t.is("(", "[", "{"):
			r.write(t.value, t.offset)
			r.group(i+1, t.match)
			r.write(r.tokens[t.match].value, r.tokens[t.match].offset)
			i = t.match
		case t.kind == lexer.Identifier && t.value == "is" && !t.key && !prefix:
			i = r.isNull(i, hi)
		default:
			compared = r.chain(i, compared)
			r.token(i)
		}
	}
	r.closeNegations(negations, r.start(hi))
}

func (r *rewriter) closeNegations(n, offset int) {
	for range n {
		r.write(")", offset)
	}
}

// chain refuses what Python and expr read differently: a == b == c. Chains of
// < and alike mean the same in both.
func (r *rewriter) chain(i int, before string) (compared string) {
	t := r.tokens[i]
	if !t.is("==", "!=", "<", "<=", ">", ">=", "in", "contains", "matches", "startsWith", "endsWith") {
		return before
	}
	if before != "" && (t.value[0] != '<' && t.value[0] != '>' || before[0] != '<' && before[0] != '>') {
		r.fail(i, "comparisons in a row are not allowed here; write a == b and b == c")
	}
	return t.value
}

// isNull writes Python's `is None` and `is not None`, the only tests by identity
// that mean something for JSON values.
func (r *rewriter) isNull(i, hi int) (last int) {
	operator, next := "==", i+1
	if next < hi && r.tokens[next].is("not") {
		operator, next = "!=", next+1
	}
	if next >= hi || r.tokens[next].kind != lexer.Identifier || !isNullWord(r.tokens[next].value) {
		r.fail(i, "is only tests for None: write x is None, or x == y")
		return hi - 1
	}
	r.write(operator, r.tokens[i].offset)
	r.token(next)
	return next
}

// token writes one token that keeps its place.
func (r *rewriter) token(i int) {
	t := r.tokens[i]
	called := i+1 < len(r.tokens) && r.tokens[i+1].is("(")
	switch {
	case t.kind == lexer.Identifier && i > 0 && r.tokens[i-1].is("#"):
		r.out.WriteString(t.value) // expr reads #acc only in one piece.
	case t.kind == lexer.Identifier && called && isPlainWord(t.value):
		r.write(t.value, t.offset)
	case t.kind == lexer.Identifier, t.kind == lexer.Number, t.kind == lexer.String, t.key:
		r.write(placeholder(i), t.offset)
	case t.is("if", "else"):
		r.fail(i, "write x if c else y, or c ? x : y")
	default:
		r.write(t.value, t.offset)
	}
}

func isPlainWord(name string) bool {
	for i := range len(name) {
		if c := name[i]; c >= 0x80 || c == '-' {
			return false
		}
	}
	return true
}

func isNullWord(word string) bool {
	return word == "null" || word == "None" || word == "none" || word == "nil"
}
