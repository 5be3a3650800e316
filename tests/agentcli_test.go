package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brickoven/brickoven/tests/fakecli"
)

// fakeAgent is the life of this test binary where it was started under the name
// of an agent CLI; ok is false everywhere else.
func fakeAgent() (code int, ok bool) {
	preset, what := filepath.Base(os.Args[0]), os.Getenv(fakecli.EnvCase)
	if _, known := fakecli.Voices[preset]; !known || what == "" {
		return 0, false
	}
	return fakecli.CLI{
		Preset: preset, Case: what, Args: os.Args[1:], Env: os.Environ(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
	}.Run(), true
}

// withAgents puts the fake CLIs in front of a command's PATH.
func (p *folder) withAgents(cmd *exec.Cmd) *exec.Cmd {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	bin := p.path("bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		p.t.Fatal(err)
	}
	for preset := range fakecli.Voices {
		if err := os.Symlink(self, filepath.Join(bin, preset)); err != nil && !os.IsExist(err) {
			p.t.Fatal(err)
		}
	}
	cmd.Env = append(cmd.Env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GOCOVERDIR="+p.t.TempDir())
	return cmd
}

// agentEnd is what the result says of one agent step.
type agentEnd struct {
	StepID   string `json:"step_id"`
	Status   string `json:"status"`
	Output   string `json:"output"`
	Error    string `json:"error"`
	ExitCode int    `json:"exit_code"`
	Usage    struct {
		Input *int64 `json:"input_tokens"`
		Calls int64  `json:"calls"`
	} `json:"usage"`
	Agent struct {
		Status   string     `json:"status"`
		Fault    *string    `json:"fault"`
		ResetsAt *time.Time `json:"resets_at"`
		Denied   []string   `json:"denied"`
	} `json:"agent"`
}

func agentEnds(t *testing.T, end ended) map[string]agentEnd {
	t.Helper()
	var doc struct {
		Steps []agentEnd `json:"step_results"`
	}
	if err := json.Unmarshal([]byte(end.stdout), &doc); err != nil {
		t.Fatalf("%v\n%s\n%s", err, end.stdout, end.stderr)
	}
	found := map[string]agentEnd{}
	for _, st := range doc.Steps {
		found[st.StepID] = st
	}
	return found
}

// happenings are what a fake CLI does, each with what becomes of a step: the
// status of the call, which a plain text cannot always tell.
var happenings = []struct {
	id, what, keys string
	status, plain  string
}{
	{"fine", "ok", "", "ok", "ok"},
	{"flagged", "error with exit 0", "", "error", "ok"},
	{"late", "result with exit 1", "", "ok", "error"},
	{"limited", "rate limited twice", "", "ok", "ok"},
	{"silent", "silent after the answer", "idle_timeout: 2s", "ok", "error"},
	{"long", "5 MB", "", "ok", "ok"},
	{"odd", "invalid UTF-8", "", "ok", "ok"},
	{"stuck", "never exits", "timeout: 2s", "error", "error"},
	{"mute", "nothing", "", "no_result", "no_result"},
	{"spent", "quota", "", "quota_exhausted", "quota_exhausted"},
	{"final", "refused", "", "refused", "refused"},
}

func TestWhatAnAgentCLIDoesIsReadFromItsResult(t *testing.T) {
	t.Parallel()
	for preset := range fakecli.Voices {
		if preset == "command" {
			continue
		}
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			// A refusal is not tolerated, so that it stands at the end.
			recipe := "name: r\nagents: {retry: {delay: 0}}\nsteps:\n"
			for _, h := range happenings {
				recipe += fmt.Sprintf("  - id: %s\n    prompt: what is it?\n    continue_on_error: true\n    env: {%s: %s}\n    %s\n", h.id, fakecli.EnvCase, h.what, h.keys)
			}
			p := newFolder(t, map[string]string{"r.yaml": recipe})
			end := wait(t, p.withAgents(p.command("run", "r.yaml", "--agent", preset, "--output-format", "json")))
			if end.code != 79 {
				t.Errorf("exit %d\n%s", end.code, end.stderr)
			}
			ends := agentEnds(t, end)
			for _, h := range happenings {
				want := h.status
				if preset == "aider" {
					want = h.plain
				}
				got := ends[h.id]
				if got.Agent.Status != want || (got.Status == "completed") != (want == "ok") {
					t.Errorf("%s: the call is %q, the step %s, want %q\n%s", h.id, got.Agent.Status, got.Status, want, got.Error)
				}
			}
			checkEnds(t, ends)
		})
	}
}

