//go:build unix

package tests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAnInterruptedTestLeavesNothingBehind interrupts brickoven test while a
// case runs: the case ends with it, and its folder goes.
func TestAnInterruptedTestLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	mark := filepath.Join(d.dir, "pid")
	for name, text := range map[string]string{
		"slow.yaml":      "name: slow\nsteps:\n  - {id: a, command: 'echo $$ > \"$MARK\"; exec sleep 600'}\n",
		"slow.test.yaml": "recipe: ./slow.yaml\ncases:\n  - {name: slow, expect: {exit_code: 0}}\n  - {name: next, expect: {exit_code: 0}}\n",
	} {
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(binary, "test", "--parallel", "1", "slow.test.yaml")
	cmd.Dir, cmd.Env = d.dir, append(d.env, "MARK="+mark)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := ""
	for pid == "" {
		if data, err := os.ReadFile(mark); err == nil {
			pid = strings.TrimSpace(string(data))
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("ended with %v\n%s", err, errOut.String())
	}
	if out, err := exec.Command("kill", "-0", pid).CombinedOutput(); err == nil {
		t.Errorf("the step of the case still runs\n%s", out)
	}
	left, err := filepath.Glob(filepath.Join(d.dir, "home", "brickoven-test-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("the folders %v are left: %v", left, err)
	}
}
