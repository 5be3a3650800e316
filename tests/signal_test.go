//go:build unix

package tests

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// started is a running start of the binary.
type started struct {
	*folder
	cmd         *exec.Cmd
	out, errOut bytes.Buffer
	done        chan struct{}
}

// start starts the binary in a process group of its own.
func (p *folder) start(args ...string) *started {
	p.t.Helper()
	s := &started{folder: p, cmd: p.command(args...), done: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.errOut
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() {
		defer close(s.done)
		_ = s.cmd.Wait() // the exit code is looked at, and that is all it tells
	}()
	return s
}

// until waits for a condition, however long it takes while the program runs.
func (s *started) until(what string, holds func() bool) {
	s.t.Helper()
	for !holds() {
		select {
		case <-s.done:
			if holds() {
				return
			}
			s.t.Fatalf("the program ended before %s\n%s%s", what, s.out.String(), s.errOut.String())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// untilWritten waits until a step has written a file.
func (s *started) untilWritten(name string) {
	s.t.Helper()
	s.until(name+" was written", func() bool { return strings.HasSuffix(s.read(name), "\n") })
}

func (s *started) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// end waits for the program to end.
func (s *started) end() ended {
	<-s.done
	return ended{s.out.String(), s.errOut.String(), s.cmd.ProcessState.ExitCode()}
}

// pids reads the numbers of processes that steps wrote into a file.
func (p *folder) pids(name string) []int {
	p.t.Helper()
	var list []int
	for word := range strings.FieldsSeq(p.read(name)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			p.t.Fatal(err)
		}
		list = append(list, pid)
	}
	return list
}

// alive tells whether a process runs. One that ended and that nobody has waited
// for yet does not.
func alive(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return !os.IsNotExist(err)
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

// wantGone fails for processes that outlived the run.
func (p *folder) wantGone(name string) {
	p.t.Helper()
	list := p.pids(name)
	if len(list) == 0 {
		p.t.Fatalf("no step wrote %s", name)
	}
	for _, pid := range list {
		if alive(pid) {
			p.t.Errorf("process %d of %s outlived the run", pid, name)
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may end in this moment
		}
	}
}

const threeSteps = `name: three
hooks: {on_error: 'echo "$BRICKOVEN_STEP_ID $BRICKOVEN_STEP_STATUS" >> on_error'}
steps:
  - {id: first, command: echo first}
  - id: second
    command: |
      trap 'echo got >> signals; echo cleaned >> cleaned; exit 9' INT TERM
      echo $$ >> pids
      echo ready > ready
      while :; do sleep 0.05; done
  - {id: third, command: echo third > third}
finally:
  - {id: tidy, command: 'echo "{{run.status}} {{run.failed_step}}" > finally'}
`

// The first signal is forwarded once to the step, nothing else is started,
// on_error and finally run, and the run ends with 128 and the signal.
func TestFirstSignalEndsTheRunInOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		signal syscall.Signal
		group  bool
		code   int
	}{
		"INT":                         {syscall.SIGINT, false, 130},
		"TERM":                        {syscall.SIGTERM, false, 143},
		"INT at the terminal's group": {syscall.SIGINT, true, 130},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFolder(t, map[string]string{"three.yaml": threeSteps}).start("run", "three.yaml", "--output-format", "json")
			s.untilWritten("ready")
			if c.group {
				if err := syscall.Kill(-s.cmd.Process.Pid, c.signal); err != nil {
					t.Fatal(err)
				}
			} else {
				s.signal(c.signal)
			}
			end := s.end()
			if end.code != c.code {
				t.Errorf("exit code %d, want %d\n%s", end.code, c.code, end.stderr)
			}
			doc := document(t, end.stdout)
			if doc["success"] != false || doc["status"] != "interrupted" || doc["exit_code"] != float64(c.code) {
				t.Errorf("the result is %v", doc)
			}
			if got := s.read("signals"); got != "got\n" {
				t.Errorf("the step got %q, want one signal", got)
			}
			if s.read("cleaned") == "" {
				t.Error("the step could not clean up")
			}
			if got := s.read("on_error"); got != "second failed\n" {
				t.Errorf("on_error wrote %q", got)
			}
			if got := s.read("finally"); got != "interrupted second\n" {
				t.Errorf("finally wrote %q", got)
			}
			if s.read("third") != "" {
				t.Error("a step was started after the signal")
			}
			s.wantGone("pids")
		})
	}
}

