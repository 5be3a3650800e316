package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const testContract = `{"purpose":"cut failing tests to zero","owner":"build-agent","starting_state":"4 failing",
 "inputs":["tests/"],"expected_outputs":["a green suite"],"success_criteria":["suite exits 0"],
 "failure_criteria":["any passing test turns red"],"dependencies":["postgres"],"iteration_limit":6,
 "timeout_behaviour":"stop and record","escalation_path":"roadmap item",
 "quality_rubric":[
  {"dimension":"failing-tests","evidence_command":"true","baseline":4,"target":0,"weight":70,
   "failure_threshold":4,"direction":"lower-is-better","hard_gate":true},
  {"dimension":"coverage","evidence_command":"true","baseline":61,"target":75,"weight":30,
   "failure_threshold":58,"direction":"higher-is-better","hard_gate":false}]}`

const testDiff = "diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-x\n+y\n"

// bench is a scratch project with a state folder and the usual inputs.
type bench struct {
	t      *testing.T
	dir    string
	stdout string
	stderr string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir()}
	for name, text := range map[string]string{
		"contract.json": testContract, "change.diff": testDiff, "suite.txt": "ok\n", "empty.txt": " \n",
		"scope.txt": " a.go | 2 +-\n", "wide.txt": "a.go\nb.go\n", "transcript.txt": "4 failing tests\n", "bad.json": "{",
		"faulty.json": strings.Replace(testContract, `"weight":70`, `"weight":0`, 1),
	} {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// path is a file of the bench.
func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) ledgerFile() string { return b.path("state/ledgers/s1.json") }

// run runs brickoven ledger; @name in an argument is the bench's file name.
func (b *bench) run(args ...string) (code int) {
	b.t.Helper()
	for i, arg := range args {
		args[i] = strings.ReplaceAll(arg, "@", b.dir+string(filepath.Separator))
	}
	var out, errOut bytes.Buffer
	a := &app{environ: []string{"BRICKOVEN_STATE_DIR=" + b.path("state")}, in: strings.NewReader(testContract), out: &out, err: &errOut}
	cmd := newLedgerCommand(a)
	cmd.SetArgs(args)
	cmd.SetOut(&errOut)
	cmd.SetErr(&errOut)
	err := cmd.ExecuteContext(context.Background())
	b.stdout, b.stderr = out.String(), errOut.String()
	if err == nil {
		return 0
	}
	var failed *failure
	if !errors.As(err, &failed) {
		b.t.Fatalf("%v: the error is no failure: %v", args, err)
	}
	b.stderr += failed.Error()
	return failed.Code
}

// must runs a command of session s1 that succeeds.
func (b *bench) must(command string, args ...string) {
	b.t.Helper()
	if code := b.run(append([]string{command, "--session", "s1"}, args...)...); code != 0 {
		b.t.Fatalf("%s %v: exit %d: %s", command, args, code, b.stderr)
	}
}

func (b *bench) open() {
	b.t.Helper()
	b.must("open", "--contract", "@contract.json")
}

// json is the one document on stdout.
func (b *bench) json() map[string]any {
	b.t.Helper()
	dec := json.NewDecoder(strings.NewReader(b.stdout))
	dec.UseNumber()
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil {
		b.t.Fatalf("stdout is no JSON document: %v\n%s", err, b.stdout)
	}
	if dec.More() {
		b.t.Fatalf("stdout holds more than one document:\n%s", b.stdout)
	}
	return doc
}

func (b *bench) brief() string {
	b.t.Helper()
	b.must("brief", "--diff-file", "@change.diff", "--verification-file", "@suite.txt", "--json")
	id, _ := b.json()["brief_id"].(string)
	return id
}

func opened(b *bench) { b.open() }

func iterated(b *bench) {
	b.open()
	b.must("iterate", "--outcome", "continue", "--action", "a1")
}

func closed(b *bench) {
	b.open()
	b.must("iterate", "--outcome", "revise")
}

