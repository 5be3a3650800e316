package tests

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// loopOfRounds ends in the tenth round. Its goal is claimed by the round itself,
// once too early, so that a rejected claim is among what is killed.
const loopOfRounds = `name: crash
steps:
  - id: work
    type: loop
    description: ten rounds
    judge: child
    contract:
      {purpose: p, owner: o, starting_state: s, inputs: [i], expected_outputs: [e], success_criteria: [c], failure_criteria: [f],
       dependencies: [d], iteration_limit: 100, timeout_behaviour: t, escalation_path: e,
       quality_rubric: [{dimension: rounds, evidence_command: wc -l log, baseline: 0, target: 10, weight: 100,
                         failure_threshold: 0, direction: higher-is-better, hard_gate: false}]}
    measure: {rounds: "echo {{loop.round}}"}
    check: test "$(grep -c '^end b' log)" -ge 10
    output: ended
    steps:
      - {id: a, command: 'echo "start a{{loop.round}}" >>log; sleep 0.01; echo "end a{{loop.round}}" >>log'}
      - id: b
        command: |
          echo "start b{{loop.round}}" >>log
          echo "end b{{loop.round}}" >>log
          if test {{loop.round}} -eq 4 || test {{loop.round}} -ge 10; then
            echo '{"state":"stopped","reason":"r","stop_reason":"goal_met","schema_version":1}' >"$BRICKOVEN_CONTROL_FILE.new"
            mv "$BRICKOVEN_CONTROL_FILE.new" "$BRICKOVEN_CONTROL_FILE"
          fi
  - {id: after, command: 'echo "end after" >>log; echo "{{ended.rounds}} {{ended.halt_reason}} {{len ended.verdicts}}"'}
`

const judgeOn = `name: child
steps: [{id: say, command: 'echo "{\"loop_verdict\":\"CONTINUE\",\"moved\":[\"x\"]}"', output: loop_health}]
`

// TestKilledLoopsGoOnInTheMiddleOfARound kills runs of a loop at any point and
// resumes them, until they end by themselves.
func TestKilledLoopsGoOnInTheMiddleOfARound(t *testing.T) {
	if testing.Short() {
		t.Skip("kills the program many times")
	}
	t.Parallel()
	enough := 60
	if raceEnabled {
		enough = 12
	}
	undisturbed := newArena(t, loopOfRounds, judgeOn)
	begun := time.Now()
	if out, code := undisturbed.run("run", "crash.yaml"); code != 0 {
		t.Fatalf("the undisturbed run: exit %d\n%s", code, out)
	}
	whole := time.Since(begun)
	random := rand.New(rand.NewPCG(3, 4))
	for kills := 0; kills < enough; {
		a := newArena(t, loopOfRounds, judgeOn)
		args := []string{"run", "crash.yaml", "--output-format", "json"}
		mine := 0
		for mine < 20 && a.killed(time.Duration(random.Int64N(int64(whole)/3)), args...) {
			mine++
			if a.begun() {
				args = []string{"resume", "--output-format", "json"}
			} else {
				a.reset()
			}
		}
		kills += mine
		last := []string{"runs", "show", "--output-format", "json"}
		if mine == 20 {
			last = args
		}
		out, code := a.run(last...)
		if code != 0 {
			t.Fatalf("after %d kills: exit %d\n%s", mine, code, out)
		}
		a.checkLoop(t, mine)
	}
}

func (a *arena) checkLoop(t *testing.T, kills int) {
	t.Helper()
	reruns := a.reruns()
	for round := 1; round <= 10; round++ {
		for _, step := range []string{"a", "b"} {
			id := fmt.Sprint(step, round)
			if got := a.lines("end")[id]; got < 1 || got > 1+kills {
				t.Errorf("step %s of round %d ended %d times", step, round, got)
			}
			if got := a.lines("start")[id]; got > 1+kills {
				t.Errorf("step %s of round %d started %d times", step, round, got)
			}
		}
	}
	if extra := a.lines("start"); len(extra) != 20 {
		t.Errorf("the rounds are %v (reruns %v)", extra, reruns)
	}
	sessions, err := filepath.Glob(filepath.Join(a.state, "sessions", "2*"))
	if err != nil || len(sessions) != 1 {
		t.Fatalf("sessions: %v %v", sessions, err)
	}
	var state struct {
		Status    string `json:"status"`
		Iteration int    `json:"iteration_count"`
		History   []any  `json:"history"`
	}
	if err := json.Unmarshal([]byte(readText(t, filepath.Join(sessions[0], "state.json"))), &state); err != nil {
		t.Fatal(err)
	}
	if state.Status != "goal_met" || state.Iteration != 10 || len(state.History) != 10 {
		t.Errorf("the session is %+v", state)
	}
	if text := readText(t, filepath.Join(sessions[0], "control.rejected.json")); len(text) == 0 || text[0] != '{' {
		t.Errorf("control.rejected.json is %q", text)
	}
	rounds, err := os.ReadDir(filepath.Join(sessions[0], "iterations"))
	if err != nil || len(rounds) != 10 {
		t.Errorf("%d iterations (%v)", len(rounds), err)
	}
	out, code := a.run("ledger", "status", "--session", filepath.Base(sessions[0]), "--json")
	if status := document(t, out); code != 0 || fmt.Sprint(status["iterations"]) != "10" || status["final_outcome"] != "complete" {
		t.Errorf("ledger status: exit %d\n%s", code, out)
	}
	if out, code := a.run("runs", "verify"); code != 0 {
		t.Errorf("runs verify: exit %d\n%s", code, out)
	}
}
