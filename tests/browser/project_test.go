package browser

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// project is a folder with recipes and a state of its own.
type project struct {
	t   *testing.T
	dir string
	env []string
}

func newProject(t *testing.T, files map[string]string) *project {
	t.Helper()
	p := &project{t: t, dir: t.TempDir()}
	home := filepath.Join(t.TempDir(), "home")
	p.env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Test", "GIT_AUTHOR_EMAIL=test@example.com",
		"GIT_COMMITTER_NAME=Test", "GIT_COMMITTER_EMAIL=test@example.com")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(p.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = p.dir, p.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return p
}

func (p *project) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	return cmd
}

// run runs a recipe, however that ends, and gives the file of its report.
func (p *project) run(args ...string) (report string) {
	p.t.Helper()
	if out, err := p.command(append([]string{"run"}, args...)...).CombinedOutput(); err != nil && !isExit(err) {
		p.t.Fatalf("run %v: %v\n%s", args, err, out)
	}
	return p.report()
}

func isExit(err error) bool {
	_, is := err.(*exec.ExitError)
	return is
}

// report makes the page of the newest run.
func (p *project) report(args ...string) string {
	p.t.Helper()
	file := filepath.Join(p.dir, "report.html")
	if out, err := p.command(append([]string{"report", "-o", file}, args...)...).CombinedOutput(); err != nil {
		p.t.Fatalf("report: %v\n%s", err, out)
	}
	return file
}

// serve starts brickoven ui and gives its address. end ends it.
func (p *project) serve() (address string, end func()) {
	p.t.Helper()
	cmd := p.command("ui")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	ended := false
	end = func() {
		if !ended {
			ended = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	p.t.Cleanup(end)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.t.Fatalf("brickoven ui says %q: %v", line, err)
	}
	return strings.TrimSpace(line), end
}

// only gives the id of the only run.
func (p *project) only() string {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(filepath.Dir(p.stateRoot()), "*", "runs", "*"))
	if err != nil || len(found) != 1 {
		p.t.Fatalf("runs: %v, %v", found, err)
	}
	return filepath.Base(found[0])
}

// stateRoot is the folder of the project's state.
func (p *project) stateRoot() string {
	for _, entry := range p.env {
		if home, is := strings.CutPrefix(entry, "XDG_STATE_HOME="); is {
			return filepath.Join(home, "brickoven", "project")
		}
	}
	return ""
}
