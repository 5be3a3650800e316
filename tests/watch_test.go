package tests

import (
	"encoding/json"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// started starts a run and waits until a step has written a file.
func (p *folder) started(file string, args ...string) *exec.Cmd {
	p.t.Helper()
	cmd := p.command(args...)
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	for p.read(file) == "" {
		time.Sleep(5 * time.Millisecond)
	}
	return cmd
}

// finding is what watch says as JSON.
type finding struct {
	RunID     string   `json:"run_id"`
	Condition string   `json:"condition"`
	Class     int      `json:"class"`
	Reason    string   `json:"reason"`
	Silent    float64  `json:"silent_seconds"`
	Killed    []string `json:"killed"`
}

func (p *folder) watch(args ...string) (found finding, code int) {
	p.t.Helper()
	end := p.run(append([]string{"watch", "--output-format", "json"}, args...)...)
	if err := json.Unmarshal([]byte(end.stdout), &found); err != nil {
		p.t.Fatalf("watch: %v\n%s%s", err, end.stdout, end.stderr)
	}
	return found, end.code
}

func (p *folder) wantFinding(condition string, code int, args ...string) finding {
	p.t.Helper()
	found, got := p.watch(args...)
	if found.Condition != condition || got != code || found.Class != code {
		p.t.Errorf("watch %v: %+v, exit %d; want %s, exit %d", args, found, got, condition, code)
	}
	return found
}

const napping = `
name: nap
steps:
  - {id: nap, command: "echo x >ready; while [ ! -e go ]; do sleep 0.02; done"}
`

func TestWatchTellsFourCasesApart(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"r.yaml": napping})
	p.started("ready", "run", "r.yaml")
	p.wantFinding("healthy", 0, "--once")
	stalled := p.wantFinding("heartbeat_stale", 19, "--stall-timeout", "100ms")
	if !strings.Contains(stalled.Reason, "step nap") || stalled.Silent < 0.1 || len(stalled.Killed) != 0 {
		t.Errorf("the stall: %+v", stalled)
	}
	if err := exec.Command("touch", p.path("go")).Run(); err != nil {
		t.Fatal(err)
	}
	p.wantFinding("finished", 0, "--stall-timeout", "1m")
	p.wantFinding("finished", 0, "--once", "--stall-timeout", "1ns", "--kill")

	q := newFolder(t, map[string]string{"r.yaml": napping})
	q.killRun("ready", q.command("run", "r.yaml"))
	dead := q.wantFinding("execution_failure", 40)
	if !strings.Contains(dead.Reason, "died without an end in step nap") {
		t.Errorf("the death: %+v", dead)
	}
	text := q.run("watch", "--once")
	contains(t, text.stdout, dead.RunID+": execution_failure: ")
	for _, args := range [][]string{{"runs", "list"}, {"runs", "show"}, {"runs", "list", "--output-format", "json"}, {"runs", "show", "--output-format", "json"}} {
		shown := q.run(args...).stdout
		if !strings.Contains(shown, "interrupted") || strings.Contains(shown, "running") {
			t.Errorf("%v of a dead run: %s", args, shown)
		}
	}
	if err := exec.Command("touch", q.path("go")).Run(); err != nil {
		t.Fatal(err)
	}
	if end := q.run("resume"); end.code != 0 {
		t.Errorf("resume: %s", end.stderr)
	}
}

// A step that goes on printing makes progress, and so does a called recipe with
// a time limit, whose clock is a wait.
func TestOutputIsProgress(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{
		"r.yaml":     "name: r\nsteps:\n  - {id: call, recipe: child, timeout: 5m}\n",
		"child.yaml": "name: child\nsteps:\n  - {id: s, command: 'echo x >ready; for i in $(seq 60); do echo $i; sleep 0.1; done'}\n",
	})
	p.started("ready", "run", "r.yaml")
	p.wantFinding("finished", 0, "--stall-timeout", "4s")
}

