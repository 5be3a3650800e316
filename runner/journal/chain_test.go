package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/recipes/value"
	"github.com/brickoven/brickoven/runner/step"
)

func TestALineIsOneObjectWithItsMembersInOrder(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	w, err := Create(dir, options())
	must(t, err)
	must(t, w.Append(KindWait, Wait{Due: epoch, Reason: "a <b> & \u2028\n\xff"}))
	must(t, w.Append(KindRunFinished, RunFinished{Status: "success"}))
	must(t, w.Close())
	got := lines(readFile(t, dir))
	want := `{"v":1,"seq":1,"at":"2026-01-02T03:04:06.000000678Z","kind":"wait","prev":"","data":{"due":"2026-01-02T03:04:05.000000678Z","reason":"a <b> & \u2028\n\ufffd"},"sum":"`
	if !strings.HasPrefix(string(got[0]), want) || len(got) != 2 {
		t.Fatalf("lines %q, want the first to begin with %s", got, want)
	}
	records, torn, err := readAll(dir)
	must(t, err)
	if torn != nil || len(records) != 2 || records[0].Prev != "" || records[1].Prev != records[0].Sum || records[1].Seq != 2 {
		t.Errorf("records %+v, torn %v", records, torn)
	}
	if seq, sum := w.Last(); seq != 2 || sum != records[1].Sum {
		t.Errorf("Last() = %d, %s", seq, sum)
	}
}

// TestEveryTruncationKeepsWhatIsComplete cuts a journal at every byte.
func TestEveryTruncationKeepsWhatIsComplete(t *testing.T) {
	t.Parallel()
	source := runDir(t, "source")
	w, err := Create(source, options())
	must(t, err)
	must(t, w.Append(KindRunStarted, RunStarted{RunID: "r1"}))
	must(t, w.Event(done("a#shell.1", "ä\n")))
	finish(t, w)
	whole := readFile(t, source)
	dir := runDir(t, "r1")
	for cut := range len(whole) {
		part := whole[:cut]
		complete := bytes.Count(part, []byte("\n"))
		end := bytes.LastIndexByte(part, '\n') + 1
		writeFile(t, dir, part)
		report, err := Verify(dir, nil)
		must(t, err)
		if report.Damage != nil || report.Records != int64(complete) || report.Finished || (report.Torn != nil) != (end < cut) {
			t.Fatalf("cut at %d: %+v", cut, report)
		}
		w, torn, err := Continue(dir, options(), nil)
		if complete == 0 {
			if !errors.Is(err, ErrNoRecord) || !bytes.Equal(readFile(t, dir), part) {
				t.Fatalf("cut at %d: %v, want no record and an untouched file", cut, err)
			}
			continue
		}
		must(t, err)
		checkTorn(t, dir, torn, part[end:])
		must(t, w.Append(KindResumed, Resumed{Attempt: 2}))
		must(t, w.Close())
		if records, torn, err := readAll(dir); err != nil || torn != nil || len(records) != complete+1 {
			t.Fatalf("cut at %d and continued: %d records, torn %v, error %v", cut, len(records), torn, err)
		}
	}
}

func checkTorn(t *testing.T, dir string, torn *Torn, want []byte) {
	t.Helper()
	path := filepath.Join(dir, TornFile)
	if len(want) == 0 {
		if torn != nil {
			t.Fatalf("torn %v of a whole journal", torn)
		}
		return
	}
	kept, err := os.ReadFile(path)
	must(t, err)
	must(t, os.Remove(path))
	if torn == nil || torn.Length != int64(len(want)) || torn.Kept != path || string(kept) != string(want)+"\n" {
		t.Fatalf("torn %+v with %q kept, want %q", torn, kept, want)
	}
	if !strings.Contains(torn.String(), fmt.Sprint("line ", torn.Line)) {
		t.Fatalf("notice %q does not name line %d", torn, torn.Line)
	}
}

func TestTornLinesOfSeveralResumesAreAllKept(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	must(t, writeRun(t, dir, options()).Close())
	for _, torn := range []string{"\x00\x00", `{"v":1`} {
		writeFile(t, dir, append(readFile(t, dir), torn...))
		w, _, err := Continue(dir, Options{Now: options().Now, Durable: true}, nil)
		must(t, err)
		must(t, w.Close())
	}
	kept, err := os.ReadFile(filepath.Join(dir, TornFile))
	must(t, err)
	if string(kept) != "\x00\x00\n{\"v\":1\n" {
		t.Errorf("kept %q", kept)
	}
}

