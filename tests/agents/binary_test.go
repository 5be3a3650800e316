package agents

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brickoven/brickoven/runner/agent"
	"github.com/brickoven/brickoven/runner/process"
)

const talk = `
name: talk
steps:
  - {id: first, prompt: Say fine., session: talk}
  - {id: second, prompt: Say it again., session: talk, parse_json: true}
`

// TestARecipeWithARealCLI runs the program itself: the first call is turned away
// and repeated, the second step goes on with the conversation of the first, and
// its answer is asked for once more.
func TestARecipeWithARealCLI(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "brickoven")
	with(t, []string{"claude", "codex"}, func(t *testing.T, name string, request func(*model) agent.Request) {
		if _, err := os.Stat(bin); err != nil {
			build(t, bin)
		}
		replies := []reply{{status: 529}, {text: "the word is marzipan"}, {text: "no JSON at all"}, {text: `{"ok":true}`}}
		if name == "claude" { // which tries once more by itself
			replies = append([]reply{{status: 529}}, replies...)
		}
		m := serve(t, replies...)
		req := request(m)
		settings, err := json.Marshal(map[string]any{"agents": map[string]any{
			"default": name, "retry": map[string]any{"delay": 0}, name: map[string]any{"args": req.Agent.Args, "command": req.Agent.Command},
		}})
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(req.Dir, ".brickoven", "config.yaml"), string(settings))
		write(t, filepath.Join(req.Dir, "talk.yaml"), strings.ReplaceAll(talk, "prompt:", "model: \""+req.Model+"\", prompt:"))
		var out, errOut bytes.Buffer
		exit, err := process.Run(t.Context(), process.Spec{
			Argv: []string{bin, "run", "talk.yaml", "--output-format", "json"}, Dir: req.Dir, Env: req.Env,
			Stdout: &out, Stderr: &errOut, Timeout: 5 * time.Minute,
		})
		if err != nil || exit.Code != 0 {
			t.Fatalf("%v, exit %d\n%s%s", err, exit.Code, out.String(), errOut.String())
		}
		var doc struct {
			Steps []struct{ Output string } `json:"step_results"`
			Usage struct {
				Calls  int64  `json:"calls"`
				Output *int64 `json:"output_tokens"`
			}
		}
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		if len(doc.Steps) != 2 || doc.Steps[0].Output != "the word is marzipan" || doc.Steps[1].Output != `{"ok":true}` {
			t.Errorf("%+v", doc.Steps)
		}
		if doc.Usage.Calls != 4 || doc.Usage.Output == nil || *doc.Usage.Output != 21 {
			t.Errorf("usage %s", out.String())
		}
		if !strings.Contains(errOut.String(), "first waits") {
			t.Errorf("the wait is not told:\n%s", errOut.String())
		}
		asked := m.asked()
		if last := asked[len(asked)-1]; !strings.Contains(last, "marzipan") || !strings.Contains(last, "no JSON at all") {
			t.Error("the last question does not belong to the conversation")
		}
	})
}

func build(t *testing.T, bin string) {
	t.Helper()
	var out bytes.Buffer
	exit, err := process.Run(t.Context(), process.Spec{
		Argv: []string{"go", "build", "-o", bin, "github.com/brickoven/brickoven/cmd/brickoven"}, Env: os.Environ(), Stdout: &out, Stderr: &out,
	})
	if err != nil || exit.Code != 0 {
		t.Fatalf("%v, exit %d\n%s", err, exit.Code, out.String())
	}
}
