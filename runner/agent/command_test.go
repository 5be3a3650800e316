package agent

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lines are the exact command lines, as docs/agents.md has them: bare, and with
// every switch.
var lines = map[string][2]string{
	"claude": {
		"claude --print --output-format stream-json --verbose --setting-sources project --strict-mcp-config --permission-mode default --append-system-prompt SYSTEM",
		"claude --print --output-format stream-json --verbose --setting-sources project --strict-mcp-config --permission-mode bypassPermissions --model MODEL --resume ID",
	},
	"codex": {
		"codex exec --json --skip-git-repo-check --ignore-user-config --ignore-rules --disable hooks --disable plugins --disable apps -",
		"codex exec resume ID --json --skip-git-repo-check --ignore-user-config --ignore-rules --disable hooks --disable plugins --disable apps --dangerously-bypass-approvals-and-sandbox --model MODEL -",
	},
	"copilot": {
		"copilot --output-format json --no-color --no-auto-update --no-ask-user --disable-builtin-mcps --no-remote",
		"copilot --output-format json --no-color --no-auto-update --no-ask-user --disable-builtin-mcps --no-remote --allow-all --model MODEL --resume=ID",
	},
	"gemini": {
		"gemini --output-format stream-json --skip-trust --extensions none --allowed-mcp-server-names none --approval-mode default",
		"gemini --output-format stream-json --skip-trust --extensions none --allowed-mcp-server-names none --approval-mode yolo --model MODEL --resume ID",
	},
	"opencode": {
		"opencode run --format json --pure",
		"opencode run --format json --pure --auto --model MODEL --session ID",
	},
	"aider": {
		"aider --no-pretty --no-stream --no-check-update --no-show-release-notes --no-analytics --no-fancy-input --no-detect-urls --no-auto-commits --no-dirty-commits --no-gitignore --yes-always --no-suggest-shell-commands --message-file FILE",
		"aider --no-pretty --no-stream --no-check-update --no-show-release-notes --no-analytics --no-fancy-input --no-detect-urls --no-auto-commits --no-dirty-commits --no-gitignore --yes-always --model MODEL --message-file FILE",
	},
	"goose": {
		"goose run --instructions - --output-format stream-json --no-session --system SYSTEM",
		"goose run --instructions - --output-format stream-json --no-session --model MODEL --system SYSTEM",
	},
	"amp": {
		"amp --execute --stream-json --no-ide --no-notifications --no-color",
		"amp threads continue ID --execute --stream-json --no-ide --no-notifications --no-color --mode MODEL",
	},
}

func TestTheCommandLineOfEachPresetIsTheOneThatIsDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Presets() {
		d, _ := Preset(name)
		full := Request{Agent: d, Model: "MODEL"}
		if name != "amp" {
			full.Permission = "full"
		}
		if d.Resumes() {
			full.Resume = "ID"
		}
		for i, req := range []Request{{Agent: d}, full} {
			req.Scratch = t.TempDir()
			c, err := build(req)
			if err != nil {
				t.Fatal(name, err)
			}
			got := strings.Join(c.argv, " ")
			got = strings.ReplaceAll(got, Note, "SYSTEM")
			if c.file != "" {
				got = strings.ReplaceAll(got, c.file, "FILE")
			}
			if diff := cmp.Diff(lines[name][i], got); diff != "" {
				t.Error(diff)
			}
			if err := c.close(); err != nil {
				t.Error(err)
			}
			if !strings.Contains(string(doc), got+"\n") {
				t.Errorf("docs/agents.md lacks the line\n%s", got)
			}
		}
	}
}

func TestUserSettingsStayOutUnlessInherited(t *testing.T) {
	t.Parallel()
	for _, name := range Presets() {
		d, _ := Preset(name)
		d.Prompt = ByStdin
		for _, inherit := range []bool{false, true} {
			c, err := build(Request{Agent: d, InheritUserConfig: inherit})
			if err != nil {
				t.Fatal(err)
			}
			for _, arg := range d.Isolate {
				if got := slices.Contains(c.argv, arg); got == inherit && arg != "none" {
					t.Errorf("%s, inherited %v: %s is there: %v", name, inherit, arg, got)
				}
			}
		}
	}
}

