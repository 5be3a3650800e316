//go:build linux

package process_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brickoven/brickoven/runner/process"
)

// daemon is a command that leaves the group twice over and prints its number.
func daemon(t testing.TB) string {
	t.Helper()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("setsid is not installed")
	}
	return leave("", filepath.Join(t.TempDir(), "up"))
}

// leave is the command of a daemon, which ends when the file says that it is up.
func leave(before, up string) string {
	return fmt.Sprintf(`(%s setsid bash -c 'echo $$; : >"%s"; exec sleep 300 >/dev/null 2>&1' &); until [ -e "%[2]s" ]; do sleep 0.02; done`, before, up)
}

func TestABackgroundChildNeitherHoldsAStepNorOutlivesIt(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"sleep 300 & echo $!", "sleep 300 >/dev/null 2>&1 & echo $!"} {
		exit, out := run(t, bash(t, command))
		if exit.Code != 0 || exit.Leftover != 1 || exit.Duration > 30*time.Second {
			t.Errorf("%s: %+v", command, exit)
		}
		gone(t, pids(t, out)[0])
	}
}

func TestWhatABackgroundChildPrintsWithinTheDrainIsKept(t *testing.T) {
	t.Parallel()
	s := bash(t, "(sleep 0.2; echo late) & echo early")
	s.Drain = time.Minute
	if exit, out := run(t, s); out != "early\nlate\n" || exit.Open {
		t.Errorf("output %q, %+v", out, exit)
	}
}

func TestADaemonThatLeftTheGroupIsFoundAndEnded(t *testing.T) {
	t.Parallel()
	exit, out := run(t, bash(t, daemon(t)))
	if exit.Leftover != 1 {
		t.Errorf("exit %+v", exit)
	}
	gone(t, pids(t, out)[0])
}

func TestADaemonIsEndedAfterATimeout(t *testing.T) {
	t.Parallel()
	patiently(t, time.Second, func(timeout time.Duration) error {
		s := bash(t, daemon(t)+"; sleep 300")
		s.Timeout, s.Grace = timeout, 100*time.Millisecond
		exit, out := run(t, s)
		if !exit.TimedOut || out == "" {
			return fmt.Errorf("exit %+v, output %q", exit, out)
		}
		gone(t, pids(t, out)[0])
		return nil
	})
}

func TestAStepEndsItsOwnDaemonAndNotItsNeighbours(t *testing.T) {
	t.Parallel()
	release := filepath.Join(t.TempDir(), "release")
	var neighbour safeBuffer
	up := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		s := bash(t, daemon(t)+"; while [ ! -e '"+release+"' ]; do sleep 0.05; done")
		s.Stdout = &once{Writer: &neighbour, do: func() { close(up) }}
		if _, err := family.Run(t.Context(), s); err != nil {
			t.Error(err)
		}
	})
	<-up
	_, out := run(t, bash(t, daemon(t)))
	gone(t, pids(t, out)[0])
	other := pids(t, neighbour.String())[0]
	if !running(other) {
		t.Error("the daemon of the other step was ended, too")
	}
	if err := os.WriteFile(release, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	gone(t, other)
}

type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestADetachedProcessLivesOn(t *testing.T) {
	t.Parallel()
	s := bash(t, "sleep 300 >/dev/null 2>&1 & echo $!")
	s.Leftover = process.Detach
	exit, out := run(t, s)
	pid := pids(t, out)[0]
	if exit.Leftover != 0 || !running(pid) {
		t.Errorf("exit %+v, running %v", exit, running(pid))
	}
	if err := exec.Command("kill", fmt.Sprint(pid)).Run(); err != nil {
		t.Error(err)
	}
	gone(t, pid)
}

// TestAFamilyEndsWhatItKept runs in a program of its own, because it ends the
// family. So do the cases of processes without a token, which depend on no
// other step running.
func TestAFamilyEndsWhatItKept(t *testing.T) {
	t.Parallel()
	daemon(t)
	s := self(t, "family")
	var errs bytes.Buffer
	s.Stderr = &errs
	exit, out := run(t, s)
	if exit.Code != 0 || !strings.HasSuffix(out, "ok\n") {
		t.Errorf("exit %+v, output %q, errors %q", exit, out, errs.String())
	}
}

func familyOfItsOwn() int {
	check := func(ok bool, what string, args ...any) {
		if !ok {
			fmt.Printf(what+"\n", args...)
		}
	}
	if err := os.Unsetenv(helperEnv); err != nil {
		return 1
	}
	f, err := process.Adopt()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	start := func(leftover process.Leftover, command string) int {
		var out bytes.Buffer
		s := process.Spec{Argv: []string{"bash", "-c", command}, Env: os.Environ(), Stdout: &out, Leftover: leftover}
		if _, err := f.Run(context.Background(), s); err != nil {
			fmt.Println(err)
		}
		pid := 0
		if _, err := fmt.Sscan(out.String(), &pid); err != nil {
			fmt.Println(err)
		}
		return pid
	}
	dir, err := os.MkdirTemp("", "family")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(dir)
	hidden := func(name string) string { return leave(`env -i PATH="$PATH"`, filepath.Join(dir, name)) }
	kept := start(process.EndWithRun, "sleep 300 & echo $!")
	keptDaemon := start(process.EndWithRun, leave("", filepath.Join(dir, "kept")))
	detached := start(process.Detach, hidden("detached"))
	ended := start(process.EndWithStep, hidden("ended"))
	check(!running(ended), "a daemon without a token outlived its step")
	check(running(kept) && running(keptDaemon), "a kept process was ended early")
	check(running(detached), "a detached process was ended by a later step")
	n, err := f.End(5 * time.Second)
	check(n == 2 && err == nil, "End: %d, %v", n, err)
	check(!running(kept) && !running(keptDaemon), "a kept process outlived the run")
	check(running(detached), "a detached process was ended with the run")
	_ = exec.Command("kill", fmt.Sprint(detached)).Run()
	fmt.Println("ok")
	return 0
}

