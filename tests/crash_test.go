package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// arena is a folder in which runs are killed and resumed, with a state of its
// own.
type arena struct {
	t     *testing.T
	dir   string
	state string
}

func newArena(t *testing.T, recipe, child string) *arena {
	t.Helper()
	a := &arena{t: t, dir: t.TempDir(), state: t.TempDir()}
	for name, text := range map[string]string{"crash.yaml": recipe, "child.yaml": child} {
		if err := os.WriteFile(filepath.Join(a.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

func (a *arena) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir = a.dir
	cmd.Env = append(os.Environ(), "BRICKOVEN_STATE_DIR="+a.state, "HOME="+a.state)
	return cmd
}

// run waits for a command and gives its standard output and exit code.
func (a *arena) run(args ...string) (string, int) {
	a.t.Helper()
	cmd := a.command(args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if cmd.ProcessState == nil {
		a.t.Fatal(err)
	}
	a.t.Logf("%v: exit %d\n%s", args, cmd.ProcessState.ExitCode(), errOut.String())
	return out.String(), cmd.ProcessState.ExitCode()
}

// killed starts a command, kills it after a while, and reports whether it was
// still running.
func (a *arena) killed(after time.Duration, args ...string) bool {
	a.t.Helper()
	cmd := a.command(args...)
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
		return false
	case <-time.After(after):
	}
	if err := cmd.Process.Kill(); err != nil {
		a.t.Log(err)
	}
	<-ended
	return cmd.ProcessState.ExitCode() == -1
}

// lines counts the lines of the log that begin with a word.
func (a *arena) lines(word string) map[string]int {
	data, err := os.ReadFile(filepath.Join(a.dir, "log"))
	if err != nil && !os.IsNotExist(err) {
		a.t.Fatal(err)
	}
	counts := map[string]int{}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), word+" "); ok {
			counts[rest]++
		}
	}
	return counts
}

// journal reads the records of the only run.
func (a *arena) journal() (records []map[string]any) {
	a.t.Helper()
	files, err := filepath.Glob(filepath.Join(a.state, "runs", "*", "journal.jsonl"))
	if err != nil || len(files) != 1 {
		a.t.Fatalf("journals: %v %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		a.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var rec map[string]any
		if err := json.Unmarshal([]byte(line), &rec); err == nil {
			records = append(records, rec)
		}
	}
	return records
}

// reruns counts how often each step was under way when its owner died.
func (a *arena) reruns() map[string]int {
	counts := map[string]int{}
	for _, rec := range a.journal() {
		if rec["kind"] != "resumed" {
			continue
		}
		list, _ := rec["data"].(map[string]any)["reruns"].([]any)
		for _, id := range list {
			path, _, _ := strings.Cut(id.(string), "#")
			counts[path[strings.LastIndexByte(path, '/')+1:]]++
		}
	}
	return counts
}

// work is the command of a step that leaves a line at its start and its end,
// and one more if another copy of it runs at the same time.
func work(id, pause string) string {
	return fmt.Sprintf(`exec 9>>"lock-%[1]s"; if command -v flock >/dev/null; then flock -n 9 || echo "twice %[1]s" >>log; fi
        echo "start %[1]s" >>log; sleep %[2]s; echo "end %[1]s" >>log; echo "%[1]s did $((2+3))"`, id, pause)
}

// fortySteps has thirty steps one after the other, in a group and in a graph,
// six in a called recipe, and four elements of a list.
func fortySteps() (root, child string, ids []string) {
	var b, c strings.Builder
	b.WriteString("name: crash\ncontext: {list: [0, 1, 2, 3]}\nsteps:\n")
	add := func(b *strings.Builder, id, keys string) {
		fmt.Fprintf(b, "  - id: %s\n    output: v_%s\n%s    command: |\n        %s\n", id, id, keys, work(id, "0.01"))
		ids = append(ids, id)
	}
	for i := range 30 {
		keys := ""
		if i >= 10 && i < 14 {
			keys = "    parallel_group: g\n"
		}
		if i >= 20 && i < 23 {
			keys = fmt.Sprintf("    depends_on: [s%02d]\n", 19-(i-20))
		}
		add(&b, fmt.Sprintf("s%02d", i), keys)
	}
	b.WriteString("  - {id: call, recipe: child}\n")
	fmt.Fprintf(&b, "  - id: each\n    foreach: \"{{list}}\"\n    parallel: 2\n    collect: all\n    command: |\n        %s\n", work("each[{{item}}]", "0.01"))
	c.WriteString("name: child\nsteps:\n")
	for i := range 6 {
		add(&c, fmt.Sprintf("c%d", i), "")
	}
	for i := range 4 {
		ids = append(ids, fmt.Sprintf("each[%d]", i))
	}
	return b.String(), c.String(), ids
}

func TestCrashesLoseNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("kills the program two hundred times")
	}
	t.Parallel()
	root, child, ids := fortySteps()
	undisturbed := newArena(t, root, child)
	begun := time.Now()
	out, code := undisturbed.run("run", "crash.yaml", "--output-format", "json")
	if code != 0 {
		t.Fatalf("the undisturbed run: exit %d\n%s", code, out)
	}
	want := essence(t, out)
	whole := time.Since(begun)

	// The race detector makes a run take five times as long; the full number is
	// for a run without it.
	enough := 200
	if raceEnabled {
		enough = 40
	}
	random := rand.New(rand.NewPCG(1, 2))
	for kills := 0; kills < enough; {
		a := newArena(t, root, child)
		args := []string{"run", "crash.yaml", "--output-format", "json"}
		mine := 0
		for mine < 25 && a.killed(time.Duration(random.Int64N(int64(whole)/3)), args...) {
			mine++
			if entries, err := os.ReadDir(filepath.Join(a.state, "runs")); err == nil && len(entries) > 0 && a.begun() {
				args = []string{"resume", "--output-format", "json"}
			} else {
				a.reset()
			}
		}
		kills += mine
		if mine > 0 && !a.begun() {
			continue // it was always killed before it had begun
		}
		a.check(want, ids, args[0] == "resume")
	}
}

