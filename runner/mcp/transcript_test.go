package mcp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// In a transcript > is a line of the client and < the next answer; after # is a
// comment.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := dial(t.Context(), t, newServer(t))
			for line := range strings.Lines(string(text)) {
				sign, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
				switch sign {
				case ">":
					c.send(rest)
				case "<":
					c.want(rest)
				}
			}
			if rest, err := c.end(); rest != "" || err != nil {
				t.Errorf("at the end: %q, %v", rest, err)
			}
		})
	}
}
