package recipes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// variable is a name that the author gave, with the place.
type variable struct {
	name string
	pos  *Finding
}

// environmentName is the name under which a variable is exported, without its
// prefix RECIPE_VAR_ (DESIGN section 6).
func environmentName(name string) string { return exportable.Replace(name) }

var exportable = strings.NewReplacer(".", "__", "-", "_")

// collisions reports variables of the author that would have one name in the
// environment, where the last would win in silence.
func (r *Recipe) collisions() Findings {
	var found Findings
	told := map[[2]string]bool{}
	mains, aliases := map[string]variable{}, map[string]variable{}
	claim := func(names map[string]variable, shown, exported string, v variable) {
		other, taken := names[exported]
		if !taken {
			names[exported] = v
			return
		}
		pair := [2]string{other.name, v.name}
		if other.name == v.name || told[pair] {
			return
		}
		told[pair] = true
		fault := *v.pos
		fault.Code = "name-collision"
		fault.Message = fmt.Sprintf("the variables %s and %s have one name in the environment, %s", other.name, v.name, shown)
		fault.Hint = "rename one of them"
		found = append(found, &fault)
	}
	r.eachVariable(func(v variable, val any) {
		main := environmentName(v.name)
		claim(mains, "RECIPE_VAR_"+main, main, v)
		if val == nil || value.IsScalar(val) {
			alias := strings.ToUpper(main)
			claim(aliases, alias, alias, v)
		}
		flatten(v.name, main, val, func(path, exported string) {
			claim(mains, "RECIPE_VAR_"+exported, exported, variable{path, v.pos})
		})
	})
	return found
}

// flatten calls yield for every nested key of a map with its path and its name
// in the environment.
func flatten(path, exported string, v any, yield func(path, exported string)) {
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		below, name := path+"."+key, exported+"__"+environmentName(key)
		yield(below, name)
		flatten(below, name, m[key], yield)
	}
}

// eachVariable calls yield for every variable that the recipe itself names,
// with its default where it has one.
func (r *Recipe) eachVariable(yield func(v variable, val any)) {
	for _, v := range r.Context {
		yield(variable{v.Name, r.doc.findingFor(v.Pos)}, v.Value)
	}
	for _, input := range r.Inputs {
		yield(variable{input.Name, r.doc.findingFor(input.Pos)}, input.Default)
	}
	for _, s := range r.allSteps() {
		for _, key := range []string{"output", "collect", "as"} {
			if node := lookup(s.node, key); node != nil && node.Value != "" {
				yield(variable{node.Value, r.doc.finding(node, "", "")}, nil)
			}
		}
		if s.Outputs != nil {
			for _, pair := range s.Outputs.Pairs {
				yield(variable{pair.Name, r.doc.finding(lookup(s.node, "outputs"), "", "")}, nil)
			}
		}
		for _, argument := range s.Context {
			yield(variable{argument.Name, r.doc.findingFor(argument.Pos)}, nil)
		}
	}
}

// findingFor is an empty finding at a position of this document or of one of
// its parents; a recipe that was not read from a document has no lines to show.
func (doc *document) findingFor(pos Position) *Finding {
	if doc == nil {
		return &Finding{Pos: pos}
	}
	if pos.File == doc.source.Path {
		return doc.findingAt(pos.Line, pos.Column, "", "")
	}
	for _, owner := range doc.owners {
		if owner.source.Path == pos.File {
			return owner.findingAt(pos.Line, pos.Column, "", "")
		}
	}
	return &Finding{Pos: pos}
}
