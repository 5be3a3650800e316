package recipes

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"
	"gopkg.in/yaml.v3"
)

// scope is a kind of mapping in a recipe with the keys that it knows.
type scope struct {
	name  string
	known []string
}

var (
	recipeScope    = sync.OnceValue(func() scope { return scope{"recipe", slices.Sorted(maps.Keys(recipeKeys()))} })
	stepScope      = sync.OnceValue(func() scope { return scope{"step", slices.Sorted(maps.Keys(stepKeys()))} })
	retryScope     = scope{"retry", []string{"attempts", "backoff", "delay", "max_delay", "on_exit"}}
	hooksScope     = scope{"hooks", []string{"on_error", "post_step", "pre_step"}}
	recursionScope = scope{"recursion", []string{"max_depth", "max_total_steps"}}
	defaultsScope  = scope{"defaults", []string{"shell"}}
	outputScope    = scope{"output", []string{"format", "template"}}
	evidenceScope  = scope{"evidence", []string{"ci_signal", "findings", "goal_met", "paths", "progress", "repos", "test_signal"}}
	inputScope     = scope{"input", []string{"default", "description", "name", "options", "required", "type"}}
)

// keys calls read for every known key of a mapping, in the order of the file.
// Other keys are a fault where they control other tools, and a warning, or in
// strict recipes an error, where they do not.
func (d *decoder) keys(node *yaml.Node, in scope, read func(key string, node *yaml.Node)) {
	if !d.mapping(in.name, node) {
		return
	}
	for key, val := range entries(node) {
		if _, known := slices.BinarySearch(in.known, key.Value); known {
			read(key.Value, val)
			continue
		}
		if d.foreign(in, key, val) {
			continue
		}
		d.unknownKey(in, key)
	}
}

func (d *decoder) unknownKey(in scope, key *yaml.Node) {
	if strings.HasPrefix(key.Value, "x-") {
		return
	}
	hint := ""
	if near := nearest(key.Value, in.known); near != "" {
		hint = "did you mean " + near + "?"
	}
	message := fmt.Sprintf("unknown key %s in a %s", quoteShort(key.Value), in.name)
	if in.name == "recipe" {
		message = fmt.Sprintf("unknown key %s at the top of the recipe", quoteShort(key.Value))
	}
	if d.opts.Strict {
		d.fail(key, "unknown-key", message, hint)
	} else {
		d.warn(key, "unknown-key", message, hint)
	}
}

// nearest returns the candidate that differs least from name, or nothing when
// none is near enough to be what was meant. The first of equals wins.
func nearest(name string, candidates []string) string {
	const longest, most = 80, 5_000
	if len(name) > longest || len(candidates) > most {
		return ""
	}
	limit := (len(name) + 2) / 3
	best, bestDistance := "", limit+1
	for _, candidate := range candidates {
		if abs(len(candidate)-len(name)) > limit || candidate == name {
			continue
		}
		distance := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(candidate))
		if distance < bestDistance {
			best, bestDistance = candidate, distance
		}
	}
	return best
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
