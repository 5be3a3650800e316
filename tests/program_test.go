package tests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// folder is a working directory for a test that starts the binary, with a home
// that no other test shares.
type folder struct {
	t   *testing.T
	dir string
}

// newFolder makes a folder that holds the given files.
func newFolder(t *testing.T, files map[string]string) *folder {
	t.Helper()
	p := &folder{t: t, dir: t.TempDir()}
	for name, text := range files {
		path := p.path(name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *folder) path(name string) string { return filepath.Join(p.dir, name) }

// read gives a file's content; empty where it is not there yet.
func (p *folder) read(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(p.path(name))
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	return string(data)
}

// command prepares a start of the binary.
func (p *folder) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir = p.dir
	cmd.Env = append(withoutOwn(os.Environ()), "HOME="+p.path("home"), "XDG_STATE_HOME="+p.path("state"))
	return cmd
}

// withoutOwn leaves out what a run around these tests would have set.
func withoutOwn(environ []string) []string {
	return slices.DeleteFunc(environ, func(entry string) bool {
		return strings.HasPrefix(entry, "BRICKOVEN") || strings.HasPrefix(entry, "AMPLIHACK")
	})
}

// ended is what a start of the binary left behind.
type ended struct {
	stdout, stderr string
	code           int
}

// run starts the binary and waits for its end.
func (p *folder) run(args ...string) ended {
	p.t.Helper()
	return wait(p.t, p.command(args...))
}

// wait runs a prepared command to its end; a signal that ended it is code -1.
func wait(t *testing.T, cmd *exec.Cmd) ended {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return ended{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}
