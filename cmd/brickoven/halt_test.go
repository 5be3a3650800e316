package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/brickoven/brickoven/bricks/brakes/halt"
	"github.com/brickoven/brickoven/bricks/brakes/ratchet"
	"github.com/brickoven/brickoven/runner/exit"
)

// oneCommand runs a command by itself and gives its exit code.
func oneCommand(build func(*app) *cobra.Command, args ...string) (out string, code int) {
	var stdout, stderr bytes.Buffer
	a := &app{in: strings.NewReader(""), out: &stdout, err: &stderr}
	cmd := build(a)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{}, args...)) // nil would be the arguments of the test binary
	err := cmd.ExecuteContext(context.Background())
	code = a.report(args, err)
	return stdout.String(), code
}

type halts map[string][]loopEnd

func (h halts) LoopEnds(_ context.Context, run string) (string, []loopEnd, error) {
	if run == "" {
		run = "latest"
	}
	ends, found := h[run]
	if !found {
		return "", nil, fmt.Errorf("%s: %w", run, errNoRun)
	}
	return run, ends, nil
}

func explainHalt(args ...string) (string, int) {
	h := halt.New(halt.MaxIterationsReached, 3, halt.Evidence{Rounds: []int{1, 2, 3}, Detail: "3 of 3 rounds used"}, true)
	source := halts{"latest": {{"converge", &h}}, "other": {{"running", nil}}, "plain": nil}
	return oneCommand(func(a *app) *cobra.Command { return newExplainHaltCommand(a, source) }, args...)
}

func TestExplainHaltNamesReasonEvidenceAndRemedy(t *testing.T) {
	t.Parallel()
	out, code := explainHalt()
	for _, part := range []string{"run latest, loop converge", "max_iterations_reached (class 12, runaway) after round 3", "rounds: 1, 2, 3", "raise-the-limit: the failing set was still shrinking"} {
		if !strings.Contains(out, part) {
			t.Errorf("%q is missing in\n%s", part, out)
		}
	}
	if code != exit.Success {
		t.Errorf("exit code %d", code)
	}
	if out, _ := explainHalt("other"); !strings.Contains(out, "has not ended") {
		t.Errorf("got %q", out)
	}
	if out, _ := explainHalt("plain"); !strings.Contains(out, "has no loop") {
		t.Errorf("got %q", out)
	}
}

func TestExplainHaltIsOneDocumentOnEveryPath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
		part string
	}{
		{nil, exit.Success, `"remedy": "raise-the-limit"`},
		{[]string{"other"}, exit.Success, `"halt": null`},
		{[]string{"plain"}, exit.Success, `"loops": []`},
		{[]string{"--list"}, exit.Success, `"reason": "oscillation_detected"`},
		{[]string{"nothing"}, exit.NotFound, "no such run"},
		{[]string{"--list", "other"}, exit.Usage, "takes no run"},
		{[]string{"--bogus"}, exit.Usage, "unknown flag"},
	} {
		out, code := explainHalt(append(c.args, "--output-format", "json")...)
		var doc map[string]any
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Errorf("%v: %v in %q", c.args, err, out)
		}
		if code != c.code || !strings.Contains(out, c.part) {
			t.Errorf("%v: exit code %d and\n%s", c.args, code, out)
		}
	}
}

func TestExplainHaltListsEveryReason(t *testing.T) {
	t.Parallel()
	out, _ := explainHalt("--list")
	for _, row := range halt.Table() {
		if !strings.Contains(out, string(row.Reason)) {
			t.Errorf("%s is missing", row.Reason)
		}
	}
	out, code := oneCommand(func(a *app) *cobra.Command { return newExplainHaltCommand(a, nil) }, "--list")
	if code != exit.Success || out == "" {
		t.Errorf("without runs: exit code %d", code)
	}
}

// frontiers is a ratchet that remembers what was asked of it.
type frontiers struct {
	reasons []string
	fault   error
}

func (f *frontiers) Frontier(_ context.Context, run string) (frontier, error) {
	failing := 2
	return frontier{Run: "r1", Loop: "converge", Accepted: ratchet.Snapshot{Commit: "abc"}, Round: 4, Failing: &failing, Reverts: 1, Rescues: []string{"refs/x"}}, f.fault
}

func (f *frontiers) Restore(context.Context, string) ([]ratchet.Restored, error) {
	if f.fault != nil {
		return nil, f.fault
	}
	return []ratchet.Restored{{RescueRef: "refs/rescue", Paths: []string{"a"}, Kept: []string{"b"}, HeadKept: "a remote has the commits"}}, nil
}

func (f *frontiers) Accept(_ context.Context, _, reason string) (ratchet.Snapshot, error) {
	f.reasons = append(f.reasons, reason)
	return ratchet.Snapshot{Commit: "def"}, f.fault
}

func TestRatchetShowsAndMovesTheFrontier(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args  string
		fault error
		code  int
		parts []string
	}{
		{"status", nil, exit.Success, []string{"accepted  abc (round 4)", "unknown passing, 2 failing", "reverts   1", "refs/x"}},
		{"status --output-format json", nil, exit.Success, []string{`"passing": null`, `"commit": "abc"`}},
		{"best", nil, exit.Success, []string{"abc\n"}},
		{"restore", nil, exit.Success, []string{"put back 1 paths", "refs/rescue", "kept, changed by somebody else: b", "a remote has the commits"}},
		{"restore --output-format json", nil, exit.Success, []string{`"rescue_ref": "refs/rescue"`}},
		{"accept --reason flaky", nil, exit.Success, []string{"accepted def"}},
		{"accept", nil, exit.Usage, nil},
		{"accept --reason=", nil, exit.Failed, nil},
		{"best", errNoRun, exit.NotFound, nil},
		{"restore", errors.New("a merge is under way"), exit.Failed, nil},
		{"status --output-format xml", nil, exit.Usage, nil},
		{"", nil, exit.Usage, nil},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			source := &frontiers{fault: c.fault}
			out, code := oneCommand(func(a *app) *cobra.Command { return newRatchetCommand(a, source) }, strings.Fields(c.args)...)
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			for _, part := range c.parts {
				if !strings.Contains(out, part) {
					t.Errorf("%q is missing in\n%s", part, out)
				}
			}
			if c.code != exit.Success && (out != "" || c.fault == nil && len(source.reasons) > 0) {
				t.Errorf("it printed %q and accepted for %v", out, source.reasons)
			}
		})
	}
}
