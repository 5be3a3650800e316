//go:build linux

package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBothWaysOfWaitingSeeTheSame compares the wait in one system call with the
// one in goroutines, which other systems and old kernels have.
func TestBothWaysOfWaitingSeeTheSame(t *testing.T) {
	t.Parallel()
	// The children here belong to no family, and one that runs steps beside them
	// would take them for what a step left behind.
	const alone = "PROCESS_TEST_ALONE"
	if os.Getenv(alone) == "" {
		again := exec.Command(os.Args[0], "-test.run=^TestBothWaysOfWaitingSeeTheSame$", "-test.count=1", "-test.v")
		again.Env = append(os.Environ(), alone+"=1")
		if out, err := again.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS: TestBothWaysOfWaitingSeeTheSame/true_in_one_call") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	for _, test := range []struct {
		command       string
		timeout, idle time.Duration
		ready         bool // its bounds begin once it has written the file "ready"
		cancelled     bool
		want          string
	}{
		{command: "true", want: "0"},
		{command: "exit 7", want: "7"},
		{command: "kill -9 $$", want: "137 SIGKILL"},
		{command: "echo a; echo b >&2", want: "0 out=a err=b"},
		{command: "exec >&- 2>&-; exit 3", want: "3"},
		{command: "echo a; sleep 0.1; echo b; sleep 0.1; echo c >&2; sleep 0.05", want: "0 out=a b err=c"},
		{command: "head -c 3000000 /dev/zero | tr '\\0' x", want: "0 out=3000000"},
		{command: "head -c 60000 /dev/zero | tr '\\0' x >&2; exit 2", want: "2 err=60000"},
		{command: "(sleep 300 & ); echo done", want: "0 out=done leftover"},
		{command: "echo first; : >ready; exec sleep 300", timeout: 300 * time.Millisecond, ready: true, want: "124 timeout out=first"},
		{command: "echo first; : >ready; exec sleep 300", idle: 300 * time.Millisecond, ready: true, want: "124 idle out=first"},
		{command: "for i in 1 2 3 4; do echo $i; sleep 0.1; done", idle: time.Minute, want: "0 out=1 2 3 4"},
		{command: "exec sleep 300", cancelled: true, want: "143 SIGTERM cancelled"},
		{command: "exec 2>/dev/null; trap 'echo bye; exit 5' TERM; echo up; : >ready; while :; do sleep 0.02; done", timeout: 300 * time.Millisecond, ready: true, want: "124 timeout out=up bye"},
	} {
		for way, attend := range map[string]func(*child) func(context.Context, *Exit) bool{
			"in one call":   func(c *child) func(context.Context, *Exit) bool { return c.attend },
			"in goroutines": func(c *child) func(context.Context, *Exit) bool { return c.attendApart },
		} {
			t.Run(test.command+" "+way, func(t *testing.T) {
				t.Parallel()
				var out, err strings.Builder
				s := Spec{
					Argv: []string{"bash", "-c", test.command}, Env: os.Environ(), Stdout: &out, Stderr: &err,
					Dir: t.TempDir(), Timeout: test.timeout, IdleTimeout: test.idle,
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.cancelled {
					time.AfterFunc(50*time.Millisecond, cancel)
				}
				var none *Family
				c, failed := none.launch(s)
				if failed != nil {
					t.Fatal(failed)
				}
				if test.ready {
					c.beginWhen(t, filepath.Join(s.Dir, "ready"))
				}
				e := c.supervise(ctx, attend(c))
				if got := told(e, out.String(), err.String()); got != test.want {
					t.Errorf("got %s, want %s", got, test.want)
				}
			})
		}
	}
}

// beginWhen starts the bounds of the child anew once it has written a file: a
// busy machine may take longer to start a program than a test wants to wait.
func (c *child) beginWhen(t *testing.T, file string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s was not written", file)
		}
	}
	c.begun = time.Now()
	c.pulse.beat()
}

// told puts an end into words; long outputs are counted.
func told(e Exit, out, err string) string {
	text := fmt.Sprint(e.Code)
	if e.Signal != "" && e.Code != CodeTimeout {
		text += " " + e.Signal
	}
	for word, is := range map[string]bool{" timeout": e.TimedOut, " idle": e.Idle, " cancelled": e.Cancelled} {
		if is {
			text += word
		}
	}
	for _, stream := range []struct{ name, text string }{{" out=", out}, {" err=", err}} {
		if len(stream.text) > 1000 {
			text += stream.name + fmt.Sprint(len(stream.text))
		} else if stream.text != "" {
			text += stream.name + strings.Join(strings.Fields(stream.text), " ")
		}
	}
	if e.Leftover > 0 {
		text += " leftover"
	}
	return text
}