// TestEveryChangedByteIsDamageAtItsLine flips each byte of a journal, one at a
// time.
func TestEveryChangedByteIsDamageAtItsLine(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	finish(t, writeRun(t, dir, options()))
	whole := readFile(t, dir)
	for i := range whole {
		for _, bit := range []byte{1, 0x20} {
			text := bytes.Clone(whole)
			text[i] ^= bit
			line := int64(bytes.Count(whole[:i], []byte("\n"))) + 1
			report := verify(t, text)
			if i == len(whole)-1 {
				if report.Torn == nil || report.Damage != nil {
					t.Fatalf("without its last line feed: %+v", report)
				}
				continue
			}
			if report.Damage == nil || report.Damage.Line != line || report.Records != line-1 {
				t.Fatalf("byte %d of line %d changed: %+v", i, line, report)
			}
		}
	}
}

func verify(t *testing.T, text []byte) Report {
	t.Helper()
	report, err := newReader("/runs/r1/journal.jsonl", bytes.NewReader(text), nil).verify(nil)
	must(t, err)
	return report
}

func TestEveryDroppedRepeatedOrMovedLineIsNamed(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	finish(t, writeRun(t, dir, options()))
	whole := lines(append(readFile(t, dir), '\n'))
	whole = whole[:len(whole)-1]
	expect := func(what string, list [][]byte, line int, why Why) {
		t.Helper()
		report := verify(t, bytes.Join(list, nil))
		if d := report.Damage; d == nil || d.Line != int64(line) || d.Why != why || d.RunID != "r1" || report.Records != int64(line-1) {
			t.Fatalf("%s: %+v (damage %+v), want %s at line %d", what, report, d, why, line)
		}
	}
	for i := range whole {
		if i < len(whole)-1 {
			expect(fmt.Sprint("dropped ", i+1), slices.Delete(slices.Clone(whole), i, i+1), i+1, Dropped)
		}
		expect(fmt.Sprint("repeated ", i+1), slices.Insert(slices.Clone(whole), i, whole[i]), i+2, Duplicated)
		expect(fmt.Sprint("not JSON ", i+1), slices.Insert(slices.Clone(whole), i, []byte("oops\n")), i+1, NotJSON)
		expect(fmt.Sprint("empty ", i+1), slices.Insert(slices.Clone(whole), i, []byte("\n")), i+1, NotJSON)
		expect(fmt.Sprint("another form ", i+1), replaced(whole, i, bytes.Replace(whole[i], []byte(`{"v"`), []byte(`{ "v"`), 1)), i+1, Changed)
		expect(fmt.Sprint("another version ", i+1), replaced(whole, i, bytes.Replace(whole[i], []byte(`{"v":1`), []byte(`{"v":2`), 1)), i+1, BadVersion)
		for j := range i {
			moved := slices.Insert(slices.Delete(slices.Clone(whole), i, i+1), j, whole[i])
			expect(fmt.Sprintf("%d moved to %d", i+1, j+1), moved, j+1, Reordered)
			again := slices.Insert(slices.Clone(whole), i+1, whole[j])
			expect(fmt.Sprintf("%d again after %d", j+1, i+1), again, i+2, Reordered)
		}
	}
}

func replaced(list [][]byte, i int, line []byte) [][]byte {
	list = slices.Clone(list)
	list[i] = line
	return list
}

// TestALineThatWasWrittenAnewBreaksTheChain forges a line with a hash of its
// own.
func TestALineThatWasWrittenAnewBreaksTheChain(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	finish(t, writeRun(t, dir, options()))
	records, _, err := readAll(dir)
	must(t, err)
	whole := lines(readFile(t, dir))
	line := appendHead(nil, 5, epoch, KindNote, records[3].Sum)
	line, _ = appendTail(append(line, "{}"...))
	report := verify(t, append(bytes.Join(replaced(whole, 4, line), nil), '\n'))
	if d := report.Damage; d == nil || d.Why != Chain || d.Line != 6 {
		t.Errorf("damage %+v, want the chain to break at line 6", d)
	}
}

