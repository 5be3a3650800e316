package local

import (
	"fmt"
	"io"
	"strings"

	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
)

// explain words how a process failed.
func explain(exit process.Exit, spec process.Spec, stderr, stdout string) (step.Cause, string) {
	switch {
	case exit.TimedOut:
		return step.CauseTimeout, fmt.Sprintf("timed out after %s: %s", spec.Timeout,
			commandFailed(exit.Code, exit.Signal, stderr, stdout))
	case exit.Idle:
		return step.CauseIdle, fmt.Sprintf("no output for %s (idle_timeout): %s", spec.IdleTimeout,
			commandFailed(exit.Code, exit.Signal, stderr, stdout))
	case exit.Cancelled:
		return step.CauseCancelled, "cancelled: " + commandFailed(exit.Code, exit.Signal, stderr, stdout)
	}
	return "", commandFailed(exit.Code, exit.Signal, stderr, stdout)
}

// commandFailed is the text that existing callers look for, with the last lines
// of both outputs.
func commandFailed(code int, signal, stderr, stdout string) string {
	how := fmt.Sprintf("exit %d", code)
	if signal != "" {
		how += ", " + signal
	}
	text := fmt.Sprintf("Command failed (%s): %s", how, stderr)
	if stdout != "" {
		text = strings.TrimRight(text, " ") + "\nstdout: " + stdout
	}
	return text
}

// tail is the end of a text as an error message shows it.
func tail(text string) string {
	t := process.NewTail()
	if _, err := io.WriteString(t, text); err != nil {
		return ""
	}
	return t.String()
}
