package recipes

import (
	"slices"
	"strings"
)

// Reads lists the dotted paths of the variables that the fields of the step
// read, sorted, each once. Variables that a command reads from its environment
// count where their names show which they are; what a program reads by itself
// is not known.
func (s *Step) Reads() []string {
	var paths []string
	for _, f := range s.fields {
		paths = append(paths, f.paths()...)
		if f.command == nil || f.command.Script == nil {
			continue
		}
		for _, mention := range f.command.Script.Mentions() {
			name, ours := strings.CutPrefix(strings.TrimSuffix(mention, "_FILE"), "RECIPE_VAR_")
			if !ours {
				name = strings.ToLower(mention)
			}
			name, _, _ = strings.Cut(name, "__")
			paths = append(paths, name, strings.ReplaceAll(name, "_", "-"))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
