// Package agents runs the real agent CLIs: their --help must have every switch
// that the presets use, and four of them are run against a model server of the
// test's own. The CLIs are installed by make test-agents, which names their
// folder in BRICKOVEN_TEST_AGENTS; without it the tests are skipped.
package agents

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/runner/agent"
	"github.com/brickoven/brickoven/runner/process"
)

const envFolder = "BRICKOVEN_TEST_AGENTS"

// programs is the folder of the installed CLIs.
func programs(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(envFolder)
	if dir == "" {
		t.Skip("SKIPPED: the real agent CLIs are not installed; make test-agents installs them")
	}
	return dir
}

// helps are the calls whose output lists the switches of each CLI. aider and
// goose are no npm packages; docs/agents.md says where their switches were read.
var helps = map[string][][]string{
	"claude":   {{"--help"}},
	"codex":    {{"exec", "--help"}, {"exec", "resume", "--help"}},
	"copilot":  {{"--help"}},
	"gemini":   {{"--help"}},
	"opencode": {{"run", "--help"}},
	"amp":      {{"--help"}, {"threads", "continue", "--help"}},
}

// choices are the words behind a switch that the --help lists, too.
var choices = map[string][]string{
	"claude":   {"stream-json", "default", "plan", "acceptEdits", "bypassPermissions"},
	"codex":    {"read-only", "workspace-write", "resume"},
	"copilot":  {"json"},
	"gemini":   {"stream-json", "default", "plan", "auto_edit", "yolo"},
	"opencode": {"json"},
	"amp":      {"threads", "continue"},
}

func TestEverySwitchOfAPresetIsInTheHelpOfItsCLI(t *testing.T) {
	dir := programs(t)
	for name, calls := range helps {
		t.Run(name, func(t *testing.T) {
			var all string
			for _, args := range calls {
				all += output(t, dir, name, args)
			}
			for _, word := range append(switches(t, name), choices[name]...) {
				if !regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(word) + `([^\w-]|$)`).MatchString(all) {
					t.Errorf("%s --help has no %s any more", name, word)
				}
			}
		})
	}
}

// TestSwitchesAfterResume looks at what codex takes behind exec resume, which is
// less than what it takes behind exec.
func TestSwitchesAfterResume(t *testing.T) {
	dir := programs(t)
	help := output(t, dir, "codex", []string{"exec", "resume", "--help"})
	for _, word := range switches(t, "codex") {
		if !strings.Contains(help, word) {
			t.Errorf("codex exec resume --help has no %s", word)
		}
	}
}

// switches are the words with dashes of a preset's whole definition.
func switches(t *testing.T, name string) []string {
	t.Helper()
	d, ok := agent.Preset(name)
	if !ok {
		t.Fatal("no such preset")
	}
	words := slices.Concat(d.Command, d.Model, d.System, d.Resume, d.Isolate, d.PromptArgs)
	for _, args := range d.Permissions {
		words = append(words, args...)
	}
	var found []string
	for _, word := range words {
		word, _, _ = strings.Cut(word, "=")
		if strings.HasPrefix(word, "--") && !slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	return found
}

// output runs a CLI with nothing around it and gives what it prints.
func output(t *testing.T, dir, name string, args []string) string {
	t.Helper()
	var out bytes.Buffer
	exit, err := process.Run(t.Context(), process.Spec{
		Argv: append([]string{filepath.Join(dir, name)}, args...), Dir: t.TempDir(), Env: surroundings(t, proxy(t)),
		Stdout: &out, Stderr: &out, Timeout: 5 * time.Minute,
	})
	if err != nil || exit.Code != 0 {
		t.Fatalf("%s %q: %v, exit %d\n%s", name, args, err, exit.Code, out.String())
	}
	return out.String()
}

// surroundings is the environment of a real CLI: PATH, a HOME of its own, and
// proxies for every address but the loopback's.
func surroundings(t *testing.T, proxy string) []string {
	t.Helper()
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(),
		"HTTPS_PROXY=" + proxy, "HTTP_PROXY=" + proxy, "ALL_PROXY=" + proxy,
		"https_proxy=" + proxy, "http_proxy=" + proxy, "all_proxy=" + proxy,
		"NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1",
	}
}
