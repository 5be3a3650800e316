package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/recipes/extract"
	"github.com/brickoven/brickoven/runner/agent"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
)

// definition is the agent of a step: the one that cli: names, else the run's
// where that is the name of one; nil where the run's is a bare command line. A
// recipe's agents: go over those of the configuration.
func (m *Machine) definition(r *recipes.Recipe, choice string) (*agent.Definition, *agent.Settings, error) {
	set, err := agent.ParseSettings(m.Agents.Configured, r.Agents)
	if err != nil {
		return nil, nil, err
	}
	name := choice
	if name == "" && len(m.Agents.Command) == 1 {
		name = m.Agents.Command[0]
	}
	d, ok := set.Find(name)
	if !ok && choice != "" {
		return nil, nil, fmt.Errorf("cli: there is no agent %q", choice)
	}
	return d, set, nil
}

// errStopped tells that the child of a call did not run; its result is at hand.
var errStopped = errors.New("the agent was not run")

// consult makes one call of a defined agent.
func (m *Machine) consult(ctx context.Context, a *step.Action, req agent.Request) step.Result {
	var kid *ended
	var refusal *step.Result
	req.Run = func(ctx context.Context, spec process.Spec) (process.Exit, error) {
		if kid, refusal = m.supervise(ctx, a, spec); refusal != nil {
			return process.Exit{}, errStopped
		}
		return kid.exit, nil
	}
	call := m.Agents.Call
	if call == nil {
		call = agent.Call
	}
	req.Used = m.streamed(ctx, a)
	if tools := m.tools(ctx, a); tools != nil {
		req.Stdout = tools
	}
	ans, err := call(ctx, req)
	switch {
	case errors.Is(err, errStopped):
		return *refusal
	case err != nil:
		return refuse(step.CauseStart, err)
	}
	res := m.capture(a, output{text: ans.Text, truncated: ans.Truncated}, ans.Status == agent.OK)
	res.ExitCode = ans.ExitCode
	if kid != nil {
		kid.tell(&res)
		if kid.stall != "" {
			res.Warnings = append(res.Warnings, kid.stall)
		}
	}
	for _, remark := range ans.Remarks {
		res.Warnings = append(res.Warnings, m.Mask.Text(remark))
	}
	res.Usage, res.Agent = usage(ans.Usage), answered(ans, req.Agent.Name)
	if ans.Status != agent.OK {
		m.fail(&res, ans, req.Agent.Name)
		fate(a, &res)
	}
	return res
}

// fail makes a failure of a result. An agent that failed with exit 0 has failed
// all the same.
func (m *Machine) fail(res *step.Result, ans agent.Answer, name string) {
	res.OK = false
	switch {
	case ans.Status == agent.Refused:
		res.ExitCode = step.ExitRefused
	case ans.Exit.Cancelled:
		res.Cause = step.CauseCancelled
	case ans.Exit.TimedOut:
		res.Cause = step.CauseTimeout
	case ans.Exit.Idle:
		res.Cause = step.CauseIdle
	}
	if res.ExitCode == 0 {
		res.ExitCode = 1
	}
	res.Error = m.Mask.Text(ans.Worded())
	if line := ans.FaultLine(name); line != "" {
		res.Error += "\n" + line
	}
}

// inquiry is the request for the call of a step.
func (m *Machine) inquiry(a *step.Action, d *agent.Definition, set *agent.Settings, dir string, warnings *[]string) (agent.Request, error) {
	req := agent.Request{
		Agent: d, Step: a.Path, Dir: dir, Permission: set.Permission, InheritUserConfig: set.Inherits(d),
		Scratch: m.Store.Dir, Timeout: timeout(a), IdleTimeout: silence(a), Leftover: leftover(a.Def), Now: time.Now(),
		Complete: func(text string) bool { _, err := m.answer(a, text); return a.Def.ParseJSON && err == nil },
	}
	if inherit := a.Def.InheritUserConfig; inherit != nil {
		req.InheritUserConfig = *inherit
	}
	if d.Permission != "" {
		req.Permission = ""
	}
	if permission, ok := agent.Permission(a.Def.Mode); ok {
		req.Permission = permission
	}
	var err error
	if req.Model, err = m.render(a, "model", a.Def.Model, warnings); err != nil {
		return req, err
	}
	req.System = m.personaText(a, warnings)
	if req.Prompt, err = m.question(a, warnings); err != nil {
		return req, err
	}
	attached, err := m.attached(a, dir, warnings)
	if err != nil {
		return req, err
	}
	req.Prompt += attached
	if a.Answer != "" {
		want := agent.Want{Field: a.Def.RequireField, Schema: a.Def.OutputSchema, Problem: problem(m, a)}
		req.Before = told(a.Resume[d.Name].Used)
		return req.Again(a.Answer, a.Resume[d.Name].ID, want), nil
	}
	if d.Resumes() {
		req.Resume, req.Before = a.Resume[d.Name].ID, told(a.Resume[d.Name].Used)
	} else if a.Def.Session != "" || a.Def.ContinueSession {
		*warnings = append(*warnings, fmt.Sprintf("agent %s cannot continue a conversation; each call begins a new one", d.Name))
	}
	return req, nil
}

// attached is the text of the step's files:, which goes behind the prompt.
func (m *Machine) attached(a *step.Action, dir string, warnings *[]string) (string, error) {
	var patterns []string
	for _, tmpl := range a.Def.Files {
		pattern, err := m.render(a, "files", tmpl, warnings)
		if err != nil {
			return "", err
		}
		if pattern != "" {
			patterns = append(patterns, pattern)
		}
	}
	if len(patterns) == 0 {
		return "", nil
	}
	at, err := agent.Attach(dir, patterns, int64(a.Def.MaxBytes))
	*warnings = append(*warnings, at.Remarks...)
	return at.Text, err
}

// problem is what was wrong with the answer at hand beyond that it has no JSON.
func problem(m *Machine, a *step.Action) string {
	_, err := m.answer(a, a.Answer)
	if _, ok := errors.AsType[*extract.SchemaError](err); ok {
		return err.Error()
	}
	return ""
}
