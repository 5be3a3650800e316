package agent

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/brickoven/brickoven/recipes/value"
)

// maxSystem is how long a text in bytes may be to go by a switch. Longer ones go
// in front of the prompt: the kernel refuses one argument of 128 KiB, and ps
// shows all of it.
const maxSystem = 16 << 10

// maxArgument is the longest prompt in bytes that an agent with prompt: arg can
// be given.
const maxArgument = 120 << 10

// command is a call that is ready to be started.
type command struct {
	argv, env []string
	input     string // what goes to standard input
	file      string // the private file that holds the prompt; empty: none
	fed       bool
}

func (c *command) stdin() io.Reader {
	if !c.fed {
		return nil
	}
	return strings.NewReader(c.input)
}

func (c *command) close() error {
	if c.file == "" {
		return nil
	}
	return os.Remove(c.file)
}

// CannotError tells that an agent cannot do what a step asks for.
type CannotError struct {
	Agent  string
	Reason string
}

func (e *CannotError) Error() string { return fmt.Sprintf("agent %s: %s", e.Agent, e.Reason) }

// build makes the command line, the environment and the input of a call.
func build(req Request) (*command, error) {
	d := req.Agent
	if len(d.Command) == 0 {
		return nil, &CannotError{d.Name, "has no command"}
	}
	system, prompt := place(req)
	groups := map[string][]string{
		"model": fill(d.Model, req.Model), "system": fill(d.System, system),
		"resume": fill(d.Resume, req.Resume), "args": d.Args, "isolate": d.Isolate,
	}
	if req.InheritUserConfig {
		groups["isolate"] = nil
	}
	if req.Resume != "" && !d.Resumes() {
		return nil, &CannotError{d.Name, "cannot continue a conversation; see docs/agents.md for those that can"}
	}
	extra, err := permit(d, req.Permission, groups)
	if err != nil {
		return nil, err
	}
	c := &command{env: slices.Concat(Unnest(req.Env), d.Env, extra)}
	if err := c.give(req, prompt, groups); err != nil {
		return nil, err
	}
	c.argv = expand(d.Command, groups)
	if req.Model != "" && len(d.Model) == 0 {
		c.env = append(c.env, "BRICKOVEN_AGENT_MODEL="+req.Model)
	}
	return c, nil
}

// Whole is the prompt as an agent reads it that has no switch for the system
// text: that text, then the prompt.
func (r Request) Whole() string {
	_, prompt := place(r)
	return prompt
}

// place decides where the system text goes: by its switch, or in front of the
// prompt. A conversation that goes on has been told already.
func place(req Request) (system, prompt string) {
	d, system := req.Agent, req.System
	if !d.Plain && req.Resume == "" {
		system = join(Note, system)
	}
	if len(d.System) > 0 && len(system) <= maxSystem {
		return system, req.Prompt
	}
	return "", join(system, req.Prompt)
}

func join(before, after string) string {
	if before == "" || after == "" {
		return before + after
	}
	return strings.TrimRight(before, "\n") + "\n\n" + after
}

// permit chooses the switches of a permission, and the variables it takes.
func permit(d *Definition, wanted string, groups map[string][]string) (env []string, err error) {
	if wanted == "" {
		wanted = d.Permission
	}
	if wanted == "" {
		wanted = "default"
	}
	args, hasArgs := d.Permissions[wanted]
	env, hasEnv := d.PermissionEnv[wanted]
	if !hasArgs && !hasEnv && wanted != "default" {
		return nil, &CannotError{d.Name, fmt.Sprintf("has no switch for the permission %q", wanted)}
	}
	groups["permission"] = args
	return env, nil
}

// give puts the prompt where the CLI looks for it.
func (c *command) give(req Request, prompt string, groups map[string][]string) error {
	d := req.Agent
	shape := d.PromptArgs
	if len(shape) == 0 {
		shape = []string{"{}"}
	}
	switch d.Prompt {
	case ByFile:
		if err := c.keep(req.Scratch, prompt); err != nil {
			return fmt.Errorf("agent %s: the prompt could not be put in a file: %w", d.Name, err)
		}
		groups["prompt"] = fill(shape, c.file)
	case ByArg:
		if len(prompt) > maxArgument {
			return &CannotError{d.Name, fmt.Sprintf(
				"takes its prompt as an argument, and %d bytes are more than the %d that fit: define it with prompt: stdin or prompt: file",
				len(prompt), maxArgument)}
		}
		if strings.ContainsRune(prompt, 0) {
			return &CannotError{d.Name, "takes its prompt as an argument, which cannot hold the NUL byte in it"}
		}
		groups["prompt"] = fill(shape, prompt)
	default:
		c.input, c.fed = prompt, true
	}
	return nil
}

// keep writes the prompt where only this user can read it.
func (c *command) keep(dir, prompt string) error {
	file, err := os.CreateTemp(dir, "prompt-*.md")
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, prompt)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	c.file = file.Name()
	return nil
}

// fill puts a value into the arguments of a switch; none where the value is
// empty.
func fill(shape []string, v string) []string {
	if v == "" {
		return nil
	}
	args := make([]string, len(shape))
	for i, arg := range shape {
		args[i] = strings.ReplaceAll(arg, "{}", v)
	}
	return args
}

// order is where switches go that the command does not place.
var order = []string{"isolate", "permission", "model", "system", "resume", "args", "prompt"}

// expand replaces the words in braces by the arguments they stand for.
func expand(words []string, groups map[string][]string) []string {
	var argv []string
	placed := map[string]bool{}
	for _, word := range words {
		name, ok := strings.CutPrefix(word, "{")
		if name, ok = cutSuffix(name, ok); ok && slices.Contains(order, name) {
			placed[name] = true
			argv = append(argv, groups[name]...)
			continue
		}
		argv = append(argv, word)
	}
	for _, name := range order {
		if !placed[name] {
			argv = append(argv, groups[name]...)
		}
	}
	return argv
}

func cutSuffix(name string, ok bool) (string, bool) {
	if !ok {
		return name, false
	}
	return strings.CutSuffix(name, "}")
}

func quote(text string) string { return value.JSON(text) }
