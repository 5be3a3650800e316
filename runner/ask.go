package runner

import (
	"errors"
	"fmt"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/expression"
	"github.com/brickoven/brickoven/recipes/template"
	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

// ask answers a question here where all values are at hand, and otherwise has
// the executor answer it.
func (fr *frame) ask(f *flow, st *recipes.Step, view *step.View, q step.Question) (any, error) {
	var (
		v        any
		warnings []string
		err      error
	)
	if view.Large(q.Paths()) {
		res := f.do(&step.Action{
			Kind: step.Query, Path: fr.pathOf(st.ID), Def: st, Recipe: fr.recipe, Vars: view, Question: q,
		})
		v, warnings = res.Value, res.Warnings
		if !res.OK {
			err = errors.New(res.Error)
		}
	} else {
		v, warnings, err = q.Answer(view.Lookup)
	}
	for _, text := range warnings {
		fr.run.warn(fr.pathOf(st.ID), text)
	}
	return v, err
}

// condition asks whether a step runs.
type condition struct{ program *expression.Program }

func (c condition) Paths() []string { return c.program.Paths() }
func (c condition) Inline() bool    { return true }

func (c condition) Answer(lookup step.Lookup) (any, []string, error) {
	return c.program.Test(expression.Lookup(lookup))
}

// rendering asks for the value of a template; field names it in messages.
type rendering struct {
	field  string
	tmpl   *template.Template
	strict bool
	inline bool
	known  func() []string // the names that the author may have meant
}

func (t rendering) Paths() []string { return t.tmpl.Paths() }
func (t rendering) Inline() bool    { return t.inline }

func (t rendering) Answer(lookup step.Lookup) (any, []string, error) {
	v, unknown, err := t.tmpl.Value(template.Lookup(lookup))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", t.field, err)
	}
	for i, u := range unknown {
		unknown[i].Nearest = template.Nearest(u.Path, t.known())
	}
	warnings, err := recipes.Unknowns(t.field, unknown, t.strict)
	return v, warnings, err
}

// argument renders one entry of a context, whose strings are templates at every
// depth.
func (fr *frame) argument(f *flow, st *recipes.Step, view *step.View, field string, v any) (any, error) {
	switch v := v.(type) {
	case *template.Template:
		return fr.ask(f, st, view, rendering{field: field, tmpl: v, strict: fr.recipe.Strict, known: view.Scope.Names})
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			rendered, err := fr.nested(f, st, view, fmt.Sprintf("%s[%d]", field, i), item)
			if err != nil {
				return nil, err
			}
			list[i] = rendered
		}
		return list, nil
	case map[string]any:
		m := make(map[string]any, len(v))
		for _, key := range sortedKeys(v) {
			rendered, err := fr.nested(f, st, view, field+"."+key, v[key])
			if err != nil {
				return nil, err
			}
			m[key] = rendered
		}
		return m, nil
	}
	return v, nil
}

// nested renders what stands inside a list or a map, where a value cannot be a
// reference and therefore comes back by itself.
func (fr *frame) nested(f *flow, st *recipes.Step, view *step.View, field string, v any) (any, error) {
	if tmpl, ok := v.(*template.Template); ok {
		return fr.ask(f, st, view, rendering{field: field, tmpl: tmpl, strict: fr.recipe.Strict, inline: true, known: view.Scope.Names})
	}
	return fr.argument(f, st, view, field, v)
}

// list asks for the elements of a foreach.
func (fr *frame) list(f *flow, st *recipes.Step, view *step.View) ([]any, error) {
	v, err := fr.ask(f, st, view, rendering{field: "foreach", tmpl: st.Foreach, strict: fr.recipe.Strict, inline: true, known: view.Scope.Names})
	if err != nil {
		return nil, err
	}
	if text, isText := v.(string); isText {
		v = value.Guess(text)
	}
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("foreach: %s is a %s, not a list", st.Foreach.Source(), value.Kind(v))
	}
	return list, nil
}