// begun tells whether the journal holds a complete record: a run that was
// killed before that is as if it had never been.
func (a *arena) begun() bool {
	files, err := filepath.Glob(filepath.Join(a.state, "runs", "*", "journal.jsonl"))
	if err != nil || len(files) == 0 {
		return false
	}
	data, err := os.ReadFile(files[0])
	return err == nil && bytes.IndexByte(data, '\n') >= 0
}

func (a *arena) reset() {
	if err := os.RemoveAll(filepath.Join(a.state, "runs")); err != nil {
		a.t.Fatal(err)
	}
}

// check brings the run to its end and compares what the steps did.
func (a *arena) check(want string, ids []string, resumed bool) {
	a.t.Helper()
	out, code := "", 0
	if resumed {
		out, code = a.run("resume", "--output-format", "json")
	}
	if code == 4 { // it had come to its end before the last kill
		code = 0
		out = ""
	}
	if code != 0 {
		a.t.Fatalf("resume: exit %d\n%s", code, out)
	}
	if out != "" {
		if diff := cmp.Diff(want, essence(a.t, out)); diff != "" {
			a.t.Fatalf("the result differs from the undisturbed run's:\n%s", diff)
		}
	}
	starts, ends, reruns := a.lines("start"), a.lines("end"), a.reruns()
	for _, id := range ids {
		if starts[id] > 1+reruns[id] || ends[id] < 1 || ends[id] > 1+reruns[id] {
			a.t.Errorf("step %s: %d starts, %d ends, under way at %d deaths", id, starts[id], ends[id], reruns[id])
		}
	}
	if twice := a.lines("twice"); len(twice) > 0 {
		a.t.Errorf("two copies ran side by side: %v", twice)
	}
}

// essence is what of a result does not depend on time.
func essence(t *testing.T, out string) string {
	t.Helper()
	var res struct {
		Success     bool             `json:"success"`
		StepResults []map[string]any `json:"step_results"`
		Context     map[string]any   `json:"context"`
	}
	if err := json.Unmarshal([]byte(out), &res); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, st := range res.StepResults {
		timeless(st)
	}
	text, err := json.MarshalIndent(res, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// timeless takes the durations out of a step's result and those below it.
func timeless(st map[string]any) {
	delete(st, "duration")
	below, _ := st["steps"].([]any)
	for _, inner := range below {
		if inner, ok := inner.(map[string]any); ok {
			timeless(inner)
		}
	}
}

func single(id, pause string) string {
	return fmt.Sprintf("name: crash\nsteps:\n  - id: %s\n    command: |\n        %s\n", id, work(id, pause))
}

// A step that outlives the killed runner is ended before its second copy runs.
func TestAStepThatOutlivesItsRunnerNeverRunsTwiceAtATime(t *testing.T) {
	t.Parallel()
	a := newArena(t, single("long", "2"), "")
	if !a.killed(700*time.Millisecond, "run", "crash.yaml") {
		t.Fatal("the run ended before it was killed")
	}
	if _, code := a.run("resume"); code != 0 {
		t.Fatalf("resume: exit %d", code)
	}
	if twice := a.lines("twice"); len(twice) > 0 {
		t.Errorf("two copies ran side by side")
	}
	if ends := a.lines("end"); ends["long"] != 1 {
		t.Errorf("the step ended %d times, want once: the first copy was ended", ends["long"])
	}
}

func TestOnlyOneOfTwoResumersOwnsTheRun(t *testing.T) {
	t.Parallel()
	rounds := 50
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		a := newArena(t, single("one", "0.3"), "")
		if !a.killed(150*time.Millisecond, "run", "crash.yaml") || !a.begun() {
			continue
		}
		var codes [2]int
		var wait sync.WaitGroup
		for i := range codes {
			wait.Go(func() {
				cmd := a.command("resume")
				_ = cmd.Run()
				codes[i] = cmd.ProcessState.ExitCode()
			})
		}
		wait.Wait()
		if codes[0] > codes[1] {
			codes[0], codes[1] = codes[1], codes[0]
		}
		// The slower one finds the run held (5) or, when it comes late, finished (4).
		if codes[0] != 0 || codes[1] != 5 && codes[1] != 4 {
			t.Errorf("exit codes %v, want 0 and 5", codes)
		}
		if twice := a.lines("twice"); len(twice) > 0 {
			t.Errorf("two copies ran side by side")
		}
	}
}
