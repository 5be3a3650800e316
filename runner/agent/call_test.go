package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/tests/fakecli"
	"github.com/google/go-cmp/cmp"
)

// all are the presets and the bare command line; streams those that say in a
// format of their own when they are done.
var (
	all     = []string{"claude", "codex", "copilot", "gemini", "opencode", "goose", "amp", "aider", "command"}
	streams = all[:7]
)

func each(t *testing.T, presets []string, test func(t *testing.T, preset string)) {
	t.Helper()
	for _, preset := range presets {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			test(t, preset)
		})
	}
}

func TestAnAnswerIsReadFromEachCLI(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, preset string) {
		req := faked(t, preset, "ok")
		req.System = "You are a judge."
		a := call(t, req)
		if a.Status != OK || a.Message != "" || a.FaultLine(preset) != "" {
			t.Fatalf("status %s: %s", a.Status, a.Message)
		}
		if !strings.HasPrefix(a.Text, "you said: ") || !strings.Contains(a.Text, "what is it?") {
			t.Errorf("the answer is %q", a.Text)
		}
		inPrompt := strings.Contains(a.Text, "You are a judge.")
		if hasSwitch := len(req.Agent.System) > 0; inPrompt == hasSwitch {
			t.Errorf("the system text is in the prompt: %v; there is a switch for it: %v", inPrompt, hasSwitch)
		}
		if preset != "aider" && preset != "command" && preset != "goose" && a.Conversation != "s1" {
			t.Errorf("the conversation is %q", a.Conversation)
		}
	})
}

func TestAPromptFileIsGoneAfterTheCall(t *testing.T) {
	t.Parallel()
	req := faked(t, "aider", "ok")
	call(t, req)
	left, err := os.ReadDir(req.Scratch)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestUsageOfEachCLI(t *testing.T) {
	t.Parallel()
	in, out, cached, one, cost := int64(18), int64(7), int64(5), int64(1), 0.000245
	ms := func(n int64) *int64 { return &n }
	tokens := Usage{InputTokens: &in, OutputTokens: &out, CachedTokens: &cached}
	full := Usage{InputTokens: &in, OutputTokens: &out, CachedTokens: &cached, Turns: &one, CostUSD: &cost, DurationMS: ms(237)}
	want := map[string]Usage{"claude": full, "amp": full, "aider": {}, "command": {}, "goose": {InputTokens: &in, OutputTokens: &out}}
	u := tokens
	u.Turns = &one
	want["codex"] = u
	u.DurationMS = ms(404)
	want["copilot"] = u
	u = tokens
	u.DurationMS = ms(112)
	want["gemini"] = u
	u = tokens
	u.Turns, u.CostUSD = &one, &cost
	want["opencode"] = u
	each(t, all, func(t *testing.T, preset string) {
		if diff := cmp.Diff(want[preset], call(t, faked(t, preset, "ok")).Usage); diff != "" {
			t.Error(diff)
		}
	})
}

func TestUsageIsToldWhileItComes(t *testing.T) {
	t.Parallel()
	tokens := map[string]string{"claude": "18/1 18/7", "amp": "18/1 18/7", "codex": "18/7", "copilot": "18/7", "opencode": "18/7", "gemini": "18/7", "goose": "18/7"}
	each(t, all, func(t *testing.T, preset string) {
		req := faked(t, preset, "ok")
		var told []string
		req.Used = func(u Usage) {
			if pair := fmt.Sprintf("%d/%d", deref(u.InputTokens), deref(u.OutputTokens)); !slices.Contains(told, pair) && pair != "0/0" {
				told = append(told, pair)
			}
		}
		a := call(t, req)
		if got := strings.Join(told, " "); got != tokens[preset] || a.Status != OK {
			t.Errorf("%s, want %s", got, tokens[preset])
		}
	})
}

func deref(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

func TestOfAConversationThatIsCountedAsAWholeTheCallsOwnPartCounts(t *testing.T) {
	t.Parallel()
	tokens := func(in, out int64) Usage { return Usage{InputTokens: &in, OutputTokens: &out} }
	req := faked(t, "codex", "ok")
	first := call(t, req)
	if first.Total == nil || deref(first.Total.InputTokens) != 18 || deref(first.Usage.InputTokens) != 18 {
		t.Fatalf("%+v of %+v", first.Usage, first.Total)
	}
	req.Resume, req.Before = "s1", tokens(10, 3)
	req.Used = func(u Usage) {
		if deref(u.InputTokens) != 8 {
			t.Errorf("told %d", deref(u.InputTokens))
		}
	}
	if a := call(t, req); deref(a.Usage.InputTokens) != 8 || deref(a.Usage.OutputTokens) != 4 || deref(a.Total.InputTokens) != 18 {
		t.Errorf("%+v of %+v", a.Usage, a.Total)
	}
	req.Used = nil
	for _, before := range []Usage{{}, tokens(100, 3)} {
		req.Before = before
		if a := call(t, req); a.Usage.InputTokens != nil {
			t.Errorf("the call used %d, says nobody", *a.Usage.InputTokens)
		}
	}
}

func TestWhatAClaudeThatBrokeOffHasUsedIsKnown(t *testing.T) {
	t.Parallel()
	event := `{"type":"assistant","message":{"id":"%s","content":[],"usage":{"input_tokens":%d,"output_tokens":%d}},"parent_tool_use_id":%s}` + "\n"
	o := read(t, "claude", fmt.Sprintf(event, "m1", 3, 1, "null"), fmt.Sprintf(event, "m1", 3, 4, "null"), fmt.Sprintf(event, "m2", 5, 2, `"t1"`))
	if deref(o.usage.InputTokens) != 8 || deref(o.usage.OutputTokens) != 6 || o.complete {
		t.Errorf("%+v", o.usage)
	}
}

func TestTheTextOfAnAnswerIsNoFault(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, preset string) {
		if a := call(t, faked(t, preset, "speaks of 429")); a.Status != OK || a.Fault != "" {
			t.Errorf("%s, %q", a.Status, a.Fault)
		}
	})
}

