package journal

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
)

// holdEnv makes the test binary hold the lock of a run until it is killed or
// its input ends.
const holdEnv = "JOURNAL_TEST_HOLD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdEnv); dir != "" {
		os.Exit(hold(dir))
	}
	os.Exit(m.Run())
}

func hold(dir string) int {
	lock, err := Acquire(dir, Owner{Process: process.Ident{PID: os.Getpid()}, Host: "elsewhere", Command: "the other one"})
	if err != nil {
		fmt.Println(err)
		return 5
	}
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := lock.Release(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// holder is another process that tried to hold a run.
type holder struct {
	cmd   *exec.Cmd
	stdin io.Closer
	said  string
}

func startHolder(t *testing.T, dir string) *holder {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), holdEnv+"="+dir)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return &holder{cmd, stdin, line}
}

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)

// options have a clock that goes on by a second at every look.
func options() Options {
	now := epoch
	return Options{Now: func() time.Time {
		now = now.Add(time.Second)
		return now
	}}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// runDir makes the folder of a run with the given name.
func runDir(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	must(t, os.Mkdir(dir, 0o700))
	return dir
}

func done(id, text string) step.Event {
	return step.Event{Kind: step.Done, ID: id, At: epoch, Result: &step.Result{OK: true, Value: text, Text: text, Duration: time.Millisecond}}
}

// writeRun writes the journal of a small run with one record of nearly every
// kind, without its end.
func writeRun(t testing.TB, dir string, opts Options) *Writer {
	t.Helper()
	w, err := Create(dir, opts)
	must(t, err)
	must(t, w.Append(KindRunStarted, RunStarted{
		RunID: filepath.Base(dir), Recipe: "bake", Start: epoch, Dir: "/project",
		Vars:    []Variable{{"n", Carry("1")}},
		Sources: []Source{{"bake.yaml", "00", "name: bake\nsteps: []\n"}},
	}))
	must(t, w.Note(step.Note{Kind: step.StepStarted, Path: "a", At: epoch}))
	must(t, w.Append(KindActionStarted, ActionStarted{ID: "a#shell.1", Kind: "shell", Path: "a", Attempt: 1}))
	must(t, w.Append(KindProcessStarted, ProcessStarted{"a#shell.1", process.Ident{PID: 7, PGID: 7, Start: "boot/1"}}))
	must(t, w.Event(done("a#shell.1", "hello")))
	must(t, w.Append(KindActionStarted, ActionStarted{ID: "b#shell.1", Kind: "shell", Path: "b", Attempt: 1}))
	must(t, w.Append(KindWait, Wait{ID: "b#shell.1", Due: epoch.Add(time.Hour), Reason: "retry"}))
	return w
}

func finish(t testing.TB, w *Writer) {
	t.Helper()
	must(t, w.Append(KindRunFinished, RunFinished{Status: "success", Reason: "all steps completed"}))
	must(t, w.Close())
}

// finishedRunDir makes a finished run below runs, started so many minutes after the
// epoch.
func finishedRunDir(t testing.TB, runs, name string, minutes int) string {
	t.Helper()
	dir := filepath.Join(runs, name)
	must(t, os.MkdirAll(dir, 0o700))
	w, err := Create(dir, options())
	must(t, err)
	must(t, w.Append(KindRunStarted, RunStarted{RunID: name, Recipe: "bake", Start: epoch.Add(time.Duration(minutes) * time.Minute)}))
	finish(t, w)
	return dir
}

func readFile(t testing.TB, dir string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, File))
	must(t, err)
	return text
}

func writeFile(t testing.TB, dir string, text []byte) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(dir, File), text, 0o600))
}

func lines(text []byte) [][]byte {
	return bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
}

// readAll gives all records up to the first error.
func readAll(dir string) ([]Record, *Torn, error) {
	r, err := Read(dir)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = r.Close() }()
	var records []Record
	for record, err := range r.Records() {
		if err != nil {
			return records, r.Torn(), err
		}
		records = append(records, record)
	}
	return records, r.Torn(), nil
}
