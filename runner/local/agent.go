package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/brickoven/brickoven/recipes/extract"
	"github.com/brickoven/brickoven/recipes/template"
	"github.com/brickoven/brickoven/runner/agent"
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
	// Configured is what agents: of the configuration holds; nil: nothing.
	Configured map[string]any
	// Call makes the calls of all agents that are not built in; nil is
	// [agent.Call].
	Call agent.Caller
	// Recorded tells, where Call plays answers back, whether there are any of a
	// step; then no agent has to be configured. nil: nothing is played back.
	Recorded func(step string) bool
	// Digest makes of a tool call what decisions may see of it; nil: nobody asks.
	Digest func(agent.ToolUse) step.ToolUse
	// Used takes what agent calls have used so far; nil: nobody asks.
	Used chan<- step.Event
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
	if choice == "" && !m.agentConfigured() && m.Agents.Recorded == nil {
		return refuse(step.CauseStart, &NoAgentError{})
	}
	d, set, err := m.definition(a.Recipe, choice)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	dir, err := m.folder(a, &warnings)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	if d == nil {
		d = agent.Plain(m.Agents.Command)
	}
	req, err := m.inquiry(a, d, set, dir, &warnings)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	block, err := m.agentEnvironment(a, &warnings)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	req.Env, req.Kill = block.Env, kill
	var res step.Result
	if d.Plain && m.Agents.Call == nil {
		res = m.bare(ctx, a, req)
	} else {
		res = m.consult(ctx, a, req)
	}
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
	if choice == AgentAuto && (m.agentConfigured() || m.Agents.Recorded != nil && m.Agents.Recorded(a.Path)) {
		return "", nil
	}
	if choice == AgentAuto {
		return AgentRules, nil
	}
	return choice, nil
}

// builtin lets an agent answer that is part of the program.
func (m *Machine) builtin(ctx context.Context, a *step.Action, name string, native Native) step.Result {
	call, err := m.call(ctx, a, m.WorkDir)
	if err != nil {
		return refuse(step.CauseState, err)
	}
	out, err := native(ctx, call)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	return m.printed(a, out, []string{fmt.Sprintf("answered by the built-in agent %s, without a model", name)})
}

// question is the step's prompt, or what is asked in its place.
func (m *Machine) question(a *step.Action, warnings *[]string) (string, error) {
	if a.Prompt != "" {
		return a.Prompt, nil
	}
	return m.render(a, "prompt", a.Def.Prompt, warnings)
}

// personaText is the text of the step's persona; empty where there is none.
func (m *Machine) personaText(a *step.Action, warnings *[]string) string {
	name := a.Def.Persona
	if name == "" || m.Agents.Persona == nil {
		return ""
	}
	text, ok := m.Agents.Persona(name)
	if !ok {
		*warnings = append(*warnings, fmt.Sprintf("agent: no persona %q was found; the step runs without it", name))
	}
	return text
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
