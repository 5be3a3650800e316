package main

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the generated pages")

// TestThePagesOfTheCommandsAreTheirHelp fails when a page of docs/commands or
// the man page drifts; go test ./cmd/brickoven -run Pages -update writes them.
func TestThePagesOfTheCommandsAreTheirHelp(t *testing.T) {
	t.Parallel()
	docs := filepath.Join("..", "..", "docs")
	root := (&app{in: strings.NewReader(""), out: io.Discard, err: io.Discard}).rootCommand("")
	pages := commandPages(root)
	for name, want := range pages {
		path := filepath.Join(docs, filepath.FromSlash(name))
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s is not what the commands say; run go test ./cmd/brickoven -run Pages -update\n%s", path, diff)
		}
	}
	files, err := filepath.Glob(filepath.Join(docs, "commands", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if pages["commands/"+filepath.Base(file)] == "" {
			if *update {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
				continue
			}
			t.Errorf("%s is the page of no command", file)
		}
	}
}

func TestNoLineOfTheManPageIsReadAsARequest(t *testing.T) {
	t.Parallel()
	got := roff(".so /etc/passwd\n'quoted\na - b \\ c\n\nd")
	want := "\\&.so /etc/passwd\n\\&'quoted\na \\- b \\e c\n.PP\nd"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
