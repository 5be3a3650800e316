package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/brickoven/brickoven/runner/process"
	"github.com/brickoven/brickoven/runner/step"
)

// writeSteps writes the records of so many steps, five each.
func writeSteps(b *testing.B, w *Writer, steps int) {
	b.Helper()
	for i := range steps {
		id := fmt.Sprintf("build[%d]#shell.1", i)
		must(b, w.Note(step.Note{Kind: step.StepStarted, Path: "build", Type: "shell", At: epoch}))
		must(b, w.Append(KindActionStarted, ActionStarted{ID: id, Kind: "shell", Path: "build", Attempt: 1}))
		must(b, w.Append(KindProcessStarted, ProcessStarted{id, process.Ident{PID: i, PGID: i, Start: "0b9dd1c1-7d0e-4b0e/123456"}}))
		must(b, w.Event(done(id, "some output of the step")))
		must(b, w.Note(step.Note{Kind: step.StepFinished, Path: "build", At: epoch, Outcome: &step.Outcome{ID: "build", Path: "build", Status: step.Completed, Output: "some output of the step"}}))
	}
}

func BenchmarkAppend(b *testing.B) {
	w, err := Create(runDir(b, "r1"), options())
	must(b, err)
	event := done("build#shell.1", "some output")
	b.ReportAllocs()
	for b.Loop() {
		must(b, w.Event(event))
	}
}

// BenchmarkReplay100k reads 100,000 records the way a resume does, and reports
// how large the heap became.
func BenchmarkReplay100k(b *testing.B) {
	dir := runDir(b, "r1")
	w, err := Create(dir, options())
	must(b, err)
	writeSteps(b, w, 20_000)
	must(b, w.Close())
	var stats runtime.MemStats
	peak := uint64(0)
	for b.Loop() {
		n := 0
		w, _, err := Continue(dir, options(), func(r Record) error {
			if n++; n%10_000 == 0 {
				runtime.ReadMemStats(&stats)
				peak = max(peak, stats.HeapSys)
			}
			_, _, err := r.Event(nil)
			return err
		})
		must(b, err)
		must(b, w.Close())
		if n != 100_000 {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(peak)/1e6, "MB-heap")
}

func BenchmarkVerify100k(b *testing.B) {
	dir := runDir(b, "r1")
	w, err := Create(dir, options())
	must(b, err)
	writeSteps(b, w, 20_000)
	must(b, w.Close())
	for b.Loop() {
		if report, err := Verify(dir, nil); err != nil || report.Records != 100_000 {
			b.Fatal(report, err)
		}
	}
}

func BenchmarkList1000(b *testing.B) {
	runs := b.TempDir()
	for i := range 1000 {
		dir := finishedRunDir(b, runs, fmt.Sprintf("r%04d", i), i)
		if i%10 == 0 {
			must(b, os.WriteFile(filepath.Join(dir, LockFile), nil, 0o600))
		}
	}
	for b.Loop() {
		if list, err := List(runs); err != nil || len(list) != 1000 {
			b.Fatal(len(list), err)
		}
	}
}
