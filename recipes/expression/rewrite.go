package expression

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
)

// What one condition may cost. Every recursion below is bounded by them.
const (
	maxSource   = 16 << 10
	maxBrackets = 100
	maxNodes    = 4096
)

// token is a token of expr's lexer with what the source says there.
type token struct {
	kind   lexer.Kind
	value  string
	offset int
	end    int
	// literal is the number or text of a literal.
	literal any
	// key tells that the token stands behind a dot.
	key bool
	// match is the index of the other bracket.
	match int
}

func (t token) is(values ...string) bool {
	if t.key || t.kind != lexer.Operator && t.kind != lexer.Bracket {
		return false
	}
	for _, v := range values {
		if t.value == v {
			return true
		}
	}
	return false
}

// endsOperand tells that what follows is an operator in infix position.
func (t token) endsOperand() bool {
	switch t.kind {
	case lexer.Identifier, lexer.Number, lexer.String:
		return true
	}
	return t.key || t.is(")", "]", "}", "#")
}

// tokenize masks and lexes the source.
func tokenize(source string, known map[string]bool) ([]token, *Error) {
	if len(source) > maxSource {
		return nil, &Error{Source: source, Offset: -1, Message: fmt.Sprintf("the condition is longer than %d bytes", maxSource)}
	}
	if !utf8.ValidString(source) {
		return nil, &Error{Source: source, Offset: -1, Message: "the condition is not valid UTF-8"}
	}
	m := mask{source: source, known: known}
	if err := m.run(); err != nil {
		return nil, err
	}
	offsets := runeOffsets(source)
	lexed, err := lexer.Lex(file.NewSource(string(m.out)))
	if err != nil {
		var located *file.Error
		if errors.As(err, &located) {
			return nil, &Error{Source: source, Offset: offsets.byte(located.From), Message: located.Message, Err: err}
		}
		return nil, &Error{Source: source, Offset: -1, Message: err.Error(), Err: err}
	}
	tokens := make([]token, 0, len(lexed))
	for _, l := range lexed {
		if l.Kind == lexer.EOF {
			break
		}
		t := token{kind: l.Kind, offset: offsets.byte(l.From), end: offsets.byte(l.To), match: -1}
		t.value = source[t.offset:t.end]
		if t.kind == lexer.String {
			t.literal, m.texts = m.texts[0].value, m.texts[1:]
		}
		if n := len(tokens); n > 0 && tokens[n-1].is(".", "?.") {
			t.key = true
		}
		if problem := t.settle(tokens); problem != "" {
			return nil, m.fail(t.offset, problem)
		}
		tokens = append(tokens, t)
	}
	if err := pairBrackets(source, tokens); err != nil {
		return nil, err
	}
	return tokens, nil
}

// settle reads the literal of a number and refuses what no condition may hold.
// before are the tokens in front of it.
func (t *token) settle(before []token) (problem string) {
	if t.key && t.kind != lexer.Identifier && t.kind != lexer.Number && !isWordByte(t.value[0]) {
		return "the name of a key is missing after the dot"
	}
	switch t.kind {
	case lexer.Bytes:
		return "a condition has no byte strings; leave out the b"
	case lexer.Identifier:
		if strings.Contains(t.value, "__") {
			return "a name in a condition cannot contain __"
		}
		if strings.Contains(t.value, "$") {
			return "a name in a condition cannot contain $; write the name alone, or '{{name}}' inside a quoted text"
		}
	case lexer.Number:
		t.literal, problem = number(t.value)
		return problem
	case lexer.Bracket:
		if n := len(before); n > 0 && t.value == "{" && before[n-1].is("{") {
			return "{{ }} belongs inside a quoted text here; outside of one write the name alone: flag, not {{flag}}"
		}
	case lexer.Operator:
		return refusedOperator(t)
	}
	return ""
}

func refusedOperator(t *token) (problem string) {
	if t.key {
		return ""
	}
	switch t.value {
	case "let", ";", "::":
		return fmt.Sprintf("%s is not part of a condition", t.value)
	case "^":
		return "^ is not part of a condition; ** raises to a power"
	case "=":
		return "= does not compare; write =="
	}
	return ""
}

func pairBrackets(source string, tokens []token) *Error {
	closes := map[string]string{")": "(", "]": "[", "}": "{"}
	var open []int
	for i := range tokens {
		t := &tokens[i]
		switch {
		case t.is("(", "[", "{"):
			if open = append(open, i); len(open) > maxBrackets {
				return &Error{Source: source, Offset: t.offset, Message: fmt.Sprintf("brackets are nested deeper than %d", maxBrackets)}
			}
		case t.is(")", "]", "}"):
			last := len(open) - 1
			if last < 0 || tokens[open[last]].value != closes[t.value] {
				return &Error{Source: source, Offset: t.offset, Message: fmt.Sprintf("this %s closes nothing", t.value)}
			}
			t.match, tokens[open[last]].match = open[last], i
			open = open[:last]
		}
	}
	if len(open) > 0 {
		t := tokens[open[len(open)-1]]
		return &Error{Source: source, Offset: t.offset, Message: fmt.Sprintf("this %s is not closed", t.value)}
	}
	return nil
}

// offsetTable maps runes to bytes; nil where every rune is one byte.
type offsetTable []int

func runeOffsets(source string) offsetTable {
	if utf8.RuneCountInString(source) == len(source) {
		return nil
	}
	table := make(offsetTable, 0, len(source)+1)
	for i := range source {
		table = append(table, i)
	}
	return append(table, len(source))
}

func (o offsetTable) byte(runes int) int {
	switch {
	case runes < 0:
		return 0
	case o == nil:
		return runes
	case runes >= len(o):
		return o[len(o)-1]
	}
	return o[runes]
}

// placeholder is how a name or literal is written for expr's parser, which would
// otherwise round numbers and refuse hyphens. No name of a condition has __.
func placeholder(index int) string { return "__" + strconv.Itoa(index) }

// placeholderIndex is the inverse of placeholder; -1 for other names.
func placeholderIndex(name string) int {
	digits, ok := strings.CutPrefix(name, "__")
	if !ok {
		return -1
	}
	index, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return index
}
