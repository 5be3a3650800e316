package interpreter_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/runner/interpreter"
	"github.com/brickoven/brickoven/runner/process"
)

// end is what a script came to.
type end struct {
	process.Exit
	out, err string
}

// spec is how the scripts of these tests run, where they do not say otherwise.
func spec(t *testing.T, script string) process.Spec {
	t.Helper()
	dir := t.TempDir()
	return process.Spec{
		Program: interpreter.Program(script, map[string]string{"large": "kept here"}), Dir: dir,
		Env:     []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "given=value"},
		Timeout: time.Minute, Leftover: process.EndWithRun,
	}
}

func run(ctx context.Context, t *testing.T, s process.Spec) end {
	t.Helper()
	var out, errOut bytes.Buffer
	s.Stdout, s.Stderr = &out, &errOut
	exit, err := process.Run(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	return end{exit, out.String(), errOut.String()}
}

func TestScriptsDoWhatTheyDoInBash(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		`echo one; printf '%s\n' two`:         "one\ntwo\n",
		`exit 7`:                              "(7)",
		`false`:                               "(1)",
		`set -e; false; echo never`:           "(1)",
		`set -u; echo "$nothing"; echo never`: "(1)",
		`set -o pipefail; false | true`:       "(1)",
		`cat`:                                 "the input",
		`read -r line; echo "<$line>"`:        "<the input>\n",
		`pwd -P >p; mkdir d; cd d; echo x >y; cat ../d/y`:                        "x\n",
		`echo out; echo err >&2; echo both >/dev/stdout`:                         "out\nboth\n",
		`{ echo a; echo b >&2; } 2>&1`:                                           "a\nb\n",
		`no-such-program; echo $?`:                                               "127\n",
		`./missing; echo $?`:                                                     "127\n",
		`: >f; ./f; echo $?`:                                                     "126\n",
		`echo 'echo "ran $1"' >f; chmod +x f; ./f it`:                            "ran it\n",
		`sh -c 'kill -9 $$'; echo $?`:                                            "137\n",
		`echo $given; env | grep ^given`:                                         "value\ngiven=value\n",
		`given=new; env | grep ^given; unset given; env | grep -c ^given`:        "given=new\n0\n(1)",
		`own=1; env | grep -c ^own=; export own; env | grep ^own`:                "0\nown=1\n",
		`echo $large; env | grep -c ^large=`:                                     "kept here\n0\n(1)",
		`mkdir d; cd d; env | grep -c "^PWD=.*/d$"`:                              "1\n",
		`f() { echo "$1"; return 3; }; f a || echo $?`:                           "a\n3\n",
		`for i in 1 2 3; do echo $i; done | sort -r | head -1`:                   "3\n",
		`while true; do echo y; done | head -2`:                                  "y\ny\n",
		`yes | head -1`:                                                          "y\n",
		`trap 'echo bye' EXIT; echo hello`:                                       "hello\nbye\n",
		`sleep 0.05 & wait; echo done`:                                           "done\n",
		`[ "-f" = "-f" ] && [ ! "x" = "y" ] && [[ "!(x)" == "!(x)" ]] && echo y`: "y\n",
		`[[ a != "b" ]] && [[ ! a == "b" ]] && [ -f /nothing ] || echo y`:        "y\n",
		`case abc in a*) echo y;; esac`:                                          "y\n",
		`x=abc; echo ${x#a} ${x/b/-} ${#x} $((2 + 3))`:                           "bc a-c 3 5\n",
		`cat <<EOF` + "\n$given\nEOF":                                            "value\n",
		`if`:                                                                     "(2)",
		`ulimit -n 10`:                                                           "(2)",
		`cat <(echo x)`:                                                          "(2)",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			s := spec(t, script)
			s.Stdin = strings.NewReader("the input")
			got := run(t.Context(), t, s)
			text := got.out
			if got.Code != 0 {
				text += fmt.Sprintf("(%d)", got.Code)
			}
			if text != want {
				t.Errorf("gave %q, want %q; %s", text, want, got.err)
			}
		})
	}
}