func TestALongSystemTextGoesWithThePrompt(t *testing.T) {
	t.Parallel()
	d, _ := Preset("claude")
	persona := strings.Repeat("p", maxSystem)
	c, err := build(Request{Agent: d, System: persona, Prompt: "do it"})
	if err != nil {
		t.Fatal(err)
	}
	if want := Note + "\n\n" + persona + "\n\ndo it"; c.input != want || slices.Contains(c.argv, "--append-system-prompt") {
		t.Errorf("input of %d bytes, want %d; %q", len(c.input), len(want), c.argv)
	}
}

func TestTheAgentIsToldThatItRunsOneStep(t *testing.T) {
	t.Parallel()
	for _, name := range all {
		a := call(t, faked(t, name, "ok"))
		switch hasSwitch := name == "claude" || name == "goose"; {
		case name == "command":
			if a.Text != "you said: what is it?" {
				t.Errorf("a bare command line gets the prompt as it is: %q", a.Text)
			}
		case !hasSwitch && !strings.Contains(a.Text, Note):
			t.Errorf("%s was not told: %q", name, a.Text)
		}
	}
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	env := map[string]string{"read-only": "GOOSE_MODE=chat", "edit": "GOOSE_MODE=smart_approve", "full": "GOOSE_MODE=auto"}
	for wanted, entry := range env {
		d, _ := Preset("goose")
		c, err := build(Request{Agent: d, Permission: wanted})
		if err != nil || !slices.Contains(c.env, entry) {
			t.Errorf("%s: %v %q", wanted, err, c.env)
		}
	}
	d, _ := Preset("claude")
	d.Permission = "edit"
	if c, err := build(Request{Agent: d}); err != nil || !slices.Contains(c.argv, "acceptEdits") {
		t.Errorf("the definition's own permission: %v, %q", err, c.argv)
	}
	if c, err := build(Request{Agent: d, Permission: "read-only"}); err != nil || !slices.Contains(c.argv, "plan") {
		t.Errorf("the step's permission wins: %v, %q", err, c.argv)
	}
	d, _ = Preset("amp")
	_, err := build(Request{Agent: d, Permission: "full"})
	if _, ok := errors.AsType[*CannotError](err); !ok {
		t.Errorf("a permission without a switch must not be dropped: %v", err)
	}
	for mode, want := range map[string]bool{"full": true, "Read_Only": true, " edit ": true, "ANALYZE": false, "": false} {
		if _, ok := Permission(mode); ok != want {
			t.Errorf("Permission(%q): %v", mode, ok)
		}
	}
}

func TestAConversationIsContinuedOnlyWhereTheCLICan(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"aider", "goose"} {
		d, _ := Preset(name)
		if _, err := build(Request{Agent: d, Resume: "x"}); err == nil {
			t.Errorf("%s has no sessions", name)
		}
	}
}

func TestAPromptByArgument(t *testing.T) {
	t.Parallel()
	d := Plain([]string{"mine", "ask"})
	d.Prompt, d.PromptArgs = ByArg, []string{"--say", "{}"}
	if a := call(t, fakedBy(t, d, "ok")); a.Text != "you said: what is it?" {
		t.Errorf("%q", a.Text)
	}
	for _, prompt := range []string{strings.Repeat("x", maxArgument+1), "a\x00b"} {
		if _, err := build(Request{Agent: d, Prompt: prompt}); err == nil {
			t.Errorf("a prompt of %d bytes must be refused", len(prompt))
		}
	}
}

func TestAPromptFileIsPrivate(t *testing.T) {
	t.Parallel()
	d, _ := Preset("aider")
	c, err := build(Request{Agent: d, Prompt: "secret", Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(c.file)
	if err != nil || info.Mode().Perm() != 0o600 || filepath.Ext(c.file) != ".md" {
		t.Errorf("%v %v", info, err)
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}

func TestWhatStopsACLIInsideACLIIsRemoved(t *testing.T) {
	t.Parallel()
	req := faked(t, "command", "environment")
	req.Env = append(req.Env, "CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "GEMINI_CLI=1", "CODEX_SANDBOX=seatbelt", "CLAUDECODE_MINE=1", "KEEP=a=b")
	req.Agent.Env = []string{"OWN=1"}
	got := strings.Split(strings.TrimPrefix(call(t, req).Text, "you said: "), "\n")
	for _, entry := range got {
		if slices.Contains(nesting, strings.SplitN(entry, "=", 2)[0]) {
			t.Errorf("%s reached the child", entry)
		}
	}
	for _, entry := range []string{"KEEP=a=b", "CLAUDECODE_MINE=1", "OWN=1"} {
		if !slices.Contains(got, entry) {
			t.Errorf("%s did not reach the child", entry)
		}
	}
}
