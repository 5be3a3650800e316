package agent

import "strings"

// Note is what an agent is told before anything else, so that an agent that
// finds the recipe in the repository does not start it from within.
const Note = "You run one step of a brickoven recipe. Do what this step asks and answer; the other steps, the loop and its end " +
	"are the runner's business. Do not start brickoven or this recipe again from within this step."

// nesting are the variables that stop an agent CLI inside another one, or make
// it believe that it is a part of that one.
var nesting = []string{
	"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION",
	"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID",
	"GEMINI_CLI", "OPENCODE", "OPENCODE_PID", "COPILOT_CLI", "GOOSE_TERMINAL", "AMP_CURRENT_THREAD_ID",
}

// Unnest gives an environment without the variables that stop an agent CLI
// inside an agent CLI. Everything else stays as it was, in its order.
func Unnest(env []string) []string {
	drop := make(map[string]bool, len(nesting))
	for _, name := range nesting {
		drop[name] = true
	}
	kept := make([]string, 0, len(env))
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		if !drop[name] {
			kept = append(kept, entry)
		}
	}
	return kept
}