// checkEnds looks at what does not depend on the CLI.
func checkEnds(t *testing.T, ends map[string]agentEnd) {
	t.Helper()
	if out := ends["fine"].Output; !strings.HasPrefix(out, "you said: ") || !strings.Contains(out, "what is it?") {
		t.Errorf("the answer: %q", out)
	}
	if calls := ends["limited"].Usage.Calls; calls != 3 {
		t.Errorf("limited twice, then fine: %d calls", calls)
	}
	if n := len(ends["long"].Output); n != 5<<20-1 {
		t.Errorf("5 MB: %d bytes", n)
	}
	if out := ends["odd"].Output; out != "caf\uFFFD" {
		t.Errorf("invalid UTF-8: %q", out)
	}
	if ends["stuck"].ExitCode != 124 || ends["final"].ExitCode != 79 {
		t.Errorf("exit codes %d and %d", ends["stuck"].ExitCode, ends["final"].ExitCode)
	}
	reset := time.Date(2030, 3, 17, 17, 46, 0, 0, time.UTC)
	if spent := ends["spent"]; spent.Agent.ResetsAt == nil || !spent.Agent.ResetsAt.Equal(reset) ||
		!strings.Contains(spent.Error, `{"class":"transient_transport","fault":"quota"`) {
		t.Errorf("the limit resets at %v: %s", spent.Agent.ResetsAt, spent.Error)
	}
}

// limitedFor is a recipe whose agent says that its limit is used up until 2030,
// as long as there is no file paid.
func limitedFor(recipe string) map[string]string {
	return map[string]string{
		"r.yaml": recipe,
		".brickoven/config.yaml": `
agents:
  default: mine
  on_quota: {wait: until_reset, max_wait: 99999h}
  mine:
    command: [sh, agent.sh]
    result: json
    answer: text
    error: error
`,
		"agent.sh": `
cat >/dev/null
echo x >>calls
if [ -e paid ]; then echo '{"text":"fine"}'; exit; fi
echo "{\"error\":\"You've hit your usage limit, resets 2030-03-17T17:46:00Z\"}"
`,
	}
}

const oneCall = "name: r\nsteps:\n  - {id: a, prompt: hi, timeout: 5m}\n"

// waits gives what a run says that it waits for, once it waits.
func (p *folder) waits(run ...string) (id string, due time.Time) {
	p.t.Helper()
	for range 2000 {
		end := p.run(append([]string{"runs", "show", "--output-format", "json"}, run...)...)
		var doc struct {
			ID    string `json:"run_id"`
			Waits []struct {
				Path, Reason string
				Due          time.Time
			}
		}
		if json.Unmarshal([]byte(end.stdout), &doc) == nil && len(doc.Waits) == 1 {
			return doc.ID, doc.Waits[0].Due
		}
		time.Sleep(5 * time.Millisecond)
	}
	p.t.Fatal("the run does not wait")
	return "", time.Time{}
}

