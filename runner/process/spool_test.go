package process_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/brickoven/brickoven/runner/process"
)

func open(t testing.TB, dir string) *process.Spool {
	t.Helper()
	spool, err := process.OpenSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := spool.Close(); err != nil {
			t.Error(err)
		}
	})
	return spool
}

func store(t testing.TB, spool *process.Spool, name string, text []byte) (*process.Stream, process.Place) {
	t.Helper()
	stream := spool.Stream(name)
	if _, err := stream.Write(text); err != nil {
		t.Fatal(err)
	}
	place, err := stream.Close()
	if err != nil {
		t.Fatal(err)
	}
	return stream, place
}

func readBack(t testing.TB, spool *process.Spool, place process.Place) []byte {
	t.Helper()
	r, err := spool.Open(place)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestShortStreamsShareAFileAndLongOnesGetTheirOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spool := open(t, dir)
	for _, c := range []struct {
		length int
		file   string
	}{{1, "output.spool"}, {process.Inline, "output.spool"}, {process.Inline + 1, "steps/s.out"}, {1 << 20, "steps/s~2.out"}} {
		text := bytes.Repeat([]byte("a\xffb\x00\n"), c.length/5+1)[:c.length]
		stream, place := store(t, spool, "s", text)
		sum := sha256.Sum256(text)
		if place.File != c.file || place.Length != int64(c.length) || place.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%d bytes: %+v", c.length, place)
		}
		if got := readBack(t, spool, place); !bytes.Equal(got, text) {
			t.Errorf("%d bytes came back as %d", c.length, len(got))
		}
		if got, err := stream.Capture(0); err != nil || got.Text != string(text) || got.Truncated {
			t.Errorf("capture of %d bytes: %d, %v", c.length, len(got.Text), err)
		}
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(place.File))); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode: %v, %v", info, err)
		}
	}
}

func TestASpoolGoesOnWhereAnEarlierRunnerStopped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := open(t, dir)
	_, before := store(t, first, "a", []byte("before"))
	second := open(t, dir)
	_, after := store(t, second, "b", []byte("after"))
	if string(readBack(t, second, before)) != "before" || string(readBack(t, second, after)) != "after" {
		t.Error("records were mixed up")
	}
}

func TestAnEmptyStreamCreatesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stream := open(t, dir).Stream("s")
	place, err := stream.Close()
	if err != nil || place.Length != 0 {
		t.Errorf("%+v, %v", place, err)
	}
	if got, err := stream.Capture(0); err != nil || got.Text != "" {
		t.Errorf("%+v, %v", got, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestSyncLetsOthersReadWhatWasPrinted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spool := open(t, dir)
	stream := spool.Stream("build/web")
	for i, piece := range []string{"one\n", "two\n"} {
		if _, err := stream.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
		if err := stream.Sync(); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, "steps", "build%2Fweb.out"))
		if want := "one\ntwo\n"[:4*(i+1)]; err != nil || string(got) != want {
			t.Errorf("got %q, %v", got, err)
		}
	}
	place, err := stream.Close()
	if err != nil || string(readBack(t, spool, place)) != "one\ntwo\n" {
		t.Errorf("%+v, %v", place, err)
	}
}

func TestNoNameLeadsOutOfTheFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spool := open(t, dir)
	seen := map[string]bool{}
	for _, name := range []string{"..", ".", "", "/etc/passwd", "../x", "a b", "ü", strings.Repeat("long", 100), strings.Repeat("long", 100) + "2"} {
		_, place := store(t, spool, name, bytes.Repeat([]byte("x"), process.Inline+1))
		if filepath.Dir(place.File) != "steps" || seen[place.File] || len(place.File) > 200 {
			t.Errorf("%q became %q", name, place.File)
		}
		seen[place.File] = true
	}
	if _, err := spool.Open(process.Place{File: "../outside", Length: 1}); err == nil {
		t.Error("a place outside was opened")
	}
}

func TestStorageErrorsAreTypedAndStay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gone := filepath.Join(dir, "gone")
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	spool := open(t, gone)
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	for _, length := range []int{10, process.Inline + 1} {
		stream := spool.Stream("s")
		_, writeErr := stream.Write(make([]byte, length))
		_, closeErr := stream.Close()
		var storage *process.StorageError
		if !errors.As(closeErr, &storage) || !errors.Is(closeErr, fs.ErrNotExist) {
			t.Errorf("%d bytes: %v", length, closeErr)
		}
		if length > process.Inline && !errors.Is(writeErr, fs.ErrNotExist) {
			t.Errorf("write: %v", writeErr)
		}
	}
	for _, bad := range []string{gone, ""} {
		var storage *process.StorageError
		if _, err := process.OpenSpool(bad); !errors.As(err, &storage) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer func() { _ = full.Close() }()
	if err := os.Symlink("/dev/full", filepath.Join(dir, "output.spool")); err != nil {
		t.Fatal(err)
	}
	stream := open(t, dir).Stream("s")
	if _, err := stream.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if _, err := stream.Close(); err == nil {
		t.Error("a full disk was not reported")
	}
	if got, err := stream.Capture(0); err != nil || got.Text != "x" {
		t.Errorf("what was in memory is lost: %+v, %v", got, err)
	}
}

