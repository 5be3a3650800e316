package local

import (
	"context"
	"strings"
	"time"

	"github.com/brickoven/brickoven/runner/agent"
	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
)

// bare makes a call of a bare command line, whose standard output is the answer.
// It is kept like that of a shell step, however long it is.
func (m *Machine) bare(ctx context.Context, a *step.Action, req agent.Request) step.Result {
	outTail, errTail := process.NewTail(), process.NewTail()
	res := m.child(ctx, a, process.Spec{
		Argv: req.Agent.Command, Dir: req.Dir, Env: agent.Unnest(req.Env), Stdin: strings.NewReader(req.Whole()), Kill: req.Kill,
		Stdout: outTail, Stderr: errTail, Timeout: req.Timeout, IdleTimeout: req.IdleTimeout, Leftover: req.Leftover,
	})
	if res.ExitCode == -1 {
		return res // nothing ran
	}
	if res.Cause == step.CauseIdle || res.Cause == step.CauseTimeout {
		res = m.silent(a, res)
	}
	ans := agent.Answer{Status: agent.OK}
	if !res.OK && res.Cause != step.CauseJSON {
		ans = req.Agent.Assess(process.Exit{
			Code: res.ExitCode, TimedOut: res.Cause == step.CauseTimeout, Idle: res.Cause == step.CauseIdle,
			Cancelled: res.Cause == step.CauseCancelled,
		}, outTail.String(), errTail.String(), req.Now)
		if line := ans.FaultLine(req.Agent.Name); line != "" {
			res.Error += "\n" + line
		}
	}
	res.Usage, res.Agent = usage(ans.Usage), answered(ans, req.Agent.Name)
	return res
}

// silent takes the answer of a command that did not end after it: a plain text
// is whole where it holds the JSON that the step asks for.
func (m *Machine) silent(a *step.Action, res step.Result) step.Result {
	text, err := m.Text(res.Text)
	if err != nil || !a.Def.ParseJSON {
		return res
	}
	if _, err := m.answer(a, text); err != nil {
		return res
	}
	whole := m.capture(a, output{text: text, truncated: res.Truncated}, true)
	whole.ExitCode, whole.Signal, whole.Stdout, whole.Stderr = res.ExitCode, res.Signal, res.Stdout, res.Stderr
	whole.Warnings = append(res.Warnings, "the agent did not end after its answer and was ended; the answer counts")
	return whole
}

// usage is that of one call.
func usage(u agent.Usage) *step.Usage {
	counted := &step.Usage{
		InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, CachedTokens: u.CachedTokens,
		CostUSD: u.CostUSD, Turns: u.Turns, DurationMS: u.DurationMS, Calls: 1,
	}
	if u.CostUSD == nil {
		counted.UnknownCost = 1
	}
	if u.InputTokens == nil || u.OutputTokens == nil {
		counted.UnknownTokens = 1
	}
	return counted
}

// told is a usage as the agent told it.
func told(u *step.Usage) agent.Usage {
	if u == nil {
		return agent.Usage{}
	}
	return agent.Usage{InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, CachedTokens: u.CachedTokens}
}

// answered is what decisions see of the end of a call.
func answered(ans agent.Answer, name string) *step.Answered {
	a := &step.Answered{
		Agent: name, Status: string(ans.Status), Fault: string(ans.Fault), Transient: ans.Fault.Transient(),
		ResetsAt: ans.ResetsAt, RetryAfter: ans.RetryAfter, Conversation: ans.Conversation, Denied: ans.Denied,
		Recording: ans.Recording,
	}
	if ans.Total != nil {
		a.Total = &step.Usage{InputTokens: ans.Total.InputTokens, OutputTokens: ans.Total.OutputTokens, CachedTokens: ans.Total.CachedTokens}
	}
	return a
}

// streamed passes on what a call has used so far; nil where nobody asks.
func (m *Machine) streamed(ctx context.Context, a *step.Action) func(agent.Usage) {
	if m.Agents.Used == nil {
		return nil
	}
	return func(u agent.Usage) {
		select {
		case m.Agents.Used <- step.Event{Kind: step.Used, ID: a.ID, Usage: usage(u), At: time.Time{}}:
		case <-ctx.Done():
		}
	}
}
