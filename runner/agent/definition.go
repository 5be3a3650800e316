package agent

import (
	"maps"
	"slices"
	"strings"
)

// Transport is how a prompt reaches the CLI.
type Transport string

// The transports. A prompt never becomes an argument unless the definition says
// so, because one argument holds 128 KiB at most and shows up in ps.
const (
	ByStdin Transport = "stdin"
	ByFile  Transport = "file"
	ByArg   Transport = "arg"
)

// Permissions are the names that a step's or agent's permission may have, from
// the least to the most. The CLI's own setting is default.
var permissions = []string{"default", "read-only", "edit", "full"}

// Permission reads a permission from what a step says in mode:, where recipes in
// the wild also have words that mean nothing to a CLI; ok is false for those.
func Permission(mode string) (name string, ok bool) {
	name = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(mode)), "_", "-")
	return name, slices.Contains(permissions, name)
}

// Permissions lists the names of permissions, from the least to the most.
func Permissions() []string { return slices.Clone(permissions) }

// Definition describes one agent CLI. It is immutable once it is in use.
type Definition struct {
	// Name is what cli: and --agent call it.
	Name string
	// Command is the program and its arguments. A word in braces stands for the
	// arguments of that switch: {model}, {system}, {permission}, {isolate},
	// {resume}, {args}, and {prompt} where the prompt goes by file or argument.
	// A switch that is not placed goes to the end.
	Command []string
	// Args are further arguments of the user's.
	Args []string
	// Env are variables for the CLI, NAME=value.
	Env []string
	// Prompt is how the prompt goes in, and PromptArgs the arguments that name
	// the file or hold the text, with {} for it; empty is {} alone.
	Prompt     Transport
	PromptArgs []string
	// Model, System and Resume are the arguments of these switches, with {} for
	// the value; empty where the CLI has none. Without System the text goes in
	// front of the prompt; without Resume no conversation can be continued.
	Model, System, Resume []string
	// Permissions has the arguments of each permission, and PermissionEnv the
	// variables. A permission that is in neither is refused; default need not be
	// there.
	Permissions   map[string][]string
	PermissionEnv map[string][]string
	// Permission is the permission where a step names none; empty is default.
	Permission string
	// Isolate are the arguments that keep the user's own settings out.
	Isolate []string
	// Result says how the output is read.
	Result Result
	// Plain marks a bare command line: the prompt goes in as it is, without the
	// note that the call is one step.
	Plain bool
	// InheritUserConfig is the definition's own choice; nil leaves it to the
	// settings.
	InheritUserConfig *bool
}

// Result says how a CLI's output is read.
type Result struct {
	// Format is the name of a CLI's own stream of events (claude, codex,
	// copilot, gemini, opencode, goose), or text, or json.
	Format string
	// Answer, Error, Message, Conversation are dotted paths into the one JSON
	// document of the format json; empty: not there. Error is a flag: true, or
	// any text or object that is not empty.
	Answer, Error, Message, Conversation string
	// Usage has the paths of input_tokens, output_tokens, cached_tokens,
	// cost_usd, turns and duration_ms.
	Usage map[string]string
}

// cumulative tells that the CLI counts the tokens of a conversation from its
// beginning.
func (r Result) cumulative() bool { return r.Format == "codex" }

// The formats of a [Result] that belong to no CLI.
const (
	FormatText = "text"
	FormatJSON = "json"
)

// Plain is the definition of a bare command line: the prompt on its standard
// input, its standard output the answer.
func Plain(argv []string) *Definition {
	return &Definition{
		Name: "command", Command: slices.Clone(argv), Prompt: ByStdin, Result: Result{Format: FormatText}, Plain: true,
	}
}

// Resumes reports whether a conversation can be continued.
func (d *Definition) Resumes() bool { return len(d.Resume) > 0 }

// clone is a copy that shares nothing with d.
func (d *Definition) clone() *Definition {
	c := *d
	for _, list := range []*[]string{&c.Command, &c.Args, &c.Env, &c.PromptArgs, &c.Model, &c.System, &c.Resume, &c.Isolate} {
		*list = slices.Clone(*list)
	}
	c.Permissions, c.PermissionEnv = maps.Clone(d.Permissions), maps.Clone(d.PermissionEnv)
	c.Result.Usage = maps.Clone(d.Result.Usage)
	return &c
}
