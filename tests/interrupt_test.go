//go:build linux

package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// level is a recipe of the deep tree: a group, a foreach and a graph around the
// call of the next level. Every leaf writes its line, leaves a child in the
// background, and from the line $STOP on it stays until it is ended.
const level = `name: level%[1]d
hooks: {post_step: "true"}
steps:
  - {id: left, parallel_group: g, command: &leaf 'sleep 600 & echo leaf >> log; [ "$(wc -l < log)" -lt "$STOP" ] || exec sleep 600'}
  - {id: right, parallel_group: g, command: *leaf}
  - {id: each, foreach: "{{list}}", parallel: 2, command: *leaf}
  - {id: down, recipe: level%[2]d, depends_on: [each], continue_on_error: true, retry: {attempts: 2, delay: 0}}
  - {id: side, command: *leaf, depends_on: [each]}
  - {id: last, command: *leaf}
finally:
  - {id: tidy, command: 'echo "level%[1]d {{run.status}}" >> tidied'}
context: {list: [1, 2]}
`

const bottom = `name: level7
steps:
  - {id: leaf, command: 'echo leaf >> log; [ "$(wc -l < log)" -lt "$STOP" ] || exec sleep 600'}
`

const leaves = 6*6 + 1

func deepTree(t *testing.T, stop int) *place {
	t.Helper()
	p := newPlace(t)
	for n := 1; n <= 6; n++ {
		p.write(fmt.Sprintf("level%d.yaml", n), fmt.Sprintf(level, n, n+1))
	}
	p.write("level7.yaml", bottom)
	p.env = append(p.env, "STOP="+strconv.Itoa(stop), "BRICKOVEN_TEST_MARK="+p.dir)
	return p
}

// left lists the processes that carry the mark of a place.
func (p *place) left() (pids []string) {
	p.t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, file := range files {
		// A process that is gone, or belongs to somebody else, is none of ours.
		data, _ := os.ReadFile(file)
		if bytes.Contains(data, []byte("BRICKOVEN_TEST_MARK="+p.dir+"\x00")) {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}

func TestADeepTreeRunsToItsEndAndLeavesNoProcess(t *testing.T) {
	t.Parallel()
	p := deepTree(t, 1000)
	if code, output := p.run("run", "level1"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, output)
	}
	if got := strings.Count(p.read("log"), "\n"); got != leaves {
		t.Errorf("%d leaves ran, want %d", got, leaves)
	}
	if pids := p.left(); len(pids) > 0 {
		t.Errorf("the run left %v", pids)
	}
}

func TestADeepTreeInterruptedAnywhereEndsAndLeavesNoProcess(t *testing.T) {
	t.Parallel()
	points := []int{1, 3, 9, 20, leaves}
	if testing.Short() || raceEnabled {
		points = []int{1, 20}
	}
	for _, stop := range points {
		t.Run(fmt.Sprintf("after %d leaves", stop), func(t *testing.T) {
			t.Parallel()
			interrupted(t, stop)
		})
	}
}

func interrupted(t *testing.T, stop int) {
	t.Helper()
	p := deepTree(t, stop)
	var out, errOut bytes.Buffer
	cmd := p.command("run", "level1", "--output-format", "json")
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for strings.Count(p.read("log"), "\n") < stop {
		select {
		case err := <-ended:
			t.Fatalf("the run ended before leaf %d: %v\n%s", stop, err, errOut.String())
		case <-tick.C:
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-ended
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130\n%s", code, errOut.String())
	}
	var result struct{ Status, Reason string }
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		t.Fatalf("the result is no JSON document: %v\n%s", err, out.String())
	}
	if result.Status != "interrupted" {
		t.Errorf("status %q, want interrupted", result.Status)
	}
	// The root's finally steps come last; those of the recipes that were under
	// way have run as well, each once.
	tidied := strings.Split(strings.TrimSpace(p.read("tidied")), "\n")
	if last := tidied[len(tidied)-1]; last != "level1 interrupted" {
		t.Errorf("finally wrote %q last, want level1 interrupted", last)
	}
	seen := map[string]bool{}
	for _, line := range tidied {
		name, _, _ := strings.Cut(line, " ")
		if seen[name] {
			t.Errorf("the finally steps of %s ran twice: %v", name, tidied)
		}
		seen[name] = true
	}
	if pids := p.left(); len(pids) > 0 {
		t.Errorf("the run left %v", pids)
	}
}