func TestTokensNestAndDetachedStepsHaveNone(t *testing.T) {
	t.Parallel()
	s := bash(t, `printf '%s|%s' "$BRICKOVEN_STEP_TOKEN" "$BRICKOVEN_DETACHED"`)
	s.Env = append(s.Env, process.EnvStepToken+"=outer-1", process.EnvDetached+"=1")
	_, first := run(t, s)
	_, second := run(t, s)
	if !strings.HasPrefix(first, "outer-1/") || !strings.HasSuffix(first, "|") || first == second {
		t.Errorf("tokens %q and %q", first, second)
	}
	s.Leftover = process.Detach
	if _, out := run(t, s); out != "|1" {
		t.Errorf("detached: %q", out)
	}
}

func TestOrphansThatEndAreReapedAndNobodysStatusIsStolen(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				exit, _ := run(t, bash(t, "(setsid true &) ; (true &) ; exit 9"))
				if exit.Code != 9 {
					t.Errorf("exit %+v", exit)
				}
				// Other code of this program may use os/exec beside the family.
				var failed *exec.ExitError
				if err := exec.Command("bash", "-c", "exit 8").Run(); !errors.As(err, &failed) || failed.ExitCode() != 8 {
					t.Errorf("os/exec: %v", err)
				}
			}
		})
	}
	all.Wait()
}

// An orphan that has ended stays in the table of processes until its reaper
// looks, which must not take as long as the step, nor as long as the run.
func TestOrphansAreReapedWhileStepsGoOn(t *testing.T) {
	t.Parallel()
	orphan := "(setsid bash -c 'echo $$' &)"
	reaped := func(pid int) bool {
		_, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
		return errors.Is(err, fs.ErrNotExist)
	}

	t.Run("one long step", func(t *testing.T) {
		t.Parallel()
		release := filepath.Join(t.TempDir(), "release")
		var out safeBuffer
		s := bash(t, orphan+"; until test -e "+release+"; do sleep 0.05; done")
		s.Leftover, s.Stdout = process.EndWithRun, &out
		over := make(chan error, 1)
		go func() {
			_, err := family.Run(t.Context(), s)
			over <- err
		}()
		until(t, func() bool { return strings.Contains(out.String(), "\n") })
		pid := pids(t, out.String())[0]
		until(t, func() bool { return reaped(pid) })
		if err := os.WriteFile(release, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := <-over; err != nil {
			t.Fatal(err)
		}
	})

	t.Run("many short steps", func(t *testing.T) {
		t.Parallel()
		up := filepath.Join(t.TempDir(), "up")
		s := bash(t, "(setsid bash -c 'echo $$; : >"+up+"' &); until test -e "+up+"; do sleep 0.02; done")
		s.Leftover = process.EndWithRun
		_, out := run(t, s)
		pid := pids(t, out)[0]
		until(t, func() bool {
			next := bash(t, "true")
			next.Leftover = process.EndWithRun
			run(t, next)
			return reaped(pid)
		})
	})
}

// until waits for a condition.
func until(t *testing.T, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not come about")
		}
	}
}

func TestProcessesAreFoundByTheirEnvironmentAndEndedByTheirIdent(t *testing.T) {
	t.Parallel()
	s := self(t, "stubborn")
	mine := fmt.Sprintf("run %d", os.Getpid()) // the test may run twice at once
	s.Env = append(s.Env, "PROCESS_TEST_RUN="+mine)
	ready, done := make(chan struct{}), make(chan process.Exit, 1)
	var id process.Ident
	s.Started = func(started process.Ident) { id = started }
	s.Stdout = &once{Writer: io.Discard, do: func() { close(ready) }}
	go func() {
		exit, err := family.Run(t.Context(), s)
		if err != nil {
			t.Error(err)
		}
		done <- exit
	}()
	<-ready
	found := process.FindByEnv("PROCESS_TEST_RUN", mine)
	if len(found) != 1 || found[0] != id {
		t.Errorf("found %+v, want %+v", found, id)
	}
	stranger := id
	stranger.Start += "9"
	if n, err := process.Kill(t.Context(), stranger, 0); n != 0 || err != nil {
		t.Errorf("a stranger with the same number: %d, %v", n, err)
	}
	if !process.Alive(id) || process.Alive(stranger) {
		t.Error("alive is wrong")
	}
	if n, err := process.Kill(t.Context(), id, 200*time.Millisecond); n != 1 || err != nil {
		t.Errorf("kill: %d, %v", n, err)
	}
	if exit := <-done; exit.Signal != "SIGKILL" {
		t.Errorf("exit %+v", exit)
	}
	if n, err := process.Kill(t.Context(), id, time.Second); n != 0 || err != nil {
		t.Errorf("kill of a dead one: %d, %v", n, err)
	}
}