func TestAWaitForALimitIsHealthySurvivesItsProcessAndCanBeCutShort(t *testing.T) {
	t.Parallel()
	p := newFolder(t, limitedFor(oneCall))
	cmd := p.started("calls", "run", "r.yaml")
	id, due := p.waits()
	if reset := time.Date(2030, 3, 17, 17, 46, 0, 0, time.UTC); due.Before(reset) || due.After(reset.Add(30*time.Second)) {
		t.Errorf("due %v", due)
	}
	if found := p.wantFinding("healthy", 0, "--once", "--stall-timeout", "1ns"); !strings.Contains(found.Reason, "waits until 2030-03-17T17:46") {
		t.Errorf("%+v", found)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()

	again := p.command("resume")
	if err := again.Start(); err != nil {
		t.Fatal(err)
	}
	if _, later := p.waits(); !later.Equal(due) {
		t.Errorf("after the resume it is due %v, before it was %v", later, due)
	}
	if err := os.WriteFile(p.path("paid"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if end := p.run("runs", "retry-now"); end.code != 0 || end.stdout != "run "+id+": the wait of a is cut short\n" {
		t.Errorf("exit %d\n%s%s", end.code, end.stdout, end.stderr)
	}
	if err := again.Wait(); err != nil {
		t.Errorf("the resumed run: %v", err)
	}
	if calls := strings.Count(p.read("calls"), "x"); calls != 2 {
		t.Errorf("the call was made %d times", calls)
	}
	if end := p.run("runs", "retry-now", id); end.code != 1 || !strings.Contains(end.stderr, "waits for nothing") {
		t.Errorf("a run that is over: exit %d, %s", end.code, end.stderr)
	}
	if end := p.run("runs", "retry-now"); end.code != 3 || !strings.Contains(end.stderr, "no run of this project waits") {
		t.Errorf("no run: exit %d, %s", end.code, end.stderr)
	}
}

func TestASignalEndsAWaitAndAResumeTakesItUpAgain(t *testing.T) {
	t.Parallel()
	p := newFolder(t, limitedFor(oneCall))
	cmd := p.started("calls", "run", "r.yaml")
	_, due := p.waits()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit %d", code)
	}
	again := p.command("resume")
	if err := again.Start(); err != nil {
		t.Fatal(err)
	}
	if _, later := p.waits(); !later.Equal(due) {
		t.Errorf("after the resume it is due %v, before it was %v", later, due)
	}
	if err := again.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = again.Wait()
}

func TestTheJudgeOfALoopWaitsAsItsWorkerDoes(t *testing.T) {
	t.Parallel()
	files := limitedFor(`
name: r
steps:
  - id: fix
    type: loop
    steps:
      - {id: work, command: "echo work >>done"}
    judge: ./judge.yaml
`)
	files["judge.yaml"] = `
name: judge
steps:
  - {id: ask, prompt: "is it done?", output: said}
  - {id: loop_health, command: "echo '{\"loop_verdict\":\"DONE\",\"moved\":[\"all\"]}'", output: loop_health, parse_json: true}
`
	p := newFolder(t, files)
	cmd := p.started("calls", "run", "r.yaml")
	p.waits()
	if err := os.WriteFile(p.path("paid"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if end := p.run("session", "retry-now"); end.code != 0 || !strings.Contains(end.stdout, "the wait is cut short") {
		t.Errorf("exit %d\n%s%s", end.code, end.stdout, end.stderr)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the run: %v", err)
	}
	if rounds := strings.Count(p.read("done"), "work"); rounds != 1 {
		t.Errorf("the wait cost rounds: %d", rounds)
	}
	found, err := filepath.Glob(filepath.Join(p.dir, "state", "brickoven", "*", "sessions", "*", "events.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v %v", found, err)
	}
	events, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"type":"waiting","payload":{"due":"2030-03-17T17:46:`, `"type":"wait_ended","payload":{"cut_short":true}`} {
		if !strings.Contains(string(events), want) {
			t.Errorf("the session's events have no %s:\n%s", want, events)
		}
	}
}

func TestAResumedReplayGoesOnBehindWhatItPlayed(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{
		"agent.sh":  "cat >/dev/null; test -e once && echo second && exit; touch once; echo 'error: 529 overloaded' >&2; exit 1\n",
		"fast.yaml": "name: r\nagents: {retry: {delay: 0}}\nsteps:\n  - {id: a, prompt: hi}\n",
		"slow.yaml": "name: r\nagents: {retry: {delay: 2h, max_delay: 2h}}\nsteps:\n  - {id: a, prompt: hi}\n",
	})
	if end := p.run("run", "fast.yaml", "--agent", "sh agent.sh", "--record", "kept"); end.code != 0 {
		t.Fatalf("exit %d\n%s", end.code, end.stderr)
	}
	cmd := p.command("run", "slow.yaml", "--replay", "kept")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.waits()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	again := p.command("resume")
	if err := again.Start(); err != nil {
		t.Fatal(err)
	}
	p.waits()
	if end := p.run("runs", "retry-now"); end.code != 0 {
		t.Errorf("exit %d\n%s", end.code, end.stderr)
	}
	if err := again.Wait(); err != nil {
		t.Errorf("the resumed run: %v", err)
	}
}

func TestWhatAnAgentHasUsedSoFarIsSeenWhileItWorks(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{
		"r.yaml": "name: r\nsteps:\n  - {id: a, prompt: hi}\n",
		"bin/claude": `#!/bin/sh
cat >/dev/null
echo '{"type":"assistant","message":{"id":"m1","content":[],"usage":{"input_tokens":1234,"output_tokens":5}},"parent_tool_use_id":null}'
echo x >ready
while [ ! -e go ]; do sleep 0.02; done
echo '{"type":"result","subtype":"success","is_error":false,"result":"fine","usage":{"input_tokens":2000,"output_tokens":50},"permission_denials":[]}'
`,
	})
	if err := os.Chmod(p.path("bin/claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := p.command("run", "r.yaml", "--agent", "claude")
	cmd.Env = append(cmd.Env, "PATH="+p.path("bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	shown := ""
	for range 2000 {
		if shown = p.run("runs", "show").stdout; strings.Contains(shown, "1234 tokens in, 5 tokens out") {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if !strings.Contains(shown, "1234 tokens in, 5 tokens out") || !strings.Contains(shown, "[running]") {
		t.Errorf("while it works:\n%s", shown)
	}
	// What was used before the process died was used, too.
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if err := os.WriteFile(p.path("go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	again := p.command("resume")
	again.Env = cmd.Env
	if end := wait(t, again); end.code != 0 || !strings.Contains(end.stdout, "Usage: 3234 tokens in, 55 tokens out") {
		t.Errorf("resumed: exit %d\n%s%s", end.code, end.stdout, end.stderr)
	}
	if shown = p.run("runs", "show").stdout; !strings.Contains(shown, "Usage:   3234 tokens in, 55 tokens out") {
		t.Errorf("at the end:\n%s", shown)
	}
	if end := p.run("runs", "verify"); end.code != 0 {
		t.Errorf("verify: exit %d\n%s", end.code, end.stderr)
	}
}
