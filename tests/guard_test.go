//go:build linux

package tests

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// place is a folder with recipes and an environment of its own, in which a test
// runs the program.
type place struct {
	t   *testing.T
	dir string
	env []string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	dir := t.TempDir()
	p := &place{t: t, dir: dir}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "BRICKOVEN") && !strings.HasPrefix(entry, "XDG_") && !strings.HasPrefix(entry, "HOME=") {
			p.env = append(p.env, entry)
		}
	}
	p.env = append(p.env, "HOME="+dir)
	return p
}

func (p *place) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// read gives a file's text; it is empty where the file is not there.
func (p *place) read(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.t.Fatal(err)
	}
	return string(data)
}

func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	return cmd
}

// run gives the exit code of the program and all that it printed.
func (p *place) run(args ...string) (code int, output string) {
	p.t.Helper()
	cmd := p.command(args...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// levels counts how many runs wrote their line.
func (p *place) levels() int { return strings.Count(p.read("levels"), "\n") }

// copyProgram makes a second copy of the program under another name.
func (p *place) copyProgram(name string) {
	p.t.Helper()
	from, err := os.Open(binary)
	if err != nil {
		p.t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(filepath.Join(p.dir, name), os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		p.t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		p.t.Fatal(err)
	}
}

// nested is a recipe whose step writes a line and runs the recipe again, in a
// way that is meant to slip out of the count. Where a guard fails to hold, the
// step itself stops after 20.
const nested = `name: nested
steps:
  - id: again
    continue_on_error: true
    recovery_on_failure: false
    retry: {attempts: 2, delay: 0}
    command: |
      echo level >> levels
      test "$(wc -l < levels)" -lt 20 || exit 7
      %s
`

func TestNestedRunsAreRefusedHoweverTheyAreStarted(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, again string }{
		{"plainly", `"$BRICKOVEN_BIN" run nested`},
		{"without the variable", `env -u BRICKOVEN_DEPTH "$BRICKOVEN_BIN" run nested`},
		{"with the variable set to nothing", `BRICKOVEN_DEPTH=0 "$BRICKOVEN_BIN" run nested`},
		{"without any environment", `exec env -i HOME="$PWD" PATH="$PATH" BRICKOVEN_BIN="$BRICKOVEN_BIN" "$BRICKOVEN_BIN" run nested`},
		{"with a higher ceiling", `env -u BRICKOVEN_DEPTH BRICKOVEN_MAX_DEPTH=99 "$BRICKOVEN_BIN" run nested`},
		{"in a session of its own", `env -u BRICKOVEN_DEPTH setsid --wait "$BRICKOVEN_BIN" run nested`},
		{"as another copy", `env -u BRICKOVEN_DEPTH ./innocent run nested`},
		{"as another copy under another name", `(exec -a bash env -u BRICKOVEN_DEPTH ./innocent run nested)`},
		// The step ends only when the daemon is done, which it learns from a fifo:
		// a daemon that outlives its step is ended with the run.
		{"as a daemon", `fifo="done.$(wc -l < levels)"; mkfifo "$fifo"
      ( env -u BRICKOVEN_DEPTH setsid nohup sh -c '"$BRICKOVEN_BIN" run nested; echo $? > '"$fifo" < /dev/null > /dev/null 2>&1 & )
      exit "$(cat "$fifo")"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			if strings.Contains(test.again, "./innocent") {
				p.copyProgram("innocent")
			}
			p.write("nested.yaml", fmt.Sprintf(nested, test.again))
			code, output := p.run("run", "nested")
			if code != 79 {
				t.Errorf("exit code %d, want 79\n%s", code, output)
			}
			if got := p.levels(); got != 8 {
				t.Errorf("%d runs were nested, want 8: each once, tried neither again nor deeper", got)
			}
			if test.name != "as a daemon" && !strings.Contains(output, "BLOCKED_TERMINAL") {
				t.Errorf("the output lacks BLOCKED_TERMINAL:\n%s", output)
			}
		})
	}
}

func TestAChildMayLowerTheCeilingAndNeverRaiseIt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, outside, again string
		want                 int
	}{
		{"the outermost run raises", "10", `"$BRICKOVEN_BIN" run nested`, 10},
		{"the outermost run lowers", "3", `"$BRICKOVEN_BIN" run nested`, 3},
		{"a child lowers", "", `BRICKOVEN_MAX_DEPTH=4 "$BRICKOVEN_BIN" run nested`, 4},
		{"a child raises", "3", `BRICKOVEN_MAX_DEPTH=12 "$BRICKOVEN_BIN" run nested`, 3},
		{"a child forgets what was lowered", "3", `env -i HOME="$PWD" PATH="$PATH" BRICKOVEN_BIN="$BRICKOVEN_BIN" "$BRICKOVEN_BIN" run nested`, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.write("nested.yaml", fmt.Sprintf(nested, test.again))
			p.env = append(p.env, "BRICKOVEN_MAX_DEPTH="+test.outside)
			if code, output := p.run("run", "nested"); code != 79 {
				t.Errorf("exit code %d, want 79\n%s", code, output)
			}
			if got := p.levels(); got != test.want {
				t.Errorf("%d runs were nested, want %d", got, test.want)
			}
		})
	}
}

// Six elements run a nested run each, and every one of those has a child: with
// the runs' own children twelve at once.
func TestWidthCountsTheChildrenOfNestedRuns(t *testing.T) {
	t.Parallel()
	const outer = `name: outer
context: {list: [1, 2, 3, 4, 5, 6]}
steps:
  - id: each
    foreach: "{{list}}"
    parallel: 6
    continue_on_error: true
    command: |
      env -u BRICKOVEN_DEPTH -u BRICKOVEN_MAX_WIDTH "$BRICKOVEN_BIN" run inner --set n={{item}}
      code=$?
      [ "$code" = 0 ] || touch refused
      exit "$code"
`
	// The children wait for each other, so that all of them are there at once;
	// where one is refused, the others end.
	const inner = `name: inner
steps:
  - id: child
    command: |
      touch "at.{{n}}"
      until [ "$(ls at.* | wc -l)" -ge 6 ] || [ -e refused ]; do sleep 0.05; done
`
	for _, test := range []struct {
		width string
		code  int
	}{{"16", 0}, {"6", 79}} {
		t.Run(test.width, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.write("outer.yaml", outer)
			p.write("inner.yaml", inner)
			p.env = append(p.env, "BRICKOVEN_MAX_WIDTH="+test.width)
			code, output := p.run("run", "outer")
			if code != test.code {
				t.Errorf("exit code %d, want %d\n%s", code, test.code, output)
			}
			if test.code == 79 && !strings.Contains(output, "children would run at once") {
				t.Errorf("the refusal does not tell of the width:\n%s", output)
			}
		})
	}
}
