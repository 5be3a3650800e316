package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/runner/agent"
)

// setup makes a request to a real CLI whose model is m.
type setup func(t *testing.T, dir string, m *model) agent.Request

func base(t *testing.T, dir, name string) agent.Request {
	t.Helper()
	d, _ := agent.Preset(name)
	d.Command[0] = filepath.Join(dir, name)
	return agent.Request{
		Agent: d, Step: "step", Prompt: "Say fine.", Dir: t.TempDir(), Env: surroundings(t, proxy(t)),
		Timeout: 5 * time.Minute, Now: time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC),
	}
}

func claude(t *testing.T, dir string, m *model) agent.Request {
	req := base(t, dir, "claude")
	req.Env = append(req.Env,
		"ANTHROPIC_BASE_URL="+m.url, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"CLAUDE_CODE_MAX_RETRIES=1")
	return req
}

func codex(t *testing.T, dir string, m *model) agent.Request {
	req := base(t, dir, "codex")
	req.Env = append(req.Env, "DUMMY_KEY=dummy")
	req.Model = "test"
	for _, setting := range []string{
		`model_provider="own"`, `model_providers.own.name="own"`, `model_providers.own.wire_api="responses"`,
		`model_providers.own.env_key="DUMMY_KEY"`, fmt.Sprintf(`model_providers.own.base_url=%q`, m.url+"/v1"),
		`model_providers.own.request_max_retries=0`, `model_providers.own.stream_max_retries=0`, `analytics.enabled=false`,
	} {
		req.Agent.Args = append(req.Agent.Args, "--config", setting)
	}
	return req
}

func copilot(t *testing.T, dir string, m *model) agent.Request {
	req := base(t, dir, "copilot")
	req.Env = append(req.Env, "COPILOT_OFFLINE=true", "COPILOT_MODEL=test", "COPILOT_PROVIDER_TYPE=anthropic",
		"COPILOT_PROVIDER_API_KEY=dummy", "COPILOT_PROVIDER_BASE_URL="+m.url)
	return req
}

func gemini(t *testing.T, dir string, m *model) agent.Request {
	req := base(t, dir, "gemini")
	req.Env = append(req.Env, "GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL="+m.url, "GEMINI_TELEMETRY_ENABLED=false")
	write(t, filepath.Join(homeOf(t, req), ".gemini", "settings.json"),
		`{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},"general":{"disableAutoUpdate":true,"enableAutoUpdate":false}}`)
	return req
}

var clis = map[string]setup{"claude": claude, "codex": codex, "copilot": copilot, "gemini": gemini}

// with runs a test for each of the named CLIs.
func with(t *testing.T, names []string, test func(t *testing.T, name string, request func(*model) agent.Request)) {
	t.Helper()
	dir := programs(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			test(t, name, func(m *model) agent.Request { return clis[name](t, dir, m) })
		})
	}
}

var everyone = []string{"claude", "codex", "copilot", "gemini"}

