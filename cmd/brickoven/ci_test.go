package main

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/recipes"
	"github.com/brickoven/brickoven/runner/step"
	"pgregory.net/rapid"
)

// unescaped is how GitHub reads what message and property wrote.
func unescaped(text string) string {
	return strings.NewReplacer("%2C", ",", "%3A", ":", "%0A", "\n", "%0D", "\r", "%25", "%").Replace(text)
}

func TestAnAnnotationIsOneCommandWhateverItHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := &recipes.Finding{
			Code: "code", Message: rapid.String().Draw(t, "message"),
			Pos: recipes.Position{File: rapid.StringMatching(`[a-z,:%\n]{1,8}`).Draw(t, "file"), Line: 1, Column: 2},
		}
		line := annotation(".", f)
		if strings.ContainsAny(line, "\r\n") {
			t.Fatalf("more than one line: %q", line)
		}
		rest, ok := strings.CutPrefix(line, "::error ")
		if !ok {
			t.Fatalf("no error: %q", line)
		}
		properties, text, _ := strings.Cut(rest, "::")
		if got := unescaped(text); got != f.Message {
			t.Fatalf("the message reads %q, not %q", got, f.Message)
		}
		if n := strings.Count(properties, ","); n != 3 {
			t.Fatalf("%d properties: %q", n+1, properties)
		}
	})
}

func TestAJUnitReportIsXMLWhateverStepsPrint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "error"))
		res := &result{RecipeName: text, StepResults: []stepResult{
			{Path: text, Status: step.Failed, Error: text, Duration: 0.5},
			{Path: "b", Status: step.Failed, Error: text, Tolerated: true},
			{Path: "c", Status: step.Skipped, Steps: []stepResult{{Path: "c/d", Status: step.Completed}}},
		}}
		var out bytes.Buffer
		if err := runJUnit(res).write(&out); err != nil {
			t.Fatal(err)
		}
		var back junitSuites
		if err := xml.Unmarshal(out.Bytes(), &back); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		if back.Tests != 4 || back.Failures != 1 || back.Skipped != 1 || back.Time != seconds(500*time.Millisecond) {
			t.Fatalf("%+v", back)
		}
	})
}

func TestNothingInASummaryIsMarkup(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a | b":                   `a \| b`,
		"<img src=x>":             `&lt;img src=x\>`,
		"[x](javascript:alert)":   `\[x\]\(javascript\:alert\)`,
		"two\nlines\tand\x1b[31m": "two lines and�\\[31m",
		"`code` *bold* &amp;":     "\\`code\\` \\*bold\\* &amp;amp;",
	} {
		if got := markdown(in); got != want {
			t.Errorf("%q is written %q, want %q", in, got, want)
		}
	}
}

func TestCIIsDetectedFromItsVariable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"": false, "true": true, "1": true, "yes": true, "false": false, "FALSE": false, "0": false} {
		if got := (&app{environ: []string{"CI=" + text}}).inCI(); got != want {
			t.Errorf("CI=%s: %v", text, got)
		}
	}
}

func TestIndexesAreNoPartOfAStepsPath(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"a": "a", "a[0]/b": "a/b", "a[10]/b[2]": "a/b", "a/b": "a/b", "a]b": "a]b"} {
		if got := unindexedPath(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
