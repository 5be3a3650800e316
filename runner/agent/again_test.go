package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTheQuestionForJSONGoesOnWithTheConversation(t *testing.T) {
	t.Parallel()
	d, _ := Preset("claude")
	want := Want{Field: "verdict", Schema: map[string]any{"type": "object"}, Problem: "at /x: wrong"}
	req := Request{Agent: d, Prompt: "judge", System: "persona"}.Again("prose", "c1", want)
	if req.Resume != "c1" || strings.Contains(req.Prompt, "judge") || req.System != "" {
		t.Errorf("%+v", req)
	}
	for _, part := range []string{`the key "verdict"`, "at /x: wrong", "{\"type\":\"object\"}"} {
		if !strings.Contains(req.Prompt, part) {
			t.Errorf("%q lacks %q", req.Prompt, part)
		}
	}
	c, err := build(req)
	if err != nil || strings.Contains(c.input+strings.Join(c.argv, " "), Note) {
		t.Errorf("a conversation that goes on has been told already: %v %q", err, c.argv)
	}
}

func TestTheQuestionForJSONSendsTheAnswerBackWhereItMust(t *testing.T) {
	t.Parallel()
	plain := Request{Agent: Plain([]string{"x"}), Prompt: "judge"}
	got := plain.Again("prose", "", Want{Field: "verdict"})
	want := "judge\n\nYou were asked this before, and your answer held no JSON that could be used. It was:\n\nprose\n\n" +
		"Answer again, with one JSON object that has the key \"verdict\" and nothing else."
	if diff := cmp.Diff(want, got.Prompt); diff != "" || got.Resume != "" {
		t.Error(diff)
	}
	if long := plain.Again(strings.Repeat("a", 3*maxEcho)+"END", "", Want{}); len(long.Prompt) > maxEcho+500 || !strings.Contains(long.Prompt, "END") {
		t.Errorf("%d bytes", len(long.Prompt))
	}
}

func TestWhatWasRecordedIsPlayedBack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "rec")
	resets, cost := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), 0.5
	answers := []Answer{
		{Status: OK, Text: "one\x00\"é", Usage: Usage{CostUSD: &cost}, Conversation: "c"},
		{Status: QuotaExhausted, Message: "m", ResetsAt: &resets, Fault: UsedUp, ExitCode: 1},
		{Status: OK, Text: "other step"},
	}
	n := 0
	record := Record(dir, func(context.Context, Request) (Answer, error) { n++; return answers[n-1], nil })
	d, _ := Preset("claude")
	one, other := Request{Agent: d, Step: "a/b", Prompt: "p"}, Request{Agent: d, Step: "a_b", Prompt: "p"}
	for _, req := range []Request{one, one, other} {
		if _, err := record(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 3 {
		t.Fatalf("%v %v", files, err)
	}
	if info, err := files[0].Info(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("recordings are private: %v %v", info.Mode(), err)
	}
	player, err := Replay(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, req := range []Request{one, one, other} {
		got, err := player.Call(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		got.Recording = ""
		if diff := cmp.Diff(answers[i], got); diff != "" {
			t.Error(diff)
		}
	}
	_, err = player.Call(t.Context(), one)
	if _, ok := errors.AsType[*MissError](err); !ok || !strings.Contains(err.Error(), "all 2 answers to this prompt were played") {
		t.Errorf("%v", err)
	}
}

func TestAMissShowsTheDifference(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record := Record(dir, func(context.Context, Request) (Answer, error) { return Answer{Status: OK, Text: "x"}, nil })
	d, _ := Preset("claude")
	for _, prompt := range []string{"same\nold line\nend", "nothing like it"} {
		if _, err := record(t.Context(), Request{Agent: d, Step: "s", Prompt: prompt}); err != nil {
			t.Fatal(err)
		}
	}
	player, err := Replay(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = player.Call(t.Context(), Request{Agent: d, Step: "s", Prompt: "same\nnew line\nend"})
	want := "replay: no answer is recorded for step s with this prompt. It differs from the recorded one:\n@@ line 2 @@\n-old line\n+new line"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	_, err = player.Call(t.Context(), Request{Agent: d, Step: "t", Prompt: "x"})
	if err == nil || err.Error() != "replay: no answer is recorded for step t; there are recordings of s" {
		t.Errorf("%v", err)
	}
}

func TestARecordingThatWasChangedIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a.json", `{"step":"s","number":1,"prompt":"p","prompt_sha256":"00","answer":{"status":"ok","text":"x","usage":{}}}`)
	if _, err := Replay(dir); err == nil || !strings.Contains(err.Error(), "a.json: the prompt does not fit its hash") {
		t.Errorf("%v", err)
	}
}

func TestABareCommandLineReadsThePersonaThenThePrompt(t *testing.T) {
	t.Parallel()
	req := Request{Agent: Plain([]string{"x"}), System: "persona\n", Prompt: "do it"}
	if got := req.Whole(); got != "persona\n\ndo it" {
		t.Errorf("%q", got)
	}
}
