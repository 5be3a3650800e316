package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
)

func TestASummarySaysWhatIsRunningSinceWhen(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	w := writeRun(t, dir, options())
	s, err := Summarize(dir)
	must(t, err)
	if s.Status != StatusInterrupted || s.RunID != "r1" || s.Recipe != "bake" || s.WorkDir != "/project" || !s.Started.Equal(epoch) ||
		s.Records != 7 || s.Attempt != 1 || !s.Last.Equal(epoch.Add(7*time.Second)) || s.End != nil || s.Torn != nil {
		t.Errorf("summary %+v", s)
	}
	if len(s.Running) != 1 || s.Running[0].Path != "b" || s.Running[0].Process != nil || s.Running[0].Wait.Reason != "retry" ||
		!s.Running[0].Since.Equal(epoch.Add(6*time.Second)) || !s.Running[0].Last.Equal(epoch.Add(7*time.Second)) {
		t.Errorf("running %+v", s.Running)
	}
	must(t, w.Append(KindProcessStarted, ProcessStarted{"b#shell.1", process.Ident{PID: 9, PGID: 9, Start: "boot/2"}}))
	must(t, w.Append(KindWait, Wait{Due: epoch, Reason: "of the run"}))
	s, err = Summarize(dir)
	must(t, err)
	if s.Running[0].Process == nil || s.Running[0].Process.PID != 9 || s.Wait == nil || s.Wait.Reason != "of the run" {
		t.Errorf("summary %+v", s)
	}
	before := s.Running[0].Last
	must(t, w.Event(step.Event{Kind: step.Used, ID: "b#shell.1", Usage: &step.Usage{}}))
	s, err = Summarize(dir)
	must(t, err)
	if !s.Running[0].Last.After(before) {
		t.Error("what an agent tells of its usage is no sign of life")
	}
	must(t, w.Append(KindResumed, Resumed{Attempt: 2}))
	s, err = Summarize(dir)
	must(t, err)
	if s.Attempt != 2 || len(s.Running) != 0 || s.Wait != nil || s.Status != StatusInterrupted {
		t.Errorf("after the resume: %+v", s)
	}
	finish(t, w)
	s, err = Summarize(dir)
	must(t, err)
	if s.Status != StatusFinished || s.End == nil || s.End.Status != "success" {
		t.Errorf("at the end: %+v", s)
	}
}

// TestARunWithoutAnEndRunsOnlyWhileItIsHeld asks both ways of looking.
func TestARunWithoutAnEndRunsOnlyWhileItIsHeld(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	dir := filepath.Join(runs, "r1")
	must(t, os.Mkdir(dir, 0o700))
	must(t, writeRun(t, dir, options()).Close())
	status := func(want Status, pid int) {
		t.Helper()
		s, err := Summarize(dir)
		must(t, err)
		list, err := List(runs)
		must(t, err)
		if s.Status != want || s.Holder.Process.PID != pid || len(list) != 1 || list[0].Status != want || list[0].Holder != s.Holder {
			t.Errorf("status %s held by %v, listed %+v, want %s", s.Status, s.Holder, list, want)
		}
	}
	status(StatusInterrupted, 0)
	owner := startHolder(t, dir)
	status(StatusRunning, owner.cmd.Process.Pid)
	must(t, owner.cmd.Process.Kill())
	_ = owner.cmd.Wait()
	status(StatusInterrupted, 0)
}

func TestADamagedRunIsSummarisedUpToTheDamage(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	dir := finishedRunDir(t, runs, "r1", 0)
	whole := readFile(t, dir)
	writeFile(t, dir, append(whole, "oops\n"...))
	s, err := Summarize(dir)
	var damage *DamageError
	if !errors.As(err, &damage) || damage.Line != 3 || s.Status != StatusDamaged || s.Recipe != "bake" || s.Records != 2 {
		t.Errorf("summary %+v, error %v", s, err)
	}
	list, err := List(runs)
	must(t, err)
	if len(list) != 1 || list[0].Status != StatusDamaged || list[0].Err == nil {
		t.Errorf("list %+v", list)
	}
	writeFile(t, dir, append([]byte("oops\n"), whole...))
	if list, err = List(runs); err != nil || len(list) != 1 || list[0].Status != StatusDamaged {
		t.Errorf("list %+v, error %v", list, err)
	}
}

func TestListIsNewestFirstAndPassesOverWhatIsNoRun(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	for i, name := range []string{"b", "a", "c"} {
		finishedRunDir(t, runs, name, i%2)
	}
	must(t, os.Mkdir(filepath.Join(runs, "empty"), 0o700))
	must(t, os.Mkdir(filepath.Join(runs, "torn"), 0o700))
	writeFile(t, filepath.Join(runs, "torn"), []byte(`{"v":1`))
	must(t, os.WriteFile(filepath.Join(runs, "file"), nil, 0o600))
	list, err := List(runs)
	must(t, err)
	var names []string
	for _, s := range list {
		names = append(names, s.RunID)
	}
	if !slices.Equal(names, []string{"a", "c", "b"}) {
		t.Errorf("runs %v", names)
	}
	if list, err := List(filepath.Join(runs, "none")); err != nil || list != nil {
		t.Errorf("no folder: %v, %v", list, err)
	}
	if _, err := Summarize(filepath.Join(runs, "empty")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no journal: %v", err)
	}
}

// TestListAgreesWithSummarize has first and last records of every size about
// the blocks that List reads, and torn ends.
func TestListAgreesWithSummarize(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	sizes := []int{0, 1, tailRead - 400, tailRead, 4 * tailRead, headSize - 400, headSize, 5 * headSize}
	for _, head := range sizes {
		for _, tail := range sizes {
			dir := filepath.Join(runs, fmt.Sprintf("%d-%d", head, tail))
			must(t, os.Mkdir(dir, 0o700))
			w, err := Create(dir, options())
			must(t, err)
			must(t, w.Append(KindRunStarted, RunStarted{Recipe: "bake", Start: epoch, Sources: []Source{{Text: strings.Repeat("x", head)}}}))
			must(t, w.Append(KindRunFinished, RunFinished{Status: "failed", Reason: strings.Repeat("y", tail)}))
			must(t, w.Close())
			if (head+tail)%2 == 1 {
				writeFile(t, dir, append(readFile(t, dir), bytes.Repeat([]byte("\x00"), tail)...))
			}
		}
	}
	list, err := List(runs)
	must(t, err)
	for _, s := range list {
		whole, err := Summarize(s.Dir)
		must(t, err)
		if s.Status != whole.Status || s.End == nil || *s.End != *whole.End || !s.Last.Equal(whole.Last) || s.Recipe != whole.Recipe {
			t.Errorf("%s: %+v", s.RunID, s)
		}
	}
	if len(list) != len(sizes)*len(sizes) {
		t.Errorf("%d runs", len(list))
	}
}