// A second signal kills what takes no notice of the first.
func TestSecondSignalKills(t *testing.T) {
	t.Parallel()
	s := newFolder(t, map[string]string{"deaf.yaml": `name: deaf
steps:
  - id: deaf
    command: |
      trap 'echo heard > heard' INT TERM
      (trap '' INT TERM; echo $BASHPID >> pids; exec sleep 1000) &
      echo $$ >> pids
      while [ $(wc -l < pids) -lt 2 ]; do sleep 0.01; done
      echo ready > ready
      while :; do sleep 0.05; done
`}).start("run", "deaf.yaml", "--output-format", "json")
	s.untilWritten("ready")
	s.signal(syscall.SIGINT)
	s.until("the step heard the signal", func() bool { return s.read("heard") != "" })
	s.signal(syscall.SIGINT)
	end := s.end()
	if end.code != 130 {
		t.Errorf("exit code %d, want 130\n%s", end.code, end.stderr)
	}
	document(t, end.stdout)
	s.wantGone("pids")
}

// An interruption reaches the step of a called recipe and an agent alike.
func TestSignalReachesAgentsAndCalledRecipes(t *testing.T) {
	t.Parallel()
	s := newFolder(t, map[string]string{
		"outer.yaml": "name: outer\nsteps: [{id: call, recipe: ./inner.yaml}]\nfinally: [{id: end, command: echo outer >> finally}]\n",
		"inner.yaml": "name: inner\nsteps: [{id: ask, type: agent, prompt: think}]\nfinally: [{id: end, command: echo inner >> finally}]\n",
		"agent.sh":   "echo $$ > pids\necho half an answer\ntrap 'echo got >> signals; exit 1' INT\necho ready > ready\nwhile :; do sleep 0.05; done\n",
	}).start("run", "outer.yaml", "--agent", "bash agent.sh")
	s.untilWritten("ready")
	s.signal(syscall.SIGINT)
	if end := s.end(); end.code != 130 {
		t.Errorf("exit code %d, want 130\n%s", end.code, end.stderr)
	}
	if got := s.read("signals"); got != "got\n" {
		t.Errorf("the agent got %q, want one signal", got)
	}
	if got := s.read("finally"); got != "inner\nouter\n" {
		t.Errorf("finally wrote %q", got)
	}
	s.wantGone("pids")
}

// A report that nobody reads can be ended by a signal. No child is left then.
func TestSignalEndsABlockedReport(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"big.yaml": `name: big
steps:
  - {id: a, command: "sleep 1000 & echo $! > pids; head -c 1000000 /dev/zero | tr '\\0' x"}
`})
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	cmd := p.command("run", "big.yaml", "--output-format", "json")
	cmd.Stdout = write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	// The first signals may still reach the run itself.
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		case <-time.After(50 * time.Millisecond):
			if p.read("pids") != "" {
				_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
			}
		}
	}
	p.wantGone("pids")
}

// An interruption cuts the wait before another attempt short.
func TestSignalEndsTheWaitForAnotherAttempt(t *testing.T) {
	t.Parallel()
	s := newFolder(t, map[string]string{
		"retry.yaml": "name: retry\nsteps: [{id: a, command: echo try >> tries; exit 1, retry: {attempts: 5, delay: 1h}}]\n",
	}).start("run", "retry.yaml", "--progress")
	s.untilWritten("tries")
	s.signal(syscall.SIGTERM)
	if end := s.end(); end.code != 143 {
		t.Errorf("exit code %d, want 143\n%s", end.code, end.stderr)
	}
	if got := s.read("tries"); got != "try\n" {
		t.Errorf("the step was tried %d times, want once", strings.Count(got, "\n"))
	}
}