func corrupted(b *bench) {
	b.open()
	if err := os.WriteFile(b.ledgerFile(), []byte(`{"schema":1,"session":"s1"`), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// exitRows is the table of exit codes of seed 002, row by row and path by path.
var exitRows = []struct {
	name  string
	setup func(*bench)
	args  string
	want  int
}{
	{"0 open", nil, "open --session s1 --contract @contract.json", 0},
	{"0 open from standard input", nil, "open --session s1 --contract -", 0},
	{"0 open with evidence", nil, "open --session s1 --contract @contract.json --baseline-evidence failing-tests=@transcript.txt", 0},
	{"0 iterate", opened, "iterate --session s1 --outcome continue", 0},
	{"0 a stall is not a failure", opened, "iterate --session s1 --outcome continue --dependency-missing postgres", 0},
	{"0 brief", opened, "brief --session s1 --diff-file @change.diff --verification-file @suite.txt --change-scope @scope.txt", 0},
	{"0 score", opened, "score --session s1 --measure failing-tests=1 --measure coverage=68", 0},
	{"0 status", iterated, "status --session s1", 0},
	{"0 status of a closed ledger", closed, "status --session s1", 0},
	{"0 resume", iterated, "resume --session s1", 0},
	{"0 close", opened, "close --session s1 --outcome complete", 0},
	{"0 open over a closed ledger", closed, "open --session s1 --contract @contract.json", 0},
	{"0 open --force over a live ledger", opened, "open --session s1 --contract @contract.json --force", 0},
	{"0 open --force over a corrupt ledger", corrupted, "open --session s1 --contract @contract.json --force", 0},
	{"0 check", iterated, "check", 0},
	{"0 help", nil, "open --help", 0},
	{"0 help of the group", nil, "--help", 0},

	{"1 the contract is not JSON", nil, "open --session s1 --contract @bad.json", 1},
	{"1 the contract has findings", nil, "open --session s1 --contract @faulty.json", 1},
	{"1 the transcript lacks the baseline", nil, "open --session s1 --contract @contract.json --baseline-evidence coverage=@transcript.txt", 1},
	{"1 evidence for no dimension", nil, "open --session s1 --contract @contract.json --baseline-evidence nothing=@transcript.txt", 1},
	{"1 an undeclared dependency", opened, "iterate --session s1 --outcome continue --dependency-missing redis", 1},
	{"1 a part of a dependency's name", opened, "iterate --session s1 --outcome continue --dependency-missing post", 1},
	{"1 escalate without its fields", opened, "iterate --session s1 --outcome escalate --blocker b --evidence e", 1},
	{"1 close with an escalate without its fields", opened, "close --session s1 --outcome escalate", 1},
	{"1 an unknown verdict", opened, "iterate --session s1 --outcome continue --critic-verdict GOOD", 1},
	{"1 an unknown decision", opened, "iterate --session s1 --outcome continue --decision keep", 1},
	{"1 a verdict without a brief", opened, "iterate --session s1 --outcome continue --critic-verdict PASS --critic-next n --evidence-path e", 1},
	{"1 a brief id without a verdict", opened, "iterate --session s1 --outcome continue --critic-brief 0123456789abcdef", 1},
	{"1 an undeclared dimension", opened, "score --session s1 --measure failing-tests=1 --measure coverage=68 --measure speed=1", 1},
	{"1 a dimension left out", opened, "score --session s1 --measure failing-tests=1", 1},
	{"1 nothing measured", opened, "score --session s1", 1},
	{"1 a dimension measured twice", opened, "score --session s1 --measure failing-tests=1 --measure failing-tests=1 --measure coverage=68", 1},
	{"1 NaN", opened, "score --session s1 --measure failing-tests=nan --measure coverage=68", 1},
	{"1 an infinity", opened, "score --session s1 --measure failing-tests=-inf --measure coverage=68", 1},
	{"1 a number too large to be finite", opened, "score --session s1 --measure failing-tests=1e999 --measure coverage=68", 1},
	{"1 an underscored number", opened, "iterate --session s1 --outcome continue --measure failing-tests=1_0 --measure coverage=68", 1},
	{"1 check finds a corrupt ledger", corrupted, "check", 1},

	{"2 no command", nil, "", 2},
	{"2 an unknown command", nil, "reopen", 2},
	{"2 an unknown flag", nil, "status --session s1 --bogus", 2},
	{"2 an unknown flag of an unknown command", nil, "reopen --bogus", 2},
	{"2 a flag without its value", nil, "status --session", 2},
	{"2 an argument too many", opened, "status --session s1 more", 2},
	{"2 no session", nil, "status", 2},
	{"2 a session that climbs out", nil, "status --session ../s1", 2},
	{"2 a session that climbs out in open", nil, "open --session a/../../s1 --contract @contract.json", 2},
	{"2 no ledger to iterate", nil, "iterate --session s1 --outcome continue", 2},
	{"2 no ledger to report", nil, "status --session s1", 2},
	{"2 no ledger to score", nil, "score --session s1", 2},
	{"2 no ledger to brief", nil, "brief --session s1 --diff-file @change.diff --verification-file @suite.txt", 2},
	{"2 no ledger to resume", nil, "resume --session s1", 2},
	{"2 no ledger to close", nil, "close --session s1 --outcome stop", 2},
	{"2 a corrupt ledger in open", corrupted, "open --session s1 --contract @contract.json", 2},
	{"2 a corrupt ledger in iterate", corrupted, "iterate --session s1 --outcome continue", 2},
	{"2 a corrupt ledger in status", corrupted, "status --session s1", 2},
	{"2 no contract", nil, "open --session s1", 2},
	{"2 an unreadable contract", nil, "open --session s1 --contract @missing.json", 2},
	{"2 a threshold of 0", nil, "open --session s1 --contract @contract.json --stall-threshold 0", 2},
	{"2 a negative threshold", nil, "open --session s1 --contract @contract.json --stall-threshold -1", 2},
	{"2 an unknown way of counting", nil, "open --session s1 --contract @contract.json --count some", 2},
	{"2 evidence without a file", nil, "open --session s1 --contract @contract.json --baseline-evidence coverage", 2},
	{"2 no outcome", opened, "iterate --session s1", 2},
	{"2 an unknown outcome", opened, "iterate --session s1 --outcome done", 2},
	{"2 close with continue", opened, "close --session s1 --outcome continue", 2},
	{"2 brief without a diff", opened, "brief --session s1 --verification-file @suite.txt", 2},
	{"2 check of a file that is not there", nil, "check @missing.json", 2},

	{"3 open over a live ledger", opened, "open --session s1 --contract @contract.json", 3},
	{"3 the state comes before the contract", opened, "open --session s1 --contract @bad.json", 3},
	{"3 iterate over a closed ledger", closed, "iterate --session s1 --outcome continue", 3},
	{"3 close over a closed ledger", closed, "close --session s1 --outcome stop", 3},
	{"3 resume of what is not a pause", closed, "resume --session s1", 3},
	{"3 brief over a closed ledger", closed, "brief --session s1 --diff-file @change.diff --verification-file @suite.txt", 3},

	{"4 status over no iterations", opened, "status --session s1", 4},
	{"4 check of nothing", nil, "check", 4},

	{"5 an action that is complete", iterated, "iterate --session s1 --outcome continue --action a2 --action a1", 5},
	{"5 an action twice in a batch", opened, "iterate --session s1 --outcome continue --action a2 --action a2", 5},
	{"5 comes before the facts", iterated, "iterate --session s1 --outcome continue --action a1 --decision keep", 5},

	{"6 a breached hard gate", opened, "score --session s1 --measure failing-tests=5 --measure coverage=75", 6},

	{"7 retain over a breached gate", opened, "iterate --session s1 --outcome continue --decision retain --measure failing-tests=5 --measure coverage=75", 7},

	{"8 an unreadable diff", opened, "brief --session s1 --diff-file @missing --verification-file @suite.txt", 8},
	{"8 an empty diff", opened, "brief --session s1 --diff-file @empty.txt --verification-file @suite.txt", 8},
	{"8 an empty verification", opened, "brief --session s1 --diff-file @change.diff --verification-file @empty.txt", 8},
	{"8 an empty scope", opened, "brief --session s1 --diff-file @change.diff --verification-file @suite.txt --change-scope @empty.txt", 8},
	{"8 a folder as a diff", opened, "brief --session s1 --diff-file @state --verification-file @suite.txt", 8},
	{"8 an unreadable transcript", nil, "open --session s1 --contract @contract.json --baseline-evidence coverage=@missing", 8},
	{"8 an empty transcript", nil, "open --session s1 --contract @contract.json --baseline-evidence coverage=@empty.txt", 8},

	{"9 a diff that does not cover its scope", opened, "brief --session s1 --diff-file @change.diff --verification-file @suite.txt --change-scope @wide.txt", 9},
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, row := range exitRows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			if row.setup != nil {
				row.setup(b)
			}
			before, _ := os.ReadFile(b.ledgerFile())
			if got := b.run(strings.Fields(row.args)...); got != row.want {
				t.Errorf("exit %d, want %d: %s", got, row.want, b.stderr)
			}
			if row.want != 0 && b.stderr == "" {
				t.Error("people are told nothing on stderr")
			}
			if after, _ := os.ReadFile(b.ledgerFile()); row.want != 0 && !bytes.Equal(before, after) {
				t.Error("a refused command changed the ledger")
			}
		})
	}
}

