package comprehension_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/brickoven/brickoven/bricks/brakes/comprehension"
)

type key struct {
	signer  ssh.Signer
	public  string // type and base64
	private []byte // OpenSSH PEM
}

func newKey(t testing.TB) key {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	sshPublic, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	return key{signer, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(sshPublic))), pem.EncodeToMemory(block)}
}

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func statement() comprehension.Statement {
	return comprehension.Statement{Repository: "p-1", Through: commit(3), Reviewer: "me@example.com", At: now}
}

func signers(t testing.TB, lines ...string) comprehension.Signers {
	t.Helper()
	s, err := comprehension.ParseSigners([]byte(strings.Join(lines, "\n")), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sign(t testing.TB, s comprehension.Statement, k key) comprehension.Ack {
	t.Helper()
	ack, err := comprehension.Sign(s, k.signer)
	if err != nil {
		t.Fatal(err)
	}
	return ack
}

func terms(s comprehension.Signers) comprehension.Terms {
	return comprehension.Terms{Repository: "p-1", Signers: s, Now: now.Add(time.Minute), MaxAge: time.Hour}
}

func TestASignedAcknowledgementCounts(t *testing.T) {
	t.Parallel()
	k := newKey(t)
	v, err := comprehension.Verify(sign(t, statement(), k), terms(signers(t, "me@example.com "+k.public+" laptop")))
	if err != nil {
		t.Fatal(err)
	}
	if v.Fingerprint != ssh.FingerprintSHA256(k.signer.PublicKey()) || v.Statement != statement() {
		t.Errorf("got %+v", v)
	}
	d := debtOf(3)
	if n, err := d.Acknowledge(v); err != nil || n != 3 {
		t.Errorf("read %d, %v", n, err)
	}
}

func TestWhatDoesNotHoldIsRefused(t *testing.T) {
	t.Parallel()
	mine, other := newKey(t), newKey(t)
	good := sign(t, statement(), mine)
	allowed := "me@example.com " + mine.public
	old := statement()
	old.At = now.Add(-2 * time.Hour)
	future := statement()
	future.At = now.Add(2 * time.Hour)
	elsewhere := statement()
	elsewhere.Repository = "p-2"
	forged := good
	forged.Statement = strings.Replace(good.Statement, commit(3), commit(5), 1)
	impersonated := statement()
	impersonated.Reviewer = "you@example.com"
	for name, c := range map[string]struct {
		ack    comprehension.Ack
		signer string
		want   comprehension.Refusal
	}{
		"forged":                           {forged, allowed, comprehension.Forged},
		"a signature of another statement": {comprehension.Ack{Statement: good.Statement, Signature: sign(t, old, mine).Signature}, allowed, comprehension.Forged},
		"no signature":                     {comprehension.Ack{Statement: good.Statement}, allowed, comprehension.Malformed},
		"no statement":                     {comprehension.Ack{Signature: good.Signature}, allowed, comprehension.Malformed},
		"another key":                      {sign(t, statement(), other), allowed, comprehension.UnknownKey},
		"another's name":                   {sign(t, impersonated, mine), allowed, comprehension.UnknownKey},
		"nobody is allowed":                {good, "# nobody", comprehension.UnknownKey},
		"an excluded name":                 {good, "*@example.com,!me@example.com " + mine.public, comprehension.UnknownKey},
		"another namespace":                {good, `me@example.com namespaces="file,git" ` + mine.public, comprehension.UnknownKey},
		"an authority":                     {good, "me@example.com cert-authority " + mine.public, comprehension.UnknownKey},
		"a key that expired":               {good, `me@example.com valid-before="20260102" ` + mine.public, comprehension.ExpiredKey},
		"a key not valid yet":              {good, `me@example.com valid-after="20260103" ` + mine.public, comprehension.ExpiredKey},
		"an old statement":                 {sign(t, old, mine), allowed, comprehension.Expired},
		"a future statement":               {sign(t, future, mine), allowed, comprehension.Future},
		"another repository":               {sign(t, elsewhere, mine), allowed, comprehension.OtherProject},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := comprehension.Verify(c.ack, terms(signers(t, c.signer)))
			var refused *comprehension.RefusedError
			if !errors.As(err, &refused) || refused.Reason != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestLinesOfAllowedSignersAreUnderstood(t *testing.T) {
	t.Parallel()
	k := newKey(t)
	ack := sign(t, statement(), k)
	for _, line := range []string{
		"*@example.com " + k.public,
		"m?@example.com " + k.public,
		`"you@example.com,me@example.com" ` + k.public,
		"me@example.com\t" + k.public,
		`me@example.com namespaces="git,brickoven-*" ` + k.public + " a comment",
		`me@example.com valid-after="20260102",valid-before="202601020310Z" ` + k.public,
		`me@example.com valid-before="20260102030506" ` + k.public,
		"me@example.com " + newKey(t).public + "\nme@example.com " + k.public,
	} {
		if _, err := comprehension.Verify(ack, terms(signers(t, "# a comment", "", line))); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestALineThatCannotBeReadRefusesTheFile(t *testing.T) {
	t.Parallel()
	k := newKey(t)
	for _, line := range []string{
		"me@example.com", "me@example.com nokey", `"me@example.com ` + k.public, `me@example.com valid-before="soon" ` + k.public,
		`me@example.com valid-before="20261399" ` + k.public, `me@example.com no-touch-required ` + k.public,
	} {
		_, err := comprehension.ParseSigners([]byte("# first\n"+line+"\n"), time.UTC)
		var fault *comprehension.SignersError
		if !errors.As(err, &fault) || fault.Line != 2 {
			t.Errorf("%s: got %v", line, err)
		}
	}
}

func TestDatesWithoutAZoneAreLocal(t *testing.T) {
	t.Parallel()
	k := newKey(t)
	east := time.FixedZone("east", 12*60*60)
	s, err := comprehension.ParseSigners([]byte(`me@example.com valid-before="202601021200" `+k.public), east)
	if err != nil {
		t.Fatal(err)
	}
	var refused *comprehension.RefusedError
	if _, err := comprehension.Verify(sign(t, statement(), k), terms(s)); !errors.As(err, &refused) || refused.Reason != comprehension.ExpiredKey {
		t.Errorf("got %v", err)
	}
}

func TestAStatementThatIsNoLineIsNotSigned(t *testing.T) {
	t.Parallel()
	s := statement()
	s.Reviewer = "me\nthrough: " + commit(9)
	if _, err := comprehension.Sign(s, newKey(t).signer); err == nil {
		t.Error("it is signed")
	}
}

func TestSSHKeygenSignsAndVerifiesTheSame(t *testing.T) {
	t.Parallel()
	keygen, err := exec.LookPath("ssh-keygen")
	if err != nil {
		t.Skip("there is no ssh-keygen here")
	}
	k := newKey(t)
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	allowed := "me@example.com " + k.public
	keyFile, text := file("key", string(k.private)), file("statement", statement().String())
	if out, err := exec.Command(keygen, "-Y", "sign", "-f", keyFile, "-n", comprehension.Namespace, text).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	signature, err := os.ReadFile(text + ".sig")
	if err != nil {
		t.Fatal(err)
	}
	ack := comprehension.Ack{Statement: statement().String(), Signature: string(signature)}
	if _, err := comprehension.Verify(ack, terms(signers(t, allowed))); err != nil {
		t.Errorf("what ssh-keygen signed: %v", err)
	}
	ours := file("ours.sig", sign(t, statement(), k).Signature)
	verify := exec.Command(keygen, "-Y", "verify", "-f", file("allowed", allowed+"\n"), "-I", "me@example.com", "-n", comprehension.Namespace, "-s", ours)
	verify.Stdin = strings.NewReader(statement().String())
	if out, err := verify.CombinedOutput(); err != nil {
		t.Errorf("what we signed: %v: %s", err, out)
	}
}

func FuzzParseSigners(f *testing.F) {
	k := newKey(f)
	f.Add("me@example.com " + k.public)
	f.Add(`"a,b" namespaces="x",valid-before="20260102Z" ` + k.public)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := comprehension.ParseSigners([]byte(text), nil)
		if err != nil {
			return
		}
		ack := comprehension.Ack{Statement: statement().String(), Signature: text}
		if _, err := comprehension.Verify(ack, terms(s)); err == nil {
			t.Error("a text without a signature counts")
		}
	})
}
