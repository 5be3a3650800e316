//go:build unix

package tests

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// A timeout ends the step's whole family: what ignores TERM, what stays in the
// background, and on Linux what left the process group.
func TestTimeoutLeavesNoProcess(t *testing.T) {
	t.Parallel()
	command := `
      (trap '' TERM; echo $BASHPID >> pids; while :; do sleep 0.1; done) &
      sleep 1000 & echo $! >> pids
`
	want := 3
	if _, err := exec.LookPath("setsid"); err == nil && runtime.GOOS == "linux" {
		command += "      setsid bash -c 'echo $$ >> pids; exec sleep 1000' &\n"
		want = 4
	}
	p := newFolder(t, map[string]string{"timeout.yaml": `name: timeout
steps:
  - id: a
    timeout: 1s
    continue_on_error: true
    command: |
      echo $$ >> pids` + command + `      echo x
      wait
  - {id: b, command: "echo code {{steps.a.exit_code}} output {{steps.a.output}}"}
`})
	end := p.run("run", "timeout.yaml")
	if end.code != 0 || !strings.Contains(end.stdout, "code 124 output x") {
		t.Errorf("exit code %d\n%s%s", end.code, end.stdout, end.stderr)
	}
	if got := len(p.pids("pids")); got != want {
		t.Errorf("%d processes were started, want %d", got, want)
	}
	p.wantGone("pids")
}

// A background child holds neither the step nor the run. It is there for the
// steps that follow and is ended with the run.
func TestBackgroundChildEndsWithTheRun(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"server.yaml": `name: server
steps:
  - {id: start, command: "sleep 1000 & echo $! > pids; echo done"}
  - {id: use, command: "kill -0 $(cat pids) && echo still there"}
`})
	end := p.run("run", "server.yaml")
	if end.code != 0 || !strings.Contains(end.stdout, "      done\n") || !strings.Contains(end.stdout, "still there") {
		t.Errorf("exit code %d\n%s%s", end.code, end.stdout, end.stderr)
	}
	p.wantGone("pids")
}

// detach: true is the one way to leave a process behind.
func TestDetachedChildOutlivesTheRun(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"detach.yaml": `name: detach
steps:
  - {id: start, detach: true, command: "sleep 1000 > /dev/null 2>&1 & echo $! > pids"}
`})
	if end := p.run("run", "detach.yaml"); end.code != 0 {
		t.Errorf("exit code %d\n%s", end.code, end.stderr)
	}
	for _, pid := range p.pids("pids") {
		if !alive(pid) {
			t.Error("the detached process was ended")
			continue
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
}

// Memory does not grow with what a step prints.
func TestMemoryStaysFlat(t *testing.T) {
	t.Parallel()
	if raceEnabled {
		t.Skip("the race detector's memory grows by itself")
	}
	used := func(megabytes string) int64 {
		p := newFolder(t, map[string]string{"big.yaml": `name: big
steps:
  - {id: a, output: big, command: "yes 'some words in a line' | head -c ` + megabytes + `000000"}
  - {id: b, command: "echo {{steps.a.status}}"}
`})
		cmd := p.command("run", "big.yaml")
		if end := wait(t, cmd); end.code != 0 {
			t.Fatalf("exit code %d\n%s", end.code, end.stderr)
		}
		return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	}
	small, large := used("30"), used("300")
	if large > small*3/2 {
		t.Errorf("a step that prints ten times as much takes %d of memory instead of %d", large, small)
	}
}

// A standard output that is closed, or that nobody reads, changes nothing of
// the run and its exit code; neither does a standard error.
func TestClosedOutputsDoNotEndTheRun(t *testing.T) {
	t.Parallel()
	for name, redirect := range map[string]string{
		"stdout closed":   `>&-`,
		"stderr closed":   `2>&-`,
		"both closed":     `>&- 2>&-`,
		"nobody reads":    `| true`,
		"nobody listens":  `2>&1 >/dev/null | true`,
		"stdin is closed": `<&-`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newFolder(t, map[string]string{"x.yaml": `name: x
steps:
  - {id: a, command: "sleep 0.2; echo a; echo a >> ran"}
  - {id: b, command: "echo b >> ran; exit 1"}
finally:
  - {id: c, command: "echo c >> ran"}
`})
			run := p.command()
			cmd := exec.Command("bash", "-c", `"$0" run x.yaml --progress `+redirect+`; exit ${PIPESTATUS[0]}`, run.Path)
			cmd.Dir, cmd.Env = run.Dir, run.Env
			if end := wait(t, cmd); end.code != 1 {
				t.Errorf("exit code %d, want 1\n%s", end.code, end.stderr)
			}
			if got := p.read("ran"); got != "a\nb\nc\n" {
				t.Errorf("the steps that ran are %q", got)
			}
		})
	}
}