func TestAnErrorFlagCountsWithExit0(t *testing.T) {
	t.Parallel()
	each(t, streams, func(t *testing.T, preset string) {
		a := call(t, faked(t, preset, "error with exit 0"))
		if a.Status != Failed || a.Fault != "" || a.ExitCode != 0 {
			t.Errorf("%s, %q, exit %d", a.Status, a.Fault, a.ExitCode)
		}
		if !strings.Contains(a.Message, "the model said no") || !strings.Contains(a.Message, "stdout: {") {
			t.Errorf("the message is %q", a.Message)
		}
		if strings.Contains(a.Text, "said no") {
			t.Errorf("the error passes for an answer: %q", a.Text)
		}
	})
}

func TestACompleteResultOutlivesItsExitCode(t *testing.T) {
	t.Parallel()
	each(t, streams, func(t *testing.T, preset string) {
		a := call(t, faked(t, preset, "result with exit 1"))
		if a.Status != OK || a.ExitCode != 1 || !strings.HasPrefix(a.Text, "you said: ") {
			t.Fatalf("%s, exit %d, %q", a.Status, a.ExitCode, a.Text)
		}
		if len(a.Remarks) != 1 || !strings.Contains(a.Remarks[0], "exit 1") {
			t.Errorf("remarks: %q", a.Remarks)
		}
	})
	for _, preset := range []string{"aider", "command"} {
		if a := call(t, faked(t, preset, "result with exit 1")); a.Status != Failed {
			t.Errorf("%s says nothing of completeness, so exit 1 is a failure: %s", preset, a.Status)
		}
	}
}

func TestRateLimitedTwiceThenFine(t *testing.T) {
	t.Parallel()
	each(t, streams, func(t *testing.T, preset string) {
		req := faked(t, preset, "rate limited twice")
		for range 2 {
			a := call(t, req)
			if a.Status != RateLimited || !a.Fault.Transient() || !strings.Contains(a.FaultLine(preset), `"class":"transient_transport"`) {
				t.Errorf("%s, %q, %s", a.Status, a.Fault, a.FaultLine(preset))
			}
		}
		if a := call(t, req); a.Status != OK {
			t.Errorf("the third call ended with %s: %s", a.Status, a.Message)
		}
	})
}

func TestAUsedUpLimitNamesItsReset(t *testing.T) {
	t.Parallel()
	each(t, streams, func(t *testing.T, preset string) {
		a := call(t, faked(t, preset, "quota"))
		want := time.Date(2030, 3, 17, 17, 46, 0, 0, time.UTC)
		if a.Status != QuotaExhausted || a.ResetsAt == nil || !a.ResetsAt.Equal(want) {
			t.Errorf("%s until %v", a.Status, a.ResetsAt)
		}
	})
}

func TestARefusedToolIsNamed(t *testing.T) {
	t.Parallel()
	for _, preset := range streams {
		if fakecli.Voices[preset].Denied == nil {
			continue
		}
		a := call(t, faked(t, preset, "denied"))
		if a.Status != Denied || !cmp.Equal(a.Denied, []string{"write"}) || a.Text != "could not" {
			t.Errorf("%s: %s %q, answered %q", preset, a.Status, a.Denied, a.Text)
		}
		if !strings.Contains(a.Message, "the permission mode refused write") {
			t.Errorf("%s: %s", preset, a.Message)
		}
	}
}

func TestSilenceAfterTheAnswerIsNotHeldAgainstIt(t *testing.T) {
	t.Parallel()
	each(t, streams, func(t *testing.T, preset string) {
		req := faked(t, preset, "silent after the answer")
		req.IdleTimeout = 5 * time.Second
		a := call(t, req)
		if a.Status != OK || !a.Exit.Idle || len(a.Remarks) != 1 {
			t.Errorf("%s, %+v, %q", a.Status, a.Exit, a.Remarks)
		}
	})
}

