package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/brickoven/brickoven/runner/step"
)

// disk is a file that has only so much space.
type disk struct {
	*os.File
	space    int // bytes that may still be written
	stuck    bool
	writes   int
	syncs    int
	syncFail error
}

func (d *disk) Write(p []byte) (int, error) {
	d.writes++
	if len(p) <= d.space {
		d.space -= len(p)
		return d.File.Write(p)
	}
	n, err := d.File.Write(p[:d.space])
	d.space = 0
	return n, errors.Join(err, &fs.PathError{Op: "write", Path: d.Name(), Err: syscall.ENOSPC})
}

func (d *disk) Truncate(size int64) error {
	if d.stuck {
		return syscall.EIO
	}
	return d.File.Truncate(size)
}

func (d *disk) Sync() error {
	d.syncs++
	return d.syncFail
}

// onDisk puts a writer's file on a disk.
func onDisk(w *Writer, space int) *disk {
	d := &disk{File: w.file.(*os.File), space: space}
	w.file = d
	return d
}

const plenty = 1 << 30

func TestARecordIsOneWriteAndIsSyncedOnlyWhenDurable(t *testing.T) {
	t.Parallel()
	for _, durable := range []bool{false, true} {
		opts := options()
		opts.Durable = durable
		w, err := Create(runDir(t, "r1"), opts)
		must(t, err)
		d := onDisk(w, plenty)
		for range 5 {
			must(t, w.Event(done("a#shell.1", "x")))
		}
		want := 0
		if durable {
			want = 5
		}
		if d.writes != 5 || d.syncs != want {
			t.Errorf("durable %v: %d writes and %d syncs", durable, d.writes, d.syncs)
		}
	}
}

// TestAFullDiskLeavesAnIntactJournal lets the disk run full at every byte of a
// record.
func TestAFullDiskLeavesAnIntactJournal(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	w := writeRun(t, dir, options())
	d := onDisk(w, 0)
	before := readFile(t, dir)
	record := RunFinished{Status: "failed", Reason: "the disk is full"}
	for space := range 100 {
		d.space = space
		err := w.Append(KindRunFinished, record)
		var full *StorageError
		if !errors.As(err, &full) || !errors.Is(err, syscall.ENOSPC) || full.Torn || full.Op != "write" {
			t.Fatalf("error %#v, want a StorageError for ENOSPC", err)
		}
		if got := readFile(t, dir); string(got) != string(before) {
			t.Fatalf("with %d bytes of space the journal changed", space)
		}
	}
	d.space = plenty
	err := w.Append(KindWait, Wait{})
	var refused *RefusedError
	if !errors.As(err, &refused) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("another record after a failed one: %v", err)
	}
	must(t, w.Append(KindRunFinished, record))
	if report, err := Verify(dir, nil); err != nil || !report.OK() || !report.Finished || report.Torn != nil {
		t.Errorf("after the retry: %+v, %v", report, err)
	}
}

func TestATornEndThatStaysIsCutOffBeforeTheRetry(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	w := writeRun(t, dir, options())
	d := onDisk(w, 20)
	d.stuck = true
	event := done("b#shell.1", "x")
	for range 2 {
		err := w.Event(event)
		var torn *StorageError
		if !errors.As(err, &torn) || !torn.Torn {
			t.Fatalf("error %v, want a torn end", err)
		}
	}
	if report, err := Verify(dir, nil); err != nil || report.Damage != nil || report.Torn.Length != 20 {
		t.Fatalf("report %+v, %v", report, err)
	}
	d.stuck, d.space = false, plenty
	must(t, w.Event(event))
	if report, err := Verify(dir, nil); err != nil || !report.OK() || report.Torn != nil || report.Records != 8 {
		t.Errorf("report %+v, %v", report, err)
	}
}

func TestNothingIsAcceptedAfterAFailedSync(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	opts := options()
	opts.Durable = true
	w := writeRun(t, dir, opts)
	d := onDisk(w, plenty)
	d.syncFail = syscall.EIO
	event := done("b#shell.1", "x")
	var failed *StorageError
	if err := w.Event(event); !errors.As(err, &failed) || failed.Op != "sync" {
		t.Fatalf("error %v, want one of sync", err)
	}
	d.syncFail = nil
	var refused *RefusedError
	if err := w.Event(event); !errors.As(err, &refused) || !errors.Is(err, syscall.EIO) {
		t.Fatalf("error %v, want a refusal", err)
	}
	if report, err := Verify(dir, nil); err != nil || !report.OK() || report.Records != 7 {
		t.Errorf("report %+v, %v", report, err)
	}
}

