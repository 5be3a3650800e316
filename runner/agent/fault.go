package agent

import (
	"bytes"
	"strings"
	"sync"

	"github.com/brickoven/brickoven/recipes/value/pattern"
	"github.com/brickoven/brickoven/runner/process"
)

// Fault is the kind of an infrastructure fault.
type Fault string

// The faults. The first three pass by themselves; a used-up quota passes when it
// resets; login and billing need a person and are never waited for.
const (
	RateLimit  Fault = "rate limit"
	Overload   Fault = "overload"
	Connection Fault = "connection"
	UsedUp     Fault = "quota"
	Login      Fault = "login"
	Billing    Fault = "billing"
)

// Transient reports whether the same call may work a little later.
func (f Fault) Transient() bool { return f == RateLimit || f == Overload || f == Connection }

// Class is the word that the evidence collector knows the fault by:
// transient_transport, environmental, or empty for none.
func (f Fault) Class() string {
	switch f {
	case RateLimit, Overload, Connection, UsedUp:
		return "transient_transport"
	case Login, Billing:
		return "environmental"
	}
	return ""
}

// named are the words of the CLIs' own error types.
var named = sync.OnceValue(func() map[string]Fault {
	return map[string]Fault{
		"rate_limit": RateLimit, "rate_limit_error": RateLimit, "rate_limited": RateLimit,
		"overloaded": Overload, "overloaded_error": Overload,
		"quota": UsedUp, "quota_exceeded": UsedUp, "usage_limit_reached": UsedUp,
		"authentication": Login, "authentication_failed": Login, "authentication_error": Login, "oauth_org_not_allowed": Login,
		"billing_error": Billing, "insufficient_quota": Billing,
	}
})

func faultNamed(word string) Fault { return named()[strings.ToLower(word)] }

// faultStatus is what an HTTP status stands for.
func faultStatus(code int) Fault {
	switch code {
	case 401:
		return Login
	case 402:
		return Billing
	case 429:
		return RateLimit
	case 502, 503, 504, 529:
		return Overload
	}
	return ""
}

// worded are what error messages of the CLIs say, the first that fits counts. A
// bare number is none of them: it could be a count of files.
var worded = []struct {
	fault Fault
	match *pattern.Pattern
}{
	{Login, &pattern.Pattern{Source: `(?i)not logged in|please run /login|invalid (x-)?api[ _-]key|no api key|missing (api key|credentials?)|api key (not found|is missing|not set)|authentication[ _](failed|error)|\b(status|error):? 401\b|unauthorized|oauth token (has )?expired|invalid auth method|no authentication information`}},
	{Billing, &pattern.Pattern{Source: `(?i)credit balance|billing|insufficient[ _]quota|payment required|exceeded your current quota`}},
	{UsedUp, &pattern.Pattern{Source: `(?i)(hit|reached|exceeded) your [^.\n]{0,40}(limit|quota)|usage[ _]limit[ _](has been )?reached|(session|weekly|daily|monthly|5-hour|hour) limit reached|limit reached .{0,3}resets|exhausted your [^.\n]{0,40}(quota|capacity)|(daily|monthly) quota|quota will reset|quota exceeded[^\n]*per day|you have no quota|out of (extra )?usage`}},
	{RateLimit, &pattern.Pattern{Source: `(?i)rate[ _-]?limit|too many requests|quota exceeded|resource[ _]exhausted|\b(status|status code|code|http|error|rejected)\b\W{0,3}429\b|\b429 (too many|error)`}},
	{Overload, &pattern.Pattern{Source: `(?i)\boverloaded(_error)?\b|\b(status|status code|code|http|error)\b\W{0,3}(502|503|504|529)\b|at capacity|service unavailable|temporarily unavailable`}},
	{Connection, &pattern.Pattern{Source: `(?i)connection (error|reset|refused|closed|aborted|timed out)|econn(reset|refused|aborted)|etimedout|enotfound|eai_again|socket hang up|stream (disconnected|closed|error)|fetch failed|network error|premature close|error sending request|empty or malformed response|unexpected eof`}},
}

// faultIn finds the fault that an error message speaks of; empty for none.
func faultIn(message string) Fault {
	for _, w := range worded {
		if w.match.Get().MatchString(message) {
			return w.fault
		}
	}
	return ""
}

// ownError matches the line that a CLI ends with when it gives up. The other
// lines of a plain output are the agent's and say nothing about the call.
var ownError = pattern.Pattern{Source: `(?i)^\W*(api |fatal )?(error|fatal|failed)\b|^\W*you('ve| have|’ve) (hit|reached|exceeded|exhausted)\b|usage limit reached`}

// finalError is the last line of an output if it is such a line.
func finalError(output string) string {
	line := lastLine(output)
	if ownError.Get().MatchString(line) {
		return line
	}
	return ""
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// errorLines remembers the end of stderr, and whether it told of a tool call
// that was refused, which Codex says nowhere else.
type errorLines struct {
	tail    *process.Tail
	rest    []byte
	refused bool
}

func newErrors() *errorLines { return &errorLines{tail: process.NewTail()} }

const refusedCommand = "reject command"

// Write never fails.
func (e *errorLines) Write(piece []byte) (int, error) {
	if !e.refused {
		e.rest = append(e.rest, piece...)
		e.refused = bytes.Contains(e.rest, []byte("approval policy is")) && bytes.Contains(e.rest, []byte(refusedCommand))
		if over := len(e.rest) - process.TailBytes; over > 0 {
			e.rest = append(e.rest[:0], e.rest[over:]...)
		}
	}
	return e.tail.Write(piece)
}

// fault is that of the last line with one, and the line.
func (e *errorLines) fault() (Fault, string) {
	lines := strings.Split(e.tail.String(), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if f := faultIn(lines[i]); f != "" {
			return f, strings.TrimSpace(lines[i])
		}
	}
	return "", ""
}