func TestCaptureKeepsHeadAndTailAndSaysHowMuchItCut(t *testing.T) {
	t.Parallel()
	spool := open(t, t.TempDir())
	for _, length := range []int{1000, 200_000} {
		text := []byte(strings.Repeat("h", length/2) + strings.Repeat("t", length/2))
		stream, place := store(t, spool, "s", text)
		got, err := stream.Capture(100)
		want := strings.Repeat("h", 50) + fmt.Sprintf("\n[... %d bytes left out ...]\n", length-100) + strings.Repeat("t", 50)
		if err != nil || got.Text != want || !got.Truncated || got.Cut != int64(length-100) {
			t.Errorf("%+v, %v", got, err)
		}
		again, err := spool.Capture(place, 100)
		if err != nil || again != got {
			t.Errorf("by place: %+v, %v", again, err)
		}
	}
}

func TestCaptureNeverCutsThroughARune(t *testing.T) {
	t.Parallel()
	spool := open(t, t.TempDir())
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringN(20, 200, -1).Draw(r, "text")
		limit := rapid.IntRange(2, 19).Draw(r, "limit")
		_, place := store(t, spool, "s", []byte(text))
		got, err := spool.Capture(place, limit)
		if err != nil || !utf8.ValidString(got.Text) || !got.Truncated {
			r.Fatalf("%q: %+v, %v", text, got, err)
		}
		head, tail, _ := strings.Cut(got.Text, fmt.Sprintf("\n[... %d bytes left out ...]\n", got.Cut))
		if !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) || len(head)+len(tail)+int(got.Cut) != len(text) {
			r.Fatalf("%q: head %q, tail %q, cut %d", text, head, tail, got.Cut)
		}
	})
}

func TestConcurrentStreamsDoNotMix(t *testing.T) {
	t.Parallel()
	spool := open(t, t.TempDir())
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			text := bytes.Repeat([]byte{byte('a' + i%26)}, 5000*(1+i%20))
			stream := spool.Stream("same name")
			for piece := range bytes.Lines(bytes.ReplaceAll(text, []byte("aaaa"), []byte("aaa\n"))) {
				if _, err := stream.Write(piece); err != nil {
					t.Error(err)
				}
			}
			place, err := stream.Close()
			if err != nil {
				t.Error(err)
				return
			}
			if got := readBack(t, spool, place); len(got) != len(text) || bytes.Count(got, text[:1])+bytes.Count(got, []byte("\n")) != len(text) {
				t.Errorf("stream %d: %d bytes of %d", i, len(got), len(text))
			}
		})
	}
	all.Wait()
}

func TestAPlaceIsOneWord(t *testing.T) {
	t.Parallel()
	p := process.Place{File: "steps/a@b+c.out", Offset: 7, Length: 9}
	if got, ok := process.ParsePlace(p.String()); !ok || got != p {
		t.Errorf("%q became %+v", p.String(), got)
	}
	for _, bad := range []string{"", "x", "x@1", "x@a+b", "@1+2", "x@-1+2", "x@1+-2"} {
		if _, ok := process.ParsePlace(bad); ok {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestTailIsTheEndOfWhatWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		tail := process.NewTail()
		var all []byte
		for _, n := range rapid.SliceOf(rapid.IntRange(0, 6000)).Draw(r, "pieces") {
			piece := bytes.Repeat([]byte{byte('a' + n%26)}, n)
			for i := 79; i < len(piece); i += 300 {
				piece[i] = '\n'
			}
			all = append(all, piece...)
			if wrote, err := tail.Write(piece); wrote != n || err != nil {
				r.Fatalf("%d, %v", wrote, err)
			}
		}
		want := string(bytes.TrimRight(all[max(0, len(all)-process.TailBytes):], "\n"))
		lines := strings.Split(want, "\n")
		want = strings.Join(lines[max(0, len(lines)-process.TailLines):], "\n")
		if got := tail.String(); got != want {
			r.Fatalf("got %d bytes, want %d", len(got), len(want))
		}
	})
	tail := process.NewTail()
	for range 2000 {
		if _, err := tail.Write([]byte("€")); err != nil {
			t.Fatal(err)
		}
	}
	if got := tail.String(); !utf8.ValidString(got) || strings.Contains(got, "\uFFFD") {
		t.Errorf("a cut rune: %q…", got[:4])
	}
}
