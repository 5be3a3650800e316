package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFilesAreAttachedByPathAndGlob(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.go", "b.txt", "in/c.go", "in/deep/d.go", ".git/e.go"} {
		write(t, dir, name, name+"\n")
	}
	for _, c := range []struct {
		patterns, want []string
	}{
		{[]string{"b.txt"}, []string{"b.txt"}},
		{[]string{"*.go"}, []string{"a.go"}},
		{[]string{"**/*.go"}, []string{"a.go", "in/c.go", "in/deep/d.go"}},
		{[]string{"in/**"}, []string{"in/c.go", "in/deep/d.go"}},
		{[]string{"in/*/d.go", "./a.go", "a.go"}, []string{"in/deep/d.go", "a.go"}},
	} {
		a, err := Attach(dir, c.patterns, 0)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, a.Files); diff != "" {
			t.Errorf("%q: %s", c.patterns, diff)
		}
	}
	a, err := Attach(dir, []string{"b.txt", "*.rs"}, 0)
	if err != nil || a.Text != "\n\nFile b.txt:\n```\nb.txt\n```" || len(a.Remarks) != 1 {
		t.Errorf("%v %q %q", err, a.Text, a.Remarks)
	}
}

func TestAttachedFilesAreBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a", strings.Repeat("é", 10))
	write(t, dir, "b", "bbbb")
	write(t, dir, "c", "\x00\x01")
	a, err := Attach(dir, []string{"a", "b"}, 7)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(a.Text, "\nééé\n") || !strings.Contains(a.Text, "(14 more bytes of this file are left out.)") {
		t.Errorf("%q", a.Text)
	}
	if !strings.Contains(a.Text, "File b:\n```\nb\n```") || len(a.Remarks) != 2 {
		t.Errorf("%q %q", a.Text, a.Remarks)
	}
	if a, err = Attach(dir, []string{"c"}, 0); err != nil || a.Text != "" || len(a.Remarks) != 1 {
		t.Errorf("%v %+v", err, a)
	}
}

func TestAttachmentsStayInTheFolder(t *testing.T) {
	t.Parallel()
	outer := t.TempDir()
	dir := filepath.Join(outer, "work")
	write(t, outer, "secret", "s")
	write(t, dir, "sub/ok", "k")
	if err := os.Symlink(filepath.Join(outer, "secret"), filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	for _, pattern := range []string{"../secret", "sub/../../secret", "link", "missing", "sub", "[a"} {
		if a, err := Attach(dir, []string{pattern}, 0); err == nil {
			t.Errorf("%s: %+v", pattern, a)
		}
	}
}

func TestContentCannotCloseItsFence(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"`", "``", "```", "~~~", "\n", " ", "x", "\r", "é"})).Draw(t, "text"), "")
		lines := strings.Split(Fenced(text), "\n")
		fence := lines[0]
		for _, line := range lines[1 : len(lines)-1] {
			if strings.Contains(line, fence) {
				t.Fatalf("%q closes %q", line, fence)
			}
		}
		if inner := strings.Join(lines[1:len(lines)-1], "\n"); strings.TrimSuffix(text, "\n") != inner || lines[len(lines)-1] != fence {
			t.Fatalf("%q became %q", text, inner)
		}
	})
}

func TestAFileNameCannotLookLikeAnythingElse(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"a b.go": "a b.go", "a\nFile b:": `"a\nFile b:"`, "```": "\"```\"", "\u202egpj": `"\u202egpj"`} {
		if got := label(name); got != want {
			t.Errorf("%q: %s", name, got)
		}
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("**/*.go", "a/b.go")
	f.Add("a/**/b", "a/b")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		parts, path := strings.Split(pattern, "/"), strings.Split(name, "/")
		if len(parts) > 8 || len(path) > 8 || !matchParts(parts, path) {
			return
		}
		for i := 1; i < len(path); i++ {
			if !matchPrefix(parts, path[:i]) && !slices.Contains(path, "") {
				t.Errorf("%q holds %q but its folder %q is passed over", pattern, name, path[:i])
			}
		}
	})
}
