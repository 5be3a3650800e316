package diff

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func lines(text ...string) string { return strings.Join(text, "\n") + "\n" }

func TestParseReadsWhatHappenedToEachFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       []File
	}{
		{"a change", lines("diff --git a/x.go b/x.go", "index 1..2 100644", "--- a/x.go", "+++ b/x.go", "@@ -1 +1 @@", "-a", "+b"),
			[]File{{Path: "x.go", Kind: Modified, Line: 1}}},
		{"a pure rename has both names", lines("diff --git a/old.sql b/new.sql", "similarity index 100%", "rename from old.sql", "rename to new.sql"),
			[]File{{Path: "new.sql", From: "old.sql", Kind: Renamed, Line: 1}}},
		{"a copy", lines("diff --git a/o b/n", "similarity index 100%", "copy from o", "copy to n"),
			[]File{{Path: "n", From: "o", Kind: Copied, Line: 1}}},
		{"a new file and a deleted one", lines(
			"diff --git a/n b/n", "new file mode 100644", "index 0000000..7898192", "--- /dev/null", "+++ b/n", "@@ -0,0 +1 @@", "+a",
			"diff --git a/d b/d", "deleted file mode 100644", "index 7898192..0000000", "--- a/d", "+++ /dev/null", "@@ -1 +0,0 @@", "-a"),
			[]File{{Path: "n", Kind: Added, Line: 1}, {Path: "d", Kind: Deleted, Line: 8}}},
		{"an empty new file", lines("diff --git a/e b/e", "new file mode 100644", "index 0000000..e69de29"),
			[]File{{Path: "e", Kind: Added, Line: 1}}},
		{"a change of mode", lines("diff --git a/run b/run", "old mode 100644", "new mode 100755"),
			[]File{{Path: "run", Kind: Modified, Line: 1}}},
		{"spaces and the tab behind them", lines("diff --git a/my file b/my file", "index 1..2 100644", "--- a/my file\t", "+++ b/my file\t", "@@ -1 +1 @@", "-a", "+b"),
			[]File{{Path: "my file", Kind: Modified, Line: 1}}},
		{"a name that looks like two", lines("diff --git a/x b/x b/x b/x", "old mode 100644", "new mode 100755"),
			[]File{{Path: "x b/x", Kind: Modified, Line: 1}}},
		{"quoted octal", lines(`diff --git "a/\303\244\t\"q\".txt" "b/\303\244\t\"q\".txt"`, "old mode 100644", "new mode 100755"),
			[]File{{Path: "ä\t\"q\".txt", Kind: Modified, Line: 1}}},
		{"no prefix", lines("diff --git src/a src/a", "index 1..2 100644", "--- src/a", "+++ src/a", "@@ -1 +1 @@", "-a", "+b"),
			[]File{{Path: "src/a", Kind: Modified, Line: 1}}},
		{"other prefixes", lines("diff --git i/a w/a", "index 1..2 100644", "--- i/a", "+++ w/a", "@@ -1 +1 @@", "-a", "+b"),
			[]File{{Path: "a", Kind: Modified, Line: 1}}},
		{"binary without data", lines("diff --git a/p.png b/p.png", "index 1..2 100644", "Binary files a/p.png and b/p.png differ"),
			[]File{{Path: "p.png", Kind: Modified, Binary: true, Line: 1}}},
		{"binary with data", lines("diff --git a/p b/p", "index 1..2 100644", "GIT binary patch", "literal 3", "KcmZQzU|?Xp0uTTI", "", "literal 2", "JcmZQz00RI3", "",
			"diff --git a/q b/q", "old mode 100644", "new mode 100755"),
			[]File{{Path: "p", Kind: Modified, Binary: true, Line: 1}, {Path: "q", Kind: Modified, Line: 10}}},
		{"a submodule", lines("diff --git a/sub b/sub", "index 1..2 160000", "--- a/sub", "+++ b/sub", "@@ -1 +1 @@", "-Subproject commit 1", "+Subproject commit 2"),
			[]File{{Path: "sub", Kind: Modified, Line: 1}}},
		{"a submodule as a log", lines("Submodule my sub 1234567..89abcde:", "  > work", "Submodule x 1234567...89abcde (rewind):", "Submodule y contains modified content"),
			[]File{{Path: "my sub", Kind: Modified, Line: 1}, {Path: "x", Kind: Modified, Line: 3}, {Path: "y", Kind: Modified, Line: 4}}},
		{"a merge", lines("diff --cc m", "index 1,2..3", "--- a/m", "+++ b/m", "@@@ -1,2 -1,2 +1,3 @@@", "  a", "- b", " -c", "++d", "++e"),
			[]File{{Path: "m", Kind: Modified, Line: 1}}},
		{"plain", lines("--- old/a.txt\t2026-01-02 03:04:05", "+++ new/a.txt\t2026-01-02 03:04:06", "@@ -1 +1 @@", "-a", "+b"),
			[]File{{Path: "a.txt", Kind: Modified, Line: 1}}},
		{"plain with /dev/null", lines("--- /dev/null", "+++ b/n.txt", "@@ -0,0 +1 @@", "+b", "--- a/d.txt", "+++ /dev/null", "@@ -1 +0,0 @@", "-b"),
			[]File{{Path: "n.txt", Kind: Added, Line: 1}, {Path: "d.txt", Kind: Deleted, Line: 5}}},
		{"no newline at the end", lines("diff --git a/x b/x", "index 1..2 100644", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "-a", `\ No newline at end of file`, "+b", `\ No newline at end of file`,
			"diff --git a/y b/y", "old mode 100644", "new mode 100755"),
			[]File{{Path: "x", Kind: Modified, Line: 1}, {Path: "y", Kind: Modified, Line: 10}}},
		{"a message in front", lines("commit 123", "", "    diff --git is a command", "    --- a/x", "", "diff --git a/x b/x", "old mode 100644", "new mode 100755"),
			[]File{{Path: "x", Kind: Modified, Line: 6}}},
		{"prose", "no diff at all\n--- a\n+++ b\n", nil},
		{"nothing", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, Parse(test.text).Files); diff != "" {
				t.Error(diff)
			}
			crlf := strings.ReplaceAll(test.text, "\n", "\r\n")
			if diff := cmp.Diff(test.want, Parse(crlf).Files); diff != "" && test.name != "spaces and the tab behind them" {
				t.Errorf("with carriage returns: %s", diff)
			}
		})
	}
}

