package recipes

import (
	"errors"
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/recipes/template"
)

// Unknowns words what a rendering looked for in vain, once per name. In a
// strict recipe it is an error; otherwise the names rendered as empty and the
// texts are warnings. field names the part of the step, such as prompt.
func Unknowns(field string, unknown []template.Unknown, strict bool) (warnings []string, err error) {
	seen := map[string]bool{}
	for _, u := range unknown {
		if seen[u.Path] {
			continue
		}
		seen[u.Path] = true
		text := fmt.Sprintf("%s: unknown name '%s' renders as empty", field, u.Path)
		if strict {
			text = fmt.Sprintf("%s: unknown name '%s'", field, u.Path)
		}
		if u.Nearest != "" {
			text += fmt.Sprintf(" (did you mean '%s'?)", u.Nearest)
		}
		warnings = append(warnings, text)
	}
	if strict && len(warnings) > 0 {
		return nil, errors.New(strings.Join(warnings, "; "))
	}
	return warnings, nil
}
