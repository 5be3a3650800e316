package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"github.com/brickoven/brickoven/bricks/brakes/comprehension"
	"github.com/brickoven/brickoven/runner/exit"
)

// debts keeps a debt in memory.
type debts struct{ state unreadState }

func (d *debts) Unread(context.Context) (unreadState, error) { return d.state, nil }

func (d *debts) Acknowledge(_ context.Context, v comprehension.Verified) (read, left int, err error) {
	read, err = d.state.Debt.Acknowledge(v)
	return read, len(d.state.Debt.Unread()), err
}

// sshKey makes a key file and the line that allows it.
func sshKey(t *testing.T) (file, public string) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
}

func debtFor(t *testing.T, allowed string) *debts {
	t.Helper()
	signers, err := comprehension.ParseSigners([]byte(allowed), nil)
	if err != nil {
		t.Fatal(err)
	}
	d := &debts{unreadState{Repository: "p-1", Signers: signers}}
	for _, digit := range []string{"a", "b", "c"} {
		d.state.Debt.Add(comprehension.Change{Commit: strings.Repeat(digit, 40)})
	}
	return d
}

func acknowledge(source debtSource, args ...string) (string, int) {
	return oneCommand(func(a *app) *cobra.Command { return newAckCommand(a, source) }, args...)
}

func TestAckLowersTheDebtForAnAllowedKeyOnly(t *testing.T) {
	t.Parallel()
	file, public := sshKey(t)
	stranger, _ := sshKey(t)
	source := debtFor(t, "me "+public)
	through := "--through=" + strings.Repeat("b", 40)
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{through, "--reviewer=me", "--key=" + stranger}, exit.Failed},
		{[]string{through, "--reviewer=you", "--key=" + file}, exit.Failed},
		{[]string{through, "--reviewer=me"}, exit.Failed},
		{[]string{through, "--reviewer=me", "--key=" + file + ".gone"}, exit.Failed},
		{[]string{"--through=ddddddd", "--reviewer=me", "--key=" + file}, exit.Usage},
		{[]string{through, "--key=" + file}, exit.Usage},
		{nil, exit.Usage},
	} {
		if _, code := acknowledge(source, c.args...); code != c.code || len(source.state.Debt.Unread()) != 3 {
			t.Errorf("%v: exit code %d, %d unread", c.args, code, len(source.state.Debt.Unread()))
		}
	}
	out, code := acknowledge(source, "--through=bbbbbbb", "--reviewer=me", "--key="+file)
	if code != exit.Success || !strings.HasPrefix(out, "2 changes read through bbbb") || !strings.HasSuffix(out, "; 1 unread\n") {
		t.Errorf("exit code %d and %q", code, out)
	}
	out, code = acknowledge(source, "--through=ccccccc", "--reviewer=me", "--key="+file, "--output-format=json")
	if code != exit.Success || !strings.Contains(out, `"unread": 0`) {
		t.Errorf("exit code %d and %q", code, out)
	}
}

func TestAckTakesASignatureFromElsewhere(t *testing.T) {
	t.Parallel()
	file, public := sshKey(t)
	source := debtFor(t, "me "+public)
	text, code := acknowledge(source, "--through=ccccccc", "--reviewer=me", "--print")
	if code != exit.Success || len(source.state.Debt.Unread()) != 3 {
		t.Fatalf("exit code %d", code)
	}
	statement, err := comprehension.ParseStatement(text)
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.ParsePrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	ack, err := comprehension.Sign(statement, signer)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"s": ack.Statement, "s.sig": ack.Signature, "other": strings.Replace(ack.Statement, "ccc", "ccd", 1)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	signature := "--signature=" + filepath.Join(dir, "s.sig")
	if _, code := acknowledge(source, "--statement="+filepath.Join(dir, "other"), signature); code != exit.Failed {
		t.Errorf("another statement: exit code %d", code)
	}
	if _, code := acknowledge(source, "--statement="+filepath.Join(dir, "s"), signature); code != exit.Success || len(source.state.Debt.Unread()) != 0 {
		t.Errorf("exit code %d, %d unread", code, len(source.state.Debt.Unread()))
	}
	if _, code := acknowledge(source, "--statement="+filepath.Join(dir, "s"), signature); code != exit.Failed {
		t.Errorf("a second time: exit code %d", code)
	}
}