func TestLinesInsideHunksAreNotNames(t *testing.T) {
	t.Parallel()
	patch := Parse(lines("diff --git a/x b/x", "index 1..2 100644", "--- a/x", "+++ b/x", "@@ -1,3 +1,3 @@",
		"--- note", "+++ other.go", "@@ -1 +1 @@ is text", " diff --git a/y b/y", "-c", "+c"))
	if diff := cmp.Diff([]string{"x"}, patch.Paths()); diff != "" {
		t.Error(diff)
	}
}

func TestAnIncompleteFileIsNotCovered(t *testing.T) {
	t.Parallel()
	whole := lines("diff --git a/x b/x", "index 1..2 100644", "--- a/x", "+++ b/x", "@@ -1,2 +1,2 @@", " a", "-b", "+c")
	if !Parse(whole).Covers()["x"] {
		t.Error("the whole file is not covered")
	}
	for name, text := range map[string]string{
		"the end is cut off":     strings.TrimSuffix(whole, "+c\n"),
		"another file begins":    strings.TrimSuffix(whole, "+c\n") + lines("diff --git a/y b/y", "old mode 1", "new mode 2"),
		"all hunks are missing":  lines("diff --git a/x b/x", "index 1..2 100644", "--- a/x", "+++ b/x"),
		"the header is alone":    lines("diff --git a/x b/x", "index 1..2 100644"),
		"a line of another kind": lines("diff --git a/x b/x", "index 1..2 100644", "--- a/x", "+++ b/x", "@@ -1,2 +1,2 @@", " a", "…", "-b", "+c"),
	} {
		patch := Parse(text)
		if patch.Covers()["x"] || len(patch.Faults()) == 0 || patch.Paths()[0] != "x" {
			t.Errorf("%s: %+v", name, patch.Files)
		}
	}
}

func TestARenameCoversItsOldNameAndACopyDoesNot(t *testing.T) {
	t.Parallel()
	renamed := Parse(lines("diff --git a/o b/n", "similarity index 100%", "rename from o", "rename to n"))
	copied := Parse(lines("diff --git a/o b/n", "similarity index 100%", "copy from o", "copy to n"))
	if !renamed.Covers()["o"] || !renamed.Covers()["n"] || copied.Covers()["o"] || !copied.Covers()["n"] {
		t.Errorf("renamed %v, copied %v", renamed.Covers(), copied.Covers())
	}
}

func TestUnquoteKeepsWhatIsNotQuoted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`plain`: "plain", `"a\\b\"c\a\b\f\n\r\t\v"`: "a\\b\"c\a\b\f\n\r\t\v", `"\303\251"`: "é", `"\377"`: "\xff",
		`"open`: `"open`, `"bad\q"`: `"bad\q"`, `"\9"`: `"\9"`, `"`: `"`,
	} {
		if got := Unquote(text); got != want {
			t.Errorf("Unquote(%s) = %q, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
	f.Add("diff --cc m\n@@@ -1,2 -1,2 +1,3 @@@\n  a\n")
	f.Add("diff --git \"a/\\303 \"b\nGIT binary patch\nliteral 3\n\nSubmodule x 1234..5678:\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, file := range Parse(text).Files {
			if file.Path == "" && file.Fault == "" {
				t.Errorf("a file without a name in %q", text)
			}
		}
	})
}
