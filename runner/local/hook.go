package local

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/scope"
	"github.com/brickoven/brickoven/runner/step"
)

// defaultHookTimeout bounds a hook (issue "Control flow").
const defaultHookTimeout = 30 * time.Second

func (m *Machine) hookTimeout() time.Duration {
	return cmp.Or(m.HookTimeout, defaultHookTimeout)
}

func (m *Machine) hook(ctx context.Context, a *step.Action, kill <-chan struct{}) step.Result {
	var warnings []string
	env := append([]string(nil), m.Base...)
	for _, name := range []string{"BRICKOVEN_STEP_ID", "BRICKOVEN_STEP_STATUS", "BRICKOVEN_STEP_ERROR"} {
		env = append(env, name+"="+clip(a.HookEnv[name], scope.MaxNamed))
	}
	cmd, err := m.prepare(a, a.Recipe.Defaults.Shell, a.Hook, env, nil, &warnings)
	if err != nil {
		return refuse(step.CauseStart, err)
	}
	res := m.child(ctx, a, process.Spec{
		Argv: cmd.argv, Program: cmd.program, Dir: m.WorkDir, Env: cmd.block.Env, Kill: kill,
		Timeout: m.hookTimeout(), Leftover: process.EndWithRun,
	})
	if err := cmd.close(); err != nil {
		warnings = append(warnings, err.Error())
	}
	res.Warnings = append(warnings, res.Warnings...)
	return res
}

// clip cuts a text to a number of bytes without NUL, as an environment takes it.
func clip(text string, limit int) string {
	text = strings.ReplaceAll(text, "\x00", "")
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}

// stage runs git add -A after an agent's work.
func (m *Machine) stage(ctx context.Context, a *step.Action, _ <-chan struct{}) step.Result {
	var warnings []string
	dir, err := m.folder(a, &warnings)
	if err == nil {
		_, err = m.Git(ctx, dir, "add", "-A")
	}
	if err != nil {
		return refuse("", err)
	}
	return step.Result{OK: true, Warnings: warnings}
}