func TestJSONIsOneDocumentOnEveryPath(t *testing.T) {
	t.Parallel()
	for _, row := range exitRows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			if row.setup != nil {
				row.setup(b)
			}
			// The flag stands in front, because a flag without a value at the end
			// would take it for its own.
			args := append([]string{"--json"}, strings.Fields(row.args)...)
			if got := b.run(args...); got != row.want {
				t.Errorf("exit %d, want %d: %s", got, row.want, b.stderr)
			}
			doc := b.json()
			answers := row.want == 4 || row.want == 6 || strings.HasPrefix(row.args, "check") && row.want == 1
			if row.want != 0 && !answers && doc["exit_code"] != json.Number(string(rune('0'+row.want))) {
				t.Errorf("the document does not carry the exit code: %v", doc)
			}
			if !strings.Contains(b.stdout, "\n  \"") {
				t.Error("the document is not indented by two")
			}
		})
	}
}

func TestJSONAfterTheFaultyFlagCountsToo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if code := b.run("iterate", "--bogus", "--json"); code != 2 || b.json()["exit_code"] != json.Number("2") {
		t.Errorf("exit %d, stdout %q", code, b.stdout)
	}
	if code := b.run("iterate", "--bogus", "--", "--json"); code != 2 || b.stdout != "" {
		t.Errorf("an argument is not the flag: exit %d, stdout %q", code, b.stdout)
	}
}
