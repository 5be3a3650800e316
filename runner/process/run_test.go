//go:build unix

package process_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/brickoven/brickoven/runner/process"
)

func TestExitCodesAndSignalsAreReported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command, signal string
		code            int
	}{
		{"exit 0", "", 0},
		{"exit 79", "", 79},
		{"kill -KILL $$", "SIGKILL", 137},
		{"kill -TERM $$", "SIGTERM", 143},
	} {
		exit, _ := run(t, bash(t, c.command))
		if exit.Code != c.code || exit.Signal != c.signal || exit.TimedOut || exit.Cancelled {
			t.Errorf("%s: %+v", c.command, exit)
		}
	}
}

func TestAFailedStartIsTypedAndUnwrapsToTheErrno(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("x", 200_000)
	for name, c := range map[string]struct {
		spec  process.Spec
		errno error
		dir   string
	}{
		"not found in PATH": {process.Spec{Argv: []string{"no-such-program"}}, syscall.ENOENT, ""},
		"not found":         {process.Spec{Argv: []string{dir + "/none"}}, syscall.ENOENT, ""},
		"nothing":           {process.Spec{}, syscall.ENOENT, ""},
		"not executable":    {process.Spec{Argv: []string{plain}}, syscall.EACCES, ""},
		"in PATH, too":      {process.Spec{Argv: []string{"plain"}, Env: []string{"PATH=" + dir}}, syscall.EACCES, ""},
		"too large":         {process.Spec{Argv: []string{"/bin/sh", "-c", big}}, syscall.E2BIG, ""},
		"no folder":         {process.Spec{Argv: []string{"/bin/sh"}, Dir: dir + "/gone"}, syscall.ENOENT, dir + "/gone"},
		"no folder but":     {process.Spec{Argv: []string{"/bin/sh"}, Dir: plain}, syscall.ENOTDIR, plain},
	} {
		c.spec.Stdout, c.spec.Stdin = io.Discard, strings.NewReader("")
		_, err := family.Run(t.Context(), c.spec)
		var start *process.StartError
		if !errors.As(err, &start) || !errors.Is(err, c.errno) || start.Dir != c.dir {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheProgramIsLookedUpInThePathOfTheChild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), []byte("#!/bin/sh\necho found\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, spec := range []process.Spec{
		{Argv: []string{"mine"}, Env: []string{"PATH=/nowhere:" + dir}},
		{Argv: []string{"./mine"}, Dir: dir},
		{Argv: []string{"mine"}, Dir: dir, Env: []string{"PATH=."}},
	} {
		if _, out := run(t, spec); out != "found\n" {
			t.Errorf("%v: %q", spec.Argv, out)
		}
	}
}

func TestStdinIsTheReaderOrTheNullDevice(t *testing.T) {
	t.Parallel()
	if _, out := run(t, bash(t, "cat; echo end")); out != "end\n" {
		t.Errorf("no stdin: %q", out)
	}
	if _, out := run(t, bash(t, "echo lost 2>/dev/null >&0 || echo refused")); out != "refused\n" {
		t.Errorf("writing to no stdin: %q", out)
	}
	quiet := bash(t, "echo out; echo err >&2")
	if exit, err := family.Run(t.Context(), quiet); err != nil || exit.Code != 0 {
		t.Errorf("without outputs: %+v, %v", exit, err)
	}
	text := strings.Repeat("prompt\n", 50_000)
	s := bash(t, "cat")
	s.Stdin = strings.NewReader(text)
	if _, out := run(t, s); out != text {
		t.Errorf("reader: %d bytes of %d", len(out), len(text))
	}
	s = bash(t, "exec <&-; echo closed")
	s.Stdin = strings.NewReader(text)
	if exit, out := run(t, s); out != "closed\n" || exit.Code != 0 {
		t.Errorf("a child that does not read: %q, %+v", out, exit)
	}
}

func TestOneWriterForBothOutputsKeepsTheirOrder(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := bash(t, "for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; done")
	s.Stdout, s.Stderr = &out, &out
	if _, err := family.Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if want := "o1\ne1\no2\ne2\no3\ne3\no4\ne4\no5\ne5\n"; out.String() != want {
		t.Errorf("got %q", out.String())
	}
}

func TestOneLineMayHaveAnyLength(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 4096, 65_536, 65_537, 5 << 20} {
		if _, out := run(t, self(t, "long", fmt.Sprint(n))); len(out) != n {
			t.Errorf("%d bytes of %d", len(out), n)
		}
	}
}

// slowWriter takes far longer for what lies in a pipe than the drain lasts.
type slowWriter struct{ bytes int }

func (w *slowWriter) Write(piece []byte) (int, error) {
	time.Sleep(time.Duration(len(piece)) * time.Second / (1 << 20))
	w.bytes += len(piece)
	return len(piece), nil
}

