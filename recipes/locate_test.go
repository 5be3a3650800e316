package recipes

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPlacesInsideScalars puts a mark into a value and expects it to be found
// in the file where it was written.
func TestPlacesInsideScalars(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"plain":              "v: some § text",
		"plain on two lines": "v: some\n  more § text",
		"double":             `v: "some § text"`,
		"double escapes":     `v: "tab\t \x41 ü \"quoted\" § text"`,
		"double folded":      "v: \"some\n  more \\\n  and § text\"",
		"double blank line":  "v: \"some\n\n  more § text\"",
		"single":             `v: 'it''s § here'`,
		"single folded":      "v: 'it''s\n   § here'",
		"literal":            "v: |\n  one\n  two § three\n",
		"literal deeper":     "v: |\n  one\n     two § three\n",
		"literal blank":      "v: |\n\n  one\n\n  § two\n",
		"literal indicator":  "v: |2-\n    one\n  § two\n",
		"literal tagged":     "v: !!str |\n  one\n  § two\n",
		"literal anchored":   "v: &a\n  |\n  one § two\n",
		"folded":             "v: >\n  one\n  two § three\n",
		"folded paragraphs":  "v: >-\n  one\n\n  two\n    deep § er\n",
		"tagged":             "v: !!str some § text",
		"anchored":           "v: &anchor 'some § text'",
		"wide characters":    "v: \"äöü 日本 § x\"",
	} {
		text := "name: x\n" + text + "\n"
		doc, err := readDocument(Source{Path: "f"}, []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		node := lookup(doc.root, "v")
		line, column := doc.spot(node).locate(strings.Index(node.Value, "§"))
		if got := []rune(doc.line(line) + " "); column > len(got) || string(got[column-1]) != "§" {
			t.Errorf("%s: %d:%d is not the mark in %q", name, line, column, text)
		}
	}
}

// TestPositionsAreInsideTheFile is a property of every finding about any text.
func TestPositionsAreInsideTheFile(t *testing.T) {
	t.Parallel()
	pieces := []string{"name: x\n", "steps:\n", "  - id: a\n", "    command: ", "\"{{ x }}\"\n", "{{x}}\n", "|\n", "      echo {{ y( }}\n", ">\n", "      a\n\n      b {{ . }}\n",
		"context:\n", "  a: &a [1]\n", "  b: *a\n", "  <<: *a\n", "\t", "  - ", "? ", "key: value: z\n", "---\n", "condition: 'a ==\n      b'\n", "    condition: a ==\n", "{", "}", "[", "]", "'", "\"", "é", "\r\n", "\u2028", ": ", "#c\n", "!!str ", "%", "@", "\\x", "    timeout: soon\n", "extends: y\n"}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 14).Draw(rt, "text"), "")
		insideFile(rt, text)
	})
}

type failer interface {
	Fatalf(format string, args ...any)
}

func insideFile(t failer, text string) {
	r, err := Parse("f.yaml", []byte(text), LoadOptions{})
	var found Findings
	if err != nil {
		found = err.(Findings)
	} else {
		found = r.Warnings
	}
	lines := splitLines(strings.TrimPrefix(text, "\ufeff"))
	for _, finding := range found {
		pos := finding.Pos
		if pos.Line == 0 {
			if code := finding.Code; code != "empty-file" && code != "file-too-large" {
				t.Fatalf("%s has no place in %q", code, text)
			}
			continue
		}
		if finding.Code == "invalid-utf8" || finding.Code == "nul-byte" {
			continue
		}
		if pos.Line < 1 || pos.Line > len(lines) || pos.Column < 1 || pos.Column > len([]rune(lines[pos.Line-1]))+1 {
			t.Fatalf("%s at %v lies outside of %q", finding.Code, pos, text)
		}
		if finding.Error() == "" || finding.Message == "" || finding.Code == "" {
			t.Fatalf("an empty finding in %q", text)
		}
	}
}

func TestSnippetsOfLongAndHostileLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 300)
	for _, column := range []int{1, 150, 300, 301, 999} {
		f := &Finding{Message: "m", Line: long, Pos: Position{"f", 1, column}}
		lines := strings.Split(f.Error(), "\n")
		if len([]rune(lines[1])) > 130 || len(lines[2]) > len([]rune(lines[1]))+1 {
			t.Errorf("column %d: %q", column, lines)
		}
	}
	f := &Finding{Message: "m", Line: "\tx\x1b[31mred", Pos: Position{"f", 1, 3}}
	if got := f.Error(); strings.Contains(got, "\x1b") || !strings.Contains(got, "\n  \t ^") {
		t.Errorf("%q", got)
	}
}
