package recipes

import (
	"errors"
	"strings"

	"github.com/brickoven/brickoven/recipes/expression"
)

// compileConditions compiles every condition of the recipe. More are names that
// are known from outside: those of the caller, the tree and its called recipes.
func (r *Recipe) compileConditions(more []string, found *Findings) {
	var names map[string]bool
	for _, s := range r.allSteps() {
		for _, f := range s.fields {
			if !f.condition {
				continue
			}
			if names == nil {
				names = r.hyphenated(more)
			}
			program, err := expression.Compile(f.spot.node.Value, expression.Options{Names: namesIn(f.spot.node.Value, names)})
			if err != nil {
				*found = append(*found, conditionFinding(f, err))
				continue
			}
			s.Condition = program
		}
	}
}

func conditionFinding(f *field, err error) *Finding {
	offset, message := 0, err.Error()
	if fault, ok := errors.AsType[*expression.Error](err); ok {
		offset, message = max(fault.Offset, 0), fault.Message
	}
	return f.spot.finding(offset, "condition-syntax", f.key+": "+message)
}

// hyphenated is the set of names with a hyphen that a condition may mean.
func (r *Recipe) hyphenated(more []string) map[string]bool {
	names := map[string]bool{}
	add := func(list ...string) {
		for _, name := range list {
			if strings.Contains(name, "-") {
				names[name] = true
			}
		}
	}
	add(more...)
	r.eachName(func(name string) { add(name) })
	for _, s := range r.allSteps() {
		add(s.ID)
	}
	return names
}

// eachName calls yield with every variable that the recipe itself can set.
func (r *Recipe) eachName(yield func(name string)) {
	for _, v := range r.Context {
		yield(v.Name)
	}
	for _, input := range r.Inputs {
		yield(input.Name)
	}
	for _, v := range r.Validation {
		yield(v.Name)
	}
	for _, s := range r.allSteps() {
		for _, name := range []string{s.Output, s.Collect, s.As} {
			if name != "" {
				yield(name)
			}
		}
		if s.Outputs != nil {
			for _, pair := range s.Outputs.Pairs {
				yield(pair.Name)
			}
		}
	}
}

// allSteps are the steps and then those of finally.
func (r *Recipe) allSteps() []*Step {
	if len(r.Finally) == 0 {
		return r.Steps
	}
	return append(append(make([]*Step, 0, len(r.Steps)+len(r.Finally)), r.Steps...), r.Finally...)
}

// maxParts bounds the work that one word with many hyphens may cause.
const maxParts = 32

// namesIn picks the names that occur in the source, because a compiler that is
// given thousands of names for each of thousands of conditions has to read them
// all every time.
func namesIn(source string, names map[string]bool) []string {
	if len(names) == 0 || !strings.Contains(source, "-") {
		return nil
	}
	var list []string
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(source, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		parts := strings.SplitN(word, "-", maxParts)
		for i := range parts {
			for j := i + 1; j < len(parts); j++ {
				name := strings.Join(parts[i:j+1], "-")
				if names[name] && !seen[name] {
					seen[name] = true
					list = append(list, name)
				}
			}
		}
	}
	return list
}
