package agent

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/brickoven/brickoven/runner/process"
)

// ending is everything that is known when the CLI has ended.
type ending struct {
	exit    process.Exit
	outcome outcome
	stdout  string // its last lines
	stderr  *errorLines
}

// conclude weighs the result, the exit and the last lines against each other.
// The result counts for more than the exit code, in both directions (issue
// "Agents").
func conclude(req Request, e ending) Answer {
	o := e.outcome
	a := Answer{
		Text: o.text, Usage: req.own(o.usage), Conversation: o.conversation, Remarks: o.remarks, Denied: o.denied,
		Exit: e.exit, ExitCode: e.exit.Code, Truncated: o.truncated,
	}
	if req.Agent.Result.cumulative() && o.usage.InputTokens != nil {
		a.Total = &Usage{InputTokens: o.usage.InputTokens, OutputTokens: o.usage.OutputTokens, CachedTokens: o.usage.CachedTokens}
	}
	if e.stderr.refused && req.Agent.Result.Format == "codex" && len(a.Denied) == 0 {
		a.Denied = []string{"exec_command"}
	}
	a.Status = e.status(req, &a)
	if a.Status == OK {
		return a
	}
	a.Message = e.message(req, a)
	e.fault(req, &a)
	return a
}

// Assess says how a call ended that was not made by [Call], by the last lines of
// its outputs, whose text is not kept: for command lines whose output is taken as
// it is.
func (d *Definition) Assess(exit process.Exit, stdout, stderr string, now time.Time) Answer {
	lines := newErrors()
	fmt.Fprint(lines, stderr)
	return conclude(Request{Agent: d, Now: now}, ending{exit: exit, stdout: stdout, stderr: lines})
}

// status says how the call ended, but for the faults.
func (e ending) status(req Request, a *Answer) Status {
	o, x := e.outcome, e.exit
	switch {
	case x.Code == ExitRefused && !x.TimedOut && !x.Idle:
		return Refused
	case x.Cancelled:
		return Failed
	case o.failed:
		return Failed
	case x.TimedOut || x.Idle:
		if !o.structured && !e.whole(req) {
			return Failed
		}
		a.Remarks = append(a.Remarks, "the agent did not end after its answer and was ended; the answer counts")
	case x.Code != 0:
		if !o.complete {
			return Failed
		}
		a.Remarks = append(a.Remarks, fmt.Sprintf("the agent gave a complete result and then ended with %s; the result counts", how(x)))
	case !o.complete && !e.plain(req):
		return NoResult
	}
	if len(a.Denied) > 0 {
		return Denied
	}
	if strings.TrimSpace(o.text) == "" && !req.Agent.Plain {
		return NoResult
	}
	return OK
}

// plain tells that the exit of the CLI is the only mark of a complete answer.
func (e ending) plain(req Request) bool {
	return req.Agent.Result.Format == FormatText || req.Agent.Plain
}

// whole asks whether a plain text is an answer although the CLI did not end.
func (e ending) whole(req Request) bool {
	return e.plain(req) && req.Complete != nil && strings.TrimSpace(e.outcome.text) != "" && req.Complete(e.outcome.text)
}

// fault looks for an infrastructure fault where it may be looked for: in the
// structured result, then in stderr, then in the CLI's own last line. The
// agent's text is not asked, for it may well speak of 429.
func (e ending) fault(req Request, a *Answer) {
	if a.Status != Failed && a.Status != NoResult || e.exit.Cancelled {
		return
	}
	source := e.outcome.message
	a.Fault = e.reported()
	if a.Fault == "" && !e.outcome.complete {
		a.Fault, source = e.stderr.fault()
	}
	if a.Fault == "" && !e.outcome.complete && e.plain(req) {
		source = finalError(e.stdout)
		a.Fault = faultIn(source)
	}
	switch a.Fault {
	case UsedUp:
		a.Status = QuotaExhausted
		if a.ResetsAt = e.outcome.resetsAt; a.ResetsAt == nil {
			a.ResetsAt = resetIn(source, req.Now)
		}
	case RateLimit, Overload:
		a.Status = RateLimited
		a.RetryAfter = waitIn(source)
	}
}

// reported is the fault that the structured result speaks of.
func (e ending) reported() Fault {
	o := e.outcome
	if o.exhausted {
		return UsedUp
	}
	if !o.failed && o.complete {
		return ""
	}
	return cmp.Or(faultIn(o.message), o.kind, faultStatus(o.status))
}

// message words a failure, with the last lines of both outputs.
func (e ending) message(req Request, a Answer) string {
	x := e.exit
	text := e.outcome.message
	switch {
	case x.Code == ExitRefused && !x.TimedOut && !x.Idle:
		text = "a structural guard refused (exit 79)"
	case x.Cancelled:
		text = "cancelled"
	case a.Status == Denied:
		text = "the permission mode refused " + strings.Join(a.Denied, ", ")
	case text != "":
	case x.TimedOut:
		text = fmt.Sprintf("timed out after %s", req.Timeout)
	case x.Idle:
		text = fmt.Sprintf("no output for %s (idle_timeout) and no complete answer", req.IdleTimeout)
	case x.Code == 0 && e.outcome.text == "":
		text = "ended without an answer"
	case x.Code == 0:
		text = "ended before its result was complete"
	}
	if text != "" {
		text += "\n"
	}
	text += fmt.Sprintf("%s: Command failed (%s): %s", req.Agent.Name, how(x), e.stderr.tail)
	if e.stdout != "" {
		text = strings.TrimRight(text, " ") + "\nstdout: " + e.stdout
	}
	return text
}

func how(x process.Exit) string {
	if x.Signal != "" {
		return fmt.Sprintf("exit %d, %s", x.Code, x.Signal)
	}
	return fmt.Sprintf("exit %d", x.Code)
}
