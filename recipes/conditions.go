package recipes

import (
	"errors"

	"github.com/brickoven/brickoven/recipes/expression"
)

// compileConditions compiles every condition of the recipe. More are names that
// are known from outside: those of the caller and of the other recipes in the
// tree.
func (r *Recipe) compileConditions(more []string, found *Findings) {
	var set *expression.Set
	for _, s := range r.allSteps() {
		for _, f := range s.fields {
			if f.program == nil {
				continue
			}
			if set == nil {
				set = expression.NewSet(expression.Options{Names: r.names(more)})
			}
			program, err := set.Compile(f.spot.node.Value)
			if err != nil {
				*found = append(*found, conditionFinding(f, err))
				continue
			}
			*f.program, f.condition = program, program
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

// names are the variables and step ids that a condition may mean.
func (r *Recipe) names(more []string) []string {
	names := append([]string(nil), more...)
	r.eachName(func(name string) { names = append(names, name) })
	for _, s := range r.allSteps() {
		names = append(names, s.ID)
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
