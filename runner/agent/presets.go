package agent

import (
	"maps"
	"slices"
)

// Presets lists the names of the CLIs that are known without a definition.
func Presets() []string { return slices.Sorted(maps.Keys(presets())) }

// Preset gives the definition of a known CLI, which the caller may change; ok is
// false for others.
func Preset(name string) (d *Definition, ok bool) {
	made, ok := presets()[name]
	if !ok {
		return nil, false
	}
	d = made()
	d.Name = name
	return d, true
}

// presets says how each CLI is called. Every switch here is listed with the
// version it was found in docs/agents.md, and the tests of tests/agents look for
// it in the real CLI's --help.
func presets() map[string]func() *Definition {
	return map[string]func() *Definition{
		"claude": claude, "codex": codex, "copilot": copilot, "gemini": gemini,
		"opencode": opencode, "aider": aider, "goose": goose, "amp": amp,
	}
}

func claude() *Definition {
	return &Definition{
		// A stream, because a CLI that is silent while it works could not be
		// told from one that hangs.
		Command: []string{
			"claude", "--print", "--output-format", "stream-json", "--verbose",
			"{isolate}", "{permission}", "{model}", "{system}", "{resume}", "{args}",
		},
		Prompt: ByStdin,
		Model:  []string{"--model", "{}"}, System: []string{"--append-system-prompt", "{}"}, Resume: []string{"--resume", "{}"},
		Isolate: []string{"--setting-sources", "project", "--strict-mcp-config"},
		Permissions: map[string][]string{
			"default":   {"--permission-mode", "default"},
			"read-only": {"--permission-mode", "plan"},
			"edit":      {"--permission-mode", "acceptEdits"},
			"full":      {"--permission-mode", "bypassPermissions"},
		},
		Result: Result{Format: "claude"},
	}
}

func codex() *Definition {
	return &Definition{
		// The sandbox is set by -c, because exec resume has no --sandbox.
		Command: []string{
			"codex", "exec", "{resume}", "--json", "--skip-git-repo-check",
			"{isolate}", "{permission}", "{model}", "{args}", "-",
		},
		Prompt: ByStdin,
		Model:  []string{"--model", "{}"}, Resume: []string{"resume", "{}"},
		Isolate: []string{
			"--ignore-user-config", "--ignore-rules", "--disable", "hooks", "--disable", "plugins", "--disable", "apps",
		},
		Permissions: map[string][]string{
			"read-only": {"--config", `sandbox_mode="read-only"`},
			"edit":      {"--config", `sandbox_mode="workspace-write"`},
			"full":      {"--dangerously-bypass-approvals-and-sandbox"},
		},
		Result: Result{Format: "codex"},
	}
}

func copilot() *Definition {
	return &Definition{
		Command: []string{
			"copilot", "--output-format", "json", "--no-color", "--no-auto-update", "--no-ask-user",
			"{isolate}", "{permission}", "{model}", "{resume}", "{args}",
		},
		Prompt: ByStdin,
		Model:  []string{"--model", "{}"}, Resume: []string{"--resume={}"},
		Isolate: []string{"--disable-builtin-mcps", "--no-remote"},
		Permissions: map[string][]string{
			"read-only": {"--deny-tool", "write", "--deny-tool", "shell"},
			"edit":      {"--allow-tool", "write"},
			"full":      {"--allow-all"},
		},
		Result: Result{Format: "copilot"},
	}
}

func gemini() *Definition {
	return &Definition{
		Command: []string{
			"gemini", "--output-format", "stream-json", "--skip-trust",
			"{isolate}", "{permission}", "{model}", "{resume}", "{args}",
		},
		Prompt: ByStdin,
		Model:  []string{"--model", "{}"}, Resume: []string{"--resume", "{}"},
		// No server has the second name, so none is allowed.
		Isolate: []string{"--extensions", "none", "--allowed-mcp-server-names", "none"},
		Permissions: map[string][]string{
			"default":   {"--approval-mode", "default"},
			"read-only": {"--approval-mode", "plan"},
			"edit":      {"--approval-mode", "auto_edit"},
			"full":      {"--approval-mode", "yolo"},
		},
		Result: Result{Format: "gemini"},
	}
}

func opencode() *Definition {
	return &Definition{
		Command: []string{"opencode", "run", "--format", "json", "{isolate}", "{permission}", "{model}", "{resume}", "{args}"},
		Prompt:  ByStdin,
		Model:   []string{"--model", "{}"}, Resume: []string{"--session", "{}"},
		Isolate: []string{"--pure"},
		Permissions: map[string][]string{
			"read-only": {"--agent", "plan"},
			"edit":      {"--agent", "build"},
			"full":      {"--auto"},
		},
		Result: Result{Format: "opencode"},
	}
}

func aider() *Definition {
	return &Definition{
		// Commits are the recipe's business: aider would make one after each
		// change, and one before it of what the user left uncommitted.
		Command: []string{
			"aider", "--no-pretty", "--no-stream", "--no-check-update", "--no-show-release-notes", "--no-analytics",
			"--no-fancy-input", "--no-detect-urls", "--no-auto-commits", "--no-dirty-commits", "--no-gitignore", "--yes-always",
			"{permission}", "{model}", "{args}", "{prompt}",
		},
		Prompt: ByFile, PromptArgs: []string{"--message-file", "{}"},
		Model: []string{"--model", "{}"},
		Permissions: map[string][]string{
			"default":   {"--no-suggest-shell-commands"},
			"read-only": {"--chat-mode", "ask"},
			"edit":      {"--no-suggest-shell-commands"},
			"full":      {},
		},
		Result: Result{Format: FormatText},
	}
}

func goose() *Definition {
	return &Definition{
		Command: []string{"goose", "run", "--instructions", "-", "--output-format", "stream-json", "--no-session", "{model}", "{system}", "{args}"},
		Prompt:  ByStdin,
		Model:   []string{"--model", "{}"}, System: []string{"--system", "{}"},
		PermissionEnv: map[string][]string{
			"read-only": {"GOOSE_MODE=chat"},
			"edit":      {"GOOSE_MODE=smart_approve"},
			"full":      {"GOOSE_MODE=auto"},
		},
		Result: Result{Format: "goose"},
	}
}

func amp() *Definition {
	return &Definition{
		Command: []string{"amp", "{resume}", "--execute", "--stream-json", "--no-ide", "--no-notifications", "--no-color", "{model}", "{args}"},
		Prompt:  ByStdin,
		// What amp lets choose is a mode, which stands for a model.
		Model: []string{"--mode", "{}"}, Resume: []string{"threads", "continue", "{}"},
		Result: Result{Format: "claude"},
	}
}
