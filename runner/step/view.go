package step

import (
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/scope"
)

// View is what a step sees: the variables, and under the name steps how the
// earlier steps ended.
type View struct {
	Scope *scope.Scope
	// Steps maps a step's id to status, exit_code, output, error, duration,
	// outputs and failed. It alone may hold a [value.Ref] below its top level.
	Steps map[string]any
}

// Lookup finds a variable, or the ends of earlier steps under the name steps,
// unless a variable has that name.
func (v *View) Lookup(name string) (item any, found bool) {
	if item, found = v.Scope.Get(name); found {
		return item, true
	}
	if name == "steps" {
		return v.Steps, true
	}
	return nil, false
}

// Large reports whether one of the dotted paths leads through a value that is
// too large to carry.
func (v *View) Large(paths []string) bool {
	for _, path := range paths {
		if v.large(path) {
			return true
		}
	}
	return false
}

func (v *View) large(path string) bool {
	parts, ok := value.SplitPath(path)
	if !ok {
		parts = []string{path}
	}
	item, found := v.Lookup(parts[0])
	if !found {
		return false
	}
	if _, ref := item.(value.Ref); ref {
		return true
	}
	if parts[0] != "steps" {
		return false
	}
	return holdsRef(item, parts[1:])
}

// holdsRef walks the steps map along a path; where the path ends early, all
// that lies below counts.
func holdsRef(item any, parts []string) bool {
	if _, ref := item.(value.Ref); ref {
		return true
	}
	m, isMap := item.(map[string]any)
	if !isMap {
		return false
	}
	if len(parts) > 0 {
		return holdsRef(m[parts[0]], parts[1:])
	}
	for _, below := range m {
		if holdsRef(below, nil) {
			return true
		}
	}
	return false
}

// Root is the first part of a dotted path.
func Root(path string) string {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i]
	}
	return path
}
