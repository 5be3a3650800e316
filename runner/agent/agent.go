// Package agent makes one call of an agent CLI: it builds the command line for
// the CLI at hand, hands the prompt over by standard input or a private file,
// reads the structured result, and says how the call ended and what it cost.
//
// It makes no decision beyond the one call. Whether a failed call is repeated, as
// [Retry] and [Quota] say, is decided by whoever runs the recipe.
//
// What each CLI was found to take and to print, and in which version, is written
// down in docs/agents.md.
package agent

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/brickoven/brickoven/runner/process"
)

// Status is how a call ended (issue "Agents").
type Status string

// The statuses of a call.
const (
	// OK is an answer that is complete.
	OK Status = "ok"
	// Failed is every failure that is none of the others.
	Failed Status = "error"
	// RateLimited is an endpoint that asked to come again later.
	RateLimited Status = "rate_limited"
	// QuotaExhausted is a limit that is used up until [Answer.ResetsAt].
	QuotaExhausted Status = "quota_exhausted"
	// NoResult is a CLI that ended without an answer.
	NoResult Status = "no_result"
	// Denied is a tool call that the permission mode refused; [Answer.Denied]
	// has the tool's name. What the agent answered all the same is kept.
	Denied Status = "denied"
	// Refused is exit code 79: a structural guard said no, for good.
	Refused Status = "refused"
)

// ExitRefused is the exit code behind [Refused].
const ExitRefused = 79

// Request is one call.
type Request struct {
	// Agent is the CLI to call.
	Agent *Definition
	// Step is the path of the step in the run. Recordings are found by it.
	Step string
	// Prompt is what the agent is asked, with its attachments.
	Prompt string
	// System is what goes before the prompt, such as a persona: by the CLI's
	// switch for it where there is one, else in front of the prompt.
	System string
	// Model is the CLI's name for a model; empty is the CLI's own choice.
	Model string
	// Permission is one of the names of [Permissions]; empty is the agent's own
	// setting. Other texts are refused, see [Permission].
	Permission string
	// InheritUserConfig lets the user's own settings of the CLI count: hooks,
	// plugins, MCP servers.
	InheritUserConfig bool
	// Resume continues the conversation with this id, where the CLI can. Before is
	// the [Answer.Total] of its last call.
	Resume string
	Before Usage

	// Dir is the working directory and Env the whole environment. The definition
	// adds its own to it, and what [Unnest] takes out does not reach the CLI.
	Dir string
	Env []string
	// Scratch is a folder that only this user can read, for a prompt that goes
	// by file. Empty is the system's.
	Scratch string
	// Timeout, IdleTimeout, Kill and Leftover are those of [process.Spec].
	Timeout, IdleTimeout time.Duration
	Kill                 <-chan struct{}
	Leftover             process.Leftover
	// Family starts the child; nil works with its process group alone.
	Family *process.Family
	// Run, where not nil, runs the child instead of Family. It may add to what it
	// is given, and wrap the writers, but must pass on to them all that the child
	// prints.
	Run func(context.Context, process.Spec) (process.Exit, error)
	// Stdout and Stderr, where not nil, get what the CLI prints as it prints it.
	Stdout, Stderr io.Writer
	// Used, where not nil, is told what the CLI has used so far, whenever it says
	// something new of it. It is called from one goroutine.
	Used func(Usage)
	// Complete tells whether a text is a whole answer. It is asked where a CLI
	// that prints plain text went silent; nil means never.
	Complete func(text string) bool
	// Now is the time for "resets 3pm"; the zero time leaves such times unknown.
	Now time.Time
}

