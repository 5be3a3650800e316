//go:build unix

package process_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brickoven/brickoven/runner/process"
)

// family is the one of the test binary; the tests that need none run in a
// helper of their own.
var family *process.Family

// helperEnv makes the test binary run as a helper program instead.
const helperEnv = "PROCESS_TEST_HELPER"

func TestMain(m *testing.M) {
	if helper := os.Getenv(helperEnv); helper != "" {
		os.Exit(runHelper(helper, os.Args[1:]))
	}
	var err error
	if family, err = process.Adopt(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if _, err := family.End(time.Second); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runHelper(name string, args []string) int {
	switch name {
	case "lines":
		for i := range 200 {
			fmt.Printf("%s line %d\n", args[0], i)
		}
	case "long":
		n, err := strconv.Atoi(args[0])
		if err != nil {
			return 2
		}
		piece := bytes.Repeat([]byte("x"), 1<<16)
		for n > 0 {
			written, err := os.Stdout.Write(piece[:min(n, len(piece))])
			if err != nil {
				return 3
			}
			n -= written
		}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		fmt.Println("ready")
		time.Sleep(time.Hour)
	case "family":
		return familyOfItsOwn()
	default:
		return 2
	}
	return 0
}

// self is the command line that runs the test binary as a helper.
func self(t testing.TB, helper string, args ...string) process.Spec {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return process.Spec{Argv: append([]string{program}, args...), Env: append(os.Environ(), helperEnv+"="+helper)}
}

func bash(t testing.TB, command string) process.Spec {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	return process.Spec{Argv: []string{"bash", "-c", command}, Env: os.Environ()}
}

// run runs a spec in the family and gives its standard output.
func run(t testing.TB, s process.Spec) (process.Exit, string) {
	t.Helper()
	var out bytes.Buffer
	s.Stdout = &out
	exit, err := family.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if exit.OutputErr != nil || len(exit.Survivors) > 0 {
		t.Fatalf("output error %v, survivors %v", exit.OutputErr, exit.Survivors)
	}
	return exit, out.String()
}

// gone waits until no process of that number runs any more.
func gone(t testing.TB, pid int) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil && syscall.Kill(pid, 0) != nil || bytes.Contains(stat, []byte(") Z ")) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("process %d still runs", pid)
}

func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(stat, []byte(") Z "))
}

// pids reads the numbers that a command printed.
func pids(t testing.TB, text string) []int {
	t.Helper()
	var all []int
	for _, field := range strings.Fields(text) {
		if pid, err := strconv.Atoi(field); err == nil {
			all = append(all, pid)
		}
	}
	if len(all) == 0 {
		t.Fatalf("no process numbers in %q", text)
	}
	return all
}
