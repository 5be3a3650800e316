package guard

import (
	"os"
	"os/exec"
	"slices"
	"testing"
)

func TestBothWaysOfListingChildrenFindThem(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // It was killed, which is no news.
	})
	for name, children := range map[string]func(int) []int{"one file a thread": childrenFiles, "every process": childrenByParent()} {
		if list := children(os.Getpid()); !slices.Contains(list, cmd.Process.Pid) {
			t.Errorf("%s: %v lacks %d", name, list, cmd.Process.Pid)
		}
	}
	if got := parent(cmd.Process.Pid); got != os.Getpid() {
		t.Errorf("the parent is %d, want %d", got, os.Getpid())
	}
}

func TestTheMarkIsSetOnTheProcessAndNotOnAThread(t *testing.T) {
	t.Parallel()
	thisSystem()
	if !isRun(os.Getpid()) {
		t.Error("this process does not carry the mark of a run")
	}
}
