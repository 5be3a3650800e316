package tests

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// loopOfReverts breaks a passing test in every odd round, which is taken back,
// and fixes one in every even round.
const loopOfReverts = `name: crash
steps:
  - id: work
    type: loop
    judge: child
    brakes:
      failing: {command: cat report, format: tap}
      reference: none
      no_progress_rounds: 0
      same_failure_rounds: 0
      comprehension: {max_unread: 100}
    steps:
      - {id: change, command: "sh round.sh {{loop.round}}; sleep 0.01"}
`

const judgeSix = `name: child
steps:
  - id: say
    command: |
      case "$LOOP_ROUND_LABEL" in *6) v=DONE ;; *) v=CONTINUE ;; esac
      echo "{\"loop_verdict\":\"$v\",\"moved\":[\"x\"]}"
    output: loop_health
`

const roundOfReverts = `report() { for i in 1 2 3 4 5 6; do case " $* " in *" $i "*) printf 'not ';; esac; echo "ok $i - t$i"; done; echo 1..6; }
case $1 in
1) report 1 5 6 >report; echo one >junk ;;
2) report 6 >report; echo fixed five >>work.$1 ;;
3) report 2 6 >report; rm -f kept; git commit -q -am "by round 3" ;;
4) report >report; echo fixed six >>work.$1 ;;
5) report 3 >report; echo five >>kept ;;
6) echo done >work.$1 ;;
esac
`

func newRevertArena(t *testing.T) *arena {
	t.Helper()
	a := newArena(t, loopOfReverts, judgeSix)
	for name, text := range map[string]string{
		"round.sh": roundOfReverts, "kept": "kept\n", "notes": "mine\n",
		"report": "ok 1 - t1\nok 2 - t2\nok 3 - t3\nok 4 - t4\nnot ok 5 - t5\nnot ok 6 - t6\n1..6\n",
	} {
		if err := os.WriteFile(filepath.Join(a.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"config", "user.name", "a"},
		{"config", "user.email", "a@example.com"},
		{"add", "report", "kept", "round.sh"},
		{"commit", "-q", "-m", "first"},
	} {
		if out, err := exec.Command("git", append([]string{"-C", a.dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return a
}

// TestKilledLoopsTakeTheSameDecisions kills runs of a loop with a ratchet at any
// point and resumes them: what was accepted stays, what broke is taken back, and
// nothing of the user's is lost.
func TestKilledLoopsTakeTheSameDecisions(t *testing.T) {
	if testing.Short() {
		t.Skip("kills the program many times")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	t.Parallel()
	enough := 25
	if raceEnabled {
		enough = 5
	}
	random := rand.New(rand.NewPCG(5, 6))
	for kills := 0; kills < enough; {
		a := newRevertArena(t)
		args := []string{"run", "crash.yaml", "--output-format", "json"}
		mine := 0
		for mine < 8 && a.killed(time.Duration(100+random.IntN(900))*time.Millisecond, args...) {
			mine++
			if a.begun() {
				args = []string{"resume", "--output-format", "json"}
			} else {
				a.reset()
			}
		}
		kills += max(1, mine)
		if mine < 8 {
			args = []string{"runs", "show", "--output-format", "json"}
		}
		out, code := a.run(args...)
		if code != 0 {
			t.Fatalf("after %d kills: exit %d\n%s", mine, code, out)
		}
		a.checkReverts(t)
	}
}

func (a *arena) checkReverts(t *testing.T) {
	t.Helper()
	for name, want := range map[string]string{
		"report": "ok 1 - t1\nok 2 - t2\nok 3 - t3\nok 4 - t4\nok 5 - t5\nok 6 - t6\n1..6\n",
		"kept":   "kept\n", "notes": "mine\n", "work.6": "done\n", "junk": "",
	} {
		text, err := os.ReadFile(filepath.Join(a.dir, name))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if string(text) != want {
			t.Errorf("%s is %q, want %q", name, text, want)
		}
	}
	log, err := exec.Command("git", "-C", a.dir, "log", "--format=%s").Output()
	if err != nil || strings.TrimSpace(string(log)) != "first" {
		t.Errorf("the branch has %q, %v", log, err)
	}
	var trees []string
	for _, rec := range a.journal() {
		data, _ := rec["data"].(map[string]any)
		if rec["kind"] == "note" && data["kind"] == "braked" {
			trees = append(trees, fmt.Sprint(data["name"]))
		}
	}
	// A decision that was noted just before the kill is noted again.
	if once := slices.Compact(trees); !slices.Equal(once, []string{"accept", "revert", "accept", "revert", "accept", "revert", "accept"}) {
		t.Errorf("the decisions were %v", trees)
	}
	for _, args := range [][]string{{"runs", "verify"}, {"replay"}} {
		if out, code := a.run(args...); code != 0 {
			t.Errorf("%v: exit %d\n%s", args, code, out)
		}
	}
}