func TestTimeoutEndsScriptAndPrograms(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		`sleep 100`, `while :; do :; done`, `sleep 100 | cat`, `sleep 100 & wait`, `read -r x < pipe`,
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			s := spec(t, "mkfifo pipe; echo begun; "+script)
			s.Timeout, s.Grace = 3*time.Second, 100*time.Millisecond // a busy machine starts programs slowly
			got := run(t.Context(), t, s)
			if !got.TimedOut || got.Code != process.CodeTimeout || got.out != "begun\n" || len(got.Survivors) > 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestSilenceEndsScript(t *testing.T) {
	t.Parallel()
	s := spec(t, `for i in 1 2 3; do echo $i; sleep 0.1; done; sleep 100`)
	s.IdleTimeout, s.Grace = time.Second, 100*time.Millisecond
	if got := run(t.Context(), t, s); !got.Idle || got.out != "1\n2\n3\n" {
		t.Errorf("%+v", got)
	}
}

func TestCancellingEndsScript(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := spec(t, `echo begun; sleep 100; echo never`)
	s.Grace = 100 * time.Millisecond
	began := &signalled{seen: make(chan struct{})}
	go func() {
		<-began.seen
		cancel()
	}()
	s.Stdout = began
	exit, err := process.Run(ctx, s)
	if err != nil || !exit.Cancelled || began.String() != "begun\n" {
		t.Errorf("%+v %v %q", exit, err, began.String())
	}
}

// signalled tells of the first output.
type signalled struct {
	bytes.Buffer
	seen chan struct{}
	told bool
}

func (s *signalled) Write(piece []byte) (int, error) {
	if !s.told {
		s.told = true
		close(s.seen)
	}
	return s.Buffer.Write(piece)
}

func TestBackgroundJobLivesUntilTheRunEnds(t *testing.T) {
	family, err := process.Adopt()
	if err != nil {
		t.Fatal(err)
	}
	s := spec(t, `(while :; do sleep 0.01; echo more >>ticks; echo unseen; done) & echo started`)
	s.Grace = 100 * time.Millisecond
	var out bytes.Buffer
	s.Stdout = &out
	begun := time.Now()
	exit, err := family.Run(t.Context(), s)
	if err != nil || exit.Code != 0 || !strings.Contains(out.String(), "started\n") {
		t.Fatalf("%+v %v %q", exit, err, out.String())
	}
	ticks := filepath.Join(s.Dir, "ticks")
	size := func() int64 {
		info, err := os.Stat(ticks)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	for before := size(); size() < before+20; {
		if time.Since(begun) > time.Minute {
			t.Fatal("the job ended with the step")
		}
		time.Sleep(time.Millisecond)
	}
	printed := out.Len()
	if _, err := family.End(time.Second); err != nil {
		t.Error(err)
	}
	ended := size()
	time.Sleep(50 * time.Millisecond)
	if size() != ended || out.Len() != printed {
		t.Error("the job outlived the run")
	}
}

func TestScriptCannotTakeTheProgramWithIt(t *testing.T) {
	t.Parallel()
	// Which bound a recursion reaches first depends on what else takes memory.
	for script, why := range map[string]*regexp.Regexp{
		`f() { f; }; f; echo never`:                           regexp.MustCompile("without end|MiB of memory"),
		`f() { eval f; }; f | cat; echo never`:                regexp.MustCompile("without end|MiB of memory"),
		`x=aaaaaaaa; while :; do x=$x$x; done; echo never`:    regexp.MustCompile("MiB of memory"),
		`x=$(yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa); echo never`: regexp.MustCompile("MiB of memory"),
	} {
		t.Run(script, func(t *testing.T) {
			s := spec(t, "")
			s.Program = interpreter.ProgramWithin(script, 32<<20)
			if got := run(t.Context(), t, s); got.Code != 1 || got.out != "" || !why.MatchString(got.err) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestInputIsClosedWhenNobodyReadsIt(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	s := spec(t, `true`)
	s.Stdin = r
	if got := run(t.Context(), t, s); got.Code != 0 {
		t.Errorf("%+v", got)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
