package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unit is a character of a word after the shell has read its quotes, or an
// expansion that only running the command could tell.
type unit struct {
	char  rune
	quote quoting
	node  syntax.Node // of an expansion
}

// flatten reads the quotes of a word.
func flatten(word *syntax.Word) []unit {
	if word == nil {
		return nil
	}
	var out []unit
	for _, part := range word.Parts {
		out = appendUnits(out, part, bare)
	}
	return out
}

func appendUnits(out []unit, part syntax.WordPart, quote quoting) []unit {
	switch n := part.(type) {
	case *syntax.Lit:
		special := ""
		if quote == double {
			special = "$`\"\\"
		}
		return appendEscaped(out, n.Value, quote, special)
	case *syntax.SglQuoted:
		if n.Dollar {
			return appendANSI(out, n.Value)
		}
		for _, r := range n.Value {
			out = append(out, unit{char: r, quote: single})
		}
		return out
	case *syntax.DblQuoted:
		for _, inner := range n.Parts {
			out = appendUnits(out, inner, double)
		}
		return out
	default:
		return append(out, unit{node: n, quote: quote})
	}
}

// appendEscaped reads backslashes. special are the characters that one
// escapes; empty means all.
func appendEscaped(out []unit, text string, quote quoting, special string) []unit {
	escaped := false
	for _, r := range text {
		if r == '\\' && !escaped {
			escaped = true
			continue
		}
		if escaped && special != "" && !strings.ContainsRune(special, r) {
			out = append(out, unit{char: '\\', quote: quote})
		}
		escaped = false
		out = append(out, unit{char: r, quote: quote})
	}
	return out
}

// appendANSI reads $'…'. Escapes but the plainest stay as an expansion that
// cannot be told.
func appendANSI(out []unit, text string) []unit {
	plain := map[rune]rune{'n': '\n', 't': '\t', '\\': '\\', '\'': '\'', '"': '"'}
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			escaped = false
			c, ok := plain[r]
			if !ok {
				out = append(out, unit{node: &syntax.Lit{}, quote: dollarSingle}, unit{char: r, quote: dollarSingle})
				continue
			}
			out = append(out, unit{char: c, quote: dollarSingle})
		case r == '\\':
			escaped = true
		default:
			out = append(out, unit{char: r, quote: dollarSingle})
		}
	}
	return out
}

// unitText is the text of units, with spare for each expansion.
func unitText(units []unit, spare rune) string {
	var out strings.Builder
	for _, u := range units {
		if u.node != nil {
			out.WriteRune(spare)
			continue
		}
		out.WriteRune(u.char)
	}
	return out.String()
}

// staticText is the text of a word that holds no expansion, else empty.
func staticText(word *syntax.Word) string {
	units := flatten(word)
	for _, u := range units {
		if u.node != nil {
			return ""
		}
	}
	return unitText(units, 0)
}
