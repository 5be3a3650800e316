package template

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest finds the known name that a misspelt one most likely means: at most a
// third of its letters away, letter case aside. It is empty when none is near;
// of equally near names the first in the alphabet wins.
func Nearest(name string, known []string) string {
	best, distance := "", len(name)/3+1
	if len(name) < 3 {
		distance = len(name)
	}
	for _, candidate := range known {
		if candidate == name || len(candidate)-len(name) > distance || len(name)-len(candidate) > distance {
			continue
		}
		d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(candidate))
		if d < distance || d == distance && best != "" && candidate < best {
			best, distance = candidate, d
		}
	}
	return best
}