func TestWhatLiesInThePipeIsNotLostToASlowWriter(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the length of a pipe is known on Linux only")
	}
	for _, command := range []string{"head -c 2000000 /dev/zero", "head -c 2000000 /dev/zero; sleep 300 &"} {
		var out slowWriter
		s := bash(t, command)
		s.Stdout, s.Drain = &out, -1
		if _, err := family.Run(t.Context(), s); err != nil || out.bytes != 2_000_000 {
			t.Errorf("%s: %d bytes, %v", command, out.bytes, err)
		}
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestAWriterThatFailsIsReportedAndTheChildGoesOn(t *testing.T) {
	t.Parallel()
	s := bash(t, "for i in $(seq 20000); do echo a line of output; done; exit 7")
	s.Stdout = failingWriter{syscall.ENOSPC}
	exit, err := family.Run(t.Context(), s)
	var output *process.OutputError
	if err != nil || exit.Code != 7 || !errors.As(exit.OutputErr, &output) || output.Stream != "stdout" || !errors.Is(exit.OutputErr, syscall.ENOSPC) {
		t.Errorf("exit %+v, %v", exit, err)
	}
}

// patiently tries with an ever longer bound what needs some time before the
// bound rings: on a busy machine that may be seconds.
func patiently(t *testing.T, first time.Duration, try func(bound time.Duration) error) {
	t.Helper()
	for bound := first; ; bound *= 4 {
		err := try(bound)
		if err == nil {
			return
		}
		if bound > time.Minute {
			t.Error(err)
			return
		}
	}
}

func TestATimeoutEndsTheWholeGroupWithCode124(t *testing.T) {
	t.Parallel()
	patiently(t, time.Second, func(timeout time.Duration) error {
		s := bash(t, `(trap "" TERM; echo $BASHPID; sleep 300 & echo $!; wait; while :; do sleep 300; done) & sleep 300 & echo $!; wait`)
		s.Timeout, s.Grace = timeout, 300*time.Millisecond
		exit, out := run(t, s)
		if exit.Code != process.CodeTimeout || !exit.TimedOut || exit.Idle || exit.Leftover == 0 || strings.Count(out, "\n") != 3 {
			return fmt.Errorf("exit %+v, output %q", exit, out)
		}
		for _, pid := range pids(t, out) {
			gone(t, pid)
		}
		return nil
	})
}

func TestATimeoutGivesTimeToCleanUp(t *testing.T) {
	t.Parallel()
	patiently(t, time.Second, func(timeout time.Duration) error {
		s := bash(t, `trap 'echo cleaned; exit 3' TERM; echo up; while :; do sleep 0.05; done`)
		s.Timeout, s.Grace = timeout, time.Minute
		exit, out := run(t, s)
		if exit.Code != process.CodeTimeout || out != "up\ncleaned\n" {
			return fmt.Errorf("exit %+v, output %q", exit, out)
		}
		return nil
	})
}

func TestSilenceEndsAChildThatHasAnIdleTimeout(t *testing.T) {
	t.Parallel()
	patiently(t, time.Second, func(idle time.Duration) error {
		s := bash(t, "for i in 1 2 3 4 5 6; do echo $i; sleep 0.3; done; sleep 300")
		s.IdleTimeout, s.Grace = idle, time.Second
		exit, out := run(t, s)
		if exit.Code != process.CodeTimeout || !exit.Idle || exit.TimedOut || out != "1\n2\n3\n4\n5\n6\n" {
			return fmt.Errorf("exit %+v, output %q", exit, out)
		}
		return nil
	})
}

// once is a writer that calls back when the first piece comes.
type once struct {
	io.Writer
	first sync.Once
	do    func()
}

func (w *once) Write(piece []byte) (int, error) {
	n, err := w.Writer.Write(piece)
	w.first.Do(w.do)
	return n, err
}

func TestACancelledContextPassesTheSignalOnOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cause error
		want  string
	}{{nil, "up\nTERM\n"}, {&process.Interrupt{Signal: syscall.SIGINT}, "up\nINT\n"}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		var out bytes.Buffer
		s := bash(t, `trap 'echo INT; n=1' INT; trap 'echo TERM; n=1' TERM; echo up; while [ -z "$n" ]; do sleep 0.05; done; sleep 0.3; exit 5`)
		s.Stdout, s.Grace = &once{Writer: &out, do: func() { cancel(c.cause) }}, time.Minute
		exit, err := family.Run(ctx, s)
		if err != nil || !exit.Cancelled || exit.Code != 5 || out.String() != c.want {
			t.Errorf("cause %v: exit %+v, %v, output %q", c.cause, exit, err, out.String())
		}
	}
}

func TestASecondSignalKillsAtOnce(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	kill := make(chan struct{})
	s := self(t, "stubborn")
	s.Stdout = &once{Writer: io.Discard, do: func() { cancel(); close(kill) }}
	s.Grace, s.Kill = time.Hour, kill
	exit, err := family.Run(ctx, s)
	if err != nil || exit.Signal != "SIGKILL" || !exit.Cancelled {
		t.Errorf("exit %+v, %v", exit, err)
	}
}

func TestStartedHasTheIdentOfALivingProcess(t *testing.T) {
	t.Parallel()
	var id process.Ident
	alive := false
	s := bash(t, "read x")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	s.Stdin = r
	s.Started = func(started process.Ident) {
		id, alive = started, process.Alive(started)
		_ = w.Close()
	}
	if _, err := family.Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if id.PID <= 1 || id.PGID != id.PID || id.Start == "" || !alive {
		t.Errorf("ident %+v, alive %v", id, alive)
	}
	if process.Alive(id) {
		t.Error("still alive after its end")
	}
}

func TestManyChildrenAtATimeKeepTheirOutputsApart(t *testing.T) {
	t.Parallel()
	spool, err := process.OpenSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			name := fmt.Sprintf("child-%d", i)
			stream := spool.Stream(name)
			s := self(t, "lines", name)
			s.Stdout = stream
			exit, err := family.Run(t.Context(), s)
			if err != nil || exit.Code != 0 {
				t.Errorf("%s: %+v, %v", name, exit, err)
				return
			}
			if _, err := stream.Close(); err != nil {
				t.Error(err)
			}
			var want strings.Builder
			for line := range 200 {
				fmt.Fprintf(&want, "%s line %d\n", name, line)
			}
			if got, err := stream.Capture(0); err != nil || got.Text != want.String() {
				t.Errorf("%s: %d bytes, %v", name, len(got.Text), err)
			}
		})
	}
	all.Wait()
	if err := spool.Close(); err != nil {
		t.Error(err)
	}
}
