package expression

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed allowed.txt
var allowedText string

// predicateKind says how the body of a loop is read and what the loop yields.
type predicateKind string

const (
	yieldsBool    predicateKind = "bool"    // the body decides; true or false comes out
	yieldsNumber  predicateKind = "number"  // the body decides; a count or index comes out
	yieldsMatches predicateKind = "matches" // the body decides; items come out
	yieldsItems   predicateKind = "items"   // the body is a value
)

// predicates is the allow-list of expr's own functions, from allowed.txt.
var predicates = sync.OnceValue(func() map[string]predicateKind {
	table := map[string]predicateKind{}
	for line := range strings.Lines(allowedText) {
		fields := strings.Fields(line)
		if len(fields) == 2 {
			table[fields[0]] = predicateKind(fields[1])
		}
	}
	return table
})

// disabledBuiltins is all of expr's functions: those that take a predicate are
// parsed in spite of it, and the translator decides about them.
var disabledBuiltins = sync.OnceValue(disabledBuiltinNames)
