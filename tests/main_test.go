// Package tests holds the black-box tests: scripts and programs that run the
// real binary the way its users do.
package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binary is the path of the program under test, built once for all tests.
var binary string

func TestMain(m *testing.M) {
	if code, fake := fakeAgent(); fake {
		os.Exit(code)
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "brickoven-tests-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "brickoven")
	build := exec.Command("go", "build", "-o", binary, "github.com/brickoven/brickoven/cmd/brickoven")
	if raceEnabled {
		build.Args = append(build.Args[:2], append([]string{"-race"}, build.Args[2:]...)...)
	}
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the program under test: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