func TestAnAnnouncedWaitIsHealthyUntilItIsDue(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"r.yaml": `
name: r
steps:
  - {id: s, command: "echo x >>ready; test $(wc -l <ready) -gt 1", retry: {attempts: 2, delay: 4s}}
`})
	p.started("ready", "run", "r.yaml")
	for !strings.Contains(p.run("watch", "--once", "--stall-timeout", "1ns").stdout, "waits until") {
		time.Sleep(5 * time.Millisecond)
	}
	p.wantFinding("finished", 0, "--stall-timeout", "2s")
}

// stubborn ignores TERM, and so do its child and the child's own.
const stubborn = `
name: stubborn
steps:
  - id: before
    command: echo before
  - id: deaf
    command: |
      trap '' TERM
      bash -c 'trap "" TERM; bash -c "trap \"\" TERM; echo \$\$ >>pids; while :; do sleep 0.1; done" & echo $$ >>pids; wait' &
      while [ "$(wc -l <pids 2>/dev/null || echo 0)" -lt 2 ]; do sleep 0.02; done
      echo $$ >>pids; cp pids ready
      while :; do sleep 0.1; done
finally:
  - {id: last, command: "echo last >last"}
`

func TestWatchEndsAStalledStepWithItsGrandchildren(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"r.yaml": stubborn})
	cmd := p.started("ready", "run", "r.yaml", "--output-format", "json")
	found := p.wantFinding("heartbeat_stale", 19, "--stall-timeout", "300ms", "--kill")
	if len(found.Killed) != 1 || !strings.HasPrefix(found.Killed[0], "deaf#") {
		t.Errorf("ended: %v", found.Killed)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("the run's own end: %v", err)
	}
	for _, pid := range strings.Fields(p.read("ready")) {
		number, err := strconv.Atoi(pid)
		if err != nil || syscall.Kill(number, 0) == nil {
			t.Errorf("process %s is still there (%v)", pid, err)
		}
	}
	if p.read("last") == "" {
		t.Error("the run did not go on to its finally step")
	}
	shown := p.run("runs", "show")
	contains(t, shown.stdout, "ended by the watchdog after ", " of silence (heartbeat_stale)")
	if verified := p.run("runs", "verify"); verified.code != 0 {
		t.Errorf("verify: %s", verified.stderr)
	}
	var stalls []map[string]any
	for _, rec := range p.records() {
		if rec["kind"] == "stalled" {
			stalls = append(stalls, rec["data"].(map[string]any))
		}
	}
	if len(stalls) != 1 || stalls[0]["path"] != "deaf" || stalls[0]["killed"] != true || stalls[0]["process"] == nil {
		t.Fatalf("the journal's word of it: %v", stalls)
	}
	if silent, _ := stalls[0]["silent"].(float64); silent < float64(300*time.Millisecond) {
		t.Errorf("silent for %v", stalls[0]["silent"])
	}
}

// A step that heeds TERM and ends well is a success with a remark.
func TestAStepThatTheWatchdogWokeMayEndWell(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"r.yaml": `
name: r
steps:
  - {id: s, command: "trap 'exit 0' TERM; echo x >ready; while :; do sleep 0.02; done"}
`})
	cmd := p.started("ready", "run", "r.yaml")
	p.wantFinding("heartbeat_stale", 19, "--stall-timeout", "200ms", "--kill")
	if err := cmd.Wait(); err != nil {
		t.Errorf("the run: %v", err)
	}
	kinds := map[string]int{}
	for _, rec := range p.records() {
		kinds[rec["kind"].(string)]++
	}
	if kinds["stalled"] != 1 {
		t.Errorf("the journal's records: %v", kinds)
	}
}

// records reads the journal of the only run.
func (p *folder) records() (records []map[string]any) {
	p.t.Helper()
	for line := range strings.Lines(p.read(p.journal())) {
		var rec map[string]any
		if err := json.Unmarshal([]byte(line), &rec); err == nil {
			records = append(records, rec)
		}
	}
	return records
}

// journal is the path of the only run's journal, relative to the folder.
func (p *folder) journal() string {
	p.t.Helper()
	return p.onlyRun() + "/journal.jsonl"
}
