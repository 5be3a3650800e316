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
	outer := outerAliases(environ)
	base := make([]string, 0, len(environ)+3)
	for _, entry := range environ {
		name, text, _ := strings.Cut(entry, "=")
		alias, isAlias := outer[name]
		switch {
		case stopsNesting(name), name == "GIT_PAGER", name == "PAGER", name == "BRICKOVEN":
		case outer != nil && strings.HasPrefix(name, prefix):
		case isAlias && alias == text:
		default:
			base = append(base, entry)
		}
	}
	return append(base, "GIT_PAGER=cat", "PAGER=cat", "BRICKOVEN=1")
}

// outerAliases maps the aliases of an outer run's variables to their texts; nil
// outside of one.
func outerAliases(environ []string) map[string]string {
	inside := false
	aliases := map[string]string{}
	for _, entry := range environ {
		name, text, _ := strings.Cut(entry, "=")
		if name == "BRICKOVEN" {
			inside = text == "1"
		}
		if variable, ok := strings.CutPrefix(name, prefix); ok {
			if alias := Alias(variable); alias != "" {
				aliases[alias] = text
			}
		}
	}
	if !inside {
		return nil
	}
	return aliases
}

// stopsNesting names what agent CLIs set for their children to recognise that
// they run inside one. Their settings, such as CLAUDE_CODE_USE_BEDROCK, stay.
func stopsNesting(name string) bool {
	switch name {
	case "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID",
		"CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_EXECPATH", "CURSOR_AGENT", "GEMINI_CLI", "CODEX_CI", "OPENCODE":
		return true
	}
	return false
}