func TestADamagedJournalIsRefusedAndNeverTouched(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	must(t, writeRun(t, dir, options()).Close())
	text := bytes.Replace(readFile(t, dir), []byte("hello"), []byte("world"), 1)
	writeFile(t, dir, append(text, `{"torn`...))
	_, _, err := Continue(dir, options(), nil)
	var damage *DamageError
	if !errors.As(err, &damage) || damage.Line != 5 || damage.RunID != "r1" || !strings.Contains(err.Error(), "line 5") {
		t.Fatalf("error %v, want damage at line 5 of r1", err)
	}
	if _, err := Create(dir, options()); !errors.Is(err, os.ErrExist) {
		t.Errorf("Create over a journal: %v", err)
	}
	if got := readFile(t, dir); string(got) != string(text)+`{"torn` {
		t.Error("the damaged file was changed")
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("files %v were made beside the damaged journal", names)
	}
}

func TestAnErrorOfTheReplayLeavesATornJournalAlone(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	must(t, writeRun(t, dir, options()).Close())
	writeFile(t, dir, append(readFile(t, dir), "torn"...))
	before := readFile(t, dir)
	stop := errors.New("stop")
	if _, _, err := Continue(dir, options(), func(r Record) error {
		if r.Seq == 3 {
			return stop
		}
		return nil
	}); !errors.Is(err, stop) {
		t.Fatalf("error %v", err)
	}
	if !bytes.Equal(before, readFile(t, dir)) {
		t.Error("the journal was changed")
	}
}

func TestVerifyLooksAtStoredOutputs(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	w := writeRun(t, dir, options())
	good := value.Ref{Hash: "aa", Size: 1, Place: "x@0+1"}
	bad := value.Ref{Hash: "bb", Size: 2, Place: "x@1+2", JSON: true}
	for i, result := range []step.Result{{Value: good, Text: good}, {Value: bad, Text: "short"}} {
		must(t, w.Event(step.Event{Kind: step.Done, ID: fmt.Sprint("c", i), Result: &result}))
	}
	finish(t, w)
	gone := errors.New("gone")
	report, err := Verify(dir, func(ref value.Ref) error {
		if ref == bad {
			return gone
		}
		return nil
	})
	must(t, err)
	if report.Outputs != 2 || len(report.Lost) != 1 || report.Lost[0].Action != "c1" || report.Lost[0].Line != 9 || report.OK() {
		t.Errorf("report %+v", report)
	}
	if report.Damage != nil || !report.Finished || report.Records != 10 || report.Last == "" {
		t.Errorf("report %+v", report)
	}
}

func TestLongLinesAreReadWhole(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	w, err := Create(dir, options())
	must(t, err)
	long := strings.Repeat("x", 3<<20)
	for i := range 3 {
		must(t, w.Append(KindGuardRefused, GuardRefused{ID: fmt.Sprint(i), Text: long}))
	}
	must(t, w.Close())
	records, _, err := readAll(dir)
	must(t, err)
	for i, r := range records {
		var data GuardRefused
		must(t, r.Decode(&data))
		if data.ID != fmt.Sprint(i) || data.Text != long {
			t.Errorf("record %d came back wrong", i)
		}
	}
}

// TestAnyBytesAreEitherReadOrRefused changes a journal at random and expects
// the records in front of the change.
func TestAnyBytesAreEitherReadOrRefused(t *testing.T) {
	t.Parallel()
	dir := runDir(t, "r1")
	finish(t, writeRun(t, dir, options()))
	whole := readFile(t, dir)
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(0, len(whole)).Draw(t, "from")
		to := rapid.IntRange(from, min(len(whole), from+40)).Draw(t, "to")
		text := slices.Concat(whole[:from], rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes"), whole[to:])
		r := newReader("/runs/r1/journal.jsonl", bytes.NewReader(text), nil)
		intact := int64(bytes.Count(whole[:from], []byte("\n")))
		for range r.Records() {
		}
		if r.line < intact {
			t.Fatalf("%d records read, and %d are in front of the change: %v", r.line, intact, r.err)
		}
		if !bytes.HasPrefix(text, whole[:r.offset]) {
			t.Fatalf("%d bytes were taken for the journal that are not", r.offset)
		}
	})
}

func FuzzRead(f *testing.F) {
	dir := runDir(f, "r1")
	finish(f, writeRun(f, dir, options()))
	whole := readFile(f, dir)
	f.Add(whole)
	f.Add(whole[:len(whole)-7])
	f.Add([]byte(`{"v":2}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := newReader("/runs/r1/journal.jsonl", bytes.NewReader(text), nil)
		for record, err := range r.Records() {
			if err == nil && record.Seq != r.line {
				t.Fatalf("record %d at line %d", record.Seq, r.line)
			}
		}
		if _, err := newReader("/runs/r1/journal.jsonl", bytes.NewReader(text), nil).verify(nil); err != nil {
			t.Fatal(err)
		}
	})
}
