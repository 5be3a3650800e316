package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brickoven/brickoven/tests/fakecli"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var formats = []string{"claude", "codex", "copilot", "gemini", "opencode", "goose", FormatText, FormatJSON}

func read(t interface{ Fatal(...any) }, format string, pieces ...string) outcome {
	tr := newTranscript((&Definition{Result: Result{Format: format}}).reading(), nil)
	for _, piece := range pieces {
		if n, err := tr.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatal(n, err)
		}
	}
	return tr.finish()
}

func TestWhereTheOutputIsCutIntoPiecesDoesNotMatter(t *testing.T) {
	t.Parallel()
	for _, preset := range streams {
		d, _ := Preset(preset)
		whole := strings.Join(fakecli.Voices[preset].Answer("an answer\nof two lines"), "\n") + "\nnoise {\n\n"
		want := read(t, d.Result.Format, whole)
		rapid.Check(t, func(t *rapid.T) {
			cut := rapid.IntRange(0, len(whole)).Draw(t, "cut")
			again := rapid.IntRange(cut, len(whole)).Draw(t, "again")
			got := read(t, d.Result.Format, whole[:cut], whole[cut:again], whole[again:])
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(outcome{})); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

func TestALineThatIsTooLongIsPassedOver(t *testing.T) {
	t.Parallel()
	long := `{"type":"assistant","x":"` + strings.Repeat("y", keepBytes) + "\"}\n"
	o := read(t, "claude", long, strings.Join(fakecli.Claude.Answer("fine"), "\n"))
	if o.text != "fine" || !o.complete || !o.truncated {
		t.Errorf("%q, complete %v, truncated %v", o.text, o.complete, o.truncated)
	}
}

func TestOfALongTextTheEndIsKept(t *testing.T) {
	t.Parallel()
	o := read(t, FormatText, strings.Repeat("é", 2*keepBytes), "END")
	if len(o.text) > keepBytes || !strings.HasSuffix(o.text, "éEND") || !strings.HasPrefix(o.text, "é") || !o.truncated {
		t.Errorf("%d bytes, truncated %v", len(o.text), o.truncated)
	}
}

func TestAStreamThatIsCutHasNoCompleteResult(t *testing.T) {
	t.Parallel()
	for _, preset := range streams {
		d, _ := Preset(preset)
		events := fakecli.Voices[preset].Answer("half")
		if o := read(t, d.Result.Format, strings.Join(events[:len(events)-1], "\n")); o.complete || o.text != "half" {
			t.Errorf("%s: complete %v, %q", preset, o.complete, o.text)
		}
	}
}

func TestGeminiHidesTheToolsThatItsModeRefuses(t *testing.T) {
	t.Parallel()
	const use = `{"type":"tool_use","tool_name":"%s","tool_id":"t","parameters":{}}` + "\n"
	const result = `{"type":"tool_result","tool_id":"t","status":"error","error":{"type":"tool_not_registered","message":"not found"}}` + "\n"
	for tool, want := range map[string]int{"write_file": 1, "wrlte_file": 0} {
		if o := read(t, "gemini", fmt.Sprintf(use, tool), result); len(o.denied) != want {
			t.Errorf("%s: %q", tool, o.denied)
		}
	}
}

func TestClaudeNamesALimitInAnEventOfItsOwn(t *testing.T) {
	t.Parallel()
	event := `{"type":"rate_limit_event","rate_limit_info":{"status":%s,"resetsAt":1900000000,"rateLimitType":"five_hour"}}`
	failure := strings.Join(fakecli.Claude.Failure("no more", 429), "\n")
	o := read(t, "claude", fmt.Sprintf(event, `"rejected"`)+"\n"+failure)
	if !o.exhausted || o.resetsAt == nil || o.resetsAt.Unix() != 1900000000 {
		t.Errorf("%v %v", o.exhausted, o.resetsAt)
	}
	if o := read(t, "claude", fmt.Sprintf(event, `"allowed_warning"`)+"\n"+failure); o.exhausted {
		t.Error("a warning is no limit")
	}
}

func FuzzTranscript(f *testing.F) {
	for _, preset := range streams {
		f.Add(strings.Join(fakecli.Voices[preset].Answer("x"), "\n"))
		f.Add(strings.Join(fakecli.Voices[preset].Failure("x", 429), "\n"))
	}
	f.Add(`{"type":"result","usage":[],"permission_denials":[null,1,{"tool_name":2}],"errors":[{}]}`)
	f.Fuzz(func(t *testing.T, out string) {
		for _, format := range formats {
			read(t, format, out)
		}
	})
}
