package scope

import "strings"

// FilterBase turns the environment of this program into the base of its steps'
// (DESIGN section 6).
//
// It removes the variables that keep agent CLIs from running inside each other.
// If this program runs inside a step of another run (BRICKOVEN=1) it removes
// that run's variables, too, RECIPE_VAR_* and the aliases that carry the same
// text: a brick that reads ${LOOP_EVIDENCE:-${RECIPE_VAR_loop_evidence:-}} must
// not find the outer run's evidence where its own is missing. Variables are
// handed to an inner run with --set. RECIPE_VAR_* that a person exported stay.
// It adds GIT_PAGER=cat, PAGER=cat and BRICKOVEN=1. The rest of what steps get
// (BRICKOVEN_BIN, _RUN_ID, _RUN_DIR, _DEPTH) is for the caller to add.
func FilterBase(environ []string) []string {
	outer := outerVariables(environ)
	base := make([]string, 0, len(environ)+3)
	for _, entry := range environ {
		name, text, ok := strings.Cut(entry, "=")
		if !ok || removed[name] || outer[name] == nil {
			continue
		}
		_ = text
		base = append(base, entry)
	}
	return append(base, "GIT_PAGER=cat", "PAGER=cat", "BRICKOVEN=1")
}
