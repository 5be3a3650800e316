package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/brickoven/brickoven/recipes/extract"
	"github.com/brickoven/brickoven/recipes/template"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/scope"
	"github.com/brickoven/brickoven/runner/step"
)

// Agents says which agent CLI answers agent steps.
type Agents struct {
	// Command is the agent CLI with its arguments; empty where none is
	// configured. The prompt goes to its standard input.
	Command []string
	// Persona finds the text of a persona such as ns:role; ok is false where
	// there is none.
	Persona func(name string) (text string, ok bool)
	// Builtin are the agents that are part of the program and need no model, by
	// the name that cli: gives.
	Builtin map[string]Native
}

// Names that a step's cli: may give beside those of agents.
const (
	// AgentAuto is the configured agent, and [AgentRules] where none is.
	AgentAuto = "auto"
	// AgentRules is the built-in judge that auto falls back to.
	AgentRules = "rules"
)

// NoAgentError tells that a step wants an agent and none is configured.
type NoAgentError struct{}

func (*NoAgentError) Error() string {
	return "no agent is configured: name one with --agent, $BRICKOVEN_AGENT, or agents.default in .brickoven/config.yaml"
}

func (m *Machine) agentConfigured() bool { return len(m.Agents.Command) > 0 }

func (m *Machine) agent(ctx context.Context, a *step.Action, kill <-chan struct{}) step.Result {
	var warnings []string
	choice, err := m.choose(a)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	if builtin, ok := m.Agents.Builtin[choice]; ok {
		return m.builtin(ctx, a, choice, builtin)
	}
	if !m.agentConfigured() {
		return refuse(step.CauseStart, &NoAgentError{})
	}
	dir, err := m.folder(a, &warnings)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	prompt, err := m.prompt(a, &warnings)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	block, err := m.agentEnvironment(a, &warnings)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	res := m.child(ctx, a, process.Spec{
		Argv: m.Agents.Command, Dir: dir, Env: block.Env, Stdin: strings.NewReader(prompt), Kill: kill,
		Timeout: timeout(a), IdleTimeout: a.Def.IdleTimeout, Leftover: leftover(a.Def),
	})
	if err := block.Cleanup(); err != nil {
		warnings = append(warnings, err.Error())
	}
	res.Warnings = append(warnings, res.Warnings...)
	return res
}

// choose says which agent a step wants: the configured one, or the rules.
func (m *Machine) choose(a *step.Action) (string, error) {
	if a.Def.CLI == "" {
		return "", nil
	}
	tmpl, err := template.Parse(a.Def.CLI, template.Options{})
	if err != nil {
		return "", err
	}
	var warnings []string
	choice, err := m.render(a, "cli", tmpl, &warnings)
	if err != nil {
		return "", err
	}
	if choice == AgentAuto && m.agentConfigured() {
		return "", nil
	}
	if choice == AgentAuto {
		return AgentRules, nil
	}
	if _, ok := m.Agents.Builtin[choice]; !ok && choice != "" {
		return "", fmt.Errorf("cli: there is no agent %q", choice)
	}
	return choice, nil
}

// builtin lets an agent answer that is part of the program.
func (m *Machine) builtin(ctx context.Context, a *step.Action, name string, agent Native) step.Result {
	call, err := m.call(ctx, a, m.WorkDir)
	if err != nil {
		return refuse(step.CauseState, err)
	}
	out, err := agent(ctx, call)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	return m.printed(a, out, []string{fmt.Sprintf("answered by the built-in agent %s, without a model", name)})
}

// prompt is what the agent reads: the persona, then the step's prompt, and when
// an answer lacked its JSON that answer with the question for it.
func (m *Machine) prompt(a *step.Action, warnings *[]string) (string, error) {
	prompt := a.Prompt
	if prompt == "" {
		rendered, err := m.render(a, "prompt", a.Def.Prompt, warnings)
		if err != nil {
			return "", err
		}
		prompt = rendered
	}
	if name := a.Def.Persona; name != "" && m.Agents.Persona != nil {
		if text, ok := m.Agents.Persona(name); ok {
			prompt = strings.TrimRight(text, "\n") + "\n\n" + prompt
		} else {
			*warnings = append(*warnings, fmt.Sprintf("agent: no persona %q was found; the step runs without it", name))
		}
	}
	if a.Answer != "" {
		want := "one JSON document"
		if a.Def.RequireField != "" {
			want = fmt.Sprintf("one JSON object that has the key %q", a.Def.RequireField)
		}
		prompt += fmt.Sprintf("\n\nYou were asked this before, and your answer held no JSON that could be used. It was:\n\n%s\n\n"+
			"Answer again, with %s and nothing else.", a.Answer, want)
	}
	return prompt, nil
}

func (m *Machine) agentEnvironment(a *step.Action, warnings *[]string) (*scope.Block, error) {
	extra, err := m.authored(a, warnings)
	if err != nil {
		return nil, err
	}
	base := append([]string(nil), m.Base...)
	model, err := m.render(a, "model", a.Def.Model, warnings)
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"BRICKOVEN_AGENT_MODEL": model, "BRICKOVEN_AGENT_MODE": a.Def.Mode} {
		if text != "" {
			base = append(base, name+"="+clip(text, scope.MaxNamed))
		}
	}
	req := m.request(a, base, extra)
	req.Shell = scope.Other
	block, err := a.Vars.Scope.Environment(req)
	if err != nil {
		return nil, err
	}
	*warnings = append(*warnings, block.Warnings...)
	return block, nil
}

// answer finds the JSON that a step wants in what it printed.
func (m *Machine) answer(a *step.Action, text string) (any, error) {
	schema, err := m.schema(a)
	if err != nil {
		return nil, err
	}
	_, v, err := extract.Answer(text, extract.CaptureOptions{
		ParseJSON: true, RequireField: a.Def.RequireField, Schema: schema,
	})
	return v, err
}

// schema compiles a step's output_schema once; nil where it has none.
func (m *Machine) schema(a *step.Action) (*extract.Schema, error) {
	if a.Def.OutputSchema == nil {
		return nil, nil
	}
	if known, ok := m.schemas.Load(a.Def); ok {
		return known.(*extract.Schema), nil
	}
	schema, err := extract.CompileSchema(a.Def.OutputSchema)
	if err != nil {
		return nil, fmt.Errorf("output_schema: %w", err)
	}
	m.schemas.Store(a.Def, schema)
	return schema, nil
}

// Digest is the SHA-256 of a text in lower-case hex.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
