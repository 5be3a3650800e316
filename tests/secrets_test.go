package tests

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// twoLines is a secret that every encoding spells differently.
const twoLines = "s3cr3t/+ \"Zucker\"&co\nsecond-line-of-it?=1"

// spellings are the forms in which no secret may be seen.
func spellings(t *testing.T, secret string) map[string]string {
	t.Helper()
	quoted, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]string{
		"raw": secret, "json": strings.Trim(string(quoted), `"`),
		"base64": base64.StdEncoding.EncodeToString([]byte(secret)), "base64url": base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"query": url.QueryEscape(secret), "path": url.PathEscape(secret),
	}
	for i, line := range strings.Split(secret, "\n") {
		forms["line "+string(rune('1'+i))] = line
	}
	return forms
}

// everything reads all files below some folders, and texts under their names.
func everything(t *testing.T, texts map[string]string, dirs ...string) map[string]string {
	t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			texts[path] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// seen fails the test for each form of a secret in a text.
func seen(t *testing.T, secret string, texts map[string]string) {
	t.Helper()
	for where, text := range texts {
		for form, spelling := range spellings(t, secret) {
			if strings.Contains(text, spelling) {
				t.Errorf("%s holds the secret (%s)", where, form)
			}
		}
	}
}

const leaky = `
name: leaky
secrets: [TOKEN]
context: {given: ""}
steps:
  - {id: raw, command: "printf '%s' \"$TOKEN\"; printf '%s' \"$TOKEN\" >got", output: raw}
  - {id: split, command: "printf '%s' \"${TOKEN:0:9}\"; sleep 0.05; printf '%s' \"${TOKEN:9}\"", output: split}
  - {id: forms, command: "printf '%s\\n' \"$FORM_BASE64\" \"$FORM_QUERY\" \"$FORM_JSON\"", output: forms}
  - {id: object, command: "printf '{\"a\": [\"%s\"]}' \"$FORM_JSON\"", output: object}
  - {id: large, command: "for i in $(seq 3000); do printf 'line %s of a long text %s\\n' $i \"$TOKEN\"; done", output: large}
  - {id: back, command: "printf '%s' '{{raw}}' >back; test '{{raw}}' = \"$TOKEN\"; echo {{given}}"}
  - {id: asked, condition: "'Zucker' in raw", command: "echo asked"}
  - {id: stubbed, command: "true", output: stubbed}
  - {id: tolerated, command: "echo \"$TOKEN\" >&2; exit 3", continue_on_error: true}
  - {id: missing, foreach: "{{object.a}}", command: "echo {{item}} {{nowhere}}; exit 1", continue_on_error: true}
  - {id: folder, working_dir: "/nowhere/{{raw}}", command: "true", continue_on_error: true}
  - {id: fails, command: "echo \"$TOKEN\" >&2; printf '%s' \"$TOKEN\"; exit 1"}
output: {template: "{{raw}} {{object}} {{run.reason}}"}
`

func TestSecretsReachNothingThatIsKeptOrShown(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		for _, secret := range []string{twoLines, "plain-secret-value"} {
			p := newFolder(t, map[string]string{"leaky.yaml": leaky, "big": strings.Repeat("a line with "+secret+"\n", 4000)})
			forms := spellings(t, secret)
			cmd := p.command("run", "leaky.yaml", "--output-format", format, "--progress", "--audit-dir", p.path("audit"),
				"--set", "given="+secret, "--set-file", "big=big", "--mask-env", "OTHER", "--stub", "stubbed=@big")
			cmd.Env = append(cmd.Env, "TOKEN="+secret, "OTHER=another-value-of-it",
				"FORM_BASE64="+forms["base64"], "FORM_QUERY="+forms["query"], "FORM_JSON="+forms["json"])
			end := wait(t, cmd)
			if end.code != 1 {
				t.Fatalf("exit %d\n%s%s", end.code, end.stdout, end.stderr)
			}
			if got := p.read("got"); got != secret {
				t.Errorf("the step got %q", got)
			}
			if back := p.read("back"); back != secret {
				t.Errorf("a later step got %q", back)
			}
			texts := map[string]string{"stdout": end.stdout, "stderr": end.stderr}
			for _, args := range [][]string{{"runs", "show"}, {"runs", "show", "--output-format", "json"}, {"runs", "list", "--output-format", "json"},
				{"runs", "logs", "large"}, {"runs", "logs", "stubbed"}, {"runs", "logs", "fails", "--stderr"}} {
				shown := p.run(args...)
				texts[strings.Join(args, " ")] = shown.stdout + shown.stderr
			}
			seen(t, secret, everything(t, texts, p.path("state"), p.path("audit")))
			if !strings.Contains(texts["runs logs large"], "line 1 of a long text ***") {
				t.Errorf("the large output is not kept masked: %.200q", texts["runs logs large"])
			}
			if verified := p.run("runs", "verify"); verified.code != 0 {
				t.Errorf("verify: %s", verified.stderr)
			}
		}
	}
}

