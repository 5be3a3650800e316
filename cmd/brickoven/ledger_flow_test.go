package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheExampleContractOpens(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "ledger", "contract.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.path("contract.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"grep", "awk"} {
		if err := os.WriteFile(b.path(program), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.must("open", "--root", b.dir, "--contract", "@contract.json")
}

func TestAnEscalateIsRecordedWithItsFieldsAndBriefsAreSpent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.open()
	id := b.brief()
	b.must("iterate", "--outcome", "continue", "--action", "tighten", "--measure", "failing-tests=1", "--measure", "coverage=68",
		"--evidence-path", "ci.log", "--critic-brief", id, "--critic-verdict", "PASS", "--critic-next", "measure the clock", "--decision", "retain", "--json")
	doc := b.json()
	if doc["critic_brief"] != id || doc["decision"] != "retain" || doc["status"] != "open" || doc["stall"] != nil {
		t.Errorf("got %v", doc)
	}
	if code := b.run("iterate", "--session", "s1", "--outcome", "continue", "--evidence-path", "ci.log", "--critic-brief", id,
		"--critic-verdict", "PASS", "--critic-next", "n"); code != 1 {
		t.Errorf("a spent brief: exit %d", code)
	}
	b.must("iterate", "--outcome", "escalate", "--blocker", "no credential", "--evidence", "exit 1", "--recommended-next", "issue a token")
	b.must("status", "--json")
	doc = b.json()
	if doc["final_outcome"] != "escalate" || doc["blocker"] != "no credential" || doc["critic_verdict"] != "PASS" {
		t.Errorf("got %v", doc)
	}
}

func TestSeveralFlagsOfOneNameAndCommasStayApart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.open()
	b.must("iterate", "--outcome", "continue", "--action", "a,b", "--action", "c", "--json")
	if actions, _ := b.json()["actions"].([]any); len(actions) != 2 || actions[0] != "a,b" {
		t.Errorf("got %v", actions)
	}
}

func TestTheStateFolderNeedsAHome(t *testing.T) {
	t.Parallel()
	var out, errOut bytes.Buffer
	cmd := newLedgerCommand(&app{out: &out, err: &errOut})
	cmd.SetArgs([]string{"status", "--session", "s1"})
	err := cmd.Execute()
	var failed *failure
	if !errors.As(err, &failed) || failed.Code != 2 || !strings.Contains(failed.Error(), "--state-dir") {
		t.Errorf("got %v", err)
	}
}

func TestTheStateDirFlagWinsOverTheEnvironment(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must("open", "--contract", "@contract.json", "--state-dir", "@elsewhere")
	if _, err := os.Stat(b.path("elsewhere/ledgers/s1.json")); err != nil {
		t.Error(err)
	}
}
