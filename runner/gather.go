package runner

import (
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/scope"
	"github.com/brickoven/brickoven/runner/step"
)

// gather makes one list of values, some of which may be too large to carry:
// then the executor puts the list together and keeps it.
func (fr *frame) gather(f *flow, st *recipes.Step, values []any) (any, error) {
	parts := scope.New()
	g := gathering{shape: make([]any, len(values))}
	for i, v := range values {
		g.shape[i] = g.place(parts, fmt.Sprintf("e%d", i), v)
	}
	if len(g.names) == 0 {
		return values, nil
	}
	return fr.ask(f, st, &step.View{Scope: parts}, g)
}

// gathering asks for a list in which slots stand for large values.
type gathering struct {
	shape []any
	names []string
}

// slot is the name of the variable whose value belongs in its place.
type slot string

func (g *gathering) place(parts *scope.Scope, name string, v any) any {
	switch v := v.(type) {
	case value.Ref:
		parts.Set(name, v)
		g.names = append(g.names, name)
		return slot(name)
	case map[string]any:
		m := make(map[string]any, len(v))
		for i, key := range sortedKeys(v) {
			m[key] = g.place(parts, fmt.Sprintf("%s_%d", name, i), v[key])
		}
		return m
	}
	return v
}

func (g gathering) Paths() []string { return g.names }
func (g gathering) Inline() bool    { return false }

func (g gathering) Answer(lookup step.Lookup) (any, []string, error) {
	list := make([]any, len(g.shape))
	for i, v := range g.shape {
		item, err := fit(lookup, v)
		if err != nil {
			return nil, nil, err
		}
		list[i] = item
	}
	return list, nil, nil
}

func fit(lookup step.Lookup, v any) (any, error) {
	switch v := v.(type) {
	case slot:
		item, found := lookup(string(v))
		if !found {
			return nil, fmt.Errorf("the value of element %s is gone", strings.TrimPrefix(string(v), "e"))
		}
		return item, nil
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, below := range v {
			item, err := fit(lookup, below)
			if err != nil {
				return nil, err
			}
			m[key] = item
		}
		return m, nil
	}
	return v, nil
}