// killRun starts a run, waits for a file of it, and kills its process.
func (p *folder) killRun(file string, cmd *exec.Cmd) {
	p.t.Helper()
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	for p.read(file) == "" {
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		p.t.Fatal(err)
	}
	_ = cmd.Wait()
}

// The recipe's own text holds the secret, so that it is sealed, too.
const sealed = `
name: sealed
secrets: [TOKEN]
steps:
  - {id: keep, command: "printf '%s' \"$TOKEN and more\" # TEXT", output: kept}
  - {id: nap, command: "echo x >ready; sleep ${NAP:-0}"}
  - {id: use, command: "printf '%s' {{kept}} >used"}
`

func TestAResumeReadsSecretsAgain(t *testing.T) {
	t.Parallel()
	const secret = "value-of-the-token"
	p := newFolder(t, map[string]string{"sealed.yaml": strings.Replace(sealed, "TEXT", secret, 1)})
	cmd := p.command("run", "sealed.yaml")
	cmd.Env = append(cmd.Env, "TOKEN="+secret, "NAP=30")
	p.killRun("ready", cmd)
	seen(t, secret, everything(t, map[string]string{}, p.path("state")))

	end := p.run("resume")
	if end.code != 4 || !strings.Contains(end.stderr, "TOKEN") {
		t.Fatalf("without the secret: exit %d, %s", end.code, end.stderr)
	}
	cmd = p.command("resume")
	cmd.Env = append(cmd.Env, "TOKEN="+secret)
	if end := wait(t, cmd); end.code != 0 {
		t.Fatalf("with the secret: exit %d, %s", end.code, end.stderr)
	}
	if used := p.read("used"); used != secret+" and more" {
		t.Errorf("the resumed run used %q", used)
	}
	seen(t, secret, everything(t, map[string]string{}, p.path("state")))
}

func TestSecretsThatCannotBeMaskedAreNamed(t *testing.T) {
	t.Parallel()
	p := newFolder(t, map[string]string{"r.yaml": "name: r\nsecrets: [PIN, GONE]\nsteps:\n  - {id: s, command: \"echo $PIN\"}\n"})
	cmd := p.command("run", "r.yaml")
	cmd.Env = append(cmd.Env, "PIN=123")
	end := wait(t, cmd)
	if end.code != 0 || !strings.Contains(end.stderr, "the secret PIN is not masked: it has 3 characters") ||
		!strings.Contains(end.stderr, "the secret GONE is not set") || strings.Contains(end.stderr, "123") {
		t.Errorf("exit %d, %s", end.code, end.stderr)
	}
	if !strings.Contains(end.stdout, "123") {
		t.Errorf("a short value is not masked: %s", end.stdout)
	}
}

// What the lock says about its owner is shown to others.
func TestTheOwnersCommandLineIsMasked(t *testing.T) {
	t.Parallel()
	const secret = "value-of-the-token"
	p := newFolder(t, map[string]string{"r.yaml": "name: r\nsecrets: [TOKEN]\ncontext: {x: ''}\nsteps:\n  - {id: s, command: \"cat \\\"$BRICKOVEN_RUN_DIR/lock\\\" >lock\"}\n"})
	cmd := p.command("run", "r.yaml", "--set", "x="+secret)
	cmd.Env = append(cmd.Env, "TOKEN="+secret)
	if end := wait(t, cmd); end.code != 0 {
		t.Fatalf("exit %d, %s", end.code, end.stderr)
	}
	if lock := p.read("lock"); !strings.Contains(lock, "x=***") || strings.Contains(lock, secret) {
		t.Errorf("the lock: %s", lock)
	}
}
