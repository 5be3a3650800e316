package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func TestTextIsReadWholeFromFilesAndPipes(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 4 << 10, 3<<20 + 7} {
		want := strings.Repeat("x", size)
		path := filepath.Join(t.TempDir(), "text")
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, in := range map[string]io.Reader{"file": file, "pipe": iotest.HalfReader(strings.NewReader(want))} {
			if got, err := readText(in); err != nil || got != want {
				t.Errorf("%s of %d bytes: %d bytes, %v", name, size, len(got), err)
			}
		}
		file.Close()
	}
}

func TestFailureOfReadingIsTold(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	if _, err := readText(io.MultiReader(strings.NewReader("x"), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Error(err)
	}
}
