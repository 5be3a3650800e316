package tests

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// desk is a folder with a home of its own, in which the program runs without
// meeting the user's recipes, agents or state.
type desk struct {
	dir string
	env []string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	dir := t.TempDir()
	home, tools := filepath.Join(dir, "home"), filepath.Join(dir, "tools")
	for _, folder := range []string{home, tools} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{
		"HOME=" + home, "XDG_STATE_HOME=" + filepath.Join(home, "state"), "TMPDIR=" + home,
		"PATH=" + tools + string(os.PathListSeparator) + filepath.Dir(binary) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"LC_ALL=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + dir, "TEST_BINARY=" + binary,
	}
	return &desk{dir: dir, env: env}
}

// tool puts a script on PATH.
func (d *desk) tool(t *testing.T, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, "tools", name), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
}

// copy puts a copy of a folder onto the desk and returns its path.
func (d *desk) copy(t *testing.T, from, name string) string {
	t.Helper()
	to := filepath.Join(d.dir, name)
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

// run runs a program to its end.
func (d *desk) run(t *testing.T, dir, program string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, d.env
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", program, err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}
