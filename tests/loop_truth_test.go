package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// loopEnd is what the tests read of a loop's result.
type loopEnd struct {
	StopReason string `json:"stop_reason"`
	HaltReason string `json:"halt_reason"`
	Rounds     int    `json:"rounds"`
	Session    string `json:"session"`
}

// TestOnlyControlStopsALoop runs every combination of how a round went, what its
// goal check says and what it writes into the control file (seed 001): only the
// control file decides, and success is whether the round ran to its end.
func TestOnlyControlStopsALoop(t *testing.T) {
	t.Parallel()
	ends := map[string]string{ // how a round ends: what stands behind what it writes
		"well": "{id: end, command: 'true'}", "with a code": "{id: end, command: exit 7}", "without running": "{id: end, command: 'true', working_dir: nowhere}",
	}
	goals := map[string]string{"none": "", "met": `{"goal_met":true,"reason":"r"}`, "not met": `{"goal_met":false,"reason":"r"}`, "broken": "{"}
	stopped := func(reason string) string {
		return fmt.Sprintf(`{"state":"stopped","reason":"r","stop_reason":"%s","schema_version":1}`, reason)
	}
	controls := map[string]struct{ text, stop, halt string }{
		"running":      {"", "unresolvable_error", "judged_stuck"}, // by the judge of the second round
		"goal met":     {stopped("goal_met"), "goal_met", "judged_done"},
		"unresolvable": {stopped("unresolvable_error"), "unresolvable_error", "human_required"},
		"not for it":   {stopped("stop_requested"), "invalid_control_output", ""},
		"broken":       {"{", "invalid_control_output", ""},
	}
	for end, last := range ends {
		for goal, check := range goals {
			for control, want := range controls {
				t.Run(fmt.Sprintf("%s, goal %s, control %s", end, goal, control), func(t *testing.T) {
					t.Parallel()
					d := newDesk(t)
					dir := t.TempDir()
					put := func(name, text string) {
						if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
							t.Fatal(err)
						}
					}
					put("goal", check)
					put("control", want.text)
					put("loop.yaml", "name: truth\nsteps: [{id: work, type: loop, judge: second, workflows: [{id: w, recipe: round, emits_goal_check: true}]}]\n")
					put("round.yaml", "name: round\nsteps:\n  - id: write\n    command: |\n"+
						"      test ! -s goal || cp goal \"$BRICKOVEN_ITERATION_DIR/goal_check.json\"\n"+
						"      test ! -s control || cp control \"$BRICKOVEN_CONTROL_FILE\"\n  - "+last+"\n")
					put("second.yaml", "name: second\nsteps:\n  - id: say\n    output: loop_health\n    command: |\n"+
						"      case \"$LOOP_ROUND_LABEL\" in *1) echo '{\"loop_verdict\":\"CONTINUE\"}' ;; *) echo '{\"loop_verdict\":\"STUCK\"}' ;; esac\n")
					out, errOut, _ := d.run(t, dir, binary, "run", "./loop.yaml", "--output-format", "json", "--state-dir", "state")
					var res struct {
						StepResults []struct{ Loop loopEnd } `json:"step_results"`
					}
					if err := json.Unmarshal([]byte(out), &res); err != nil || len(res.StepResults) != 1 {
						t.Fatalf("%v\n%s\n%s", err, out, errOut)
					}
					got, rounds := res.StepResults[0].Loop, 1
					if control == "running" {
						rounds = 2
					}
					if got.StopReason != want.stop || want.halt != "" && got.HaltReason != want.halt || got.Rounds != rounds {
						t.Errorf("%+v, want %s, %s in round %d\n%s", got, want.stop, want.halt, rounds, errOut)
					}
					var first struct{ Success bool }
					file := filepath.Join(dir, "state", "sessions", got.Session, "iterations", "0001_w", "result.json")
					if err := json.Unmarshal([]byte(readText(t, file)), &first); err != nil || first.Success == (end == "without running") {
						t.Errorf("success is %v after a round that ended %s (%v)", first.Success, end, err)
					}
				})
			}
		}
	}
}
