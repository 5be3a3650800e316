package durable

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestReaderFindsOneWholeText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	texts := []string{strings.Repeat("a", 100_000), strings.Repeat("b", 50_000)}
	if err := Replace(path, 0o600, dir, []byte(texts[0])); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for _, text := range texts {
		writers.Go(func() {
			for range 50 {
				if err := Replace(path, 0o600, dir, []byte(text)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 200 {
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(data, []byte(texts[0])) && !bytes.Equal(data, []byte(texts[1])) {
			t.Fatalf("%d bytes, %v", len(data), err)
		}
	}
	writers.Wait()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%d files are left (%v)", len(left), err)
	}
}

func TestReplaceSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Replace(filepath.Join(dir, "gone", "file"), 0o600, dir); err == nil {
		t.Error("a folder that is not there")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%d files are left (%v)", len(left), err)
	}
}
