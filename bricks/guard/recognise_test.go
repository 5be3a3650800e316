package guard

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/recipes/value"
)

func parse(t *testing.T, text string) any {
	t.Helper()
	v, err := value.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestRecogniseReadsEveryShape(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		event string
		doom  bool
		rule  Rule
		kind  string
	}{
		// is_loop is decisive, but only as a real boolean.
		{`{"is_loop": true}`, true, RuleIsLoop, ""},
		{`{"is_loop": true, "loop_type": "no_progress"}`, true, RuleIsLoop, "no_progress"},
		{`{"is_loop": false, "loop_type": "repeated_action"}`, false, RuleIsLoop, "repeated_action"},
		{`{"is_loop": false, "type": "doom_loop"}`, false, RuleIsLoop, ""},
		{`{"is_loop": "true"}`, false, RuleNone, ""},
		{`{"is_loop": 1}`, false, RuleNone, ""},
		{`{"is_loop": "false", "type": "doom_loop"}`, true, RuleMarker, "doom_loop"},
		{`{"is_loop": null, "type": "doom_loop"}`, true, RuleMarker, "doom_loop"},
		// The presence of a loop type is enough.
		{`{"loop_type": "anything"}`, true, RuleLoopType, "anything"},
		{`{"loop_type": ""}`, true, RuleLoopType, ""},
		{`{"loop_type": {"name": "NO_PROGRESS", "value": " No_Progress "}}`, true, RuleLoopType, "no_progress"},
		{`{"loop_type": null}`, false, RuleNone, ""},
		// Flags: one true is enough, a false without a true decides.
		{`{"doom_loop": true}`, true, RuleFlag, "doom_loop"},
		{`{"doom_loop_fired": true}`, true, RuleFlag, "doom_loop_fired"},
		{`{"doom_loop": false, "doom_loop_fired": true}`, true, RuleFlag, "doom_loop_fired"},
		{`{"doom_loop": false, "type": "doom_loop"}`, false, RuleFlag, ""},
		{`{"doom_loop": "false"}`, false, RuleNone, ""},
		{`{"doom_loop": "true"}`, false, RuleNone, ""},
		{`{"doom_loop": 1, "event": "repetition"}`, true, RuleMarker, "repetition"},
		// Markers, under either key, trimmed and in any case.
		{`{"type": "doom-loop"}`, true, RuleMarker, "doom-loop"},
		{`{"type": " DoomLoop\n"}`, true, RuleMarker, "doomloop"},
		{`{"event": "loop_detected"}`, true, RuleMarker, "loop_detected"},
		{`{"type": "", "event": "no_progress"}`, true, RuleMarker, "no_progress"},
		{`{"type": "heartbeat", "event": "REPEATED_OUTPUT"}`, true, RuleMarker, "repeated_output"},
		{`{"type": {"value": "circular_plan"}}`, true, RuleMarker, "circular_plan"},
		{`{"type": "no_progress_yet"}`, false, RuleNone, ""},
		{`{"type": "heartbeat"}`, false, RuleNone, ""},
		// A guard's decision: warning is not firing.
		{`{"action": "halt", "code": "same_call"}`, true, RuleDecision, "same_call"},
		{`{"action": " Block "}`, true, RuleDecision, "block"},
		{`{"action": "warn", "code": "repeated_action"}`, false, RuleDecision, "repeated_action"},
		{`{"action": "allow"}`, false, RuleDecision, "allow"},
		{`{"action": "read_file"}`, false, RuleNone, ""},
		{`{"action": "read_file", "code": "no_progress"}`, true, RuleDecision, "no_progress"},
		{`{"code": "REPEATED_FAILURE"}`, true, RuleDecision, "repeated_failure"},
		{`{"code": "other"}`, false, RuleNone, ""},
		{`{"code": 17}`, false, RuleNone, ""},
		{`{"type": "tool_guard", "action": "halt"}`, true, RuleDecision, "halt"},
		// A detector's result: its level is weighed like an action.
		{`{"stuck": true}`, true, RuleStuck, ""},
		{`{"stuck": true, "level": "critical", "detector": "ping_pong"}`, true, RuleStuck, "ping_pong"},
		{`{"stuck": true, "level": "warning", "detector": "ping_pong"}`, false, RuleStuck, "ping_pong"},
		{`{"stuck": false, "level": "critical"}`, false, RuleStuck, "critical"},
		{`{"level": " Critical ", "detector": "generic_repeat"}`, true, RuleStuck, "generic_repeat"},
		{`{"level": "warning", "detector": "generic_repeat"}`, false, RuleStuck, "generic_repeat"},
		{`{"level": "critical"}`, false, RuleNone, ""},
		{`{"stuck": "true"}`, false, RuleNone, ""},
		// No object at all.
		{`"doom_loop"`, false, RuleNone, ""},
		{`null`, false, RuleNone, ""},
		{`[{"type": "doom_loop"}]`, false, RuleNone, ""},
		{`{}`, false, RuleNone, ""},
	} {
		got := Recognise(parse(t, c.event))
		want := Recognition{DoomLoop: c.doom, Rule: c.rule, Kind: c.kind}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.event, diff)
		}
	}
}

func TestEveryMarkerOfTheSeedIsRecognised(t *testing.T) {
	t.Parallel()
	for _, marker := range []string{
		"doom_loop", "doom-loop", "doomloop", "repetition", "loop_detected", "repeated_action",
		"repeated_failure", "no_progress", "circular_plan", "resource_exhaustion", "repeated_output",
	} {
		for _, key := range []string{"type", "event"} {
			if got := Recognise(map[string]any{key: marker}); !got.DoomLoop || got.Rule != RuleMarker {
				t.Errorf("%s %s: %+v", key, marker, got)
			}
		}
	}
}

func TestRecogniseKeepsTheReasonAndTheRound(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]Recognition{
		`{"reason": " same call ", "message": "other", "iteration": 3}`: {Rule: RuleNone, Reason: "same call", Iteration: 3},
		`{"message": "m", "round": 2}`:                                  {Rule: RuleNone, Reason: "m", Iteration: 2},
		`{"iteration": 0}`:                                              {Rule: RuleNone},
		`{"iteration": -1}`:                                             {Rule: RuleNone},
		`{"iteration": 1.5}`:                                            {Rule: RuleNone},
		`{"iteration": "3"}`:                                            {Rule: RuleNone},
		`{"iteration": 99999999999999999999}`:                           {Rule: RuleNone},
	} {
		if diff := cmp.Diff(want, Recognise(parse(t, event))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", event, diff)
		}
	}
}

// Whatever an event holds beside it, a text is never a boolean.
func TestNoTextCountsAsABoolean(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		event := map[string]any{}
		for _, key := range []string{"is_loop", "doom_loop", "doom_loop_fired", "stuck"} {
			if rapid.Bool().Draw(t, "has "+key) {
				event[key] = rapid.OneOf(rapid.SampledFrom([]string{"true", "false", "True", "1"}), rapid.String()).Draw(t, key)
			}
		}
		if got := Recognise(event); got.DoomLoop || got.Rule != RuleNone {
			t.Fatalf("%v: %+v", event, got)
		}
	})
}
