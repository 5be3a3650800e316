package expression

import (
	"fmt"
	"slices"
	"testing"

	"github.com/expr-lang/expr/builtin"
)

// allowedBuiltins is the list a second time, so that a new name in allowed.txt
// is a decision.
var allowedBuiltins = []string{
	"all", "any", "count", "filter", "find", "findIndex", "findLast", "findLastIndex", "map", "none", "one", "reduce",
}

func TestAllowListIsTheDecidedOne(t *testing.T) {
	t.Parallel()
	if got := sortedNames(predicates()); !slices.Equal(got, allowedBuiltins) {
		t.Errorf("allowed.txt has %v, want %v", got, allowedBuiltins)
	}
	kinds := []predicateKind{yieldsBool, yieldsNumber, yieldsMatches, yieldsItems}
	for name, kind := range predicates() {
		if _, exists := builtin.Index[name]; !exists || !slices.Contains(kinds, kind) {
			t.Errorf("%s %s is not a function of expr with a known result", name, kind)
		}
	}
}

func TestEveryOtherBuiltinOfExprIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range builtin.Names {
		_, ours := functions()[name]
		_, allowed := predicates()[name]
		if ours || allowed {
			continue
		}
		for _, call := range []string{"%s()", "%s(x)", "%s(x, y)", "%s(x, # > 1)", "x | %s()"} {
			if _, err := Compile(fmt.Sprintf(call, name), Options{}); err == nil {
				t.Errorf(call+" compiles", name)
			}
		}
	}
}

func TestClockEnvironmentAndRandomnessAreOut(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"now", "date", "duration", "timezone", "env", "getenv", "expandenv", "random", "rand", "uuid", "shuffle", "groupBy", "toPairs"} {
		_, isFunction := functions()[name]
		_, isAllowed := predicates()[name]
		_, isMethod := methods()[name]
		if isFunction || isAllowed || isMethod {
			t.Errorf("%s can be called", name)
		}
	}
}

func TestFunctionsAndMethodsAreTheDocumentedOnes(t *testing.T) {
	t.Parallel()
	wantFunctions := []string{"abs", "bool", "float", "int", "len", "max", "min", "str", "token"}
	if got := sortedNames(functions()); !slices.Equal(got, wantFunctions) {
		t.Errorf("functions %v, want %v", got, wantFunctions)
	}
	wantMethods := []string{"count", "endswith", "find", "get", "join", "keys", "lower", "lstrip", "replace", "rstrip",
		"split", "startswith", "strip", "title", "upper", "values"}
	if got := sortedNames(methods()); !slices.Equal(got, wantMethods) {
		t.Errorf("methods %v, want %v", got, wantMethods)
	}
}

func TestEveryOperationHasItsName(t *testing.T) {
	t.Parallel()
	for name, f := range operations() {
		if f.Name != name || f.Func == nil {
			t.Errorf("operation %s is named %s", name, f.Name)
		}
	}
}

func sortedNames[V any](table map[string]V) []string {
	var names []string
	for name := range table {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