func TestSilenceAfterPlainTextAsksWhetherItIsWhole(t *testing.T) {
	t.Parallel()
	for _, whole := range []bool{true, false} {
		req := faked(t, "command", "silent after the answer")
		req.IdleTimeout = 5 * time.Second
		req.Complete = func(text string) bool { return whole && strings.Contains(text, "you said") }
		a := call(t, req)
		if got := a.Status == OK; got != whole {
			t.Errorf("whole %v: %s", whole, a.Status)
		}
	}
}

func TestACLIThatNeverEnds(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, preset string) {
		req := faked(t, preset, "never exits")
		req.Timeout, req.Complete = 300*time.Millisecond, func(string) bool { return true }
		a := call(t, req)
		if a.Status != Failed || !a.Exit.TimedOut || a.ExitCode != process.CodeTimeout || !strings.Contains(a.Message, "timed out after 300ms") {
			t.Errorf("%s, %+v, %s", a.Status, a.Exit, a.Message)
		}
	})
}

func TestFiveMegabytesAreReadWhole(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, preset string) {
		a := call(t, faked(t, preset, "5 MB"))
		if got := len(strings.TrimSpace(a.Text)); a.Status != OK || got != 5<<20-1 || a.Truncated {
			t.Errorf("%s, %d bytes, truncated %v", a.Status, got, a.Truncated)
		}
	})
}

func TestBytesThatAreNoUTF8DoNotLoseTheAnswer(t *testing.T) {
	t.Parallel()
	each(t, streams, func(t *testing.T, preset string) {
		if a := call(t, faked(t, preset, "invalid UTF-8")); a.Status != OK || a.Text != "caf\uFFFD" {
			t.Errorf("%s, %q", a.Status, a.Text)
		}
	})
}

func TestNothingWrittenIsNoResult(t *testing.T) {
	t.Parallel()
	each(t, all[:8], func(t *testing.T, preset string) {
		if a := call(t, faked(t, preset, "nothing")); a.Status != NoResult {
			t.Errorf("%s", a.Status)
		}
		a := call(t, faked(t, preset, "nothing with exit 1"))
		if a.Status != Failed || !strings.Contains(a.Message, "Command failed (exit 1): the last words") {
			t.Errorf("%s: %s", a.Status, a.Message)
		}
	})
	if a := call(t, faked(t, "command", "nothing")); a.Status != OK {
		t.Errorf("a bare command line may print nothing: %s", a.Status)
	}
}

func TestStderrIsAskedWhereThereIsNoResult(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, preset string) {
		if a := call(t, faked(t, preset, "stderr 529")); a.Status != RateLimited || a.Fault != Overload {
			t.Errorf("%s, %q", a.Status, a.Fault)
		}
	})
}

func TestOfPlainOutputOnlyTheLastErrorLineIsAsked(t *testing.T) {
	t.Parallel()
	a := call(t, faked(t, "command", "plain quota"))
	want := time.Date(2026, 12, 3, 13, 5, 0, 0, time.UTC)
	if a.Status != QuotaExhausted || a.ResetsAt == nil || !a.ResetsAt.Equal(want) {
		t.Errorf("%s until %v", a.Status, a.ResetsAt)
	}
	if a := call(t, faked(t, "command", "plain talk")); a.Status != Failed || a.Fault != "" {
		t.Errorf("%s, %q", a.Status, a.Fault)
	}
}

func TestExit79IsFinal(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, preset string) {
		a := call(t, faked(t, preset, "refused"))
		if a.Status != Refused || a.Fault != "" {
			t.Errorf("%s, %q", a.Status, a.Fault)
		}
	})
}

func TestCancelledIsNoFaultOfTheEndpoint(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a, err := Call(ctx, faked(t, "claude", "never exits"))
	if err != nil || a.Status != Failed || a.Fault != "" || !strings.Contains(a.Message, "cancelled") {
		t.Errorf("%v, %s, %q, %s", err, a.Status, a.Fault, a.Message)
	}
}

func TestAMissingCLIIsAnErrorNotAnAnswer(t *testing.T) {
	t.Parallel()
	d, _ := Preset("claude")
	d.Command[0] = "/nowhere/claude"
	_, err := Call(t.Context(), Request{Agent: d, Prompt: "x", Dir: t.TempDir()})
	if _, ok := errors.AsType[*process.StartError](err); !ok {
		t.Errorf("%v", err)
	}
}

func TestTheCallerMayRunTheChildItself(t *testing.T) {
	t.Parallel()
	req := faked(t, "claude", "ok")
	var ran []string
	req.Run = func(ctx context.Context, spec process.Spec) (process.Exit, error) {
		ran = spec.Argv
		return process.Run(ctx, spec)
	}
	if a := call(t, req); a.Status != OK || len(ran) == 0 {
		t.Errorf("%s, ran %q", a.Status, ran)
	}
}
