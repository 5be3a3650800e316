// Package integrity tells whether what a loop is measured by was left alone:
// protected paths, the tests that the check is made of, and the check itself
// (seed 004, "guards dominate success").
//
// The functions are pure and safe for concurrent use.
package integrity

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// anyDepth is the segment of a pattern that stands for any number of folders.
const anyDepth = "**"

// Pattern is a protected path: slash-separated, relative to the top of the
// repository. `*`, `?` and `[…]` match within a name, `**` any number of
// folders and none. A pattern without them names a file, or a folder with all
// that is in it. Two patterns of the same text are equal.
type Pattern struct{ text string }

// ParsePattern refuses a pattern that can match nothing: an empty or malformed
// one, and one that leads out of the repository.
func ParsePattern(text string) (Pattern, error) {
	clean := path.Clean(text)
	switch {
	case strings.TrimSpace(text) == "":
		return Pattern{}, fmt.Errorf("%q is empty", text)
	case path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../"):
		return Pattern{}, fmt.Errorf("%q must be relative to the top of the repository", text)
	}
	for _, segment := range strings.Split(clean, "/") {
		if _, err := path.Match(segment, ""); err != nil {
			return Pattern{}, fmt.Errorf("%q: %w", text, err)
		}
	}
	return Pattern{clean}, nil
}

func (p Pattern) String() string { return p.text }

// Match tells whether the pattern protects a path of the repository.
func (p Pattern) Match(name string) bool {
	if p.text == "." {
		return true
	}
	glob := strings.Split(p.text, "/")
	if !strings.ContainsAny(p.text, "*?[") {
		glob = append(glob, anyDepth)
	}
	return matchSegments(glob, strings.Split(path.Clean(name), "/"))
}

// matchSegments keeps one place to come back to, the last **, so that it is
// never worse than the product of the lengths.
func matchSegments(glob, names []string) bool {
	retryGlob, retryName := -1, 0
	g, n := 0, 0
	for n < len(names) {
		if g < len(glob) && glob[g] == anyDepth {
			retryGlob, retryName = g, n
			g++
			continue
		}
		if g < len(glob) {
			// The pattern was checked when it was parsed.
			if ok, err := path.Match(glob[g], names[n]); err == nil && ok {
				g, n = g+1, n+1
				continue
			}
		}
		if retryGlob < 0 {
			return false
		}
		retryName++
		g, n = retryGlob+1, retryName
	}
	for g < len(glob) && glob[g] == anyDepth {
		g++
	}
	return g == len(glob)
}

// Blocked lists the changed paths that a pattern protects, sorted and unique.
// A rename must be given as both its paths.
func Blocked(patterns []Pattern, changed []string) []string {
	var blocked []string
	for _, name := range changed {
		if slices.ContainsFunc(patterns, func(p Pattern) bool { return p.Match(name) }) {
			blocked = append(blocked, name)
		}
	}
	slices.Sort(blocked)
	return slices.Compact(blocked)
}