// Steps inherit no ignored signals: a pipe that breaks ends its writer.
func TestChildrenHaveUsualSignals(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"pipe.yaml": `name: pipe
steps:
  - {id: a, command: "yes | head -n 1; echo ${PIPESTATUS[0]}"}
`})
	if end := p.run("run", "pipe.yaml"); !strings.Contains(end.stdout, "141") {
		t.Errorf("yes did not end by SIGPIPE:\n%s", end.stdout)
	}
}

// Two runs of one recipe at once do not disturb each other.
func TestTwoRunsAtOnce(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"meet.yaml": `name: meet
steps:
  - id: a
    output: big
    command: |
      touch here-{{me}}
      until [ -e here-{{other}} ]; do sleep 0.01; done
      for i in {1..20000}; do echo {{me}}; done
  - {id: b, command: "echo all $(printf '%s\n' {{big}} | sort -u)"}
`})
	one := p.start("run", "meet.yaml", "--set", "me=one", "--set", "other=two", "--audit-dir", "audit")
	two := p.start("run", "meet.yaml", "--set", "me=two", "--set", "other=one", "--audit-dir", "audit")
	for name, s := range map[string]*started{"one": one, "two": two} {
		if end := s.end(); end.code != 0 || !strings.Contains(end.stdout, "all "+name+"\n") {
			t.Errorf("run %s: exit code %d\n%s", name, end.code, end.stderr)
		}
	}
}

// What runs write is private to the user; a folder that cannot be written to is
// told before anything runs.
func TestStateIsPrivateAndItsFaultsAreTold(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"x.yaml": "name: x\nsteps: [{id: a, command: touch ran}]\n"})
	if end := p.run("run", "x.yaml", "--state-dir", "own"); end.code != 0 {
		t.Fatalf("exit code %d\n%s", end.code, end.stderr)
	}
	info, err := os.Stat(p.path("own/runs"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the folder of runs has mode %v", info.Mode().Perm())
	}
	if err := os.Remove(p.path("ran")); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		if err := os.Mkdir(p.path("locked"), 0o500); err != nil {
			t.Fatal(err)
		}
		p.wantRefused("locked", "--state-dir", "locked/state")
	}
	p.wantRefused("x.yaml", "--state-dir", "x.yaml/state")

	cmd := p.command("run", "x.yaml")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	end := wait(t, cmd)
	if end.code == 0 || !strings.Contains(end.stderr, "HOME") || !strings.Contains(end.stderr, "XDG_STATE_HOME") {
		t.Errorf("without HOME: exit code %d\n%s", end.code, end.stderr)
	}
	if _, err := os.Stat(p.path("ran")); err == nil {
		t.Error("a step ran although its run could not be kept")
	}
	cmd = p.command("run", "x.yaml", "--state-dir", "own")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	if end := wait(t, cmd); end.code != 0 {
		t.Errorf("with --state-dir and without HOME: exit code %d\n%s", end.code, end.stderr)
	}
}

func (p *folder) wantRefused(named string, flags ...string) {
	p.t.Helper()
	end := p.run(append([]string{"run", "x.yaml"}, flags...)...)
	if end.code == 0 || !strings.Contains(end.stderr, named) {
		p.t.Errorf("%q: exit code %d\n%s", flags, end.code, end.stderr)
	}
	if _, err := os.Stat(p.path("ran")); err == nil {
		p.t.Errorf("%q: a step ran although its run could not be kept", flags)
	}
}
