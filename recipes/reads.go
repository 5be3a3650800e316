package recipes

import (
	"slices"
	"strings"
)

// Reads lists the dotted paths of the variables that the work of the step reads,
// sorted, each once; its condition, and the list of a foreach, do not count.
// Variables that a command reads from its environment count where their names
// show which they are; what a program reads by itself is not known. The list must
// not be changed.
func (s *Step) Reads() []string { return s.reads }

// findReads looks through the fields, after their commands were compiled.
func (s *Step) findReads() []string {
	var paths []string
	for _, f := range s.fields {
		if f.key == "condition" || f.key == "foreach" {
			continue
		}
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
