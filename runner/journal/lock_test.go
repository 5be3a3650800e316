package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"github.com/brickoven/brickoven/runner/process"
)

var me = Owner{Process: process.Ident{PID: 4711, PGID: 4711, Start: "boot/9"}, Host: "here", Command: "brickoven run", Since: epoch}

func TestASecondOwnerIsToldWhoHoldsTheRun(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	first := startHolder(t, dir)
	if first.said != "held\n" {
		t.Fatalf("the first holder said %q", first.said)
	}
	_, err := Acquire(dir, me)
	var held *HeldError
	if !errors.As(err, &held) || held.RunID != "r1" || held.Holder.Process.PID != first.cmd.Process.Pid || held.Holder.Command != "the other one" {
		t.Fatalf("error %#v, want a HeldError naming process %d", err, first.cmd.Process.Pid)
	}
	if second := startHolder(t, dir); !strings.Contains(second.said, "run r1 is held by process") {
		t.Errorf("the second process said %q", second.said)
	}
	holder, isHeld, err := Holder(dir)
	if err != nil || !isHeld || holder != held.Holder {
		t.Errorf("Holder: %+v, %v, %v", holder, isHeld, err)
	}
}

func TestAKilledOwnerHoldsNothing(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	first := startHolder(t, dir)
	must(t, first.cmd.Process.Kill())
	_ = first.cmd.Wait()
	if holder, held, err := Holder(dir); held || err != nil || holder != (Owner{}) {
		t.Fatalf("Holder after the kill: %+v, %v, %v", holder, held, err)
	}
	lock, err := Acquire(dir, me)
	must(t, err)
	holder, held, err := Holder(dir)
	must(t, err)
	if diff := cmp.Diff(me, holder); diff != "" || !held {
		t.Errorf("held %v: %s", held, diff)
	}
	must(t, lock.Release())
}

func TestAReleasedRunIsFreeAndNamesNobody(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	first := startHolder(t, dir)
	must(t, first.stdin.Close())
	must(t, first.cmd.Wait())
	lock, err := Acquire(dir, me)
	must(t, err)
	must(t, lock.Release())
	if owner, ok := readOwner(filepath.Join(dir, LockFile)); ok {
		t.Errorf("the lock still names %v", owner)
	}
}

// TestLookingAtALockStopsNobody takes and releases a run while others look who
// holds it.
func TestLookingAtALockStopsNobody(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	var stop atomic.Bool
	var lookers sync.WaitGroup
	for range 2 {
		lookers.Go(func() {
			for !stop.Load() {
				if _, _, err := Holder(dir); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 300 {
		lock, err := Acquire(dir, me)
		if err != nil {
			t.Error(err)
			break
		}
		must(t, lock.Release())
	}
	stop.Store(true)
	lookers.Wait()
}

// TestOneOfManyOwnersWins is 50 rounds of two that want the same run.
func TestOneOfManyOwnersWins(t *testing.T) {
	t.Parallel()
	for range 50 {
		dir := runDir(t, "r1")
		var won, lost atomic.Int32
		var both sync.WaitGroup
		start := make(chan struct{})
		locks := make(chan *Lock, 2)
		for _, host := range []string{"one", "two"} {
			owner := me
			owner.Host = host // cannot be looked at from the other, so nobody waits
			both.Go(func() {
				<-start
				lock, err := Acquire(dir, owner)
				var held *HeldError
				switch {
				case err == nil:
					won.Add(1)
					locks <- lock
				case errors.As(err, &held):
					lost.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		close(start)
		both.Wait()
		if won.Load() != 1 || lost.Load() != 1 {
			t.Fatalf("%d won and %d lost", won.Load(), lost.Load())
		}
		must(t, (<-locks).Release())
	}
}

func TestNothingHoldsARunWithoutALock(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	if _, held, err := Holder(dir); held || err != nil {
		t.Errorf("held %v, error %v", held, err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 0 {
		t.Errorf("looking made %v", names)
	}
	var failed *StorageError
	if _, err := Acquire(filepath.Join(dir, "gone"), me); !errors.As(err, &failed) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func TestOwnersHaveNames(t *testing.T) {
	t.Parallel()
	for want, owner := range map[string]Owner{
		"process 4711 on here (brickoven run)": me,
		"process 1":                            {Process: process.Ident{PID: 1}},
		"a process that did not say who it is": {},
	} {
		if got := owner.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestALockOnAFileThatWasReplacedIsNone is the moment in which a run is removed
// by its owner between another one's opening and locking of the file.
func TestALockOnAFileThatWasReplacedIsNone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(runDir(t, "r1"), LockFile)
	l := &Lock{path: path, flock: flock.New(path)}
	if ok, err := l.flock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	must(t, os.Rename(path, path+".old"))
	if err := l.claim(me); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is gone: %v", err)
	}
	must(t, os.WriteFile(path, nil, 0o600))
	if err := l.claim(me); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is another one: %v", err)
	}
	must(t, l.flock.Unlock())
}

// TestADeadOwnersNameIsNoHolder has a lock that still names a killed owner,
// while somebody looks at it.
func TestADeadOwnersNameIsNoHolder(t *testing.T) {
	t.Parallel()
	for range 20 {
		dir := runDir(t, "r1")
		path := filepath.Join(dir, LockFile)
		must(t, os.WriteFile(path, []byte("\x00"+`{"process":{"pid":4711,"pgid":4711,"start":"boot/9"},"host":"here"}`), 0o600))
		looker := flock.New(path)
		if ok, err := looker.TryRLock(); !ok || err != nil {
			t.Fatal(ok, err)
		}
		tried := make(chan error, 1)
		go func() {
			lock, err := Acquire(dir, me)
			if err == nil {
				err = lock.Release()
			}
			tried <- err
		}()
		runtime.Gosched()
		must(t, looker.Unlock())
		must(t, <-tried)
	}
}
