package evidence

import (
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// setOf reads a set of identifiers: a JSON list, or lines. Items are trimmed,
// blank ones dropped, and each counts once.
func setOf(text string) map[string]bool {
	set := map[string]bool{}
	for _, item := range items(text) {
		if item = strings.TrimSpace(item); item != "" {
			set[item] = true
		}
	}
	return set
}

// items splits an input into its parts, which are not trimmed.
func items(text string) []string {
	if list, ok := jsonList(text); ok {
		parts := make([]string, len(list))
		for i, item := range list {
			parts[i] = value.Text(item)
		}
		return parts
	}
	return strings.Split(text, "\n")
}

func jsonList(text string) (list []any, ok bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "[") {
		return nil, false
	}
	v, err := value.Parse(text)
	if err != nil {
		return nil, false
	}
	list, ok = v.([]any)
	return list, ok
}

func compareSets(current, previous map[string]bool) (added, kept, removed int) {
	for item := range current {
		if previous[item] {
			kept++
		} else {
			added++
		}
	}
	return added, kept, len(previous) - kept
}

// compareSignals compares two summaries. A signal that neither round gave is
// unobserved, and never progress.
func compareSignals(current, previous string) (observed, moved Flag) {
	current, previous = strings.TrimSpace(current), strings.TrimSpace(previous)
	return Flag(current != "" || previous != ""), Flag(current != previous)
}

// compareProgress compares two numbers, or two sets, that the caller counts by
// itself. Without an earlier value there is nothing to compare with, which is
// no movement.
func compareProgress(current, previous string) (observed, moved Flag) {
	current, previous = strings.TrimSpace(current), strings.TrimSpace(previous)
	if current == "" || previous == "" {
		return Flag(current != "" || previous != ""), false
	}
	if x, ok := value.Rational(current); ok {
		if y, ok := value.Rational(previous); ok {
			return true, Flag(x.Cmp(y) != 0)
		}
	}
	added, _, removed := compareSets(setOf(current), setOf(previous))
	return true, Flag(added > 0 || removed > 0)
}
