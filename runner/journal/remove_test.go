package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestRemoveTakesFinishedRunsOnly(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	dir := finishedRunDir(t, runs, "done", 0)
	must(t, os.MkdirAll(filepath.Join(dir, "steps"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "steps", "a"), []byte("x"), 0o400))
	must(t, Remove(dir))
	if exists(dir) {
		t.Error("the finished run is still there")
	}
	if err := Remove(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a run that is not there: %v", err)
	}

	for name, want := range map[string]Status{"interrupted": StatusInterrupted, "damaged": StatusDamaged, "torn": StatusInterrupted} {
		dir := filepath.Join(runs, name)
		must(t, os.Mkdir(dir, 0o700))
		w := writeRun(t, dir, options())
		must(t, w.Close())
		switch name {
		case "damaged":
			writeFile(t, dir, append(readFile(t, dir), "oops\n"...))
		case "torn":
			writeFile(t, dir, readFile(t, dir)[:20])
		}
		var unfinished *UnfinishedError
		if err := Remove(dir); !errors.As(err, &unfinished) || unfinished.Status != want || unfinished.RunID != name || !exists(dir) {
			t.Errorf("%s: %v", name, err)
		}
		if _, held, err := Holder(dir); held || err != nil {
			t.Errorf("%s stays held: %v", name, err)
		}
		must(t, Discard(dir))
		if exists(dir) {
			t.Errorf("the %s run is still there", name)
		}
	}
}

func TestAHeldRunIsNeverRemoved(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	dir := finishedRunDir(t, runs, "r1", 0)
	startHolder(t, dir)
	var held *HeldError
	for _, remove := range []func(string) error{Remove, Discard} {
		if err := remove(dir); !errors.As(err, &held) || !exists(filepath.Join(dir, File)) {
			t.Errorf("error %v", err)
		}
	}
	removed, kept, err := Prune(runs, 0)
	if err != nil || removed != nil || !slices.Equal(kept, []string{"r1"}) {
		t.Errorf("removed %v, kept %v, error %v", removed, kept, err)
	}
}

func TestRemoveLeavesAFolderAloneThatIsNoRun(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "holiday")
	must(t, os.WriteFile(filepath.Join(dir, "photo"), nil, 0o600))
	for _, remove := range []func(string) error{Remove, Discard} {
		if err := remove(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error %v", err)
		}
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("files %v", names)
	}
}

func TestPruneKeepsTheNewestFinishedAndAllUnfinishedRuns(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	for i := range 6 {
		finishedRunDir(t, runs, fmt.Sprint("f", i), i)
	}
	for _, name := range []string{"interrupted", "damaged"} {
		dir := filepath.Join(runs, name)
		must(t, os.Mkdir(dir, 0o700))
		must(t, writeRun(t, dir, options()).Close())
	}
	damaged := filepath.Join(runs, "damaged")
	writeFile(t, damaged, append(readFile(t, damaged), "oops\n"...))
	removed, kept, err := Prune(runs, 2)
	must(t, err)
	slices.Sort(kept)
	if !slices.Equal(removed, []string{"f3", "f2", "f1", "f0"}) || !slices.Equal(kept, []string{"damaged", "f4", "f5", "interrupted"}) {
		t.Errorf("removed %v, kept %v", removed, kept)
	}
	if exists(filepath.Join(runs, "f3")) || !exists(filepath.Join(runs, "f4")) || !exists(damaged) {
		t.Error("the folders do not agree")
	}
	if _, _, err := Prune(runs, -1); err == nil {
		t.Error("a negative number was accepted")
	}
	if removed, kept, err := Prune(filepath.Join(runs, "none"), 1); err != nil || removed != nil || kept != nil {
		t.Error(removed, kept, err)
	}
}

// TestPruneSweepsWhatARemovalLeftAndNoRunThatBegins tells folders without a
// journal apart.
func TestPruneSweepsWhatARemovalLeftAndNoRunThatBegins(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	for name, lock := range map[string]string{"left": "\x00{}\n", "opening": "", "held": ""} {
		dir := filepath.Join(runs, name)
		must(t, os.Mkdir(dir, 0o700))
		must(t, os.WriteFile(filepath.Join(dir, LockFile), []byte(lock), 0o600))
	}
	must(t, os.Mkdir(filepath.Join(runs, "begun"), 0o700))
	startHolder(t, filepath.Join(runs, "held"))
	_, _, err := Prune(runs, 0)
	must(t, err)
	entries, err := os.ReadDir(runs)
	must(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if !slices.Equal(names, []string{"begun", "held", "opening"}) {
		t.Errorf("folders %v", names)
	}
}

func TestRetainWaitsUntilThereIsSomethingToDo(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	must(t, Retain(filepath.Join(runs, "none")))
	for i := range DefaultKeep + slack {
		finishedRunDir(t, runs, fmt.Sprintf("r%04d", i), i)
	}
	count := func() int {
		entries, err := os.ReadDir(runs)
		must(t, err)
		return len(entries)
	}
	must(t, Retain(runs))
	if n := count(); n != DefaultKeep+slack {
		t.Errorf("%d runs are left", n)
	}
	finishedRunDir(t, runs, "one more", 9999)
	must(t, Retain(runs))
	if n := count(); n != DefaultKeep || !exists(filepath.Join(runs, "one more")) {
		t.Errorf("%d runs are left", n)
	}
}
