package shell

import (
	"math/big"
	"strings"
)

// guard is a set of things that a value must not be in its place. The value
// stays a reference; what is guarded is what the shell does with it later.
type guard uint

const (
	// noSubscript: the text reaches an arithmetic expression through a
	// variable, where bash runs a[$(…)].
	noSubscript guard = 1 << iota
	// noOption: the text stands where a command looks for its options.
	noOption
	// noOperator: the text stands where test looks for -v.
	noOperator
	// noCompound: declare reads a text in parentheses as the source of an array.
	noCompound
	// nameStart: a name begins here, so it may not begin with a digit.
	nameStart
)

// violation says why text may not stand in a guarded place; empty when it may.
func (g guard) violation(text string) string {
	switch {
	case g&noSubscript != 0 && strings.Contains(text, "["):
		return "holds a [, and the command uses it in arithmetic, where bash would run what is in the brackets"
	case g&noOption != 0 && len(text) > 1 && text[0] == '-':
		return "begins with -, and the command would take it for an option"
	case g&noOperator != 0 && (text == "-v" || text == "-R" || text == "!" || text == "("):
		return "is an operator of test, and the next argument would be evaluated"
	case g&noCompound != 0 && strings.HasPrefix(strings.TrimLeft(text, " \t\n"), "("):
		return "begins with (, and declare would evaluate it as an array"
	}
	return ""
}

// integerText gives a base-10 integer of 64 bits as the shell must see it.
func integerText(text string) (digits string, ok bool) {
	unsigned := strings.TrimLeft(text, "+-")
	if unsigned == "" || len(text)-len(unsigned) > 1 || len(text) > 64 {
		return "", false
	}
	for _, c := range []byte(unsigned) {
		if c < '0' || c > '9' {
			return "", false
		}
	}
	n, ok := new(big.Int).SetString(text, 10)
	if !ok || !n.IsInt64() {
		return "", false
	}
	return n.String(), true
}

// isName reports whether text can be a name of the shell, or go on with one
// that has begun before it.
func isName(text string, start bool) bool {
	for i, c := range []byte(text) {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		digit := c >= '0' && c <= '9'
		if !letter && (!digit || start && i == 0) {
			return false
		}
	}
	return text != ""
}