func TestAReadOnlyOrMissingFolderIsATypedError(t *testing.T) {
	t.Parallel()
	var failed *StorageError
	if _, err := Create(filepath.Join(t.TempDir(), "gone"), options()); !errors.As(err, &failed) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
	if _, _, err := Continue(t.TempDir(), options(), nil); !errors.As(err, &failed) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing journal: %v", err)
	}
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := runDir(t, "r1")
	must(t, os.Chmod(dir, 0o500))
	if _, err := Create(dir, options()); !errors.As(err, &failed) || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("read-only folder: %v", err)
	}
}

func TestOnlyAResumeFollowsTheEnd(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	finish(t, writeRun(t, dir, options()))
	w, _, err := Continue(dir, options(), nil)
	must(t, err)
	var refused *RefusedError
	if err := w.Event(done("x", "")); !errors.As(err, &refused) {
		t.Errorf("an event after the end: %v", err)
	}
	must(t, w.Append(KindResumed, Resumed{Attempt: 2, From: "b"}))
	must(t, w.Event(done("x", "")))
	must(t, w.Event(done("y", "")))
	must(t, w.Close())
	if err := w.Event(done("z", "")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("an event after Close: %v", err)
	}
}

// TestAPayloadBelongsToItsKind keeps texts out that nobody would seal.
func TestAPayloadBelongsToItsKind(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	w, err := Create(dir, options())
	must(t, err)
	payloads := map[Kind]any{
		KindRunStarted: RunStarted{}, KindActionStarted: ActionStarted{}, KindProcessStarted: ProcessStarted{},
		KindActionFinished: finished{}, KindNote: step.Note{}, KindGuardRefused: GuardRefused{}, KindSignal: signal{}, KindUsed: used{},
		KindWait: Wait{}, KindResumed: Resumed{}, KindStalled: Stalled{},
	}
	var refused *RefusedError
	for kind := range payloads {
		for other, payload := range payloads {
			if err := w.Append(kind, payload); (err == nil) != (kind == other) || err != nil && !errors.As(err, &refused) {
				t.Errorf("%s with a %T: %v", kind, payload, err)
			}
		}
		for _, payload := range []any{nil, "text", map[string]any{}, &Wait{}, RunFinished{}} {
			if err := w.Append(kind, payload); !errors.As(err, &refused) {
				t.Errorf("%s with a %T: %v", kind, payload, err)
			}
		}
	}
	if err := w.Append("gossip", Wait{}); !errors.As(err, &refused) {
		t.Errorf("an unknown kind: %v", err)
	}
	if err := w.Append(KindRunStarted, RunStarted{Options: []byte("{")}); err == nil {
		t.Error("options that are not JSON were accepted")
	}
	must(t, w.Append(KindRunFinished, RunFinished{}))
	must(t, w.Close())
	if report, err := Verify(dir, nil); err != nil || !report.OK() || report.Records != int64(len(payloads))+1 {
		t.Errorf("report %+v, %v", report, err)
	}
}

func TestConcurrentAppendsAreOneChain(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	opts := options()
	w, err := Create(dir, opts)
	must(t, err)
	const writers, each = 64, 20
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			for j := range each {
				if err := w.Event(done(fmt.Sprintf("s[%d]#shell.%d", i, j), strings.Repeat("x", i*j))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	must(t, w.Close())
	next := map[string]int{}
	records, _, err := readAll(dir)
	must(t, err)
	for _, r := range records {
		ev, _, err := r.Event(nil)
		must(t, err)
		path, count, _ := strings.Cut(ev.ID, "#shell.")
		if count != fmt.Sprint(next[path]) {
			t.Fatalf("%s came after %d", ev.ID, next[path])
		}
		next[path]++
	}
	if len(records) != writers*each {
		t.Errorf("%d records, want %d", len(records), writers*each)
	}
}

func TestTheJournalIsPrivate(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	must(t, writeRun(t, dir, options()).Close())
	info, err := os.Stat(filepath.Join(dir, File))
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}