func call(t *testing.T, req agent.Request) agent.Answer {
	t.Helper()
	a, err := agent.Call(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAnAnswerWithUsage(t *testing.T) {
	with(t, everyone, func(t *testing.T, name string, request func(*model) agent.Request) {
		m := serve(t, reply{text: "fine, HTTP status 429"})
		req := request(m)
		var told []agent.Usage
		req.Used = func(u agent.Usage) { told = append(told, u) }
		a := call(t, req)
		if len(told) == 0 && name != "copilot" { // gemini tells at its end
			t.Error("nothing was told of the usage while it came")
		}
		if a.Status != agent.OK || a.Text != "fine, HTTP status 429" || a.Conversation == "" {
			t.Fatalf("%s, %q, conversation %q: %s", a.Status, a.Text, a.Conversation, a.Message)
		}
		if name != "copilot" { // which reports no tokens for a model server of one's own
			cached, out, in := int64(5), int64(7), int64(18)
			if name != "claude" {
				in = 11
			}
			if a.Usage.InputTokens == nil || *a.Usage.InputTokens != in || *a.Usage.OutputTokens != out || *a.Usage.CachedTokens != cached {
				t.Errorf("usage %+v", a.Usage)
			}
		}
		if body := strings.Join(m.asked(), ""); !strings.Contains(body, "Say fine.") || !strings.Contains(body, "You run one step of a brickoven recipe") {
			t.Error("the model was not told the prompt, or not that it runs one step")
		}
	})
}

func TestAConversationGoesOn(t *testing.T) {
	with(t, everyone, func(t *testing.T, name string, request func(*model) agent.Request) {
		m := serve(t, reply{text: "the word is marzipan"}, reply{text: `{"ok":true}`})
		req := request(m)
		first := call(t, req)
		if first.Total != nil {
			req.Before = *first.Total
		}
		a := call(t, req.Again(first.Text, first.Conversation, agent.Want{Field: "ok"}))
		if was, is := first.Usage.OutputTokens, a.Usage.OutputTokens; name != "copilot" && (was == nil || is == nil || *was != *is) {
			t.Errorf("the second call is not counted by itself: %+v", a.Usage)
		}
		if a.Status != agent.OK || a.Text != `{"ok":true}` {
			t.Fatalf("%s, %q: %s", a.Status, a.Text, a.Message)
		}
		asked := m.asked()
		if last := asked[len(asked)-1]; !strings.Contains(last, "marzipan") || !strings.Contains(last, "Say fine.") {
			t.Error("the second question came without the first answer")
		}
	})
}

func TestAToolThatThePermissionModeRefuses(t *testing.T) {
	calls := map[string]reply{
		"claude":  {tool: "Write", input: event{"file_path": "denied.txt", "content": "x"}},
		"codex":   {tool: "exec_command", input: event{"cmd": "touch denied.txt", "sandbox_permissions": "require_escalated", "justification": "x"}},
		"gemini":  {tool: "write_file", input: event{"file_path": "denied.txt", "content": "x"}},
		"copilot": {tool: "create", input: event{"path": "denied.txt", "file_text": "x"}},
	}
	with(t, everyone, func(t *testing.T, name string, request func(*model) agent.Request) {
		r := calls[name]
		req := request(serve(t, r, reply{text: "I could not."}))
		file := filepath.Join(req.Dir, "denied.txt")
		for key := range r.input.(event) {
			if key == "file_path" || key == "path" {
				r.input.(event)[key] = file
			}
		}
		a := call(t, req)
		if a.Status != agent.Denied || !slices.Equal(a.Denied, []string{r.tool}) || a.Text != "I could not." {
			t.Errorf("%s %q, %q: %s", a.Status, a.Denied, a.Text, a.Message)
		}
		if found, _ := filepath.Glob(file); len(found) > 0 {
			t.Error("the file is there")
		}
	})
}

func TestStatusesOfTheModelServer(t *testing.T) {
	with(t, []string{"claude", "codex", "copilot"}, func(t *testing.T, name string, request func(*model) agent.Request) {
		for status, want := range map[int]agent.Fault{429: agent.RateLimit, 529: agent.Overload} {
			if name == "copilot" && status == 529 {
				continue // which tries again for minutes by itself, as gemini does after both
			}
			a := call(t, request(serve(t, reply{status: status})))
			if a.Status != agent.RateLimited || a.Fault != want || a.ExitCode == 0 {
				t.Errorf("%d: %s, %q, exit %d: %s", status, a.Status, a.Fault, a.ExitCode, a.Message)
			}
			if line := a.FaultLine(name); !strings.HasPrefix(line, `{"class":"transient_transport"`) {
				t.Errorf("%d: %s", status, line)
			}
		}
	})
}

func TestAStreamThatIsCut(t *testing.T) {
	with(t, []string{"claude", "codex"}, func(t *testing.T, _ string, request func(*model) agent.Request) {
		a := call(t, request(serve(t, reply{text: "half", cut: true})))
		if a.Status != agent.Failed || a.Fault != agent.Connection {
			t.Errorf("%s, %q: %s", a.Status, a.Fault, a.Message)
		}
	})
}

// TestTheUsersOwnSettingsStayOut gives the CLIs a home with a hook, an MCP server
// and a note of the user's. The first two leave a mark where they count.
func TestTheUsersOwnSettingsStayOut(t *testing.T) {
	homes := map[string]map[string]string{
		"claude": {
			".claude/settings.json": `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch \"$HOME/mark-hook\""}]}]}}`,
			".claude/CLAUDE.md":     "The user's word is marzipan.",
			".claude.json":          `{"mcpServers":{"own":{"command":"sh","args":["-c","touch \"$HOME/mark-server\""]}}}`,
		},
		"codex": {
			".codex/config.toml": "[mcp_servers.own]\ncommand = \"sh\"\nargs = [\"-c\", \"touch \\\"$HOME/mark-server\\\"\"]\nenv_vars = [\"HOME\"]\n",
		},
	}
	with(t, []string{"claude", "codex"}, func(t *testing.T, name string, request func(*model) agent.Request) {
		for _, inherit := range []bool{false, true} {
			m := serve(t, reply{text: "fine"})
			req := request(m)
			req.InheritUserConfig = inherit
			if name == "codex" && inherit { // whose plugins come from elsewhere
				req.Agent.Args = append(req.Agent.Args, "--disable", "plugins", "--disable", "apps")
			}
			home := homeOf(t, req)
			for file, content := range homes[name] {
				write(t, filepath.Join(home, file), content)
			}
			if a := call(t, req); a.Status != agent.OK {
				t.Errorf("inherited %v: %s: %s", inherit, a.Status, a.Message)
			}
			noted := strings.Contains(strings.Join(m.asked(), ""), "marzipan")
			if name == "claude" && noted != inherit { // codex has no switch for it
				t.Errorf("inherited %v: the model read the user's note: %v", inherit, noted)
			}
			marks, err := filepath.Glob(filepath.Join(home, "mark-*"))
			if err != nil || (len(marks) > 0) != inherit {
				t.Errorf("inherited %v: %q left a mark, %v", inherit, marks, err)
			}
		}
	})
}

func homeOf(t *testing.T, req agent.Request) string {
	t.Helper()
	for _, entry := range req.Env {
		if home, ok := strings.CutPrefix(entry, "HOME="); ok {
			return home
		}
	}
	t.Fatal("no HOME")
	return ""
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
