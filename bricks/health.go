package bricks

import (
	"context"
	"strings"

	"github.com/brickoven/brickoven/bricks/evidence"
	"github.com/brickoven/brickoven/bricks/verdict"
	"github.com/brickoven/brickoven/recipes/value"
)

// input reads a variable as text; absent and null are empty.
func (c Call) input(name string) string { return value.Text(c.Inputs[name]) }

// flag reads a variable that is "true" or "false" in any case of letters.
func (c Call) flag(name string) string {
	return strings.ToLower(strings.TrimSpace(c.input(name)))
}

// object reads a variable that should be a map. A text that is one as a whole,
// as --set-string gives it, counts; anything else is returned as it is.
func (c Call) object(name string) any {
	if text, ok := c.Inputs[name].(string); ok {
		return value.Guess(text)
	}
	return c.Inputs[name]
}

func collectLoopEvidence(_ context.Context, call Call) (Result, error) {
	e := evidence.Collect(evidence.Inputs{
		History:          call.input("loop_history"),
		LastOutput:       call.input("loop_last_round_output"),
		RepoPath:         call.input("loop_repo_path"),
		BaselineRef:      call.input("loop_baseline_ref"),
		ChildExitCode:    call.input("loop_child_exit_code"),
		FindingsCurrent:  call.input("loop_findings_current"),
		FindingsPrevious: call.input("loop_findings_previous"),
		TestSignal:       call.input("loop_test_signal"),
		TestPrevious:     call.input("loop_test_signal_previous"),
		CISignal:         call.input("loop_ci_signal"),
		CIPrevious:       call.input("loop_ci_signal_previous"),
		WatchPaths:       call.input("loop_watch_paths"),
		WatchManifest:    call.input("loop_watch_manifest"),
		Progress:         call.input("loop_progress"),
		ProgressPrevious: call.input("loop_progress_previous"),
	}, evidence.World{Git: call.Git, Files: call.Files})
	return Result{Stdout: e.JSON() + "\n", Stderr: tagged(e.Notices)}, nil
}

func resolveLoopVerdict(_ context.Context, call Call) (Result, error) {
	health, warnings := verdict.Resolve(verdict.Question{
		Evidence:        call.object("loop_evidence"),
		Assessment:      call.assessment(),
		LoopName:        call.input("loop_name"),
		Accept:          call.flag("loop_accept"),
		RequireEvidence: call.flag("loop_require_evidence") == "true",
		GoalMet:         call.flag("loop_goal_met"),
	})
	return Result{Stdout: health.JSON() + "\n", Stderr: tagged(warnings)}, nil
}

// assessment is the judge's answer. Where the inputs tell how the judging step
// ended, an answer counts only if that step completed, so that a variable of
// an earlier round or of the command line cannot stand in for a judge that
// failed.
func (c Call) assessment() string {
	status, known := value.At(c.Inputs["steps"], []string{"step-02-evaluate-loop-health", "status"})
	if known && status != "completed" {
		return ""
	}
	return c.input("loop_health_assessment")
}

func enforceLoopVerdict(_ context.Context, call Call) (Result, error) {
	stdout, stderr, code := verdict.Enforce(verdict.Order{
		Health:     call.object("loop_health"),
		Evidence:   call.object("loop_evidence"),
		RoundLabel: call.input("loop_round_label"),
		Enforce:    call.flag("loop_health_enforce") != "false",
	})
	return Result{Stdout: stdout, Stderr: stderr, ExitCode: code}, nil
}

func judgeByRules(_ context.Context, call Call) (Result, error) {
	why := "loop_judge is rules"
	if judge := call.flag("loop_judge"); judge != "rules" {
		why = "no agent is configured"
	}
	return Result{
		Stdout: verdict.Rules(call.object("loop_evidence"), call.flag("loop_goal_met")) + "\n",
		Stderr: tagged([]string{why + ", so the built-in rules judge"}),
	}, nil
}

// tagged marks lines as written by the bricks.
func tagged(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(evidence.Tag + " " + strings.ReplaceAll(line, "\n", " ") + "\n")
	}
	return b.String()
}