// Answer is what became of a call. It can be written as JSON and read back.
type Answer struct {
	Status Status `json:"status"`
	// Text is the final message of the agent, also where the status is not ok.
	Text string `json:"text"`
	// Message says what failed, with the last lines of both outputs; empty when
	// the status is ok.
	Message string `json:"message,omitempty"`
	// Denied are the names of the refused tools, each once.
	Denied []string `json:"denied,omitempty"`
	// ResetsAt is when a used-up limit is there again; nil where unknown.
	ResetsAt *time.Time `json:"resets_at,omitempty"`
	// RetryAfter is the wait that the endpoint asked for; zero where it did not.
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	// Fault is the kind of infrastructure fault; empty when there was none.
	Fault Fault `json:"fault,omitempty"`
	// Usage is what the CLI reported of itself.
	Usage Usage `json:"usage"`
	// Total are the tokens of the whole conversation, for a CLI that counts from its
	// beginning and not by calls; nil for the others.
	Total *Usage `json:"total,omitempty"`
	// Conversation continues this conversation as [Request.Resume]; empty where
	// the CLI named none.
	Conversation string `json:"conversation,omitempty"`
	// Remarks are for the author: a lost exit code, a result that was cut.
	Remarks []string `json:"remarks,omitempty"`
	// Exit is how the process ended; a played-back answer has its code alone.
	Exit process.Exit `json:"-"`
	// ExitCode is the code of the process.
	ExitCode int `json:"exit_code"`
	// Truncated tells that the output was longer than what is kept of it.
	Truncated bool `json:"truncated,omitempty"`
	// Recording is the file that a played-back answer came from; empty for others.
	Recording string `json:"-"`
}

// Caller makes one call. [Call] is one, and so are what [Record] and [Replay]
// give. The error means that nothing ran.
type Caller func(ctx context.Context, req Request) (Answer, error)

// Call runs the agent CLI and reads its result. The error means that nothing
// ran: a [*process.StartError], or a request that the definition cannot serve.
// Everything else is in the answer. Call is safe for concurrent use.
func Call(ctx context.Context, req Request) (Answer, error) {
	if req.Agent == nil {
		return Answer{}, fmt.Errorf("agent: the call names no agent")
	}
	cmd, err := build(req)
	if err != nil {
		return Answer{}, err
	}
	tr := newTranscript(req.Agent.reading(), req.telling())
	outTail, errTail := process.NewTail(), newErrors()
	run := req.Run
	if run == nil {
		run = req.Family.Run
	}
	exit, err := run(ctx, process.Spec{
		Argv: cmd.argv, Dir: req.Dir, Env: cmd.env, Stdin: cmd.stdin(), Kill: req.Kill,
		Stdout: tee(tr, outTail, req.Stdout), Stderr: tee(errTail, req.Stderr),
		Timeout: req.Timeout, IdleTimeout: req.IdleTimeout, Leftover: req.Leftover,
	})
	if closeErr := cmd.close(); err == nil && closeErr != nil {
		tr.remarks = append(tr.remarks, closeErr.Error())
	}
	if err != nil {
		return Answer{}, err
	}
	return conclude(req, ending{exit: exit, outcome: tr.finish(), stdout: outTail.String(), stderr: errTail}), nil
}

// tee writes to every writer that is there.
func tee(all ...io.Writer) io.Writer {
	var there []io.Writer
	for _, w := range all {
		if w != nil {
			there = append(there, w)
		}
	}
	return io.MultiWriter(there...)
}

// FaultLine is the line that tells the evidence collector of an infrastructure
// fault; empty when there was none. It is one JSON object, and is to be the last
// line of what is kept of the step, for a fault that work went on after counts
// as recovered from (seed 000, "Evidence").
func (a Answer) FaultLine(agent string) string {
	class := a.Fault.Class()
	if class == "" || a.Status == OK {
		return ""
	}
	return fmt.Sprintf(`{"class":%q,"fault":%q,"status":%q,"agent":%s}`, class, a.Fault, a.Status, quote(agent))
}

// Worded is the message with the status before it, as reports show it.
func (a Answer) Worded() string {
	if a.Status == OK {
		return ""
	}
	head := strings.ReplaceAll(string(a.Status), "_", " ")
	if len(a.Denied) > 0 && a.Status == Denied {
		head += " (" + strings.Join(a.Denied, ", ") + ")"
	}
	if a.Status == Failed {
		return a.Message
	}
	return head + ": " + a.Message
}
